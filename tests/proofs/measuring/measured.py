"""Processes with their time, processor time and peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MEGABYTE = 1_000_000
_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process took, its children included."""

    seconds: float
    cpu: float
    """Seconds, user and system."""
    peak: int = 0
    """Bytes, of the largest process alone."""
    together: int = 0
    """Bytes of all its processes at once, looked at now and then; 0: unknown."""
    calls: int = 0
    """To the destination, as its sandbox counts them."""
    sandbox_cpu: float = 0.0
    """Seconds of the sandbox's processor meanwhile."""
    code: int = 0
    output: str = ""
    said: str = ""
    """Standard error."""

    @property
    def document(self) -> dict:
        """Return the JSON document on standard output."""
        return json.loads(self.output)

    def figures(self) -> dict[str, float]:
        """Return what was measured, by name."""
        texts = ("code", "output", "said")
        return {name: each for name, each in asdict(self).items() if name not in texts}


def measured(
    command: Sequence[str],
    settings: Mapping[str, str] | None = None,
    *,
    codes: Sequence[int] = (0,),
) -> Measured:
    """Run a command; end the program where its exit code is none of these."""
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
        took = Measured(
            **json.loads(result.read_text()),
            output=out.read_text(),
            said=said.read_text(),
        )
    if took.code not in codes:
        sys.exit(f"{' '.join(command)} ended with {took.code}: {took.said[-600:]}")
    return took
