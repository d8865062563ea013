"""What each kind of operation makes of one value. Pure; the same again changes
nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

import regex

from cmsmig.canonical import Json, text_of
from cmsmig.data_address import file_key
from cmsmig.errors import DecisionsError
from cmsmig.mapping.cleaning.body_edits import (
    Body,
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
    value_said,
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


def cleaned_value(
    operation: Operation, field: Field, where: str, value: Json
) -> tuple[Json, int]:
    """Return what an operation makes of a value, and how many places it changes.
    `where` is as `AltText.where` names it.

    Where its own results never end, the value stays as it is. Raises `DecisionsError`
    for a regular expression that takes too long.
    """
    found, places = value, 0
    for _ in range(_ROUNDS):
        new, count = _edited(operation, field, where, found)
        if not count:
            return found, places
        found, places = new, places + count
    return value, 0


def _edited(
    operation: Operation, field: Field, where: str, value: Json
) -> tuple[Json, int]:
    kind = operation.kind
    if kind in (CleaningKind.SET_VALUE, CleaningKind.EMPTY_VALUE):
        wanted = value_said(field, operation.value)
        return wanted, int(value != wanted)
    if kind is CleaningKind.ALT_TEXT and field.type in PICTURE_TYPES:
        return _alts_of_field(_alts_at(operation, where), value)
    if not isinstance(value, str):
        return value, 0
    if kind is CleaningKind.ALT_TEXT:
        return _alts_of_body(_alts_at(operation, where), value)
    if kind is CleaningKind.MERGE_VALUES:
        said = dict(field.options).get(value, value)
        is_other = said != operation.to and said in operation.values
        return (value_said(field, operation.to), 1) if is_other else (value, 0)
    if kind is CleaningKind.HEADINGS:
        levels = partial(heading_levels, operation)
        return edit_headings(value, levels, drop_empty=operation.drop_empty)
    is_trim = kind is CleaningKind.TRIM
    find = find_blanks if is_trim else partial(_replacements, operation)
    if field.type == BODY:
        in_links = operation.within is Within.LINKS
        return edit_links(value, find) if in_links else edit_texts(value, find)
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


def _alts_at(operation: Operation, where: str) -> Mapping[str, str]:
    """Return the alternative texts for a place, by the picture."""
    return {
        file_key(each.picture): each.alt
        for place in ("", where)
        for each in operation.alts
        if each.where == place and each.alt.strip()
    }


def _alts_of_body(alts: Mapping[str, str], html: str) -> tuple[str, int]:
    body = Body(html)
    shown = zip(body.addresses(), body.pictures, strict=True)
    found = {
        number: alt
        for number, (address, picture) in enumerate(shown)
        if lacks_text(picture.attributes.get("alt"), address)
        and (alt := alts.get(file_key(address)))
    }
    body.close()
    return edit_alts(html, found) if found else (html, 0)


def _alts_of_field(alts: Mapping[str, str], value: Json) -> tuple[Json, int]:
    new, places = list[Json](), 0
    for each in value if isinstance(value, list) else [value]:
        address = text_of(each.get("url")) if isinstance(each, dict) else ""
        alt = alts.get(file_key(address))
        if (
            isinstance(each, dict)
            and alt
            and lacks_text(old := each.get("alt"), address)
        ):
            new.append({**each, "alt": alt})
            places += old != alt
        else:
            new.append(each)
    return (new if isinstance(value, list) else new[0]), places


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
