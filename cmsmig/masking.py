"""Tokens are shown nowhere: they are masked where text is printed, kept or comes in.

A token is found as it is, as in an address (`%2F`) and as in JSON (`\\/`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from urllib.parse import quote

HIDDEN = "(hidden)"
SHORTEST = 8
"""Characters of the shortest token that is masked: a shorter one may be a word."""
FEWEST = 4
"""Different characters in it."""
_NOTHING = re.compile(r"(?!)")


class _Known:
    """Every token that this process has read: what is masked must not depend on who
    holds the settings."""

    def __init__(self) -> None:
        self.forms: set[str] = set()
        self.lowered: set[str] = set()
        self.pattern = _NOTHING

    def add(self, token: str) -> None:
        """Have one more token masked."""
        text = json.dumps(token)[1:-1]
        self.forms |= {token, quote(token, safe=""), text, text.replace("/", r"\/")}
        self.lowered = {each.lower() for each in self.forms}
        # The longest first: one form may begin with another.
        forms = sorted(self.forms, key=len, reverse=True)
        self.pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)


_known = _Known()


def hide(token: str) -> None:
    """Have a token masked from now on, without the scheme before it.

    A text that is too short, or repeats one sign, is no token and may be content.
    """
    secret = token.strip().rpartition(" ")[2]
    is_token = len(secret) >= SHORTEST and len(set(secret)) >= FEWEST
    if is_token and secret not in _known.forms:
        _known.add(secret)


def masked(text: str) -> str:
    """Return a text with `(hidden)` in the place of every token in it."""
    # Every answer comes by here, and hardly any holds one.
    lowered = text.lower()
    if not any(each in lowered for each in _known.lowered):
        return text
    return _known.pattern.sub(HIDDEN, text)


def masked_bytes(data: bytes) -> bytes:
    """Return bytes with `(hidden)` in the place of every token in them."""
    if not _known.forms:
        return data
    return masked(data.decode("latin-1")).encode("latin-1")


def masking(pack: Callable[[object], bytes]) -> Callable[[object], bytes]:
    """Return a function that packs values as `pack` does, tokens masked."""

    @wraps(pack)
    def packed(value: object) -> bytes:
        return masked_bytes(pack(value))

    return packed
