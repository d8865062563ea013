"""Downloaded files by their bytes, and the index of the addresses they came from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import BinaryIO, Self

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.errors import CacheError
from cmsmig.nesting import parse_json
from cmsmig.origin.records import (
    AGAIN,
    clear_left,
    disk,
    line_of,
    listed,
    read_listed,
    replace_file,
)

_ARRIVING = ".arriving-"


@dataclass(frozen=True, slots=True)
class FileRow:
    """The outcome for one address."""

    address: str
    """Exactly as the item has it, attribute values decoded."""
    sha256: str = ""
    size: int = 0
    """Bytes."""
    content_type: str = ""
    width: int | None = None
    height: int | None = None
    """Pixels as shown, after rotation; None for what is no picture."""
    name: str = ""
    """The last part of the address, percent-decoded once; may be hostile."""
    error: str = ""
    """Empty, or why there are no bytes: one word."""
    detail: str = ""
    """The error as a sentence."""

    def record(self) -> JsonObject:
        """Return the row as it is written."""
        if self.error:
            return {"address": self.address, "error": self.error, "detail": self.detail}
        return {
            "address": self.address,
            "sha256": self.sha256,
            "bytes": self.size,
            "content_type": self.content_type,
            "width": self.width,
            "height": self.height,
            "name": self.name,
        }


class FileStore:
    """Files under their SHA-256, the index next to the raw answers.

    While files arrive, their rows are appended to a journal, so that a kill
    loses none; `save` turns it into the index.
    """

    def __init__(self, files_folder: Path, raw_folder: Path) -> None:
        self._files = files_folder
        self._index = raw_folder / "files.json"
        self._journal = raw_folder / ".pages" / "files.jsonl"

    def path(self, sha256: str) -> Path:
        """Return where the file with these bytes is, or would be."""
        return self._files / sha256

    def rows(self) -> Mapping[str, FileRow]:
        """Return all rows by address; empty before the first download.

        Raises `CacheError` when the index is damaged.
        """
        rows: dict[str, FileRow] = {}
        if self._index.exists():
            for record in read_listed("files", self._index):
                row = _row(record.value)
                if row is None:
                    raise CacheError(
                        f"{self._index} is damaged at line {record.line}; {AGAIN}."
                    )
                rows[row.address] = row
        for row in self._journalled():
            rows[row.address] = row
        return rows

    def forget_index(self) -> None:
        """Remove a damaged index; the files themselves stay."""
        with disk(self._index):
            self._index.unlink(missing_ok=True)

    def holds(self, row: FileRow) -> bool:
        """Return whether the row's bytes are there."""
        try:
            return not row.error and self.path(row.sha256).stat().st_size == row.size
        except OSError:
            return False

    def note(self, row: FileRow) -> None:
        """Append a row to the journal."""
        with disk(self._journal):
            self._journal.parent.mkdir(parents=True, exist_ok=True)
            with self._journal.open("ab") as journal:
                journal.write(b"\n" + line_of(row.record()) + b"\n")

    def save(self, rows: Iterable[FileRow]) -> None:
        """Write the index, sorted by address, and drop the journal."""
        ordered = sorted(rows, key=lambda row: row.address)
        lines = (line_of(row.record()) for row in ordered)
        replace_file(self._index, listed("files", lines))
        with disk(self._journal):
            self._journal.unlink(missing_ok=True)

    def arrival(self, number: int) -> Arrival:
        """Return a place for bytes whose hash is not known yet."""
        return Arrival(self._files, number)

    def clear_arrivals(self) -> None:
        """Remove what killed pulls left half-way."""
        clear_left(self._files, _ARRIVING)

    def _journalled(self) -> Iterable[FileRow]:
        try:
            text = self._journal.read_bytes()
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                row = _row(parse_json(line))
            except ValueError:
                continue
            if row is not None:
                yield row


class Arrival:
    """A file on its way in; leaving the `with` removes what was not kept."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self.path = folder / f"{_ARRIVING}{os.getpid()}-{number}"

    def __enter__(self) -> Self:
        with disk(self.path):
            self._folder.mkdir(parents=True, exist_ok=True)
            self.file: BinaryIO = self.path.open("wb")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Bring the bytes to the disk, so that they can be looked at."""
        with disk(self.path):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def keep(self, sha256: str) -> None:
        """Give the file its name."""
        with disk(self.path):
            os.replace(self.path, self._folder / sha256)


def _row(record: Json) -> FileRow | None:
    if not isinstance(record, dict) or not isinstance(record.get("address"), str):
        return None
    sha256, size = record.get("sha256"), record.get("bytes")
    if "error" in record:
        return FileRow(
            text_of(record.get("address")),
            error=text_of(record.get("error")) or "unknown",
            detail=text_of(record.get("detail")),
        )
    if not isinstance(sha256, str) or not isinstance(size, int) or not _is_hash(sha256):
        return None
    return FileRow(
        # What uses it, and the ledger, name the same: one text for all of them.
        address=intern(text_of(record.get("address"))),
        sha256=intern(sha256),
        size=size,
        content_type=intern(text_of(record.get("content_type"))),
        width=_pixels(record.get("width")),
        height=_pixels(record.get("height")),
        name=text_of(record.get("name")),
    )


def _is_hash(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _pixels(value: Json) -> int | None:
    return value if isinstance(value, int) else None
