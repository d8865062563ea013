"""Names by rule: ASCII folding, and claims that never give one name twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence

_LETTERS = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "ss",
        "æ": "ae",
        "Æ": "ae",
        "œ": "oe",
        "Œ": "oe",
        "ø": "o",
        "Ø": "o",
        "đ": "d",
        "Đ": "d",
        "ð": "d",
        "Ð": "d",
        "þ": "th",
        "Þ": "th",
        "ł": "l",
        "Ł": "l",
        "ı": "i",
    }
)
"""Letters that Unicode does not decompose into a base letter and an accent."""


_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]{1,256}")


def decomposed(text: str) -> str:
    """Return a text in the form NFKD, for comparing. Linear.

    Sorting the marks on one letter takes quadratic time, so that a long run of
    marks is sorted in parts.
    """
    runs = _RUNS.findall(text)
    return "".join(unicodedata.normalize("NFKD", run) for run in runs)


def folded(text: str) -> str:
    """Return `text` in lower case with accents off; other scripts stay."""
    apart = decomposed(text.translate(_LETTERS))
    return "".join(
        letter for letter in apart.lower() if not unicodedata.combining(letter)
    )


def identifier(text: str) -> str:
    """Return `text` as `[a-z0-9_]+` without underscores at its ends, or empty."""
    return re.sub(r"[^a-z0-9]+", "_", folded(text)).strip("_")


def claims(
    wanted: Sequence[str],
    numbered: Callable[[str, int], str],
    taken: Collection[str] = (),
) -> tuple[str, ...]:
    """Return one name for each that is wanted, all different and none of `taken`.

    The first to want a free name gets it. Everyone else gets
    `numbered(name, 2)`, `numbered(name, 3)`, ..., but never a name that
    an editor wants as it is, so that a number is only given to who needs one.
    `numbered` must give different names for different numbers.
    """
    used = set(taken)
    given: list[str] = []
    late: list[int] = []
    for index, name in enumerate(wanted):
        if name in used:
            late.append(index)
        used.add(name)
        given.append(name)
    for index in late:
        given[index] = _first_free(wanted[index], numbered, used)
        used.add(given[index])
    return tuple(given)


def _first_free(
    name: str, numbered: Callable[[str, int], str], used: Collection[str]
) -> str:
    number = 2
    while (candidate := numbered(name, number)) in used:
        number += 1
    return candidate
