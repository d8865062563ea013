"""A change of a value in a few words: what was there, and what is."""

from __future__ import annotations

from cmsmig.canonical import Json
from cmsmig.mapping.cleaning.search import text_of
from cmsmig.mapping.convert.asset_uploads import PICTURE_TYPES, file_objects
from cmsmig.origin.schema import Field

_AROUND = 24
_MOST = 160
"""Characters of a change that are shown."""


def said(field: Field, value: Json) -> str:
    """Return a value as its source says it: a body with its tags, an option's label,
    the alternative texts of pictures."""
    if field.type in PICTURE_TYPES:
        return "; ".join(found.alt or "no text" for found, _ in file_objects(value))
    if isinstance(value, str):
        return dict(field.options).get(value, value)
    return text_of(field, value)


def changed_parts(old: str, new: str) -> tuple[str, str]:
    """Return the part of two texts in which they differ, with a little around it."""
    first = _alike(old, new)
    most = min(len(old), len(new)) - first
    last = min(_alike(old[::-1], new[::-1]), most)
    start = max(first - _AROUND, 0)
    return tuple(  # type: ignore[return-value]  # two of two
        _cut(each, start, len(each) - max(last - _AROUND, 0)) for each in (old, new)
    )


def _cut(text: str, start: int, end: int) -> str:
    part = text[start : min(end, start + _MOST)].replace("\xa0", "␣")
    before, after = "…" if start else "", "…" if start + len(part) < len(text) else ""
    return f"{before}{part}{after}"


def _alike(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
