"""Standard output for results, standard error for everything else, and the exit code.

Everything that is printed goes through here: tokens are masked, and what acts on a
terminal is escaped, since it comes from names and from what services say. What
a help text does not need is imported where it is used: every command begins here.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeAlias

import click

from cmsmig.errors import CmsmigError, InterruptedRunError, StorageError
from cmsmig.masking import masked
from cmsmig.printable import printable, printable_json, printable_lines
from cmsmig.valid_text import valid_text, valid_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cmsmig.canonical import JsonObject
    from cmsmig.ui.doc import Part

STOPPED = "Stopped; run the same command again to continue from here."
Ending: TypeAlias = tuple[int, str]
"""What the shell gets, and what is said on standard error."""


def emit_content(text: str) -> None:
    """Write content to standard output as it is; escaped where that is a terminal."""
    _emit(printable_lines(text) if sys.stdout.isatty() else text)


def _emit(text: str) -> None:
    """Write text to standard output as UTF-8, whatever the terminal claims.

    Tokens are masked. Raises `StorageError` when its reader is gone or its disk full.
    """
    try:
        sys.stdout.buffer.write(masked(valid_text(text)).encode())
        sys.stdout.buffer.flush()
    except OSError as error:
        _silence()
        raise StorageError(
            f"Standard output does not take what is written ({error.strerror}); free "
            "some space or send it elsewhere, and run this again."
        ) from error


def _silence() -> None:
    """Send what is still in the buffer nowhere: Python would try it at its exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def emit_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in lines:
        _emit(printable(line) + "\n")


def emit_doc(doc: Iterable[Part]) -> None:
    """Write a document to standard output."""
    from cmsmig.ui.doc import doc_lines

    emit_lines(doc_lines(doc))


def emit_json(document: JsonObject) -> None:
    """Write one JSON document to standard output.

    Programs read the same value as ever; a terminal that it is printed on is safe,
    since JSON has escapes for what acts there.
    """
    import json

    text = json.dumps(valid_value(document), ensure_ascii=False, indent=1)
    _emit(printable_json(text) + "\n")


def complain(sentence: str) -> None:
    """Write one sentence to standard error, if it is open."""
    with suppress(OSError):
        sys.stderr.write(printable(masked(sentence)) + "\n")
        sys.stderr.flush()


def complain_of(error: BaseException) -> None:
    """Write the traceback of an error to standard error."""
    import traceback

    text = "".join(traceback.format_exception(error))
    with suppress(OSError):
        sys.stderr.write(printable_lines(masked(text)))
        sys.stderr.flush()


def require_output() -> None:
    """Raise `StorageError` when standard output is closed.

    A closed stream is opened on nothing first: else the next file that is opened,
    the ledger perhaps, would take its number, and get what is written to it.
    """
    lacking = sys.stdout is None
    _fill()
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, "r", encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
    if lacking:
        raise StorageError(
            "Standard output is closed, so that the result would be lost, and "
            "nothing was done; run this again with it open, or with >/dev/null."
        )


def _fill() -> None:
    """Open nothing under every number up to 2 that is free."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def log_printably() -> None:
    """Let log records without another handler reach standard error escaped."""
    import logging

    class PrintableLog(logging.Formatter):
        """Formats what libraries log like everything else that is printed."""

        def format(self, record: logging.LogRecord) -> str:
            return printable_lines(masked(super().format(record)))

    if logging.lastResort is not None:
        logging.lastResort.setFormatter(PrintableLog())


def report_error(error: BaseException, *, debug: bool) -> int:
    """Say on standard error how a command ends that raised `error`; return the code."""
    if debug:
        complain_of(error)
    code, sentence = _ending_of(error)
    complain(sentence)
    return code


def _ending_of(error: BaseException) -> Ending:
    if isinstance(error, CmsmigError):
        return error.exit_code, _one_line(str(error))
    if isinstance(error, click.ClickException):
        return 2, _usage(error)
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return 5, STOPPED
    if isinstance(error, OSError):
        where = error.filename or "A file"
        reason = error.strerror or str(error)
        return 1, (
            f"{where} cannot be read or written ({reason}); correct that and run this "
            "again."
        )
    if isinstance(error, MemoryError):
        return 1, (
            "The memory of this machine does not suffice; end other programs, then run "
            "this again."
        )
    return 1, (
        f"This should not happen ({_one_line(f'{type(error).__name__}: {error}')}); "
        "run it again with `cmsmig --debug` and report what that shows."
    )


def _usage(error: click.ClickException) -> str:
    said = _one_line(error.format_message()).replace(". Did you", ", did you")
    context = getattr(error, "ctx", None)
    command = context.command_path if isinstance(context, click.Context) else "cmsmig"
    return f"{said.rstrip('.?')}; `{command} --help` shows how it is called."


def _one_line(text: str) -> str:
    """Put a message on one line: what services say may have several."""
    return " ".join(text.split())


def run_process(main: Callable[[list[str]], None]) -> NoReturn:
    """Run a command with the arguments of this process, then end the process.

    SIGINT and SIGTERM are `KeyboardInterrupt` where the command has no handler, also
    where a shell that began it in the background has SIGINT ignored.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    code = 0
    try:
        main(sys.argv[1:])
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(bool(ending.code))
    except KeyboardInterrupt:
        # It came while the command was ending.
        code = InterruptedRunError.exit_code
    # It is over: a signal no longer changes its code, nor what is done at its end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Python would take its modules apart for half a second, in which a signal is
    # ignored or changes the code.
    os._exit(code)
