"""Plots that need no script to be seen: the only module that imports matplotlib."""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Mapping, Sequence

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from cmsmig.display.html_templates import fragment
from cmsmig.printable import printable

_COLOURS = (
    "#2e8b57", "#7cb518", "#e0a100", "#c2410c", "#4a7fb5", "#8e6bbf", "#8a8a8a",
    "#4d4d4d", "#d46a9f",
)  # fmt: skip
_ROW = 0.34
"""Inches of height per bar."""


def stacked_bars(
    names: Sequence[str], parts: Mapping[str, Sequence[int]], *, about: str
) -> Markup:
    """Return one bar per name, made of the parts, as a picture with `about` as its
    alternative text. The same numbers give the same bytes."""
    figure = Figure(figsize=(8.5, 1.3 + _ROW * len(names)), layout="constrained")
    axes = figure.subplots()
    before = [0] * len(names)
    places = range(len(names))
    for colour, (part, counts) in zip(_cycled(len(parts)), parts.items(), strict=True):
        axes.barh(places, counts, left=before, label=part, color=colour, height=0.7)
        before = [one + other for one, other in zip(before, counts, strict=True)]
    # Names come from the origin; a dollar sign in them is no formula.
    axes.set_yticks(places, labels=[_short(each) for each in names], parse_math=False)
    axes.invert_yaxis()
    axes.set_xlabel("items, each locale counted")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="outside upper left", ncols=5, frameon=False, fontsize="small")
    return _image(figure, about)


def _image(figure: Figure, about: str) -> Markup:
    buffer = io.BytesIO()
    with (
        mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "cmsmig"}),
        warnings.catch_warnings(),
    ):
        # Text stays text in the picture, so it is the reader's fonts that count.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    encoded = base64.b64encode(buffer.getvalue()).decode("ascii")
    return fragment("display/safe_html.html", "picture", about=about, encoded=encoded)


def _cycled(count: int) -> list[str]:
    return [_COLOURS[number % len(_COLOURS)] for number in range(count)]


def _short(name: str) -> str:
    # XML, which the picture is, can't hold controls.
    name = printable(name)
    return name if len(name) <= 32 else f"{name[:31]}…"
