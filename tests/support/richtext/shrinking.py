"""Makes a body that fails small."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_PIECE = re.compile(
    r"<!--.*?-->|</?[a-zA-Z](?:\"[^\"]*\"|'[^']*'|[^>\"'])*>|[^<]+|<", re.S
)
_ATTRIBUTE = re.compile(r"""\s+[^\s=>]+(?:=(?:"[^"]*"|'[^']*'|[^\s>"']+))?(?=[\s>])""")


def smallest(
    html: str, fails: Callable[[str], bool], tries: int = 2000, *, balanced: bool = True
) -> str:
    """Return a smaller body that fails too; `balanced`: closing what it opens."""
    changed = True
    while changed and tries > 0:
        changed = False
        for shorter in _shorter(html) if balanced else _chunked(html):
            tries -= 1
            if fails(shorter):
                html, changed = shorter, True
                break
            if tries <= 0:
                break
    return html


def _chunked(html: str) -> Iterator[str]:
    """Yield a text without one part of it, large parts first."""
    size = len(html) // 2
    while size:
        for at in range(0, len(html), size):
            yield html[:at] + html[at + size :]
        size //= 2


def _shorter(html: str) -> Iterator[str]:
    """Yield a body's smaller variants, the smallest first as a rule."""
    pieces = _PIECE.findall(html)
    ends = _matches(pieces)
    for start, end in sorted(ends.items(), key=lambda pair: pair[0] - pair[1]):
        yield "".join(pieces[:start] + pieces[end + 1 :])
    for start, end in ends.items():
        if end > start:
            inside = pieces[start + 1 : end]
            yield "".join(pieces[:start] + inside + pieces[end + 1 :])
    for at, piece in enumerate(pieces):
        before, after = "".join(pieces[:at]), "".join(pieces[at + 1 :])
        if piece.startswith("<"):
            for found in _ATTRIBUTE.finditer(piece):
                yield before + piece[: found.start()] + piece[found.end() :] + after
        elif len(piece) > 1:
            half = len(piece) // 2
            yield before + piece[half:] + after
            yield before + piece[:half] + after
            yield before + piece[1:] + after


def _matches(pieces: list[str]) -> dict[int, int]:
    """Return where each piece ends: its end tag, or itself."""
    ends: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    for at, piece in enumerate(pieces):
        if piece.startswith("</"):
            if opened and opened[-1][0] == piece[2:-1].lower():
                ends[opened.pop()[1]] = at
            continue
        ends[at] = at
        if piece[:1] == "<" and piece[1:2].isalpha():
            opened.append((re.split(r"[\s/>]", piece[1:], maxsplit=1)[0].lower(), at))
            if opened[-1][0] in _VOID:
                opened.pop()
    return ends


_VOID = frozenset(("img", "br", "hr", "input", "source", "embed", "wbr"))
