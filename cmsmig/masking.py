"""Tokens are shown nowhere: they are masked where text is printed, kept or comes in.

A service may echo a token encoded: escaped for JSON, HTML or an address, in
other letter case, in base64 or hexadecimal, in one of these around another. All
are found by undoing the escapes, level by level, and looking for a token's forms.
"""

from __future__ import annotations

import base64
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps

HIDDEN = "(hidden)"
SHORTEST = 8
"""Characters of the shortest token that is masked: a shorter one may be a word."""
FEWEST = 4
"""Different characters in it."""
_LEVELS = 5
"""How many escapes around each other are undone."""
_NAMED = {"amp": "&", "sol": "/"}
_ESCAPES = "\\%&"
"""What escapes begin with."""
_FEW = 100
"""So many of one are looked at one by one; that is quick where they are far apart."""
_SIGNS = "\\%&#;+/=-_"
"""Characters that escapes are written with, and those of base64."""
_RUN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+/=_-")
_HALF_ESCAPE = re.compile(r"(?:\\+(?:u0{0,2}\w?|x\w?)?|%\w?|&#?x?\w*)?\Z")
_LONGEST_ESCAPE = 10
_NO_ESCAPE = re.compile(r"\Z(?!\Z)")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class _Form:
    """One way in which a token shows, in lower case."""

    text: str
    within_run: bool = False
    """Whether the base64 text around it reveals the token too."""


class _Known:
    """Every token that this process has read: what is masked must not depend on who
    holds the settings."""

    def __init__(self) -> None:
        self.tokens: frozenset[str] = frozenset()
        self.forms: tuple[_Form, ...] = ()
        self.starts: tuple[str, ...] = ()
        """Of all forms; each once."""
        self.longest = 0
        """Characters of the longest form."""
        self.escapes = _NO_ESCAPE
        """Nothing is masked before the first token, and compiling takes time."""

    def add(self, token: str) -> None:
        """Have one more token masked."""
        self.tokens |= {token}
        self.forms = tuple(dict.fromkeys((*self.forms, *_forms_of(token))))
        self.starts = tuple({form.text[:SHORTEST] for form in self.forms})
        self.longest = max(len(form.text) for form in self.forms)
        self.escapes = _escapes("".join(self.tokens).lower())


def hide(token: str) -> None:
    """Have a token masked from now on, without the scheme before it.

    A text that is too short, or repeats one sign, is no token and may be content.
    """
    secret = token.strip().rpartition(" ")[2]
    is_token = len(secret) >= SHORTEST and len(set(secret)) >= FEWEST
    if is_token and secret not in _known.tokens:
        _known.add(secret)


def may_hold_token(text: str) -> bool:
    """Return whether a token may be in a text: a quick look that misses none."""
    if not _known.tokens:
        return False
    level = _lowered(text)
    for start in _known.starts:
        if start in level:
            return True
    return _holds_escapes(level)


def masked(text: str) -> str:
    """Return a text with `(hidden)` in the place of every token in it."""
    if not may_hold_token(text):
        return text
    spans = _spans(text)
    if not spans:
        return text
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [text[end:start], HIDDEN]
        end = stop
    return "".join([*pieces, text[end:]])


def masked_bytes(data: bytes) -> bytes:
    """Return bytes with `(hidden)` in the place of every token in them."""
    if not _known.tokens:
        return data
    text = data.decode("latin-1")
    shown = masked(text)
    return data if shown is text else shown.encode("latin-1")


def masking(pack: Callable[[object], bytes]) -> Callable[[object], bytes]:
    """Return a function that packs values as `pack` does, tokens masked."""

    @wraps(pack)
    def packed(value: object) -> bytes:
        return masked_bytes(pack(value))

    return packed


def _escapes(characters: str) -> re.Pattern[str]:
    """Return what matches an escape of a character that may be a token's, in lower
    case; other escapes need not be undone."""
    codes = {ord(each) for each in (*_LETTERS, *_LETTERS.upper(), *_SIGNS, *characters)}
    code = "|".join(f"{each:02x}" for each in sorted(codes))
    number = "|".join(str(each) for each in sorted(codes))
    signs = re.escape("".join(sorted({"/", *characters} - {*_LETTERS})))
    return re.compile(
        # Each run of backslashes is looked at once: a hostile text may be all of them.
        rf"(?<!\\)\\++(?:u00(?P<json>{code})|x(?P<hex>{code})|(?P<itself>[{signs}]))"
        rf"|%(?P<address>{code})"
        rf"|&#x0*(?P<page>{code});?|&#0*(?P<number>{number});?"
        r"|&(?P<name>sol|amp(?=;(?:#|amp;|sol;)));"
    )


def _forms_of(secret: str) -> Iterator[_Form]:
    data = secret.encode()
    yield _Form(_lowered(secret))
    yield _Form(data.hex())
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + data).decode()
        # What neighbours take no part in: they share the first and last characters.
        core = encoded[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        for each in (core, core.replace("+", "-").replace("/", "_")):
            yield _Form(_lowered(each), within_run=True)


def _spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of tokens, in order, without overlap."""
    found: list[tuple[int, int]] = []
    level, ways = _lowered(text), list[_Way]()
    for _ in range(_LEVELS):
        for start, stop in _found(level):
            for way in reversed(ways):
                start, stop = way.back(start, stop)
            found.append((_unescaped_start(text, start), stop))
        if not (undone := _unescaped(level)).at:
            break
        ways.append(undone)
        level = undone.text
    return _merged(found)


def _found(text: str) -> Iterator[tuple[int, int]]:
    for form in _known.forms:
        start = text.find(form.text)
        while start >= 0:
            stop = start + len(form.text)
            if form.within_run:
                start, stop = _run_around(text, start, stop)
            yield start, stop
            start = text.find(form.text, stop)
    tail = text[-_known.longest - _LONGEST_ESCAPE :]
    for form in _known.forms:
        if form.text[:SHORTEST] in tail:
            yield from _cut_off(text, form.text)


def _cut_off(text: str, form: str) -> Iterator[tuple[int, int]]:
    """Yield the start of a form that a text ends in: the text was cut there, maybe
    within an escape."""
    half = _HALF_ESCAPE.search(text[-_LONGEST_ESCAPE:])
    end = len(text) - (len(half[0]) if half else 0)
    start = text.find(form[:SHORTEST], max(0, end - len(form)), end)
    if start >= 0 and form.startswith(text[start:end]):
        yield start, len(text)


def _run_around(text: str, start: int, stop: int) -> tuple[int, int]:
    while start > 0 and text[start - 1] in _RUN:
        start -= 1
    while stop < len(text) and text[stop] in _RUN:
        stop += 1
    return start, stop


def _unescaped_start(text: str, start: int) -> int:
    """Return a start that leaves no escape half: its backslash belongs to it."""
    first = start
    while first > 0 and text[first - 1] == "\\":
        first -= 1
    return start - (start - first) % 2


@dataclass(frozen=True, slots=True)
class _Way:
    """A text without one level of escapes, and the way back to where it came from."""

    text: str
    at: list[int]
    """The present position of each character that was escaped."""
    came_from: list[tuple[int, int]]

    def back(self, start: int, stop: int) -> tuple[int, int]:
        """Return the position of a span in the text with the escapes."""
        return self._place(start)[0], self._place(stop - 1)[1]

    def _place(self, position: int) -> tuple[int, int]:
        last = bisect_right(self.at, position) - 1
        if last < 0:
            return position, position + 1
        if self.at[last] == position:
            return self.came_from[last]
        place = self.came_from[last][1] + position - self.at[last] - 1
        return place, place + 1


def _unescaped(text: str) -> _Way:
    """Undo one level of escapes."""
    pieces: list[str] = []
    at: list[int] = []
    came_from: list[tuple[int, int]] = []
    length = end = 0
    for match in _known.escapes.finditer(text):
        pieces += [text[end : match.start()], _character(match)]
        length += match.start() - end
        at.append(length)
        came_from.append(match.span())
        length += 1
        end = match.end()
    return _Way("".join([*pieces, text[end:]]), at, came_from)


def _holds_escapes(text: str) -> bool:
    """Return whether there is an escape to undo; most texts have few to look at."""
    for sign in _ESCAPES:
        at = text.find(sign)
        for _ in range(_FEW):
            if at < 0:
                break
            if _known.escapes.match(text, at):
                return True
            at = text.find(sign, at + 1)
        if at >= 0 and _known.escapes.search(text, at):
            return True
    return False


def _character(match: re.Match[str]) -> str:
    kind, value = str(match.lastgroup), match[str(match.lastgroup)]
    if kind == "itself":
        return value
    if kind == "name":
        return _NAMED[value]
    number = int(value) if kind == "number" else int(value, 16)
    return chr(number).lower()


def _lowered(text: str) -> str:
    """Return a text of the same length in lower case."""
    shown = text.lower()
    return shown if len(shown) == len(text) else text.translate(_ASCII_LOWER)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    apart: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(apart[-1][1], stop))
        else:
            apart.append((start, stop))
    return apart


_known = _Known()
