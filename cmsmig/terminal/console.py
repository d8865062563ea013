"""Standard output for results, standard error for everything else.

Everything that is printed goes through here: tokens are masked, and what acts on a
terminal stands escaped, since it comes from names and from what services say. What
a help text does not need is imported where it is used: every command begins here.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from cmsmig.errors import StorageError
from cmsmig.masking import masked
from cmsmig.printable import printable, printable_json, printable_lines
from cmsmig.whole_text import whole_text, whole_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cmsmig.canonical import JsonObject
    from cmsmig.ui.doc import Part


def emit_content(text: str) -> None:
    """Write content to standard output as it is; escaped where that is a terminal."""
    _emit(printable_lines(text) if sys.stdout.isatty() else text)


def _emit(text: str) -> None:
    """Write text to standard output as UTF-8, whatever the terminal claims.

    Tokens are masked. Raises `StorageError` when nobody reads it, or its disk is full.
    """
    try:
        sys.stdout.buffer.write(masked(whole_text(text)).encode())
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
    from cmsmig.ui.doc_text import doc_lines

    emit_lines(doc_lines(doc))


def emit_json(document: JsonObject) -> None:
    """Write one JSON document to standard output.

    Programs read the same value as ever; a terminal that it is printed on is safe,
    since JSON has escapes for what acts there.
    """
    import json

    text = json.dumps(whole_value(document), ensure_ascii=False, indent=1)
    _emit(printable_json(text) + "\n")


def complain(sentence: str) -> None:
    """Write one sentence to standard error, if anybody takes it."""
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
