"""What the values of a field have in common: the evidence for a proposal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.dates import is_midnight, parse_moment, zone_of
from cmsmig.mapping.propose.text_marks import BodyMarks
from cmsmig.origin.schema import Field, Item


class Shape(StrEnum):
    """What kind of JSON a value is, as far as an encoding depends on it."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    PRICE = "price"
    """`{"value": number, "unit": text}`, perhaps with more keys."""
    FILE = "file"
    """An object with an address and a file id."""
    FILES = "files"
    STRUCTURE = "structure"


@dataclass(slots=True)
class FieldFacts:
    """Counts over the values of one field in the items to import, as they are read."""

    type: str = ""
    """As the schema names it; of texts and of bodies more is counted."""
    options: frozenset[str] = frozenset()
    """The ids that an Option may hold; empty where the field is none."""
    items: int = 0
    filled: int = 0
    """Values that will not count as blank at the destination."""
    shapes: set[Shape] = field(default_factory=set)
    prices: int = 0
    """Values that are an amount with its currency."""
    multiline: int = 0
    longest: int = 0
    """Characters."""
    markdown: int = 0
    """Texts with marks that only Markdown explains."""
    unknown_options: int = 0
    """Option ids that the schema does not list."""
    midnights: int = 0
    """Moments at midnight, in UTC or in the site's zone."""
    moments: int = 0
    announced: int = 0
    """Moments after the item's last change: events, not publications."""
    shortest: int | None = None
    """Characters of the shortest text; None without any."""
    lowest: float | None = None
    highest: float | None = None
    """The least and the greatest number; None without any."""
    fractions: int = 0
    """Numbers that are not whole."""
    files: int = 0
    """Values as files, and pictures in bodies."""
    marks: BodyMarks = field(default_factory=BodyMarks)
    """Of bodies."""

    @classmethod
    def of(cls, origin: Field) -> FieldFacts:
        """Return the facts of a field that no item was read of."""
        options = frozenset(text for option in origin.options for text in option)
        return cls(origin.type, options)

    @property
    def complete(self) -> bool:
        """Return whether every item to import fills the field."""
        return 0 < self.items == self.filled

    def add(self, item: Item, value: Json, zone: tzinfo) -> None:
        """Count one item's value."""
        self.items += 1
        if (moment := parse_moment(value)) is not None:
            self.moments += 1
            self.midnights += is_midnight(moment, zone)
            self.announced += _is_ahead(moment, item)
        if is_blank(value):
            return
        shape = _shape(value)
        self.shapes.add(shape)
        self.prices += shape is Shape.PRICE
        if self.options and isinstance(value, str) and value not in self.options:
            self.unknown_options += 1
        else:
            self.filled += 1
        if isinstance(value, str):
            self.multiline += "\n" in value or "\r" in value
            self.longest = max(self.longest, len(value))
            self.shortest = min(self.shortest or len(value), len(value))
            if self.type == "PlainText":
                self.markdown += reads_as_markdown(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.lowest = value if self.lowest is None else min(self.lowest, value)
            self.highest = value if self.highest is None else max(self.highest, value)
            self.fractions += value != value // 1
        if isinstance(value, str) and self.type == "RichText":
            self.files += value.lower().count("<img")
            self.marks.add(value)
        else:
            self.files += len(value) if isinstance(value, list) else 1


@dataclass(frozen=True, slots=True)
class SpaceFacts:
    """What the destination's space holds already."""

    components: Mapping[str, JsonObject] = field(default_factory=dict)
    """Component bodies by name, as the service returns them."""
    plugins: frozenset[str] = frozenset()
    """Names of the field plugins that are assigned to the space."""


def count_values(
    items: Iterable[Item], facts: Mapping[str, FieldFacts], time_zone: str
) -> Counter[str]:
    """Add the values of items to the facts of each field, by its slug; return how many
    items have each of the other keys.

    Each item is read once. Never raises, whatever the values are.
    """
    zone = zone_of(time_zone)
    others = Counter[str]()
    for item in items:
        data = item.data
        for slug, one in facts.items():
            one.add(item, data.get(slug), zone)
        others.update(data.keys() - facts.keys())
    return others


def is_blank(value: Json) -> bool:
    """Return whether the destination takes a value for missing.

    Null, empty lists and objects, and text of nothing but blanks.
    """
    if isinstance(value, str):
        return not value.strip()
    return value is None or value == [] or value == {}


_MARKDOWN = re.compile(
    r"""
      ^\ {0,3}\#{1,6}[ ]+\S          # a heading
    | \[[^\[\]\n]+\]\([^()\s]+\)     # a link or picture
    | (?<!\S)(\*\*|__)\S[^\n]{0,200}?\1   # bold
    | ^\ {0,3}(```|~~~)              # fenced code
    | ^\ {0,3}(?:>[ ]+\S|\|.+\|[ ]*$)  # a quote, a table
    | (?:^\ {0,3}(?:[*+]|\d+\.)[ ]+\S.*(?:\n|\Z)){2}  # a list of two or more
    """,
    re.MULTILINE | re.VERBOSE,
)


def reads_as_markdown(text: str) -> bool:
    """Return whether `text` holds marks that only make sense as Markdown.

    A line that begins with a hyphen is no sign: people type lists like that.
    """
    return _MARKDOWN.search(text) is not None


def _shape(value: Json) -> Shape:
    if isinstance(value, str):
        return Shape.TEXT
    if isinstance(value, bool):
        return Shape.FLAG
    if isinstance(value, (int, float)):
        return Shape.NUMBER
    if isinstance(value, dict):
        return _object_shape(value)
    if isinstance(value, list) and all(
        isinstance(entry, dict) and _object_shape(entry) is Shape.FILE
        for entry in value
    ):
        return Shape.FILES
    return Shape.STRUCTURE


def _object_shape(value: JsonObject) -> Shape:
    amount, unit = value.get("value"), value.get("unit")
    if (
        isinstance(amount, (int, float))
        and not isinstance(amount, bool)
        and isinstance(unit, str)
    ):
        return Shape.PRICE
    if isinstance(value.get("url"), str) and isinstance(value.get("fileId"), str):
        return Shape.FILE
    return Shape.STRUCTURE


def _is_ahead(moment: datetime, item: Item) -> bool:
    changed = parse_moment(max(item.last_updated, item.last_published))
    return changed is not None and moment > changed
