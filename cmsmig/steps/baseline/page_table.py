"""What is kept of each address that visitors open, and how it is read from the HTML;
and the table of the old site's addresses and the last comparison, in `baseline.sqlite`,
into which each answer is committed as it comes.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from unicodedata import normalize
from urllib.parse import urljoin, urlsplit

from cmsmig.errors import StorageError
from cmsmig.mapping.redirects.address_map import KnownAddress, Source
from cmsmig.mapping.select.address import Address
from cmsmig.settings import Project
from cmsmig.valid_text import valid_text

_WORD = re.compile(r"\w+")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)
_ROBOTS = 'meta[name="robots" i], meta[name="googlebot" i]'


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One address, and the answer to it: a row of `baseline.sqlite`."""

    url: str
    sources: str = ""
    """Where the address is known from, separated by commas."""
    status: int = 0
    """0: no answer was read."""
    problem: str = ""
    """Why the last request had no answer, one sentence; the rest is from before."""
    location: str = ""
    """Where a redirect leads, absolute."""
    title: str = ""
    description: str = ""
    canonical: str = ""
    """Absolute."""
    robots: str = ""
    """Directives of the meta elements and of the header, in lower case."""


def words(text: str) -> str:
    """Return the words of a text with one blank between them: texts that differ in
    case, punctuation and white space are equal."""
    return " ".join(_WORD.findall(normalize("NFKC", text).casefold()))


def read_head(body: bytes, url: str, headers: Mapping[str, str]) -> dict[str, str]:
    """Return title, description, canonical address and robots directives of an HTML
    page. Never raises for what a page may hold."""
    # Most commands look at recorded pages alone, and this library takes long to load.
    from cmsmig.richtext.html.soup import parse_html

    charset = _CHARSET.search(headers.get("content-type", ""))
    soup = parse_html(body, charset[1] if charset else None)

    def values(css: str, name: str) -> list[str]:
        return [str(each.get(name) or "") for each in soup.select(css)]

    title = next((each.get_text() for each in soup.select("title")), "")
    description = next(iter(values('meta[name="description" i]', "content")), "")
    canonical = next(iter(values('link[rel~="canonical" i]', "href")), "")
    directives = [*values(_ROBOTS, "content"), headers.get("x-robots-tag", "")]
    found = re.findall(r"[^\s,]+", ",".join(directives).lower())
    return {
        "title": _line(title),
        "description": _line(description),
        "canonical": absolute(url, canonical) if canonical else "",
        "robots": _line(", ".join(found)),
    }


def absolute(url: str, address: str) -> str:
    """Return an address on the page `url` as absolute, with a path and without
    fragment; empty for one that is neither http nor https."""
    try:
        parts = urlsplit(urljoin(url, address.strip()))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return valid_text(parts._replace(path=parts.path or "/", fragment="").geturl())


def _line(text: str) -> str:
    return valid_text(" ".join(text.split()))


_SCHEMA = """
CREATE TABLE IF NOT EXISTS page (
    url TEXT PRIMARY KEY, sources TEXT NOT NULL, status INTEGER NOT NULL DEFAULT 0,
    problem TEXT NOT NULL DEFAULT '', location TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    canonical TEXT NOT NULL DEFAULT '', robots TEXT NOT NULL DEFAULT '',
    read_at TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE IF NOT EXISTS comparison (
    number INTEGER PRIMARY KEY CHECK (number = 1), record TEXT NOT NULL) STRICT;
"""
"""`read_at` is empty as long as an address waits to be asked."""
_COLUMNS = ", ".join(each.name for each in fields(PageRecord))


class PageTable:
    """The old site's addresses: complete once no address waits."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    @property
    def base(self) -> str:
        """Return the address that the site was read at; empty before the first time."""
        found = self._db.execute("SELECT url FROM page").fetchone()
        return "/".join(found[0].split("/", 3)[:3]) if found else ""

    @property
    def finished(self) -> str:
        """Return when the last address was read, in UTC; empty while one waits."""
        query = "SELECT max(read_at) FROM page HAVING min(read_at) > ''"
        found = self._db.execute(query).fetchone()
        return str(found[0]) if found else ""

    def begin(self, base: str, *, again: bool) -> None:
        """Start or continue a reading: addresses without an answer wait, or all where
        they are asked `again`. Those of another site are dropped."""
        if self.base != base:
            self._db.execute("DELETE FROM page")
        wait = "UPDATE page SET read_at = '' WHERE problem > '' OR ?"
        self._db.execute(wait, (again,))

    def add(self, known: Mapping[str, str]) -> None:
        """Let addresses wait, each with its sources; those that are known stay."""
        add = "INSERT OR IGNORE INTO page (url, sources) VALUES (?, ?)"
        self._db.executemany(add, known.items())

    def waiting(self) -> list[PageRecord]:
        """Return the addresses that wait, with what is known of them."""
        return [*self._select("WHERE read_at = ''")]

    def pages(self) -> Iterator[PageRecord]:
        """Return every address, in order."""
        return self._select("ORDER BY url")

    def _select(self, which: str) -> Iterator[PageRecord]:
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM page {which}")
        return (PageRecord(*row) for row in rows)

    def keep(self, record: PageRecord) -> None:
        """Keep the answer to one address."""
        values = (*astuple(record), datetime.now(UTC).isoformat(timespec="seconds"))
        places = ", ".join("?" * len(values))
        self._db.execute(f"REPLACE INTO page VALUES ({places})", values)


@contextmanager
def open_pages(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file, made where there is none. Raises `StorageError`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(_SCHEMA)
            yield db
    except (sqlite3.Error, OSError, ValueError) as error:
        raise StorageError(
            f"{path} cannot be used ({error}); move it away, and read the site's pages"
            " again with `cmsmig baseline`."
        ) from error


def baseline_addresses(project: Project) -> Iterator[KnownAddress]:
    """Yield the pages that visitors could open, and the redirects that they met; none
    before a baseline is complete. Reads only. Raises `StorageError`."""
    if not project.baseline.exists():
        return
    with open_pages(project.baseline) as db:
        table = PageTable(db)
        base = f"{table.base}/"
        for page in table.pages() if table.finished else ():
            asked, to = Address.at(page.url), page.location
            if to.startswith(base):
                to = str(Address.at(to))
            # The query of a page, and one that a redirect passes on, say nothing.
            passed = f"?{asked.query}"
            if not to or to.endswith(passed):
                asked, to = Address(asked.path), to.removesuffix(passed)
            if page.status == 200 or (to and to != str(asked)):
                yield KnownAddress(str(asked), Source.BASELINE, to)
