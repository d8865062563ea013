"""What an inline `style` says, as the official converter hears it.

It listens twice: to single properties by splitting at semicolons, and, for
marks, through a style sheet parser (happy-dom's) that knows which values are
valid and takes the `font` shorthand apart.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isinf, isnan

from cmsmig.richtext.html.dom import tag_set
from cmsmig.richtext.html.javascript import BLANKS, leading_number

_AFTER_DASH = re.compile(r"-([a-z])")
_SPACE = re.compile(rf"[{BLANKS}]+")
_GLOBAL = frozenset(("inherit", "initial", "unset", "revert"))
_LINE_ENDS = r"\n\r\u2028\u2029"
_VARIABLE = re.compile(
    rf"var\([{BLANKS}]*+--[a-zA-Z0-9\-_]++(?:[{BLANKS}]*+\)"
    rf"|,(?:[{BLANKS}]*[{_LINE_ENDS}])?+[^{_LINE_ENDS}]+\))\Z"
)
_WEIGHTS = frozenset(("normal", "bold", "bolder", "lighter"))
_SLANTS = frozenset(("normal", "italic", "oblique"))
_SLANTED = re.compile(rf"oblique[{BLANKS}]+(?:0|[0-9]+deg)\Z")
_SIZES = tag_set(
    "xx-small x-small small medium large x-large xx-large xxx-large smaller larger"
)
_STRETCHES = tag_set(
    "ultra-condensed extra-condensed condensed semi-condensed normal semi-expanded "
    "expanded extra-expanded ultra-expanded"
)
_SYSTEM_FONTS = tag_set("caption icon menu message-box small-caption status-bar")
_WHOLE = re.compile(r"[0-9]+\Z")
_NUMBER = r"[-+]?(?:[0-9]*+\.)?+[0-9]++"
_LENGTH = re.compile(
    rf"(0|{_NUMBER})(in|cm|em|mm|pt|pc|px|ex|rem|vh|vw|ch|vmin|vmax|Q)\Z"
)
_PERCENTAGE = re.compile(rf"{_NUMBER}%\Z")
_CALCULATED = re.compile(rf"calc\([^{_LINE_ENDS}]+\)\Z")
_FITTED = re.compile(r"fit-content\([^^)]+\)\Z")
_LINE_HEIGHT = re.compile(r"[0-9.]+\Z")
_IMPORTANT = "!important"
_SIGNS = re.compile(r"[:;()]")
_BRACKETS = re.compile(r"[()]")
_VERBATIM = frozenset(("text-decoration", "vertical-align", "white-space"))


def declared(style: str, name: str) -> str | None:
    """Return the last declaration of a property, verbatim; None without one.

    The name may be in the style as `text-align` or as `textAlign`.
    """
    wanted = _camel(name)
    found: str | None = None
    for piece in style.split(";"):
        given, colon, value = piece.partition(":")
        if colon and value and _camel(given.strip(BLANKS)) == wanted:
            found = value.strip(BLANKS) or found
    return found


def _camel(name: str) -> str:
    if "-" not in name:
        return name
    return _AFTER_DASH.sub(lambda match: match[1].upper(), name)


@lru_cache(maxsize=512)
def computed(style: str) -> dict[str, str]:
    """Return the properties that marks and widths are read from; don't change it.

    Names: font-weight, font-style, text-decoration, vertical-align, white-space
    and width. Property names count in lower case only; a value that is not
    valid does not count, and an `!important` one beats all but its like.
    """
    found: dict[str, str] = {}
    important: set[str] = set()
    for name, value, pressing in _declarations(style):
        if name not in _SET or (name in important and not pressing):
            continue
        for key, read in _SET[name](name, value).items():
            found[key] = read
            if pressing:
                important.add(key)
            else:
                important.discard(key)
    return found


def _declarations(style: str) -> list[tuple[str, str, bool]]:
    """Return name, value, and whether it is important, of each declaration.

    A semicolon in brackets ends nothing; brackets that stay open spoil the
    declaration they are in.
    """
    found: list[tuple[str, str, bool]] = []
    at, ends = 0, _ends_of_values(style)
    while (colon := style.find(":", at)) >= 0:
        begins = max(style.rfind(";", at, colon) + 1, at)
        end = ends[colon] if colon > begins else -1
        if end < 0:
            at = colon + 1
            continue
        at = end + 1
        name = style[begins:colon].strip(BLANKS)
        value = style[colon + 1 : end].strip(BLANKS)
        pressing = value.endswith(_IMPORTANT)
        if pressing:
            value = value[: -len(_IMPORTANT)].rstrip(BLANKS)
        if name and value:
            found.append((name, value, pressing))
    return found


def _ends_of_values(style: str) -> dict[int, int]:
    """Return where the value behind each colon ends; -1 for open brackets. Linear."""
    ends: dict[int, int] = {}
    end, behind_bracket = len(style), -1
    for sign in reversed(list(_SIGNS.finditer(style))):
        if sign[0] == ":":
            ends[sign.start()] = end
        elif sign[0] == ";":
            end = sign.start()
        elif sign[0] == ")":
            behind_bracket = end
        else:
            end = behind_bracket
    return ends


def _is_variable(value: str) -> bool:
    return value.startswith("var(") and _VARIABLE.match(value) is not None


def _verbatim(name: str, value: str) -> dict[str, str]:
    lower = value.lower()
    return {name: lower if lower in _GLOBAL else value}


def _weight(name: str, value: str) -> dict[str, str]:
    if _is_variable(value):
        return {"font-weight": value}
    lower = value.lower()
    if lower in _GLOBAL or lower in _WEIGHTS or _WHOLE.match(value):
        return {"font-weight": lower}
    return {}


def _slant(name: str, value: str) -> dict[str, str]:
    lower = value.lower()
    if lower in _GLOBAL or lower in _SLANTS or _is_variable(value):
        return {"font-style": lower}
    return {"font-style": lower} if _SLANTED.match(value) else {}


def _width(name: str, value: str) -> dict[str, str]:
    lower = value.lower()
    if (
        lower in _GLOBAL
        or lower in _SIZES
        or _is_variable(value)
        or _FITTED.match(lower)
    ):
        return {"width": lower}
    measured = _measured(value)
    return {"width": measured} if measured else {}


def _measured(value: str) -> str:
    """Return a length rounded, a share or a calculation as it is, else nothing."""
    if value == "0":
        return "0px"
    if length := _LENGTH.match(value):
        number = _rounded(leading_number(length[1]))
        return f"{'Infinity' if isinf(number) else repr(number)}{length[2]}"
    if _PERCENTAGE.match(value) or _CALCULATED.match(value):
        return value
    return ""


def _rounded(number: float) -> float:
    scaled = number * 1_000_000
    if isinf(scaled):
        return scaled
    return (scaled // 1 + (scaled % 1 >= 0.5)) / 1_000_000


def _font(name: str, value: str) -> dict[str, str]:
    """Return weight and slant of the shorthand; nothing when it is not valid."""
    lower = value.lower()
    if _is_variable(value) or lower in _SYSTEM_FONTS:
        return {}
    if lower in _GLOBAL:
        return {"font-weight": lower, "font-style": lower}
    found = {"font-weight": "normal", "font-style": "normal"}
    parts = _outside_brackets(_around_slash(value))
    for index, part in enumerate(parts):
        if "/" in part:
            size, height = part.split("/")[:2]
            if not _is_size(size) or not _is_line_height(height):
                return {}
            continue
        read = _slant(name, part)
        if not read and not _is_variant(part):
            read = _weight(name, part)
            if not read and not _is_size(part) and part.lower() not in _STRETCHES:
                return found if _is_family(" ".join(parts[index:])) else {}
        found.update(read)
    return found


def _around_slash(value: str) -> str:
    if "/" not in value:
        return value
    pieces = value.split("/")
    joined = [pieces[0].rstrip(BLANKS)]
    joined += [piece.strip(BLANKS) for piece in pieces[1:-1]]
    return "/".join([*joined, pieces[-1].lstrip(BLANKS)])


def _outside_brackets(value: str) -> list[str]:
    """Split at blanks, but for those that a closing bracket follows next."""
    parts: list[str] = []
    begins = 0
    brackets = [(each.start(), each[0]) for each in _BRACKETS.finditer(value)][::-1]
    for blank in _SPACE.finditer(value):
        while brackets and brackets[-1][0] < blank.end():
            brackets.pop()
        if brackets and brackets[-1][1] == ")":
            continue
        parts.append(value[begins : blank.start()])
        begins = blank.end()
    return [*parts, value[begins:]]


def _is_variant(part: str) -> bool:
    lower = part.lower()
    return lower in ("normal", "small-caps") or lower in _GLOBAL or _is_variable(part)


def _is_size(part: str) -> bool:
    lower = part.lower()
    return (
        lower in _SIZES
        or lower in _GLOBAL
        or bool(_measured(part))
        or _is_variable(part)
    )


def _is_line_height(part: str) -> bool:
    lower = part.lower()
    if lower == "normal" or lower in _GLOBAL or _is_variable(part):
        return True
    if _LINE_HEIGHT.match(part) and not isnan(leading_number(part)):
        return True
    return bool(_measured(part))


def _is_family(value: str) -> bool:
    if _is_variable(value) or value.lower() in _GLOBAL:
        return True
    for index, piece in enumerate(value.split(",")):
        part = piece.strip(BLANKS).replace("'", '"')
        if not part:
            return False
        quotes = part.count('"')
        if " " in part and (part[0] != '"' or index) and quotes not in (0, 2):
            return False
    return True


_SET = {
    "font": _font,
    "font-weight": _weight,
    "font-style": _slant,
    "width": _width,
    **dict.fromkeys(_VERBATIM, _verbatim),
}
