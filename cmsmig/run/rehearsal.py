"""The sandbox as a process: served until a signal, run for a demo, and kept in a
project so that it can be started again as it was."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import secrets
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from cmsmig.errors import CmsmigError, StorageError, UsageError
from cmsmig.run.child import this_python
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.origin.content import read_content
from cmsmig.sandbox.server import environment_file_text, serve
from cmsmig.sandbox.services import Sandbox
from cmsmig.settings import Project, load_settings

_HOST = "127.0.0.1"
_YOUNG = 20_000
"""Objects after which unreachable ones are looked for: some bodies' worth."""
_SETTINGS = "sandbox.json"
_REQUESTS = "requests.sqlite"
"""What a kept sandbox consists of, in the project's folder for it."""


class _Kept(BaseModel):
    """What has to be the same, so that addresses and tokens still hold."""

    model_config = ConfigDict(from_attributes=True, frozen=True)

    content: Path | None
    origin_port: int
    destination_port: int
    origin_token: str
    destination_token: str
    rate: int
    origin_rate: int
    demo_space: bool
    languages: tuple[str, ...]


def kept_options(
    project: Project,
    options: SandboxOptions,
    given: Mapping[str, Any],
) -> SandboxOptions:
    """Return a sandbox's options with what an earlier one of the project used.

    The first time ports are chosen and tokens drawn, and written down. `given` holds
    rates and languages that were asked for now; content that is given replaces what the
    origin served before. Raises `UsageError`, `StorageError` and `CacheError`.
    """
    place = project.sandbox
    kept = _read(place / _SETTINGS)
    if kept is None:
        options = _drawn(options)
    else:
        asked = {name: value for name, value in given.items() if value is not None}
        if options.content is not None:
            asked["content"] = options.content
        options = replace(options, **(kept.model_dump() | asked))
    if options.content is not None:
        # What cannot be served is not written down either.
        read_content(options.content, "")
        options = replace(options, content=options.content.absolute())
    _write(place / _SETTINGS, options)
    return replace(options, kept_in=place / _REQUESTS)


@contextmanager
def kept_sandbox_running(
    project: Project, environ: Mapping[str, str], tell: Callable[[str], None]
) -> Iterator[None]:
    """Run the project's sandbox while the block runs, if the settings point to it.

    One that runs already is left alone. Raises `CmsmigError` when it does not start.
    """
    if not _is_meant(project, environ):
        yield
        return
    failure = (
        f"The sandbox of {project.root} was down and did not start again; what it said "
        f"is above. Delete {project.sandbox} for a new rehearsal."
    )
    with sandbox_running(project, (), environ, failure) as address:
        tell(
            f"The rehearsal's sandbox was down; it runs again at {address}, as it was,"
            " until JupyterLab ends."
        )
        yield


@contextmanager
def sandbox_running(
    project: Project, options: Sequence[str], environ: Mapping[str, str], failure: str
) -> Iterator[str]:
    """Run `cmsmig sandbox` while the block runs; yield the destination's address.

    Raises `CmsmigError`, which says `failure`, when it does not start.
    """
    command = ("-m", "cmsmig.cli", "--project", str(project.root), "sandbox", *options)
    # A session of its own: Ctrl-C stops what works with it first.
    process = subprocess.Popen(
        this_python(*command),
        env=dict(environ),
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        line = process.stdout.readline() if process.stdout is not None else b""
        if not line:
            raise CmsmigError(failure)
        yield str(json.loads(line)["base_url"])
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes], patience: float = 10) -> None:
    """Ask a child to end, and make it after `patience` seconds."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _is_meant(project: Project, environ: Mapping[str, str]) -> bool:
    """Return whether the settings point to the project's sandbox, and it is down."""
    kept = _read(project.sandbox / _SETTINGS)
    if kept is None:
        return False
    settings = load_settings(
        project, environ, need_origin=False, need_destination=False
    )
    address = f"http://{_HOST}:{kept.destination_port}"
    if not settings.destination_base_url.startswith(f"{address}/"):
        return False
    with socket.socket() as asking:
        asking.settimeout(2)
        return asking.connect_ex((_HOST, kept.destination_port)) != 0


def _drawn(options: SandboxOptions) -> SandboxOptions:
    with socket.socket() as first, socket.socket() as second:
        for each in (first, second):
            each.bind((_HOST, 0))
        return replace(
            options,
            origin_port=options.origin_port or first.getsockname()[1],
            destination_port=options.destination_port or second.getsockname()[1],
            origin_token=f"origin-{secrets.token_hex(16)}",
            destination_token=f"destination-{secrets.token_hex(16)}",
        )


def _read(path: Path) -> _Kept | None:
    try:
        return _Kept.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(path, str(error)) from error


def _write(path: Path, options: SandboxOptions) -> None:
    text = _Kept.model_validate(options).model_dump_json(indent=1)
    try:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        _write_for_oneself(new, f"{text}\n")
        new.replace(path)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror or error}); free some space or "
            "choose another project folder."
        ) from error


def _unreadable(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{path} cannot be read ({reason}); delete {path.parent} to begin a new "
        "rehearsal."
    )


def serve_until_stopped(options: SandboxOptions, env_file: Path | None) -> None:
    """Serve, announce it as one JSON line on standard output, end on a signal.

    Writes `env_file`, settings that point at the sandbox. Raises what `serve`
    raises.
    """

    def announce(served: Sandbox) -> None:
        if env_file is not None:
            text = environment_file_text(served.announcement, options.rate)
            _write_for_oneself(env_file, text)
        print(json.dumps(served.announcement), flush=True)

    async def run() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        await serve(options, announce=announce, stop=ended)

    # What a process serves for hours is not looked through for each few bodies.
    gc.freeze()
    gc.set_threshold(_YOUNG, 50, 100)
    asyncio.run(run())


def _write_for_oneself(path: Path, text: str) -> None:
    """Replace a file that holds tokens; no other user may open it."""
    with open(path, "w", encoding="utf-8", opener=_for_oneself) as file:
        os.fchmod(file.fileno(), 0o600)  # It may have been there before.
        file.write(text)


def _for_oneself(path: str, flags: int) -> int:
    """Open a new file that no other user may read: the `opener` of `open`."""
    return os.open(path, flags, 0o600)
