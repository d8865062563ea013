"""Plots as HTML and SVG in the theme's colours: they need no script and no picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from markupsafe import Markup

from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "ui/html/charts.html")


def bar_table(
    names: Sequence[str], parts: Mapping[str, Sequence[int]], *, whole: str, about: str
) -> Markup:
    """Return a row per name and a column per part, each number above its bar.

    The bar of a part is its share of the row; `whole` heads the sums, whose bars are
    told from the largest of them. `about` is the caption.
    """
    sums = [sum(counts) for counts in zip(*parts.values(), strict=True)]
    most = max(sums, default=0)
    lines = [
        (
            name,
            [
                _bar(total, most),
                *(_bar(counts[row], total) for counts in parts.values()),
            ],
        )
        for row, (name, total) in enumerate(zip(names, sums, strict=False))
    ]
    return _made("bars", about=about, head=(whole, *parts), lines=lines)


def _bar(count: int, whole: int) -> tuple[str, str]:
    """Return a number as it is shown, and the length of its bar in per cent."""
    return f"{count:,}", f"{100 * count / whole:.1f}" if whole else "0"
