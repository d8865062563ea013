"""Texts as JavaScript reads them: blanks, numbers, names of keys."""

from __future__ import annotations

import math
import re

from cmsmig.canonical import Json

BLANKS = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What `trim` removes and `\\s` matches."""

_PLAIN = re.compile(r"[+-]?(?:\d*\.)?\d+\Z", re.ASCII)
_LEADING = re.compile(r"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+", re.ASCII)
_BASED = re.compile(r"0(?:[xX]([0-9a-fA-F]+)|[oO]([0-7]+)|[bB]([01]+))\Z")
_EXACT = 2**53
_LARGEST_INDEX = 2**32 - 2


def read_value(text: str | None) -> Json:
    """Return the value of an attribute: a number, a truth value, or its text."""
    if not text:
        return text
    if text == "true":
        return True
    if text == "false":
        return False
    last = text[-1]
    if "0" <= last <= "9" and _PLAIN.match(text):
        return as_json(_parsed(text))
    return text


def number_of(text: str) -> float:
    """Return what `Number(text)` gives: NaN for what is no number, 0 for nothing."""
    bare = text.strip(BLANKS)
    if not bare:
        return 0.0
    if _LEADING.fullmatch(bare):
        return _parsed(bare)
    if based := _BASED.match(bare):
        digits = based[based.lastindex or 0].lstrip("0") or "0"
        bits = (0, 4, 3, 1)[based.lastindex or 0]
        if len(digits) * bits > 1100:
            return math.inf
        number = int(digits, 1 << bits)
        return math.inf if number >= 1 << 1024 else float(number)
    if bare.lstrip("+-") == "Infinity" and len(bare) < 10:
        return -math.inf if bare[0] == "-" else math.inf
    return math.nan


def leading_number(text: str) -> float:
    """Return what `parseFloat(text)` gives."""
    bare = text.lstrip(BLANKS)
    if found := _LEADING.match(bare):
        return _parsed(found[0])
    if bare.lstrip("+-").startswith("Infinity"):
        return -math.inf if bare[0] == "-" else math.inf
    return math.nan


def as_json(number: float) -> Json:
    """Return a number as documents hold it: whole ones as `int`.

    A whole number has the digits that JavaScript writes: the shortest that mean
    it, filled up with zeros.
    """
    if not math.isfinite(number) or number != int(number):
        return number
    whole = int(number)
    if abs(whole) < _EXACT:
        return whole
    if abs(number) >= 1e21:
        return number
    digits, _, exponent = repr(number).partition("e")
    if not exponent:
        return int(float(digits)) if "." not in digits else int(digits.split(".")[0])
    mantissa, _, fraction = digits.partition(".")
    fraction = fraction if fraction != "0" else ""
    return int(f"{mantissa}{fraction}{'0' * (int(exponent) - len(fraction))}")


def is_index(key: str) -> bool:
    """Return whether an object puts this key before all that are none, by number."""
    return (
        key.isascii()
        and key.isdigit()
        and (key == "0" or key[0] != "0")
        and len(key) < 11
        and int(key) <= _LARGEST_INDEX
    )


def _parsed(text: str) -> float:
    return float(text)
