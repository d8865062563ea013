"""A project's own sandbox, which can be started again as it was."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import CmsmigError, StorageError, UsageError
from cmsmig.plain_file import SMALL, for_oneself, read_plain, require_in_place
from cmsmig.run.child import end_child, this_python
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.settings import Project, load_settings

_HOST = "127.0.0.1"
_KEPT = (
    "origin_port",
    "destination_port",
    "origin_token",
    "destination_token",
    "rate",
    "origin_rate",
    "demo_space",
    "languages",
)
"""What has to be the same, so that addresses, tokens and content still hold."""


@dataclass(frozen=True, slots=True)
class _Place:
    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "sandbox.json"

    @property
    def requests(self) -> Path:
        return self.folder / "requests.sqlite"


def kept_options(
    project: Project,
    options: SandboxOptions,
    given: Mapping[str, int | tuple[str, ...] | None],
) -> SandboxOptions:
    """Return a sandbox's options with what an earlier one of the project used.

    The first time ports are chosen and tokens drawn, and written down. `given` holds
    rates and languages that were asked for now. Raises `UsageError` and `StorageError`.
    """
    place = _Place(project.sandbox)
    known = _read(place.settings)
    if known is None:
        options = _drawn(options)
    else:
        _require_same_content(place, known, options)
        used: dict[str, object] = {name: known[name] for name in _KEPT}
        used["languages"] = _languages(known)
        used |= {name: value for name, value in given.items() if value is not None}
        held = known["content"]
        content = Path(held) if isinstance(held, str) else None
        options = replace(options, **used, content=content)  # type: ignore[arg-type]
    _write(place.settings, options)
    return replace(options, kept_in=place.requests)


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
    command = this_python("-m", "cmsmig.cli", "--project", str(project.root), "sandbox")
    # A session of its own: Ctrl-C stops what works with it first.
    process = subprocess.Popen(
        command, env=dict(environ), stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        line = process.stdout.readline() if process.stdout is not None else b""
        if not line:
            raise CmsmigError(
                f"The sandbox of {project.root} was down and did not start again; what "
                f"it said stands above. Delete {project.sandbox} for a new rehearsal."
            )
        address = json.loads(line)["base_url"]
        tell(
            f"The rehearsal's sandbox was down; it runs again at {address}, as it was,"
            " until JupyterLab ends."
        )
        yield
    finally:
        end_child(process)


def _is_meant(project: Project, environ: Mapping[str, str]) -> bool:
    """Return whether the settings point to the project's sandbox, and it is down."""
    known = _read(_Place(project.sandbox).settings)
    if known is None:
        return False
    settings = load_settings(
        project, environ, need_origin=False, need_destination=False
    )
    address = f"http://{_HOST}:{known['destination_port']}"
    if not settings.destination_base_url.startswith(f"{address}/"):
        return False
    with socket.socket() as asking:
        asking.settimeout(2)
        return asking.connect_ex((_HOST, int(str(known["destination_port"])))) != 0


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


def _require_same_content(
    place: _Place, known: JsonObject, options: SandboxOptions
) -> None:
    asked = options.content
    if asked is not None and str(asked.absolute()) != known["content"]:
        raise UsageError(
            f"{place.folder} keeps a rehearsal with {known['content'] or 'the sample'};"
            " delete that folder to begin one with other content."
        )


def _languages(known: JsonObject) -> tuple[str, ...]:
    listed = known["languages"]
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _read(path: Path) -> JsonObject | None:
    try:
        known: Json = json.loads(read_plain(path, SMALL))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from error
    if isinstance(known, dict):
        # Earlier versions had none.
        known.setdefault("languages", [])
    if not isinstance(known, dict) or not {*_KEPT, "content"} <= known.keys():
        raise _unreadable(path, "something is missing")
    return known


def _write(path: Path, options: SandboxOptions) -> None:
    content = None if options.content is None else str(options.content.absolute())
    kept: JsonObject = {name: getattr(options, name) for name in _KEPT}
    text = json.dumps({**kept, "content": content}, indent=1)
    try:
        require_in_place(path)
        require_in_place(_Place(path.parent).requests)
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        with open(new, "w", encoding="utf-8", opener=for_oneself) as file:
            file.write(f"{text}\n")
        new.replace(path)
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror or error}); make room or "
            "choose another project folder."
        ) from error


def _unreadable(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{path} cannot be read ({reason}); delete {path.parent} to begin a new "
        "rehearsal."
    )
