"""Words that one of two texts alone says, marked in the HTML of both.

Takes clean HTML, as the sanitiser gives it, and adds nothing but marks around words:
every tag stays as it is. What stands in a labelled box is no text of the body.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from html import escape
from itertools import pairwise

from cmsmig.ui.html.html_templates import PIECES

_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)")
_GAP = re.compile(r"(?:\s|&nbsp;)+")
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
# fmt: off
_WITHIN = frozenset({
    "abbr", "b", "cite", "code", "del", "dfn", "em", "i", "img", "ins", "kbd", "mark",
    "q", "s", "samp", "small", "span", "strong", "sub", "sup", "u", "var",
})
# fmt: on
"""A word goes on through these."""
_LABELS = ('class="cmsmig-box"', 'class="cmsmig-loss"')
"""In the tags around what names something and is no text of the body."""
_PLACE = re.compile(r'<(?:img|span class="cmsmig-box")[^>]* title="(https?:[^"]*)"')
"""A picture, or what is shown for an embed, with its address."""
_BLOCK = "▣ block "
"""Begins the form of a block; what names it and its fields is no text of the body."""
_EXACT = 40_000
"""Pairs of words that are compared at once."""
_APART = 100
"""Words between two cuts of a long text."""


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Both sides with their marks."""

    left: str
    right: tuple[str, ...]
    only_left: int
    """Words that the left side alone says."""
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
    def is_said(self) -> bool:
        """Return whether it is a word of the text that is shown."""
        return bool(self.spots) and not self.is_address


@dataclass(slots=True)
class _Text:
    """One side: its pieces, and the words in it by paragraph."""

    pieces: list[str]
    words: list[_Word] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    """The number of words before each paragraph."""

    def hold(self, other: _Text) -> None:
        """Take in the words of another, which are not shown."""
        self.paragraphs += [len(self.words) + first for first in other.paragraphs]
        self.words += [_Word(each.text, ()) for each in other.words]

    def note(self, address: str, piece: int) -> None:
        """Take in an address, which is at the end of a piece."""
        end = len(self.pieces[piece])
        self.words.append(_Word(address, ((piece, end, end),), is_address=True))

    def keys(self, first: int, last: int) -> list[str]:
        return [each.text for each in self.words[first:last]]


def marked_words(
    left: str,
    right: Sequence[str],
    *,
    only_left: str,
    only_right: str,
    names: Sequence[str] = (),
    held: Sequence[Sequence[str]] = (),
) -> MarkedWords:
    """Return both sides with what one alone says marked; `right` may come in parts.

    `only_left` and `only_right` are told to those who cannot see a mark or point at
    it. With `names` of the parts, which may be empty, the left says where each of them
    begins. `held` is for each part what its blocks hold, block by block: there too it
    is said.
    """
    a = _read(left)
    inside = [*held, *([()] * (len(right) - len(held)))]
    parts = [_read(*each) for each in zip(right, inside, strict=True)]
    b = _Text([])
    starts: list[int] = []
    for each in parts:
        starts.append(len(b.words))
        b.paragraphs += [len(b.words) + first for first in each.paragraphs]
        b.words += each.words
    pairs = dict(_pairs(a, b))
    met = set(pairs.values())
    lost = [n for n in range(len(a.words)) if n not in pairs and a.words[n].is_said]
    new = [n for n in range(len(b.words)) if n not in met and b.words[n].is_said]
    back = {there: here for here, there in pairs.items()}
    splits = dict(_splits(a, starts, len(b.words), back, names))
    ends = [*starts, len(b.words)][1:]
    written = tuple(
        _written(
            part.pieces,
            [b.words[n] for n in new if first <= n < last],
            "ins",
            only_right,
        )
        for part, first, last in zip(parts, starts, ends, strict=True)
    )
    gone = [a.words[n] for n in lost]
    marked = _written(a.pieces, gone, "del", only_left, splits)
    return MarkedWords(marked, written, len(lost), len(new))


def _read(html: str, held: Sequence[str] = ()) -> _Text:
    """Return the words of clean HTML and where they stand; those that its blocks hold
    have no place."""
    blocks = iter(held)
    text = _Text(PIECES.split(html))
    zone = _Zones()
    letters: list[str] = []
    spots: list[tuple[int, int, int]] = []
    is_new = True

    def end() -> None:
        nonlocal is_new
        word = "".join(letters).translate(_UNSEEN)
        if word:
            if is_new:
                text.paragraphs.append(len(text.words))
                is_new = False
            text.words.append(_Word(word, tuple(spots)))
        letters.clear()
        spots.clear()

    for number, piece in enumerate(text.pieces):
        if number % 2:
            if zone.tag(piece):
                end()
                is_new = True
            if found := _PLACE.match(piece):
                end()
                text.note(found[1], number - 1)
            continue
        if zone.is_label(piece):
            end()
            if piece.startswith("http"):
                text.note(piece, number)
            if piece.startswith(_BLOCK):
                text.hold(_read(next(blocks, "")))
                is_new = True
            continue
        for first, last, is_gap in _runs(piece):
            if is_gap:
                end()
            else:
                letters.append(piece[first:last])
                spots.append((number, first, last))
    end()
    return text


class _Zones:
    """Which of a side's pieces are labels, and no text of the body."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []
        self._labels = 0
        self._depths: dict[str, list[int]] = {"dl": [], "dt": [], "code": []}
        """How many elements are open around each of these, the innermost last."""
        self._block = 0
        """How many elements are open around the fields of a block."""

    def tag(self, piece: str) -> bool:
        """Take a tag in; return whether a word ends here."""
        found = _TAG.match(piece)
        if found is None:
            return True
        closes, name = found[1] == "/", found[2]
        labels = any(each in piece for each in _LABELS)
        if closes:
            while self._open and self._close() != name:
                pass
            self._block = min(self._block, len(self._open))
        elif name not in ("br", "hr", "img"):
            if name in self._depths:
                self._depths[name].append(len(self._open))
            self._open.append((name, labels))
            self._labels += labels
        return name not in _WITHIN or labels

    def _close(self) -> str:
        name, labels = self._open.pop()
        self._labels -= labels
        if name in self._depths:
            self._depths[name].pop()
        return name

    def is_label(self, piece: str) -> bool:
        """Return whether a text only names something."""
        if self._labels:
            return True
        depths = self._depths
        if piece.startswith(_BLOCK) and depths["dl"]:
            self._block = depths["dl"][-1] + 1
            return True
        named = (*depths["dt"][-1:], *depths["code"][-1:])
        return bool(self._block) and max(named, default=0) >= self._block


def _runs(piece: str) -> Iterator[tuple[int, int, bool]]:
    last = 0
    for gap in _GAP.finditer(piece):
        if gap.start() > last:
            yield last, gap.start(), False
        yield gap.start(), gap.end(), True
        last = gap.end()
    if last < len(piece):
        yield last, len(piece), False


def _pairs(a: _Text, b: _Text) -> Iterator[tuple[int, int]]:
    """Yield which word of one side is which of the other: by whole paragraphs first,
    since most are equal, then by words between these."""
    ends_a = [*a.paragraphs, len(a.words)]
    ends_b = [*b.paragraphs, len(b.words)]
    whole_a = [tuple(a.keys(*each)) for each in pairwise(ends_a)]
    whole_b = [tuple(b.keys(*each)) for each in pairwise(ends_b)]
    here = there = 0
    for at_a, at_b in (*_aligned(whole_a, whole_b), (len(whole_a), len(whole_b))):
        from_a, to_a = ends_a[here], ends_a[at_a]
        from_b, to_b = ends_b[there], ends_b[at_b]
        for one, other in _aligned(a.keys(from_a, to_a), b.keys(from_b, to_b)):
            yield from_a + one, from_b + other
        here, there = at_a + 1, at_b + 1
        if at_a < len(whole_a):
            yield from zip(
                range(to_a, ends_a[here]), range(to_b, ends_b[there]), strict=True
            )


def _aligned(
    some: Sequence[Hashable], others: Sequence[Hashable]
) -> Iterator[tuple[int, int]]:
    """Yield which word or paragraph is which, in time that grows with the length alone:
    long texts are cut where three in a row occur once on either side, then by length.
    """
    for first_a, last_a, first_b, last_b in _cuts(some, others):
        left, right = some[first_a:last_a], others[first_b:last_b]
        parts = len(left) * len(right) // _EXACT + 1
        for n in range(parts):
            from_a, to_a = _share(len(left), n, parts)
            from_b, to_b = _share(len(right), n, parts)
            matcher = SequenceMatcher(
                None, left[from_a:to_a], right[from_b:to_b], autojunk=False
            )
            for here, there, size in matcher.get_matching_blocks():
                for m in range(size):
                    yield first_a + from_a + here + m, first_b + from_b + there + m


def _share(length: int, number: int, parts: int) -> tuple[int, int]:
    return length * number // parts, length * (number + 1) // parts


def _cuts(
    some: Sequence[Hashable], others: Sequence[Hashable]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield ranges that belong together, at their cuts; all of it, if it is short."""
    here = there = 0
    if len(some) * len(others) > _EXACT:
        once_b = _once(others)
        for key, at_a in _once(some).items():
            at_b = once_b.get(key, -1)
            if at_a - here >= _APART and at_b > there:
                yield here, at_a, there, at_b
                here, there = at_a, at_b
    yield here, len(some), there, len(others)


def _once(words: Sequence[Hashable]) -> dict[tuple[Hashable, ...], int]:
    """Return where three words in a row stand that do so only once, in their order."""
    rows = [tuple(words[n : n + 3]) for n in range(len(words) - 2)]
    counts = Counter(rows)
    return {row: n for n, row in enumerate(rows) if counts[row] == 1}


def _splits(
    a: _Text,
    starts: Sequence[int],
    count: int,
    back: Mapping[int, int],
    names: Sequence[str],
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield where on the left each named part begins: the piece and its character.

    A part without a word of the left begins where the one after it does.
    """
    found: dict[tuple[int, int], list[tuple[int, str]]] = {}
    at, here = 0, None
    for number, (start, name) in enumerate(zip(starts, names, strict=False)):
        if start >= at:
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
    added: Mapping[tuple[int, int], str] | None = None,
) -> str:
    """Return the pieces with marks around words, and `added` at their spots."""
    opened = f'<{tag} class="cmsmig-word" title="{escape(about)}">'
    changes: dict[int, list[tuple[int, int, str]]] = {}
    for word in words:
        for piece, first, last in word.spots:
            spots = changes.setdefault(piece, [])
            if spots and _GAP.fullmatch(pieces[piece], spots[-1][1], first):
                spots[-1] = (spots[-1][0], last, "")
            else:
                spots.append((first, last, ""))
    for (piece, at), line in (added or {}).items():
        changes.setdefault(piece, []).append((at, at, line))
    made = [*pieces]
    for number, spots in changes.items():
        text, parts, done = pieces[number], [], 0
        for first, last, line in sorted(spots, key=lambda spot: spot[:2]):
            parts.append(text[done:first])
            parts.append(line or f"{opened}{text[first:last]}</{tag}>")
            done = last
        made[number] = "".join(parts) + text[done:]
    return "".join(made)
