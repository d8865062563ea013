"""Numbers as the destination stores them, decimal text without exponent; and whether
a value is what its field's type and validations ask for."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject

_EMAIL = re.compile(r"[^@\s<>\"(),;:\\]+@[^@\s<>\"(),;:\\.]+(?:\.[^@\s<>\"(),;:\\.]+)+")
_PHONE = re.compile(r"[+(]?[\d\s().\-/+]*(?:(?:ext\.?|x|#|,|;)\s*\d+)?", re.IGNORECASE)
_HEX_COLOR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_COLOR_FUNCTION = re.compile(r"(?:rgb|hsl)a?\([\d\s.,%/a-z+-]+\)", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.+)", re.IGNORECASE | re.DOTALL)
_SAFE_SCHEMES = frozenset(("http", "https", "mailto", "tel", "sms", "ftp"))
_NAMED_COLORS = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue
blueviolet brown burlywood cadetblue chartreuse chocolate coral cornflowerblue
cornsilk crimson currentcolor cyan darkblue darkcyan darkgoldenrod darkgray
darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid
darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey
darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick
floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green
greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender
lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon
lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow
lime limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid
mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise
mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace
olive olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise
palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple
red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna
silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal
thistle tomato transparent turquoise violet wheat white whitesmoke yellow
yellowgreen
"""
_COLOR_NAMES = frozenset(_NAMED_COLORS.split())
Check: TypeAlias = Callable[[Json, JsonObject], str]
"""Returns why a value fails the rules of its field, as one sentence, or nothing; never
raises, whatever the value is."""


def anything_goes(value: Json, validations: JsonObject) -> str:
    """Return no complaint: the destination has a type for it, or checks it itself."""
    return ""


def _of_text(check: Callable[[str], str]) -> Check:
    """Return a check of texts; what is none is no matter of it."""

    def checked(value: Json, validations: JsonObject) -> str:
        return check(value.strip()) if isinstance(value, str) else ""

    return checked


def _email(value: str) -> str:
    return "" if _EMAIL.fullmatch(value) else "This is no email address."


def _phone(value: str) -> str:
    digits = sum(sign.isdecimal() for sign in value)
    if 3 <= digits <= 24 and len(value) <= 64 and _PHONE.fullmatch(value):
        return ""
    return "This is no telephone number."


def _color(value: str) -> str:
    known = (
        value.lower() in _COLOR_NAMES
        or _HEX_COLOR.fullmatch(value)
        or _COLOR_FUNCTION.fullmatch(value)
    )
    return "" if known else "This is no colour that a browser knows."


def _link(value: str) -> str:
    if any(sign.isspace() for sign in value):
        return "An address cannot hold blanks."
    if value.startswith(("/", "#", "?", "./", "../")):
        return ""
    match = _SCHEME.fullmatch(value)
    if match is None:
        return "This address names neither a scheme such as https: nor a page here."
    if match[1].lower() not in _SAFE_SCHEMES:
        return f"An address of the kind {match[1].lower()}: does not open a page."
    return ""


check_email = _of_text(_email)
check_phone = _of_text(_phone)
check_color = _of_text(_color)
check_link = _of_text(_link)


def check_number(value: Json, validations: JsonObject) -> str:
    """Return which rule of its field a number breaks, or nothing."""
    if isinstance(value, str) or (text := number_text(value)) is None:
        return ""
    return _number(Decimal(text), validations)


def _number(value: Decimal, validations: JsonObject) -> str:
    lowest = _limit(validations.get("minValue"))
    highest = _limit(validations.get("maxValue"))
    if validations.get("format") == "integer" and value != int(value):
        return "The field's rules ask for a whole number."
    if validations.get("allowNegative") is False and value < 0:
        return "The field's rules allow no negative number."
    if validations.get("allowZero") is False and value == 0:
        return "The field's rules do not allow zero."
    if lowest is not None and value < lowest:
        return f"The field's rules ask for {lowest} or more."
    if highest is not None and value > highest:
        return f"The field's rules ask for {highest} or less."
    return ""


def _limit(value: Json) -> Decimal | None:
    text = number_text(value)
    return None if text is None else Decimal(text)


_DECIMAL = re.compile(r"-?(?:\d+(?:\.\d+)?|\.\d+)")
_THREE_PLACES = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))
_WITHOUT = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_NO_PLACES = frozenset(_WITHOUT.split())
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
