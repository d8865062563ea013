"""How a figure stands on its page: alignment, size, and the shape of a video.

Source: `wire/origin.md`, figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.richtext.build.attributes import is_anchor, lose_flag, set_flags
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.build.style_marks import declarations
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.html.sizes import AUTO, UNFIT, is_size

_PAIR = re.compile(r"([0-9]+(?:\.[0-9]+)?)[:x/]([0-9]+(?:\.[0-9]+)?)")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)%")
_NEAR = 0.5
"""Percent by which two ways to say one shape may differ: they are rounded."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a figure stands on the page."""

    alignment: str = ""
    size: str = ""
    shape: str = ""
    """Of a video: `854:480`, or its height as a share of its width."""
    shaped: str = ""
    """The attribute or declaration that says the shape, as it is lost."""
    unfit: tuple[str, ...] = ()
    """Sizes that no browser knows."""
    others: tuple[str, ...] = ()
    """What the figure says besides."""
    flags: tuple[str, ...] = ()
    """Its boolean attributes."""


def layout_of(figure: Element) -> Layout:
    """Return how a figure stands, each attribute for what it is."""
    given = dict(figure.attributes)
    alignment, names = _alignment(
        given.pop("data-rt-align", "").strip(), given.pop("class", "").split()
    )
    style = declarations(given.pop("style", ""))
    said = given.pop("data-rt-max-width", "").strip()
    size, unfit = _size(said, style)
    shape, shaped = _shape(given, style)
    flags = tuple(set_flags(given))
    others = (
        *names,
        *_written({name: given[name] for name in given if name not in flags}),
        *(f"{name}: {value}" for name, value in style.items()),
    )
    return Layout(alignment, size, shape, shaped, unfit, others, flags)


def lose_layout(
    layout: Layout, figure: Element, losses: Collector, *, kept: Layout | None = None
) -> None:
    """Record what of a layout found no place; `kept` is what did."""
    kept = kept or Layout()
    if layout.alignment and not kept.alignment:
        losses.lose("alignment", layout.alignment, figure)
    if layout.size and not kept.size:
        losses.lose("size", f"max-width: {layout.size}", figure)
    if layout.shape and not kept.shape:
        losses.lose("size", layout.shaped, figure)
    for what in layout.unfit:
        losses.lose("size", what, figure, why=UNFIT)
    for what in layout.others:
        losses.lose("attribute", what, figure)
    for name in layout.flags:
        lose_flag(figure, name, losses)


def _alignment(said: str, names: list[str]) -> tuple[str, list[str]]:
    others: list[str] = []
    for name in names:
        if name.startswith("w-richtext-align-"):
            found = name.removeprefix("w-richtext-align-")
            if not said:
                said = found
            elif found != said:
                others.append(name)
        elif not name.startswith("w-richtext-figure-type-"):
            others.append(name)
    return said, others


def _size(said: str, style: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the size, and what is none; takes both out of the style."""
    size, unfit = "", dict[str, None]()
    for name, value in (
        ("max-width", said),
        *((name, style.get(name, "")) for name in ("max-width", "width")),
    ):
        if value.lower() in AUTO:
            style.pop(name, None)
        elif not is_size(value):
            unfit[f"{name}: {value}"] = None
            if style.get(name) == value:
                del style[name]
        elif not size or size.lower() == value.lower():
            size = value
            if style.get(name) == value:
                del style[name]
    return size, tuple(unfit)


def _shape(given: Mapping[str, str], style: dict[str, str]) -> tuple[str, str]:
    """Return the shape and what says it; takes out what says the same in the style."""
    padding = style.get("padding-bottom", "")
    if not _share(padding):
        padding = ""
    told = (
        (_said(given, "data-rt-dimensions"), 'data-rt-dimensions="{}"'),
        (padding, "padding-bottom: {}"),
        (_said(given, "data-rt-max-height"), 'data-rt-max-height="{}"'),
    )
    shape, written = next((each for each in told if _is_shape(each[0])), ("", ""))
    if padding and (padding == shape or _alike(padding, shape)):
        del style["padding-bottom"]
    return shape, written.replace("{}", shape)


def _said(given: Mapping[str, str], name: str) -> str:
    return given.get(name, "").strip()


def _is_shape(said: str) -> bool:
    """Return whether a text says a shape: the origin writes `0:0` where it knows
    none."""
    pair = _PAIR.fullmatch(said)
    return bool(said) and (pair is None or bool(float(pair[1]) and float(pair[2])))


def _alike(one: str, other: str) -> bool:
    first, second = _share(one), _share(other)
    return first is not None and second is not None and abs(first - second) <= _NEAR


def _share(shape: str) -> float | None:
    """Return a shape's height in percent of its width."""
    if pair := _PAIR.fullmatch(shape):
        width = float(pair[1])
        return 100 * float(pair[2]) / width if width else None
    found = _PERCENT.fullmatch(shape)
    return float(found[1]) if found else None


def _written(attributes: Mapping[str, str]) -> list[str]:
    return [
        f'{name}="{value}"'
        for name, value in attributes.items()
        if value.strip()
        and not name.startswith(("data-rt-", "data-page-url"))
        and (name != "id" or not is_anchor(value))
    ]
