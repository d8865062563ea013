"""The files of a raw folder: indexed addresses moved to the sandbox's own host."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import CacheError
from cmsmig.sandbox.values import list_of, object_of, text_of

_FILE = re.compile(r"\.(?!html?$|php$|aspx?$)[A-Za-z0-9]{2,5}$")
_LONGEST = 2000
_ENDS = frozenset(" \t\r\n\"'<>,)\\")


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """Where the bytes of one address are; `sha256` is empty for a failed one."""

    sha256: str
    content_type: str


@dataclass(slots=True)
class FileIndex:
    """What `raw/files.json` knows, by the path that the sandbox serves."""

    base: str
    """The sandbox's origin address, without a trailing slash."""
    files: dict[str, IndexedFile] = field(default_factory=dict)
    """By path and query, as they stand in the address."""
    moved: dict[str, str] = field(default_factory=dict)
    """Address as an item may hold it -> address at the sandbox."""
    lengths: list[int] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    """What addresses begin with, up to and including the host's slash."""

    def add(self, address: str, file: IndexedFile) -> None:
        """Take one row; an address without a host stays what it is."""
        parts = urlsplit(address)
        if not parts.netloc or parts.scheme not in {"", "http", "https"}:
            return
        start = address.index(parts.netloc) + len(parts.netloc)
        target = (address[start:] or "/").partition("#")[0]
        if self.files.setdefault(target, file).sha256 != file.sha256:
            target = f"/{parts.netloc}{target}"
            self.files[target] = file
        head = self.base if parts.scheme else self.base.partition(":")[2]
        fresh = head + target
        self.hosts.add(address[:start])
        self.moved[address] = fresh
        self.moved[html.escape(address)] = html.escape(fresh)
        self.moved[address.replace("&", "&amp;")] = fresh.replace("&", "&amp;")

    def finish(self) -> None:
        """Prepare the search, after the last `add`."""
        self.lengths = sorted({len(address) for address in self.moved}, reverse=True)

    def rewritten(self, value: Json) -> Json:
        """Return a JSON value with every indexed address moved."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.rewritten(part) for part in value]
        if isinstance(value, dict):
            return {key: self.rewritten(part) for key, part in value.items()}
        return value

    def _text(self, text: str) -> str:
        starts = sorted(set(_occurrences(text, self.hosts)))
        if not starts:
            return text
        out, done = [], 0
        for start in starts:
            address = self._address(text, start) if start >= done else None
            if address is not None:
                out += [text[done:start], self.moved[address]]
                done = start + len(address)
            elif start >= done and (host := self._lost(text, start)):
                scheme = host.startswith("http")
                base = self.base if scheme else self.base.partition(":")[2]
                out += [text[done:start], base]
                done = start + len(host)
        return "".join([*out, text[done:]])

    def _address(self, text: str, start: int) -> str | None:
        for length in self.lengths:
            end = start + length
            candidate = text[start:end]
            if candidate in self.moved and (end >= len(text) or text[end] in _ENDS):
                return candidate
        return None

    def _lost(self, text: str, start: int) -> str:
        """Return the host of a file nobody indexed: it must not be asked either."""
        for host in self.hosts:
            if text.startswith(host, start):
                path = re.split(
                    r"[\s\"'<>,)\\?#]", text[start + len(host) :], maxsplit=1
                )
                return host if _FILE.search(path[0]) else ""
        return ""


def _occurrences(text: str, hosts: Iterable[str]) -> Iterable[int]:
    for host in hosts:
        at = text.find(host)
        while at >= 0:
            # `//host` inside `https://host` is not an address of its own.
            if not (host.startswith("//") and text[:at].endswith(":")):
                yield at
            at = text.find(host, at + 1)


def read_index(raw: Path, base: str) -> FileIndex | None:
    """Return the index of a raw folder, or None where there is none.

    Raises `CacheError` when the index is not readable JSON.
    """
    path = raw / "files.json"
    if not path.is_file():
        return None
    try:
        rows = list_of(object_of(json.loads(path.read_text("utf-8"))).get("files"))
    except (OSError, ValueError) as error:
        message = f"The file index {path} cannot be read; pull again with --refresh."
        raise CacheError(message) from error
    index = FileIndex(base)
    for row in rows:
        _add(index, object_of(row))
    index.finish()
    return index


def _add(index: FileIndex, row: JsonObject) -> None:
    failed = bool(text_of(row.get("error")))
    sha256 = "" if failed else text_of(row.get("sha256"))
    file = IndexedFile(sha256, text_of(row.get("content_type")))
    index.add(text_of(row.get("address")), file)
