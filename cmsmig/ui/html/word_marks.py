"""Words that one of two texts alone has, marked in the HTML of both.

Takes clean HTML, as the sanitiser gives it, and adds marks around words; every tag
stays as it is. A labelled box is no text of the body.

`<span title="\\ufdd0…">` is a label, too: it names a block, a field or a value. Its
title is the HTML that the value holds, whose words are there but are not shown.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape, unescape
from itertools import pairwise

from markupsafe import Markup

from cmsmig.ui.html.html_templates import PIECES, breakable, breakable_html

SIGN = "\ufdd0"
"""Distinguishes what the kit writes from what the origin writes: no character."""
_LOST = "At the origin, not at the destination"
_ADDED = "At the destination, not at the origin"
_TAG = re.compile(r"</?([a-z][a-z0-9]*)")
_GAP = re.compile(r"(?:\s|&nbsp;)+")
_RUN = re.compile(rf"({_GAP.pattern})|(?:[^\s&]|&(?!nbsp;))+")
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
# fmt: off
_WITHIN = frozenset({
    "abbr", "b", "cite", "code", "del", "dfn", "em", "i", "img", "ins", "kbd", "mark",
    "q", "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var",
})
# fmt: on
"""A word continues through these."""
_LABEL = re.compile(rf'<span title="{SIGN}([^"]*)"|<\w+ class="cmsmig-(?:box|loss)"')
"""The tag around what names something and is no text of the body."""
_PLACE = re.compile(r'<(?:img|span class="cmsmig-box")[^>]* title="(https?:[^"]*)"')
"""A picture, or what is shown for an embed, with its address."""
_LONG = 320
"""Characters of a value that a row of a list shows whole."""
_EXCERPT = 90
_MOST = 2_500
"""Words between the first and the last difference that are compared in order."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two sides with their marks."""

    left: Markup
    right: tuple[Markup, ...]
    only_left: int
    """Words that the left side alone has."""
    only_right: int


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    spots: tuple[tuple[int, int, int], ...]
    """Piece, first character and last, of each part of it; none where it is not
    shown."""
    is_address: bool = False
    """Whether it is the address of a picture or an embed, which is no word."""

    @property
    def is_shown(self) -> bool:
        """Return whether it is a word of the text that is shown."""
        return bool(self.spots) and not self.is_address


def side_by_side(
    left: str, right: Sequence[str], names: Sequence[str] = ()
) -> SideBySide:
    """Return both sides with what one alone has marked; the right comes in parts.

    With `names` of the parts, which may be empty, the left shows where each begins.
    """
    a, b = _Text([left]), _Text(right)
    pairs = dict(_pairs(a, b))
    back = {there: here for here, there in pairs.items()}
    lost = [e for n, e in enumerate(a.words) if n not in pairs and e.is_shown]
    new = [e for n, e in enumerate(b.words) if n not in back and e.is_shown]
    marked = _written(a.pieces, lost, "del", _LOST, dict(_splits(a, b, back, names)))
    written = _written(b.pieces, new, "ins", _ADDED, {})
    parts = pairwise([*(first for first, _ in b.parts), len(written)])
    return SideBySide(
        _html(marked),
        tuple(_html(written[first:end]) for first, end in parts),
        len(lost),
        len(new),
    )


def _html(pieces: Sequence[str]) -> Markup:
    return breakable_html(Markup("".join(pieces)))


class _Text:
    """One side: its pieces, and the words in it."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.pieces: list[str] = []
        self.words: list[_Word] = []
        self.parts: list[tuple[int, int]] = []
        """The number of pieces and of words before each part."""
        self._letters: list[str] = []
        self._spots: list[tuple[int, int, int]] = []
        for each in parts:
            self._read(each)

    def _read(self, html: str) -> None:
        begin, is_label = len(self.pieces), False
        self.parts.append((begin, len(self.words)))
        for number, piece in enumerate(PIECES.split(html), begin):
            self.pieces.append(piece)
            if (number - begin) % 2:
                is_label = self._tag(number, piece)
            elif not is_label:
                self._text(number, piece)
            elif piece.startswith("http"):
                self._note(number, piece)
        self._end()

    def _text(self, number: int, piece: str) -> None:
        for run in _RUN.finditer(piece):
            if run[1]:
                self._end()
            else:
                self._letters.append(run[0])
                self._spots.append((number, *run.span()))

    def _tag(self, number: int, piece: str) -> bool:
        """Take a tag in; return whether a label begins."""
        tag, label, place = (e.match(piece) for e in (_TAG, _LABEL, _PLACE))
        if label or tag is None or tag[1] not in _WITHIN:
            self._end()
        if place:
            self._end()
            self._note(number - 1, place[1])
        if label and label[1] is not None:
            self.pieces[number] = "<span>"
            held = _Text([unescape(label[1])])
            self.words += [_Word(each.text, ()) for each in held.words]
        return label is not None

    def _note(self, number: int, address: str) -> None:
        """Take in an address, which is at the end of a piece."""
        end = len(self.pieces[number])
        self.words.append(_Word(address, ((number, end, end),), is_address=True))

    def _end(self) -> None:
        """End a word."""
        if word := "".join(self._letters).translate(_UNSEEN):
            self.words.append(_Word(word, tuple(self._spots)))
        self._letters.clear()
        self._spots.clear()


def _pairs(a: _Text, b: _Text) -> Iterator[tuple[int, int]]:
    """Yield which word of one side is which of the other. Of a very long text, the
    words between the first and the last difference are matched in any order."""
    some, others = ([each.text for each in side.words] for side in (a, b))
    begin, last = _alike(some, others), min(len(some), len(others))
    end = min(_alike(some[::-1], others[::-1]), last - begin)
    ends = len(some) - end, len(others) - end
    yield from ((n, n) for n in range(begin))
    left, right = some[begin : ends[0]], others[begin : ends[1]]
    if max(len(left), len(right)) > _MOST:
        found = _in_any_order(left, right)
        yield from ((begin + here, begin + there) for here, there in found)
    else:
        for here, there, size in SequenceMatcher(
            None, left, right
        ).get_matching_blocks():
            yield from ((begin + here + n, begin + there + n) for n in range(size))
    yield from ((ends[0] + n, ends[1] + n) for n in range(end))


def _in_any_order(
    some: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of the same word, the first of each with the first."""
    places: dict[str, deque[int]] = {}
    for there, word in enumerate(others):
        places.setdefault(word, deque()).append(there)
    for here, word in enumerate(some):
        if left := places.get(word):
            yield here, left.popleft()


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """Return how many words at the beginning are the same."""
    pairs = enumerate(zip(some, others, strict=False))
    differing = (n for n, (one, other) in pairs if one != other)
    return next(differing, min(len(some), len(others)))


def _splits(
    a: _Text, b: _Text, back: Mapping[int, int], names: Sequence[str]
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield where on the left each named part begins: the piece and its character.

    A part without a word of the left begins where the one after it does.
    """
    found: dict[tuple[int, int], list[tuple[int, str]]] = {}
    at, here = 0, None
    for number, ((_, start), name) in enumerate(zip(b.parts, names, strict=False)):
        if start >= at:
            count = len(b.words)
            at = next((n for n in range(start, count) if n in back), count)
            here = back.get(at)
            at += 1
        spot = (len(a.pieces) - 1, len(a.pieces[-1]))
        if here is not None:
            piece, first, _ = a.words[here].spots[0]
            spot = piece, first
        found.setdefault(spot, []).append((number, name))
    for spot, named in found.items():
        first, _ = named[0]
        line = escape(", ".join(name for _, name in named if name))
        yield spot, f'<span class="cmsmig-split" data-at="{first}">{line}</span>'


def _written(
    pieces: Sequence[str],
    words: Sequence[_Word],
    tag: str,
    about: str,
    added: Mapping[tuple[int, int], str],
) -> list[str]:
    """Return the pieces with marks around words, and `added` at their spots."""
    opened = f'<{tag} class="cmsmig-word" title="{about}">'
    changes: dict[int, list[tuple[int, int, str]]] = {}
    for word in words:
        for piece, first, last in word.spots:
            spots = changes.setdefault(piece, [])
            if spots and _GAP.fullmatch(pieces[piece], spots[-1][1], first):
                first = spots.pop()[0]
            spots.append((first, last, ""))
    for (piece, at), line in added.items():
        changes.setdefault(piece, []).append((at, at, line))
    made = [*pieces]
    for number, spots in changes.items():
        text, parts, done = pieces[number], [], 0
        for first, last, line in sorted(spots, key=lambda spot: spot[:2]):
            parts.append(text[done:first])
            parts.append(line or f"{opened}{text[first:last]}</{tag}>")
            done = last
        made[number] = "".join(parts) + text[done:]
    return made


def changed_words(before: str, now: str) -> Markup:
    """Return a text with the words marked that are not those of before; a long one is
    folded behind what changed first."""
    if before == now:
        return breakable(now) if len(now) <= _LONG else _folded(now[:_EXCERPT], now)
    old, new = before.split(), now.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    codes = matcher.get_opcodes() if max(len(old), len(new)) <= _MOST else ()
    pieces = [
        Markup("{}" if code == "equal" else "<ins>{}</ins>").format(" ".join(new[a:b]))
        for code, _, _, a, b in codes
        if a < b
    ]
    whole = Markup(" ").join(pieces) if codes else breakable(now)
    if len(now) <= _LONG:
        return whole
    first = next((code[3] for code in codes if code[0] != "equal"), 0)
    return _folded(" ".join(new[max(0, first - 4) :])[:_EXCERPT], whole)


def _folded(excerpt: str, whole: str | Markup) -> Markup:
    return Markup("<details><summary>… {} …</summary>{}</details>").format(
        excerpt, whole
    )
