"""Standard output for results, standard error for everything else."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from cmsmig.canonical import JsonObject
from cmsmig.errors import StorageError
from cmsmig.steps.batches import StopSignal


def emit(text: str) -> None:
    """Write text to standard output as UTF-8, whatever the terminal claims.

    Raises `StorageError` when nobody reads it, or its disk is full.
    """
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
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
        emit(line + "\n")


def emit_json(document: JsonObject) -> None:
    """Write one JSON document to standard output."""
    emit(json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def complain(sentence: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


@contextmanager
def stoppable() -> Iterator[StopSignal]:
    """Let the first Ctrl-C end the step after the calls in flight."""
    stop = StopSignal()

    def ask(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        complain("Stopping after the calls in flight; again to stop now.")

    before = {
        number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
