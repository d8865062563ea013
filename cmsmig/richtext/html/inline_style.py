"""What an inline `style` says: its declarations, and the looks that they give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from cmsmig.richtext.html.dom import tag_set

_NAME_BACKWARDS = re.compile(r"[-\w]++")
_SIGN = re.compile(r"[;\"'(]")
_CLOSING = {'"': '"', "'": "'", "(": ")"}
_FONT = re.compile(r"(?=.*(?:[0-9]|small|medium|large))([^/]*)", re.DOTALL)
_WEIGHT = re.compile(r"\b(bold(?:er)?|lighter|[1-9]00)(?![\w%.])")
_SLANT = re.compile(r"\b(italic|oblique)\b")
_LOOKS = tag_set(
    "font font-weight font-style text-decoration vertical-align white-space width "
    "text-align color background-color"
)
_ODD = re.compile(r"[!\\A-Z'\"{}]|/\*|oblique")


@lru_cache(maxsize=512)
def declarations(style: str) -> Mapping[str, str]:
    """Return the declarations of a `style` attribute; the last of a name counts."""
    found: dict[str, str] = {}
    at, last = 0, {sign: style.rfind(sign) for sign in _CLOSING.values()}
    while (colon := style.find(":", at)) >= 0:
        name = _NAME_BACKWARDS.match(style[at:colon].rstrip()[::-1])
        at = colon + 1
        if name is None:
            continue
        end = _end_of_value(style, at, last)
        if value := style[at:end].strip():
            found[name[0][::-1]] = value
        at = end
    return found


def _end_of_value(style: str, at: int, last: Mapping[str, int]) -> int:
    """Return where a value ends: at a semicolon outside of quotes and brackets.

    `last` is the last place of each closing sign, so that one that is missing is
    not looked for again and again.
    """
    while (sign := _SIGN.search(style, at)) is not None:
        if sign[0] == ";":
            return sign.start()
        at, closing = sign.end(), _CLOSING[sign[0]]
        if at <= last[closing]:
            at = style.index(closing, at) + 1
    return len(style)


@lru_cache(maxsize=512)
def looks(style: str) -> Mapping[str, str]:
    """Return the declarations in lower case, without `!important`, and weight and
    slant of the `font` shorthand."""
    found: dict[str, str] = {}
    for name, said in declarations(style).items():
        value = said.lower().removesuffix("!important").rstrip()
        found[name.lower()] = value
        if name.lower() == "font" and (font := _FONT.match(value)):
            weight, slant = _WEIGHT.search(font[1]), _SLANT.search(font[1])
            found["font-weight"] = weight[0] if weight else "normal"
            found["font-style"] = slant[0] if slant else "normal"
    return found


def style_may_differ(style: str) -> bool:
    """Return whether the official converter may read another look in a style."""
    return any(
        name.lower() in _LOOKS
        and (name == "font" or name != name.lower() or _ODD.search(value) is not None)
        for name, value in declarations(style).items()
    )
