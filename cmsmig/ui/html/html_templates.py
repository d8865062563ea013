"""HTML from Jinja2 templates, which are in the folders of the modules that use them.

One environment for all: what is not marked as safe is escaped, and a name that a
template is not given is an error.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

_LONG = re.compile(r"\S{25,}")
"""What a browser breaks somewhere in the middle, where a column is narrow."""
PIECES = re.compile(r'(<(?:"[^"]*"|[^">])*>)')
"""Texts and tags, in turn: a value of an attribute, in quotes, may hold `>`."""
_CODE = re.compile(r"(?=\S*[\d\W_])\S{17,}|\w{31,}")
"""What holds digits or signs, and a column may be narrower than."""
_SEAMS = re.compile(
    r"^(?:&#?\w+;|\W)|(?:&#?\w+;|[^\w\s'’])(?=(\w?))|[^\W_]{12,}|_(?=([^\W_]?))"
)
"""Signs, an entity as one, but no bracket that opens, with what follows as a group;
and what may be an id."""
_ID = re.compile(r".*\d", re.DOTALL)
"""The letters of an id up to its last digit."""
_PART = re.compile(r".{12}(?=.)", re.DOTALL)
"""A part of an id that another follows."""
_WIDEST = 32
"""Letters without a sign between them that a line holds in any case."""
_SEAM = re.compile(r"(?<=[^\w\s])(?=\w)|(?<=_)(?=[^\W_])")
"""Where an address or an id may go on in the next line."""


def page(template: str, **values: object) -> str:
    """Return a whole page; `template` is a file's path below the package."""
    return _environment().get_template(template).render(**values)


def fragment(template: str, macro: str, /, **values: object) -> Markup:
    """Return what one macro of a template makes of the values."""
    return Markup(getattr(_macros(template), macro)(**values))


def breakable(text: object) -> Markup:
    """Return a text as HTML of which a line may end within a long address or id, and
    within no word; HTML stays as it is."""
    if isinstance(text, Markup):
        return text
    shown = str(text)
    if not _LONG.search(shown):
        return escape(shown)
    pieces = re.split(r"(\s+)", shown)
    return Markup("").join(
        Markup("<wbr>").join(_parts(each)) if _LONG.fullmatch(each) else each
        for each in pieces
    )


def breakable_html(clean: Markup) -> Markup:
    """Return clean HTML of which a line may end within what is no word: an address, an
    id, code."""
    pieces = PIECES.split(str(clean))
    pieces[::2] = [_CODE.sub(_apart, each) for each in pieces[::2]]
    return Markup("".join(pieces))


def _apart(code: re.Match[str]) -> str:
    return _SEAMS.sub(_parted, code[0])


def _parted(seam: re.Match[str]) -> str:
    if any(seam.groups()):
        return f"{seam[0]}<wbr>"
    numbered = _ID.match(seam[0])
    if not numbered:
        return seam[0]
    # No part begins behind the last digit: what is left is a word.
    end = -(-numbered.end() // 12) * 12 + 1
    return _PART.sub(r"\g<0><wbr>", seam[0][:end]) + seam[0][end:]


def _parts(word: str) -> list[str]:
    """Return a long word in parts, apart at its signs."""
    return [
        part[at : at + _WIDEST]
        for part in _SEAM.split(word)
        for at in range(0, len(part), _WIDEST)
    ]


@cache
def _macros(template: str) -> Any:
    return _environment().get_template(template).module


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("cmsmig", ""),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["grouped"] = _grouped
    made.filters["breakable"] = breakable
    made.globals["style_sheet"] = _style_sheet
    return made


@cache
def _style_sheet(name: str) -> Markup:
    """Return a style sheet as an element; `name` as that of a template."""
    text = files("cmsmig").joinpath(name).read_text("utf-8")
    return Markup(f"<style>{text}</style>")


def _grouped(number: float) -> str:
    return f"{number:,}"
