"""An IPython extension for unattended kernels: a failing `!command` is an error.

IPython only records its exit status, so a notebook would carry on as if nothing
had happened.
"""

from __future__ import annotations

import subprocess
from typing import Protocol

from IPython.utils.text import SList


class Shell(Protocol):
    """What is needed of IPython's shell."""

    user_ns: dict[str, object]

    def var_expand(self, cmd: str, depth: int = 0) -> str:
        """Return a command with its `$names` filled in."""
        ...

    def system(self, cmd: str) -> None:
        """Run a command and show its output."""
        ...

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> object:
        """Run a command and return its output."""
        ...


def load_ipython_extension(shell: Shell) -> None:
    """Make commands of this shell raise `CalledProcessError` when they fail."""
    shown = shell.system

    def system(cmd: str) -> None:
        shown(cmd)
        _require_zero(cmd, shell.user_ns.get("_exit_code"))

    def getoutput(cmd: str, split: bool = True, depth: int = 0) -> object:
        expanded = shell.var_expand(cmd, depth=depth + 1)
        ended = subprocess.run(
            expanded,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        _require_zero(cmd, ended.returncode)
        return SList(ended.stdout.splitlines()) if split else ended.stdout

    setattr(shell, "system", system)  # noqa: B010  a method is replaced on purpose
    setattr(shell, "getoutput", getoutput)  # noqa: B010


def _require_zero(command: str, status: object) -> None:
    if isinstance(status, int) and status != 0:
        raise subprocess.CalledProcessError(status, command)
