"""A change of a value in a few words: what was there, and what is."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

from cmsmig.canonical import Json
from cmsmig.mapping.cleaning.search import text_of
from cmsmig.mapping.convert.asset_uploads import PICTURE_TYPES, file_objects
from cmsmig.origin.schema import Field

_LINES = re.compile(r"(?<=>)(?=<(?:p|h\d|li|ul|ol|div|figure|blockquote)\b)|(?<=\n)")
_AROUND = 40
_MOST = 200
"""Characters of a change that are shown."""


def said(field: Field, value: Json) -> str:
    """Return a value as its source says it: a body with its tags, an option's label,
    the alternative texts of pictures."""
    if field.type in PICTURE_TYPES:
        return "; ".join(found.alt or "no text" for found, _ in file_objects(value))
    if isinstance(value, str):
        return dict(field.options).get(value, value)
    return text_of(field, value)


def changed_parts(old: str, new: str) -> list[tuple[str, str]]:
    """Return the lines of two texts that differ, each with its other side."""
    ours, theirs = _LINES.split(old), _LINES.split(new)
    if len(ours) == len(theirs):
        return [_cut(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    blocks = SequenceMatcher(None, ours, theirs).get_matching_blocks()
    start = (0, 0, 0)
    return [
        _cut("".join(ours[a + size : b]), "".join(theirs[c + size : d]))
        for (a, c, size), (b, d, _) in pairwise((start, *blocks))
        if (a + size, c + size) != (b, d)
    ]


def _cut(old: str, new: str) -> tuple[str, str]:
    """Return both sides from shortly before their first difference on."""
    pairs = enumerate(zip(old, new, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
    start = max(same - _AROUND, 0)
    before = "…" if start else ""
    ours, theirs = (
        f"{before}{each[start : start + _MOST]}".replace("\xa0", "␣")
        + ("…" if len(each) > start + _MOST else "")
        for each in (old, new)
    )
    return ours, theirs
