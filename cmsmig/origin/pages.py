"""The pages of one item set while it is being read."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.origin.records import disk, line_of

_MANIFEST = "manifest.jsonl"


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
            self._path(page).write_bytes(body)
            with open(self.folder / _MANIFEST, "ab") as manifest:
                manifest.write(b"\n" + line_of(asdict(page)) + b"\n")
        return page

    def lines(self, page: Page) -> Iterator[bytes]:
        """Yield the items of a page, one line of JSON each."""
        with disk(self._path(page)), open(self._path(page), "rb") as file:
            for line in file:
                yield line.rstrip(b"\n")

    def _listed(self) -> Iterator[Page]:
        try:
            text = (self.folder / _MANIFEST).read_bytes()
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                yield Page(**json.loads(line))
            except (ValueError, TypeError):
                # The line that a kill cut short; what it told of is read again.
                continue

    def _intact(self, page: Page) -> bool:
        try:
            body = self._path(page).read_bytes()
        except OSError:
            return False
        return hashlib.sha256(body).hexdigest() == page.sha256

    def _path(self, page: Page) -> Path:
        return self.folder / f"{int(page.round):02d}-{int(page.offset):06d}.jsonl"
