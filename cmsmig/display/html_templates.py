"""HTML from Jinja2 templates, which stand beside the modules that use them.

One environment for all: what is not marked as safe is escaped, and a name that a
template is not given is an error.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def page(template: str, **values: object) -> str:
    """Return a whole page; `template` is a file's path below the package."""
    return _environment().get_template(template).render(**values)


def fragment(template: str, macro: str, /, **values: object) -> Markup:
    """Return what one macro of a template makes of the values."""
    return Markup(getattr(_macros(template), macro)(**values))


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
    made.globals["style_sheet"] = _style_sheet
    return made


@cache
def _style_sheet(name: str) -> Markup:
    """Return a style sheet as an element; `name` as that of a template."""
    text = files("cmsmig").joinpath(name).read_text("utf-8")
    return Markup(f"<style>{text}</style>")


def _grouped(number: float) -> str:
    return f"{number:,}"
