"""HTML's character references as browsers read them, however long a number is."""

from __future__ import annotations

import re
from html import unescape

_LONG = re.compile(r"&#(?:(?P<hex>[xX][0-9a-fA-F]{10,}+)|(?P<decimal>[0-9]{10,}+));?")
_DIGITS = 9
"""A number of more digits, leading zeros aside, is beyond Unicode."""
_UNKNOWN = "&#xFFFD;"


def shown_text(raw: str) -> str:
    """Return a text with its character references replaced.

    Source: the HTML standard, numeric character reference state.
    """
    return unescape(short_references(raw)) if "&" in raw else raw


def short_references(html: str) -> str:
    """Return HTML in which no reference has a number of many digits: the standard
    library raises `ValueError` for one of thousands."""
    return _LONG.sub(_short, html) if "&#" in html else html


def _short(match: re.Match[str]) -> str:
    base = "x" if match["hex"] else ""
    digits = (match["decimal"] or match["hex"][1:]).lstrip("0") or "0"
    return f"&#{base}{digits};" if len(digits) <= _DIGITS else _UNKNOWN
