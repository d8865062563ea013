"""Text that is on the pages and in no item, and text of items that no page shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import text_of
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.field_values import target_ids
from cmsmig.origin.schema import Field, Item
from cmsmig.richtext.html.soup import parse_html, text_blocks
from cmsmig.steps.baseline.page_record import (
    FEWEST,
    PageContent,
    PageRecord,
    is_within,
    words,
)
from cmsmig.steps.decide.pulled_origin import Origin

_TEXTS = ("PlainText", "RichText")
_NUMBER = re.compile(r"\b\d+\w*")


@dataclass(frozen=True, slots=True)
class PageText:
    """A text of the old site that is in no item, and so would not arrive."""

    text: str
    pages: int
    """On how many pages of items it is; many: it is the template's."""
    url: str
    """The first of them."""


@dataclass(frozen=True, slots=True)
class UnshownField:
    """A field whose text some of the pages do not show."""

    collection: str
    field: str
    items: int
    """How many items have text there that their page does not show."""
    of: int
    """How many items with a page have text there."""
    url: str
    """The first page that does not show it."""
    text: str
    """What it does not show."""


class GapFinder:
    """Compares each item's live values with its page."""

    def __init__(self, origin: Origin) -> None:
        live = [item for items in origin.live.values() for item in items]
        self._items = {item.key: item for item in live}
        self._names = {item.key: words(item.name) for item in live}
        self._collections = {each.collection_id: each for each in origin.collections}
        self._known = {
            hash(words(text))
            for item in live
            for _, texts in self._texts(item)
            for text in texts
        }
        self._extra: dict[str, list[str]] = {}
        self._unshown: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self._filled: Counter[tuple[str, str]] = Counter()

    def compare(self, key: ItemKey, page: PageRecord) -> None:
        """Take note of what differs between an item and its page."""
        if page.content is None or key not in self._items:
            return
        item = self._items[key]
        texts = [*self._texts(item)]
        self._find_extra(item, texts, page.url, page.content)
        content = page.content
        shown = (*content.text, *content.h1, content.title, content.description)
        whole = " ".join(map(words, shown))
        for field, pieces in texts:
            place = (item.key.collection_id, field)
            missing = (each for each in pieces if not is_within(words(each), whole))
            self._filled[place] += bool(pieces)
            if text := next(missing, ""):
                self._unshown.setdefault(place, []).append((page.url, text))

    def on_pages_only(self) -> tuple[PageText, ...]:
        """Return the texts of pages that are in no item, those of few pages first."""
        found = (PageText(text, len(at), at[0]) for text, at in self._extra.items())
        return tuple(sorted(found, key=lambda each: (each.pages, each.url)))

    def in_items_only(self) -> tuple[UnshownField, ...]:
        """Return the fields with text that pages do not show."""
        return tuple(
            UnshownField(
                self._collections[collection].display_name,
                field,
                len(lacking),
                self._filled[collection, field],
                *lacking[0],
            )
            for (collection, field), lacking in sorted(self._unshown.items())
        )

    def _find_extra(
        self,
        item: Item,
        texts: list[tuple[str, tuple[str, ...]]],
        url: str,
        content: PageContent,
    ) -> None:
        own = " ".join(words(each) for _, pieces in texts for each in pieces)
        values = sorted(filter(None, self._short_values(item)), key=len, reverse=True)
        for text in dict.fromkeys(content.text):
            said = words(text)
            if hash(said) in self._known or is_within(said, own):
                continue
            rest = f" {_NUMBER.sub('', said)} "
            for value in values:
                rest = rest.replace(f" {value} ", " ")
            if len(rest.split()) >= FEWEST:
                self._extra.setdefault(text, []).append(url)

    def _texts(self, item: Item) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the texts of an item by the name of their field; none of its slug."""
        data = item.data
        for field in self._collections[item.key.collection_id].fields:
            value = text_of(data.get(field.slug))
            if field.type in _TEXTS and field.slug != "slug" and value.strip():
                yield field.display_name, _pieces(field, value)

    def _short_values(self, item: Item) -> Iterator[str]:
        """Yield what a template may put into a sentence: names, options, texts."""
        data = item.data
        for field in self._collections[item.key.collection_id].fields:
            value = data.get(field.slug)
            if field.type in ("Reference", "MultiReference"):
                multiple = field.type == "MultiReference"
                for each in target_ids(value, multiple=multiple):
                    target = ItemKey(field.target_collection, each, item.key.locale_id)
                    yield self._names.get(target, "")
            elif field.type == "Option":
                yield words(dict(field.options).get(text_of(value), ""))
            elif field.type != "RichText":
                yield words(text_of(value))


def _pieces(field: Field, value: str) -> tuple[str, ...]:
    found = (
        text_blocks(parse_html(value))
        if field.type == "RichText"
        else tuple(value.splitlines())
    )
    return tuple(each for each in found if words(each))
