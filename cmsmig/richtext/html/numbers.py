"""Numbers in attributes, as browsers read them: the digits at the beginning count.

Source: the HTML standard, common microsyntaxes.
"""

from __future__ import annotations

import math
import re

_INTEGER = re.compile(r"[ \t\n\f\r]*+([-+]?[0-9]{1,10})(?![0-9])", re.ASCII)
_NUMBER = re.compile(r"[ \t\n\f\r]*+([-+]?(?:[0-9]*\.)?[0-9]+)", re.ASCII)
_DIMENSION = re.compile(r"[ \t\n\f\r]*+\+?([0-9]++(?:\.[0-9]++)?)(%?)", re.ASCII)
_LARGEST = 2**31 - 1
_MOST = {"colspan": 1000, "rowspan": 65534}


def integer(text: str) -> int | None:
    """Return the integer at the beginning of a text; None for none, or one that is
    too large for a browser."""
    found = _INTEGER.match(text)
    number = int(found[1]) if found else _LARGEST + 1
    return number if abs(number) <= _LARGEST else None


def leading_number(text: str) -> int | float | None:
    """Return the number at the beginning of a text, a whole one as `int`."""
    found = _NUMBER.match(text)
    number = float(found[1]) if found else math.inf
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def span(attributes: dict[str, str], name: str) -> int:
    """Return what a cell's `colspan` or `rowspan` says; a `rowspan` of 0 extends to
    the end of its section."""
    given = attributes.get(name, "")
    number = integer(given)
    if number is None:
        return _MOST[name] if _is_large(given) else 1
    if number < 0 or (number == 0 and name == "colspan"):
        return 1
    return min(number, _MOST[name])


def _is_large(text: str) -> bool:
    bare = text.strip(" \t\n\f\r").removeprefix("+")
    return bare[:10].isdecimal() and bare[:10].isascii() and len(bare) >= 10


def dimension(text: str) -> str:
    """Return a `width` or `height` as CSS says it, `600px` or `60%`; empty for none."""
    found = _DIMENSION.match(text)
    return f"{found[1]}{found[2] or 'px'}" if found else ""
