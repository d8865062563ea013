"""The pages of one item set while it is being read."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from cmsmig.canonical import Json, JsonObject
from cmsmig.nesting import parse_json
from cmsmig.origin.records import disk, line_of
from cmsmig.plain_file import (
    open_appending,
    open_fresh,
    open_plain,
    read_plain,
    require_in_place,
)

_MANIFEST = "manifest.jsonl"
_MANY = 10**9


@dataclass(frozen=True, slots=True)
class Page:
    """One page on disk."""

    round: int
    """1 for the first reading; a set that moved meanwhile is read again."""
    offset: int
    count: int
    total: int
    """How many items the service counted when it gave this page."""
    sha256: str
    at: float
    """When it was read, seconds since the epoch."""
    limit: int = 100
    """How many items the service would have given at most."""


class PageStore:
    """The folder of one incomplete set: it exists as long as the set is one.

    Pages are files of one item per line, listed in an append-only manifest. A
    page that is not what the manifest says is forgotten and so read again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def open(self) -> bool:
        """Return whether the set is being read."""
        return self.folder.is_dir()

    def begin(self) -> None:
        """Mark the set as being read, keeping what is there."""
        with disk(self.folder):
            require_in_place(self.folder / _MANIFEST)
            self.folder.mkdir(parents=True, exist_ok=True)

    def clear(self) -> None:
        """Mark the set as being read, from the start."""
        self.end()
        self.begin()

    def end(self) -> None:
        """Forget the pages, and that the set was being read."""
        with disk(self.folder):
            if self.folder.exists():
                # The manifest goes first: pages alone are nothing.
                (self.folder / _MANIFEST).unlink(missing_ok=True)
                shutil.rmtree(self.folder)

    def pages(self) -> dict[tuple[int, int], Page]:
        """Return the intact pages by round and offset."""
        found = {(page.round, page.offset): page for page in self._listed()}
        return {key: page for key, page in found.items() if self._intact(page)}

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
        with disk(self.folder):
            with open_fresh(self._path(page)) as file:
                file.write(body)
            with open_appending(self.folder / _MANIFEST) as manifest:
                manifest.write(b"\n" + line_of(asdict(page)) + b"\n")
        return page

    def lines(self, page: Page) -> Iterator[bytes]:
        """Yield the items of a page, one line of JSON each."""
        with disk(self._path(page)), open_plain(self._path(page)) as file:
            for line in file:
                yield line.rstrip(b"\n")

    def _listed(self) -> Iterator[Page]:
        try:
            text = read_plain(self.folder / _MANIFEST)
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                yield _page(parse_json(line))
            except (ValueError, TypeError):
                # The line that a kill cut short; what it told of is read again.
                continue

    def _intact(self, page: Page) -> bool:
        try:
            body = read_plain(self._path(page))
        except OSError:
            return False
        return hashlib.sha256(body).hexdigest() == page.sha256

    def _path(self, page: Page) -> Path:
        return self.folder / f"{int(page.round):02d}-{int(page.offset):06d}.jsonl"


def _page(record: Json) -> Page:
    """Return the page that a line tells of; raises `ValueError` and `TypeError`."""
    if not isinstance(record, dict):
        raise TypeError("no page")
    page = Page(**cast(dict[str, Any], record))
    numbers = (page.round, page.offset, page.count, page.total, page.limit)
    if not all(type(each) is int and 0 <= each < _MANY for each in numbers):
        raise ValueError("no numbers of a page")
    return replace(page, at=float(page.at))
