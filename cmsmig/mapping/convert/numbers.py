"""Numbers as the destination stores them: decimal text without exponent."""

from __future__ import annotations

import re
from decimal import Decimal

_DECIMAL = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_THREE_PLACES = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))
_LISTED = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_NO_PLACES = frozenset(_LISTED.split())
_MOST_DIGITS = 400
"""Beyond what a float can mean; longer text is no number but an attack."""


def number_text(value: object) -> str | None:
    """Return a JSON number as text that matches `-?\\d*\\.?\\d+`.

    The shortest text that reads back as the same number; no exponent, no sign
    on zero. A string is taken when it is such a decimal already. None for what
    is no finite number. Source: destination, number fields.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value) if value.bit_length() < _MOST_DIGITS * 3 else None
    if isinstance(value, float):
        found = Decimal(repr(value))
        return _plain(found) if found.is_finite() else None
    if isinstance(value, str) and len(value) <= _MOST_DIGITS:
        text = value.strip()
        return text if text.isascii() and _DECIMAL.fullmatch(text) else None
    return None


def major_units(minor: object, currency: str) -> str | None:
    """Return an amount in minor units (cents) as a number in major units.

    How many places a currency has is ISO 4217's; an unknown one has two.
    """
    text = number_text(minor)
    if text is None:
        return None
    # Shifting the exponent is exact; scaleb would round to 28 digits.
    sign, digits, exponent = Decimal(text).as_tuple()
    if not isinstance(exponent, int):
        return None
    return _plain(Decimal((sign, digits, exponent - places(currency))))


def places(currency: str) -> int:
    """Return how many decimal places amounts in `currency` have."""
    code = currency.upper()
    if code in _NO_PLACES:
        return 0
    return 3 if code in _THREE_PLACES else 2


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "", "-") else text
