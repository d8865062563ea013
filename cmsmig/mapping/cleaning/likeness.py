"""Which values are spellings of one, and which texts are nearly equal. Linear."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from heapq import nsmallest
from itertools import combinations
from zlib import crc32

from cmsmig.mapping import naming

_SIGNS = re.compile(r"[^\w\s]|_")
_LEAST = 6
"""Letters of values that may differ in one: shorter ones are other words."""
_MOST = 60
_SHINGLE = 5
_SKETCH = 64
_FEWEST = 20
"""Words of a text that is compared."""
_COMMON = 30
"""Texts that share words which say nothing any more."""
NEAR = 0.8
"""The share of equal parts from which on texts are nearly equal."""


def spellings(counts: Mapping[str, int]) -> list[list[str]]:
    """Return the values that are spellings of one, the commonest of each first.

    They differ by case, accents, signs, blanks and the order of words; or in one
    letter, where one is three times as common. Source: OpenRefine, clustering.
    """
    keyed: dict[Hashable, list[str]] = {}
    for value in sorted(counts, key=lambda each: (-counts[each], each)):
        for key in _keys(value):
            keyed.setdefault(key, []).append(value)
    group_of = {value: [value] for value in counts}
    for key, values in keyed.items():
        for value in values[1:]:
            one, other = group_of[values[0]], group_of[value]
            is_slip = counts[values[0]] >= 3 * counts[value]
            if one is other or not (is_slip or isinstance(key, tuple)):
                continue
            one += other
            group_of |= dict.fromkeys(other, one)
    groups = {id(each): each for each in group_of.values() if len(each) > 1}
    ordered = (sorted(e, key=lambda v: (-counts[v], v)) for e in groups.values())
    return sorted(ordered)


def _keys(value: str) -> Iterator[Hashable]:
    """Yield what spellings share: words in any order, letters without blanks; and, as
    a text, all letters but one within them."""
    plain = _SIGNS.sub(" ", naming.folded(value))
    words = plain.split()
    letters = "".join(words)
    yield tuple(sorted(set(words)))
    yield (letters,)
    if _LEAST <= len(letters) <= _MOST and letters.isalpha():
        yield from {
            letters,
            *(letters[:at] + letters[at + 1 :] for at in range(1, len(letters) - 1)),
        }


def sketch(text: str) -> tuple[int, ...]:
    """Return numbers that nearly equal texts share; none of a short text."""
    words = text.split()
    if len(words) < _FEWEST:
        return ()
    rows = zip(*(words[at:] for at in range(_SHINGLE)), strict=False)
    return tuple(nsmallest(_SKETCH, {crc32(" ".join(e).encode()) for e in rows}))


def near_pairs(
    sketches: Mapping[int, tuple[int, ...]],
) -> Iterator[tuple[int, int, float]]:
    """Yield the nearly equal texts, by what they are known by, with the share of
    their parts that is equal. Of equal ones each is near the first."""
    first: dict[tuple[int, ...], int] = {}
    holding: dict[int, list[int]] = {}
    for name, numbers in sketches.items():
        if numbers and (known := first.setdefault(numbers, name)) != name:
            yield known, name, 1.0
        for number in numbers if first.get(numbers) == name else ():
            holding.setdefault(number, []).append(name)
    shared = Counter(
        pair
        for names in holding.values()
        if len(names) <= _COMMON
        for pair in combinations(names, 2)
    )
    for (one, other), count in shared.items():
        both = {*sketches[one]}, {*sketches[other]}
        parts = nsmallest(_SKETCH, both[0] | both[1])
        share = sum(each in both[0] and each in both[1] for each in parts) / len(parts)
        if count > 1 and share >= NEAR:
            yield one, other, share
