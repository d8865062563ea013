"""cmsmig in a process of its own; its inside is never imported."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO

PATIENCE = 60.0
"""Seconds that cmsmig gets to end the calls in flight once it is asked to stop."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    complaint: str
    """The last line of its standard error; empty when it said nothing."""


def run_cmsmig(
    project: str,
    space: int,
    arguments: Sequence[str],
    tell: Callable[[str], object],
    target: str = "",
) -> Ended:
    """Run a command to its end and pass each line that it says to `tell`.

    Raises `ValueError` unless `target` is named where the project has targets.

    When this is cancelled, the command is asked to stop and waited for: it writes
    nothing to the space after this has returned or raised.
    """
    said: list[str] = []
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as output,
        subprocess.Popen(
            _command(project, arguments, target),
            env=_environment(space, target),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        listening = Thread(target=_listen, args=(process.stderr, said, tell))
        listening.start()
        try:
            code = _wait(process)
        finally:
            _stop(process)
            listening.join()
        output.seek(0)
        for line in output:
            tell(line.rstrip())
    return Ended(code, said[-1] if said else "")


def read_status(project: str, space: int, target: str = "") -> Mapping[str, object]:
    """Return what `cmsmig status --json` tells; empty where there is no ledger yet."""
    ended = subprocess.run(
        _command(project, ["status", "--json"], target),
        env=_environment(space, target),
        capture_output=True,
        check=False,
    )
    document = json.loads(ended.stdout) if ended.returncode == 0 else {}
    return document if isinstance(document, dict) else {}


def _command(project: str, arguments: Sequence[str], target: str) -> list[str]:
    """Return how cmsmig is called here: FLEET_CMSMIG may name a container."""
    if not target and _has_targets(Path(project)):
        raise ValueError(
            f"{project} names targets; write the one that the space is as target of "
            "the [[site]]."
        )
    called = shlex.split(os.environ.get("FLEET_CMSMIG", "cmsmig"))
    named = ["--target", target] if target else []
    return [*called, "--project", project, *arguments, *named]


def _has_targets(project: Path) -> bool:
    try:
        settings = tomllib.loads((project / "cmsmig.toml").read_text("utf-8"))
    except (OSError, ValueError):
        # cmsmig itself says what is wrong with the file.
        return False
    return bool(settings.get("targets"))


def _environment(space: int, target: str) -> dict[str, str]:
    """Return this environment with the space, which overrides the project's own.

    So no run reaches another space than the one that its limit is for.
    """
    suffix = f"_{target.replace('-', '_').upper()}" if target else ""
    return {**os.environ, f"CMSMIG_SPACE_ID{suffix}": str(space)}


def _listen(
    stream: IO[str] | None, said: list[str], tell: Callable[[str], object]
) -> None:
    for line in stream or ():
        if words := line.strip():
            said.append(words)
            tell(words)


def _wait(process: subprocess.Popen[str]) -> int:
    """Return the exit code; what cancels a flow comes between two short waits."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(1)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
