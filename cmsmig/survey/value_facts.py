"""What lists, searches and counts need to know of one value of an item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json
from cmsmig.data_address import file_key
from cmsmig.mapping.cleaning.search import text_of
from cmsmig.mapping.convert.asset_uploads import FILE_TYPES, file_objects, safe_name
from cmsmig.mapping.convert.field_values import target_ids
from cmsmig.mapping.dates import datetime_text, parse_moment
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.propose.field_types import Shown, field_type, types_shown
from cmsmig.mapping.value_checks import number_text
from cmsmig.origin.schema import Field
from cmsmig.richtext.html.dom import walk
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.html.picture_source import PictureSources

REFERENCE, OPTION, SWITCH = "reference", "option", "switch"
"""Kinds of cells whose values are counted."""
REFERENCE_TYPES = types_shown(Shown.REFERENCES)
FACET_TYPES = {
    **dict.fromkeys(types_shown(Shown.OPTION), OPTION),
    **dict.fromkeys(types_shown(Shown.SWITCH), SWITCH),
    **dict.fromkeys(REFERENCE_TYPES, REFERENCE),
}
"""Types of fields that a list can be narrowed by, with the kind of their cells."""
_SIZES = ("bytes", "kB", "MB", "GB")
SHOWN = 90
"""Characters of a value that a list shows."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One value as a list shows, sorts and counts it."""

    shown: str = ""
    """For a reference the collection that it points into."""
    kind: str = ""
    facet: str = ""
    """What values are counted by: an option's id, a target's id, `true`, `false`."""
    number: float | None = None
    """What it is sorted by before its text."""


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file or picture in a value."""

    address: str
    alt: str
    picture: bool


def cells_of(field: Field, value: Json) -> Iterator[Cell]:
    """Yield the cells of a value; none of one that is empty."""
    if is_blank(value):
        return
    if field.type in REFERENCE_TYPES:
        several = field_type(field.type).several
        for each in target_ids(value, multiple=several):
            yield Cell(field.target_collection, REFERENCE, each)
    elif field.type == "MultiImage":
        count = sum(1 for _ in file_objects(value))
        yield Cell(f"{count:,} pictures" if count != 1 else "1 picture", number=count)
    else:
        yield _one_cell(field, value)


def _one_cell(field: Field, value: Json) -> Cell:
    if field.type == "Option":
        key = value if isinstance(value, str) else json.dumps(value)
        return Cell(short(dict(field.options).get(key, key)), OPTION, key)
    if isinstance(value, bool):
        word, facet = ("yes", "true") if value else ("no", "false")
        return Cell(word, SWITCH, facet, float(value))
    if field.type == "DateTime" and (moment := parse_moment(value)) is not None:
        return Cell(datetime_text(moment), number=moment.timestamp())
    if field.type in FILE_TYPES:
        for found, _ in file_objects(value):
            return Cell(short(found.alt or file_name(found.address)))
    if isinstance(value, (int, float)):
        return Cell(short(number_text(value) or str(value)), number=_number(value))
    return Cell(short(text_of(field, value)))


def files_of(field: Field, value: Json) -> Iterator[HeldFile]:
    """Yield the files of a value, and the pictures in a body, in their order."""
    if field.type in FILE_TYPES:
        for found, _ in file_objects(value):
            picture = field.type != "File"
            yield HeldFile(file_key(found.address), found.alt.strip(), picture)
    elif field.type == "RichText" and isinstance(value, str):
        if "<img" not in value.lower():
            return
        root = parse(value)
        sources = PictureSources(root)
        for element in walk(root):
            if element.tag == "img" and (address := sources.shown(element)):
                alt = element.attributes.get("alt") or ""
                yield HeldFile(file_key(address), alt.strip(), True)


def file_name(address: str) -> str:
    """Return what a file is called, without the service's own prefix."""
    return safe_name(address) or address


def size_text(size: int) -> str:
    """Return a number of bytes in words: `1.4 MB`."""
    step = min((len(str(size)) - 1) // 3, 3)
    digits = 1 if step > 1 else 0
    return f"{size / 1000**step:,.{digits}f} {_SIZES[step]}"


def short(text: str, most: int = SHOWN) -> str:
    """Return the beginning of a text, on one line."""
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _number(value: float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None
