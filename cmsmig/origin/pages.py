"""The pages of one item set while it is being read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter

from cmsmig.canonical import JsonObject
from cmsmig.origin.records import disk, line_of

_Count: TypeAlias = Annotated[int, Field(strict=True, ge=0, lt=10**9)]


@dataclass(frozen=True, slots=True)
class Page:
    """One page on disk."""

    round: _Count
    """1 for the first reading; a set that moved meanwhile is read again."""
    offset: _Count
    count: _Count
    total: _Count
    """How many items the service counted when it gave this page."""
    sha256: str
    at: float
    """When it was read, seconds since the epoch."""
    limit: _Count = 100
    """How many items the service would have given at most."""


_PAGE = TypeAdapter(Page)


class PageStore:
    """The folder of one incomplete set: it exists as long as the set is one.

    A page is a file: what is known of it on the first line, then one item per line. A
    page that is not what its first line says counts as never read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def open(self) -> bool:
        """Return whether the set is being read."""
        return self.folder.is_dir()

    def begin(self) -> None:
        """Mark the set as being read, keeping the pages it has."""
        with disk(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        """Mark the set as being read, from the start."""
        self.end()
        self.begin()

    def end(self) -> None:
        """Forget the pages, and that the set was being read."""
        with disk(self.folder):
            if self.folder.exists():
                shutil.rmtree(self.folder)

    def pages(self) -> dict[tuple[int, int], Page]:
        """Return the intact pages by round and offset."""
        found: dict[tuple[int, int], Page] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            # The one that a kill cut short, or that was changed, is read again.
            with suppress(OSError, ValueError):
                head, _, body = path.read_bytes().partition(b"\n")
                page = _PAGE.validate_json(head)
                intact = hashlib.sha256(body).hexdigest() == page.sha256
                if intact and path == self._path(page.round, page.offset):
                    found[page.round, page.offset] = page
        return found

    def add(
        self,
        number: int,
        offset: int,
        items: Sequence[JsonObject],
        total: int,
        at: float,
        limit: int = 100,
    ) -> Page:
        """Keep a page of round `number`."""
        body = b"".join(line_of(item) + b"\n" for item in items)
        digest = hashlib.sha256(body).hexdigest()
        page = Page(number, offset, len(items), total, digest, at, limit)
        path = self._path(number, offset)
        with disk(path), path.open("wb") as file:
            file.write(line_of(asdict(page)) + b"\n" + body)
        return page

    def lines(self, page: Page) -> Iterator[bytes]:
        """Yield the items of a page, one line of JSON each."""
        path = self._path(page.round, page.offset)
        with disk(path), path.open("rb") as file:
            file.readline()
            for line in file:
                yield line.rstrip(b"\n")

    def _path(self, number: int, offset: int) -> Path:
        return self.folder / f"{number:02d}-{offset:06d}.jsonl"
