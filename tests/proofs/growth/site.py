"""A site of any size: rich texts of 1 to 6 KB with links, references, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.origin.files import draw
from tests.proofs.converter.webflow_bodies import webflow_body
from tests.support.sites.identity import asset, file_id, refs
from tests.support.sites.markup import image
from tests.support.sites.records import Column, Entry, State, Table, into, site_record
from tests.support.sites.writer import Content, write_content

ITEMS_TO_A_FILE = 5
_TEXTS = 400
"""Different texts; the links and the name of an item make each body another one."""
_PICTURES = 25
_FIGURE = re.compile(r"<figure.*?</figure>")
_LINK = re.compile(r'(?<=href=")/[^"]*(?=")')
_STATES = (State.DRAFT, State.ARCHIVED)


@dataclass(frozen=True, slots=True)
class GrowingSite:
    """A site of so many items, spread over collections of equal size.

    Of ten items one is a draft or archived. No reference and no link dangles.
    """

    items: int
    collections: int
    """Divides the number of items."""
    french: bool = False
    """Whether each item has a second language."""

    def write(self, folder: Path) -> None:
        """Write the content folder, one item at a time."""
        site = site_record()
        if not self.french:
            site.pop("locales")
        here = range(self.collections)
        write_content(
            folder, Content(site, [(self._table(n), _Items(self, n)) for n in here])
        )
        for number in range(0, self.items, ITEMS_TO_A_FILE):
            name = _file_name(number)
            (folder / "files" / file_id(name)).write_bytes(_picture(number))

    def entry(self, number: int) -> Entry:
        """Return the item of this number; its collection is the remainder."""
        near = [number + step * self.collections for step in (1, 2, 5)]
        data: JsonObject = {
            "name": f"Item {number}",
            "slug": f"item-{number}",
            "summary": f"What item {number} of {self.items} is about, in one line",
            "text": self._body(number),
            "position": number,
            "featured": number % 3 == 0,
            "next": self._refs(number + 1, [number + 1 + 3 * self.collections])[0],
            "related": self._refs(number, near),
        }
        if number % ITEMS_TO_A_FILE == 0:
            data["cover"] = asset(_file_name(number), f"Picture {number}")
        published = self._is_published(number)
        state = State.PUBLISHED if published else _STATES[number % 2]
        french: JsonObject = {
            "name": f"Article {number}",
            "slug": f"article-{number}",
            "summary": f"De quoi parle l'article {number}, en une ligne",
            "text": f"<p>Article {number}.</p>{data['text']}",
        }
        return Entry(str(number), data, state, french if self.french else None, state)

    def _body(self, number: int) -> str:
        targets = count(number + 7, 13)
        lead = f"<p>Item {number} begins with a line of its own.</p>"
        text = _LINK.sub(lambda _: self._path(next(targets)), _text(number % _TEXTS))
        shown = number % (2 * ITEMS_TO_A_FILE) == 0
        return lead + text + (image(_file_name(number), alt="Plate") if shown else "")

    def _path(self, number: int) -> str:
        found = self._published(number)
        return f"/{_key(found % self.collections)}/item-{found}"

    def _refs(self, like: int, numbers: list[int]) -> list[str]:
        """Return the ids of items of one collection: that of the item `like`."""
        key = _key(like % self.items % self.collections)
        return refs(key, *(str(self._published(number)) for number in numbers))

    def _published(self, number: int) -> int:
        """Return a published item of the same collection, this one if it is."""
        found = number % self.items
        return found if self._is_published(found) else found - self.collections

    def _is_published(self, number: int) -> bool:
        return number // self.collections % 10 != 9

    def _table(self, here: int) -> Table:
        onward = _key((here + 1) % self.collections)
        columns = (
            Column("RichText", "text", "Text"),
            Column("Image", "cover", "Cover"),
            Column("PlainText", "summary", "Summary", False, {"singleLine": True}),
            Column("Number", "position", "Position", False, {"format": "integer"}),
            Column("Switch", "featured", "Featured"),
            Column("Reference", "next", "Next", False, into(onward)),
            Column("MultiReference", "related", "Related", False, into(_key(here))),
        )
        title = f"Section {here + 1}"
        return Table(
            _key(here), title, title, columns, nulls=True, localised=self.french
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Items:
    """The items of one collection, made again each time they are gone through."""

    site: GrowingSite
    here: int

    def __iter__(self) -> Iterator[Entry]:
        numbers = range(self.here, self.site.items, self.site.collections)
        return map(self.site.entry, numbers)


def _key(here: int) -> str:
    return f"section-{here + 1:02d}"


def _file_name(number: int) -> str:
    return f"picture-{number}.jpg"


@lru_cache(maxsize=_TEXTS)
def _text(number: int) -> str:
    """Return about 1 to 6 KB of rich text without figures."""
    size = 1_000 + number * 5_000 // _TEXTS
    return _FIGURE.sub("", webflow_body(size, number))


def _picture(number: int) -> bytes:
    """Return a small photograph; a comment inside makes each another file."""
    drawn = _drawn(number % _PICTURES)
    said = f"picture {number}".encode()
    comment = b"\xff\xfe" + (len(said) + 2).to_bytes(2, "big") + said
    return drawn[:2] + comment + drawn[2:]


@lru_cache(maxsize=_PICTURES)
def _drawn(number: int) -> bytes:
    return draw(f"picture-{number}.jpg")
