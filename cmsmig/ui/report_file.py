"""Files for people to read: lists, pages and reports, no token in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cmsmig.errors import StorageError
from cmsmig.masking import masked
from cmsmig.plain_file import require_in_place
from cmsmig.whole_text import whole_text


def write_text(path: Path, text: str) -> Path:
    """Write a file, no token in it, and its folder. Raises `StorageError`."""
    return write_pieces(path, (text,))


def write_pieces(path: Path, pieces: Iterable[str]) -> Path:
    """Write a file piece by piece; no token may reach over two of them.

    Raises `StorageError`.
    """
    try:
        require_in_place(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for piece in pieces:
                file.write(whole_text(masked(piece)))
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written ({error.strerror}); free some space, or name "
            "another folder for the reports."
        ) from error
    return path
