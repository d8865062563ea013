"""How a command that did not work out ends: one sentence and an exit code."""

from __future__ import annotations

from dataclasses import dataclass

import click

from cmsmig.errors import CmsmigError
from cmsmig.terminal.console import complain, complain_of

STOPPED = "Stopped; run the same command again to go on from here."


@dataclass(frozen=True, slots=True)
class Ending:
    """What is said on standard error, and what the shell gets."""

    code: int
    sentence: str


def ending_of(error: BaseException) -> Ending:
    """Return how a command ends that raised `error`; never raises."""
    if isinstance(error, CmsmigError):
        return Ending(error.exit_code, _one_line(str(error)))
    if isinstance(error, click.ClickException):
        return Ending(2, _usage(error))
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return Ending(5, STOPPED)
    if isinstance(error, OSError):
        where = error.filename or "A file"
        reason = error.strerror or str(error)
        return Ending(
            1,
            f"{where} cannot be read or written ({reason}); correct that and run this "
            "again.",
        )
    if isinstance(error, MemoryError):
        return Ending(
            1,
            "The memory of this machine does not suffice; end other programs, then run "
            "this again.",
        )
    return Ending(
        1,
        f"This should not happen ({_one_line(f'{type(error).__name__}: {error}')}); "
        "run it again with `cmsmig --debug` and report what that shows.",
    )


def report_error(error: BaseException, *, debug: bool) -> int:
    """Say on standard error how a command ends; return the code."""
    if debug:
        complain_of(error)
    ending = ending_of(error)
    complain(ending.sentence)
    return ending.code


def _usage(error: click.ClickException) -> str:
    said = _one_line(error.format_message()).replace(". Did you", ", did you")
    context = getattr(error, "ctx", None)
    command = context.command_path if isinstance(context, click.Context) else "cmsmig"
    return f"{said.rstrip('.?')}; `{command} --help` shows how it is called."


def _one_line(text: str) -> str:
    """Put a message on one line: what services say may have several."""
    return " ".join(text.split())
