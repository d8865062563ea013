"""What is told at the end of a run: a command that is started, an address that is sent
to. Neither changes how the run ended."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from cmsmig.canonical import JsonObject
from cmsmig.errors import CmsmigError, ServiceError
from cmsmig.printable import printable
from cmsmig.run.child import clean_environment
from cmsmig.settings import Settings
from cmsmig.wire.answers import Request
from cmsmig.wire.session import Session

_SECONDS = 60.0
"""How long a command may take."""
_ANSWER_SECONDS = 15.0


def notify(
    settings: Settings, folder: Path, environ: Mapping[str, str], message: JsonObject
) -> Iterator[str]:
    """Tell each hook of the settings; yield one sentence for each that failed.

    The command starts in `folder`, without a shell and without any setting of this
    project in its environment.
    """
    if settings.notify_command:
        yield from _run_command(settings.notify_command, folder, environ, message)
    if settings.notify_url:
        yield from _post(settings.notify_url.reveal(), message)


def _run_command(
    command: tuple[str, ...],
    folder: Path,
    environ: Mapping[str, str],
    message: JsonObject,
) -> Iterator[str]:
    name = Path(command[0]).name
    with tempfile.TemporaryFile("w+b") as said:
        try:
            ended = subprocess.run(
                command,
                input=json.dumps(message).encode() + b"\n",
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=clean_environment(environ),
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            yield _failed(f"the command {name}", f"it took over {_SECONDS:g} s")
            return
        except OSError as error:
            reason = error.strerror or str(error)
            yield _failed(f"the command {name}", f"it does not start: {reason}")
            return
        if ended.returncode:
            told = f"it ended with {ended.returncode}"
            yield _failed(f"the command {name}", told + _last_line(said))


def _last_line(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read()[-4000:].decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f", {last[:200]}" if last else ""


def _post(url: str, message: JsonObject) -> Iterator[str]:
    # The address may hold a key, so that its host alone is named.
    where = urlsplit(url).hostname or "its address"
    try:
        asyncio.run(_send(url, message))
    except ServiceError as error:
        status = f"it answered {error.status}" if error.status else "no answer came"
        yield _failed(where, status)
    except CmsmigError as error:
        yield _failed(where, str(error))


async def _send(url: str, message: JsonObject) -> None:
    async with Session(
        "notify",
        authorization=None,
        budget=None,
        in_flight=1,
        timeout=_ANSWER_SECONDS,
    ) as session:
        request = Request("POST", url, json=message, quota=False, patient=False)
        await session.send(request)


def _failed(hook: str, reason: str) -> str:
    return (
        f"{printable(hook)} was not told of the end ({printable(reason)}); look at "
        "[notify] in cmsmig.toml; the run's own exit code stays."
    )
