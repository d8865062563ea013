"""Names by rule: one folding for names, searches and orders, letters of other scripts
in Latin ones, and claims that never give one name twice."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Literal

from anyascii import anyascii


def _is_accent(mark: str) -> bool:
    """Return whether a mark only says how a letter sounds. Those of kana and of Indic
    and Thai scripts make another letter."""
    kind = unicodedata.combining(mark)
    return kind == 1 or 10 <= kind <= 36 or kind >= 200


_MARKS = (*range(0x300, 0x1E00), *range(0x20D0, 0x2100), *range(0xFE20, 0xFE30))
_ALIKE = {
    **dict.fromkeys("\u2018\u2019\u02bb\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014", "-"),
    **{"\u0629": "\u0647", "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"},
    "\u0640": "",
}
"""Signs that keyboards have another for; letters that Arabic and Persian write for each
other, and the sign that lengthens a word. Source: Lucene, its normalization of both."""
_FOLDS: dict[int, str] = {
    # Letters such as ł, ø and æ, which Unicode does not decompose.
    **{each: anyascii(chr(each)).lower() for each in range(0xDF, 0x2B0)},
    **{each: "" for each in _MARKS if _is_accent(chr(each))},
    **{ord(each): alike for each, alike in _ALIKE.items()},
}

_RUNS = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]{1,256}")


def decomposed(text: str) -> str:
    """Return a text in the form NFKD, for comparing. Linear.

    Sorting the marks on one letter takes quadratic time, so that a long run of
    marks is sorted in parts.
    """
    return _normalised("NFKD", text)


def _normalised(form: Literal["NFC", "NFKD"], text: str) -> str:
    return "".join(unicodedata.normalize(form, run) for run in _RUNS.findall(text))


def folded(text: str) -> str:
    """Return `text` without case and accents; other scripts stay."""
    if text.isascii():
        return text.lower()
    return decomposed(text).casefold().translate(_FOLDS)


def transliterated(text: str) -> str:
    """Return `text` with the letters and digits of other scripts in Latin ones."""
    if text.isascii():
        return text
    return "".join(map(_in_latin, _normalised("NFC", text)))


def _in_latin(letter: str) -> str:
    if letter.isascii() or not (
        letter.isdecimal() or unicodedata.category(letter)[0] in "LM"
    ):
        return letter
    return "".join(filter(str.isalnum, anyascii(letter)))


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
