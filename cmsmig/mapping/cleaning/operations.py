"""What each kind of operation makes of one value. Pure; the same again changes
nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import regex

from cmsmig.canonical import Json
from cmsmig.data_address import file_key
from cmsmig.errors import DecisionsError
from cmsmig.mapping.cleaning.body_edits import (
    Body,
    FindEdits,
    TextEdit,
    edit_alts,
    edit_headings,
    edit_links,
    edit_texts,
    edited_text,
)
from cmsmig.mapping.convert.asset_uploads import safe_name, shown_alt
from cmsmig.mapping.decisions.cleaning import (
    BODY,
    PICTURE_TYPES,
    CleaningKind,
    Operation,
    Within,
    is_value,
)
from cmsmig.origin.schema import Field

_ROUNDS = 8
"""Times that an operation may find something in its own result."""
_SECONDS = 2.0
"""That a regular expression may take for one text."""
_ENDS = " \t\n\r\xa0"
_GAP = re.compile(
    r"(?<=\S)[ \xa0]{2,}+(?=\S)|(?<=[^\W\d_]{3})\xa0(?=[^\W\d_]{3})|(?<=\S)\t++(?=\S)"
)
"""Blanks between words that are not one blank: several, one that cannot break between
two words, which no typography asks for, or a tab. `\\S` is no such blank."""
_PICTURE_NAME = re.compile(
    r"\S+\.(?:jpe?g|png|gif|webp|avif|svg|heic)|(?:IMG|DSC|DSCN|Screenshot|Frame)[\W_]*"
    r"[\d _.\-]+",
    re.I,
)
_Edit: TypeAlias = Callable[[Json], tuple[Json, int]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is."""

    field: Field
    where: str
    """As `AltText.where` names it."""


def cleaned_value(operation: Operation, place: Place, value: Json) -> tuple[Json, int]:
    """Return what an operation makes of a value, and how many places it changes.

    Where its own results never end, the value stays as it is. Raises `DecisionsError`
    for a regular expression that takes too long.
    """
    edit = _edit_of(operation, place)
    found, places = value, 0
    for _ in range(_ROUNDS):
        new, count = edit(found)
        if not count:
            return found, places
        found, places = new, places + count
    return value, 0


def _edit_of(operation: Operation, place: Place) -> _Edit:
    if operation.kind is CleaningKind.ALT_TEXT:
        return partial(_alt_texts, operation, place)
    if operation.kind is CleaningKind.MERGE_VALUES:
        return partial(_merged, operation, place.field)
    if operation.kind in (CleaningKind.SET_VALUE, CleaningKind.EMPTY_VALUE):
        wanted = value_said(place.field, operation.value)
        return lambda value: (wanted, int(value != wanted))
    if operation.kind is CleaningKind.HEADINGS:
        return partial(_headings, operation)
    in_body = edit_links if operation.within is Within.LINKS else edit_texts
    find = finder_of(operation)
    return partial(_texts, find, in_body if place.field.type == BODY else None)


def finder_of(operation: Operation) -> FindEdits:
    """Return what finds the changes of `trim` and `replace` in a text."""
    if operation.kind is CleaningKind.TRIM:
        return find_blanks
    return partial(_replacements, operation)


def _texts(
    find: FindEdits,
    in_body: Callable[[str, FindEdits], tuple[str, int]] | None,
    value: Json,
) -> tuple[Json, int]:
    if not isinstance(value, str):
        return value, 0
    if in_body is not None:
        return in_body(value, find)
    edits = find(value)
    return edited_text(value, edits), len(edits)


def find_blanks(text: str) -> list[TextEdit]:
    """Return the blanks that no one meant: at the ends, doubled, or accidental."""
    inner = text.strip(_ENDS)
    if not inner:
        return []
    first = len(text) - len(text.lstrip(_ENDS))
    last = first + len(inner)
    ends = [
        TextEdit(start, end, "")
        for start, end in ((0, first), (last, len(text)))
        # Lines of indented source are no blanks that anyone sees.
        if start < end and ("\n" not in text[start:end] or "\xa0" in text[start:end])
    ]
    gaps = (
        TextEdit(each.start(), each.end(), " ")
        for each in _GAP.finditer(text, first, last)
    )
    return sorted([*ends, *gaps])


def _replacements(operation: Operation, text: str) -> list[TextEdit]:
    if not operation.regex:
        plain = re.finditer(re.escape(operation.find), text)
        return [TextEdit(*each.span(), operation.to) for each in plain]
    try:
        found = regex.finditer(operation.find, text, timeout=_SECONDS)
        edits = [TextEdit(*each.span(), each.expand(operation.to)) for each in found]
    except TimeoutError:
        raise DecisionsError(
            f"cleaning.yaml: the expression `{operation.find}` takes more than "
            f"{_SECONDS:.0f} seconds for a text that begins “{text[:40]}”; write it "
            "simpler."
        ) from None
    except (regex.error, IndexError) as error:
        raise DecisionsError(
            f"cleaning.yaml: what `{operation.find}` finds cannot be replaced by "
            f"`{operation.to}`: {error}."
        ) from None
    return [e for e in edits if e.start < e.end and text[e.start : e.end] != e.new]


def _merged(operation: Operation, field: Field, value: Json) -> tuple[Json, int]:
    if not isinstance(value, str):
        return value, 0
    said = dict(field.options).get(value, value) if field.options else value
    if said == operation.to or said not in operation.values:
        return value, 0
    return value_said(field, operation.to), 1


def value_said(field: Field, text: str) -> Json:
    """Return the value that a text says, null for an empty one."""
    if not text or not is_value(field, text):
        return None
    if field.type == "Option":
        return next(key for key, label in field.options if label == text)
    if field.type == "Switch":
        return text == "yes"
    if field.type == "Number":
        return float(text) if "." in text else int(text)
    return text


def _headings(operation: Operation, value: Json) -> tuple[Json, int]:
    if not isinstance(value, str) or "<h" not in value.lower():
        return value, 0
    levels = partial(heading_levels, operation)
    return edit_headings(value, levels, drop_empty=operation.drop_empty)


def heading_levels(operation: Operation, levels: Sequence[int]) -> list[int]:
    """Return the levels of a body's headings as an operation leaves them."""
    down = max(operation.top - min(levels, default=6), 0)
    moved = [min(each + down, 6) for each in levels]
    return closed(moved) if operation.close_jumps else moved


def closed(levels: Sequence[int]) -> list[int]:
    """Return levels without jumps: one below another is one level deeper. The first,
    and each that is above all before it, stays."""
    above: list[tuple[int, int]] = []
    found = []
    for level in levels:
        while above and above[-1][0] >= level:
            above.pop()
        new = above[-1][1] + 1 if above else level
        above.append((level, new))
        found.append(new)
    return found


def _alt_texts(operation: Operation, place: Place, value: Json) -> tuple[Json, int]:
    alts = _alts_at(operation, place.where)
    if place.field.type in PICTURE_TYPES:
        return _alts_of_field(alts, value)
    if not isinstance(value, str) or "<img" not in value.lower():
        return value, 0
    body = Body(value)
    found = {
        number: alt
        for number, (picture, address) in enumerate(body.addresses().items())
        if lacks_text(picture.attributes.get("alt"), address)
        and (alt := alts.get(file_key(address)))
    }
    body.close()
    return edit_alts(value, found)


def _alts_of_field(alts: Mapping[str, str], value: Json) -> tuple[Json, int]:
    new, places = list[Json](), 0
    for each in value if isinstance(value, list) else [value]:
        address = each.get("url") if isinstance(each, dict) else None
        alt = alts.get(file_key(address)) if isinstance(address, str) else None
        if (
            isinstance(each, dict)
            and alt not in (None, each.get("alt"))
            and lacks_text(each.get("alt"), str(address))
        ):
            new.append({**each, "alt": alt})
            places += 1
        else:
            new.append(each)
    return (new if isinstance(value, list) else new[0]), places


def _alts_at(operation: Operation, where: str) -> Mapping[str, str]:
    return dict(_named(operation, "")) | dict(_named(operation, where))


def _named(operation: Operation, where: str) -> Iterator[tuple[str, str]]:
    for each in operation.alts:
        if each.where == where and each.alt.strip():
            yield file_key(each.picture), each.alt


def lacks_text(alt: object, address: str) -> bool:
    """Return whether a picture has no alternative text, or but the name of its file."""
    return not shown_alt(alt).strip() or is_name(alt, address)


def is_name(alt: object, address: str) -> bool:
    """Return whether an alternative text is but the name of a file."""
    said = shown_alt(alt).strip()
    stem = safe_name(address).rpartition(".")[0]
    return bool(said) and (
        (said == stem and not said.isalpha())
        or _PICTURE_NAME.fullmatch(said[:300]) is not None
    )
