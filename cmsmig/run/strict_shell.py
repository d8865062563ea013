"""An IPython extension for unattended kernels.

A failing `!command` is an error: IPython only records its exit status, so a
notebook would carry on as if nothing had happened. And a cell that awaits learns
of an interrupt at once, not when its loop happens to wake. And an interrupt is kept
until there is code to interrupt. And no output holds a token, in any cell.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Callable
from typing import Protocol

from IPython.utils.text import SList

from cmsmig.masking import hide, masking

_TOKEN = re.compile(r"CMSMIG_[A-Z]+_TOKEN(?:_(?!FOR(?:_|$))\w+)?")
"""A variable with a token, of one target or of the only one."""
_WAKING = 0.2
"""Seconds. The kernel cancels a cell from its loop, which a signal does not wake."""


class Events(Protocol):
    """What is needed of IPython's events."""

    def register(self, event: str, function: Callable[..., None]) -> None:
        """Have a function called at an event."""
        ...

    def unregister(self, event: str, function: Callable[..., None]) -> None:
        """Call it no longer."""
        ...


class Shell(Protocol):
    """What is needed of IPython's shell."""

    user_ns: dict[str, object]
    events: Events

    def var_expand(self, cmd: str, depth: int = 0) -> str:
        """Return a command with its `$names` filled in."""
        ...

    def system(self, cmd: str) -> None:
        """Run a command and show its output."""
        ...

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> object:
        """Run a command and return its output."""
        ...

    async def run_code(
        self, code_obj: object, result: object = None, *, async_: bool = False
    ) -> bool:
        """Run a statement of a cell; return whether it raised."""
        ...


def load_ipython_extension(shell: Shell) -> None:
    """Make failing commands raise `CalledProcessError`, and cells interruptible."""
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
    _stay_awake(shell)
    _keep_interrupts(shell)
    _mask_tokens(shell)


def _mask_tokens(shell: Shell) -> None:
    """Mask the environment's tokens in every output, from the first cell on."""
    for name, value in os.environ.items():
        if _TOKEN.fullmatch(name):
            hide(value)
    session = getattr(getattr(shell, "kernel", None), "session", None)
    if session is not None:
        session.pack = masking(session.pack)


def _keep_interrupts(shell: Shell) -> None:
    """Let an interrupt end the code of a cell, this one or the next, and nothing else.

    IPython's kernel ignores one that comes before a cell, and one that comes after its
    code takes the reply from it, so that its parent waits for ever.
    """
    kernel, run_code = getattr(shell, "kernel", None), shell.run_code
    is_asked = is_running = False

    def ask(number: int, frame: object) -> None:
        nonlocal is_asked
        is_asked = True
        if is_running:
            raise KeyboardInterrupt

    async def run(code: object, result: object = None, *, async_: bool = False) -> bool:
        nonlocal is_running
        is_running = True
        try:
            if is_asked:
                raise KeyboardInterrupt
            return await run_code(code, result, async_=async_)
        finally:
            is_running = False

    if kernel is not None:
        # They would put Python's own handler in place of this one.
        kernel.pre_handler_hook = kernel.post_handler_hook = lambda: None
        signal.signal(signal.SIGINT, ask)
        setattr(shell, "run_code", run)  # noqa: B010


def _stay_awake(shell: Shell) -> None:
    def first(info: object) -> None:
        shell.events.unregister("pre_run_cell", first)
        wake(asyncio.get_running_loop())

    def wake(loop: asyncio.AbstractEventLoop) -> None:
        loop.call_later(_WAKING, wake, loop)

    shell.events.register("pre_run_cell", first)


def _require_zero(command: str, status: object) -> None:
    if isinstance(status, int) and status != 0:
        raise subprocess.CalledProcessError(status, command)
