"""Processes with their time, processor time and peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process took, its children included."""

    code: int
    seconds: float
    cpu: float
    """Seconds, user and system."""
    peak: int
    """Bytes, of the largest process alone."""
    together: int
    """Bytes of all its processes at once, looked at now and then; 0: unknown."""
    output: str
    said: str
    """Standard error."""


def measured(
    command: Sequence[str], settings: Mapping[str, str] | None = None
) -> Measured:
    """Run a command to its end."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-measured-") as folder:
        result, out, said = (Path(folder) / each for each in ("result", "out", "said"))
        with out.open("w") as output, said.open("w") as complaints:
            subprocess.run(
                [sys.executable, "-I", "-S", str(_LAUNCHER), str(result), *command],
                stdout=output,
                stderr=complaints,
                env={**os.environ, **(settings or {})},
                check=True,
            )
        return Measured(
            **json.loads(result.read_text()),
            output=out.read_text(),
            said=said.read_text(),
        )
