"""Numbers, JSON text, styles and references as documents have them."""

from __future__ import annotations

import json

import pytest

from cmsmig.json_text import json_text
from cmsmig.richtext.html.entities import shown_attribute
from cmsmig.richtext.html.inline_style import declarations, looks
from cmsmig.richtext.html.numbers import leading_number
from cmsmig.richtext.native import NativeEngine


def test_json_text() -> None:
    """No blanks, letters as they are, a lone surrogate as JavaScript writes it."""
    assert json_text({"n": [7, 33.3, None]}) == '{"n":[7,33.3,null]}'
    assert json_text("é\ud800") == '"é\\ud800"'
    assert json.loads(json_text("é\ud800😀")) == "é\ud800😀"


def test_an_endless_number_is_none() -> None:
    """No document holds it."""
    assert leading_number("9" * 400) is None


def test_styles() -> None:
    """Names and values in any case, brackets and quotes whole, the shorthand."""
    assert looks("Font-Weight: BOLD !important") == {"font-weight": "bold"}
    assert looks("font: inherit") == {"font": "inherit"}
    assert declarations("x:y(a;b);w: '1;2' ;x:z") == {"x": "z", "w": "'1;2'"}


@pytest.mark.parametrize(
    ("cell", "widths"),
    [
        ("style='width: 33.3%'", [33.3]),
        ("style='width: 120px'", [120]),
        ("style='width: 120'", None),
        ("style='width: auto'", None),
        ("colwidth=10,20px colspan=2", [10, 20]),
        ("colwidth=10,20", [10]),
        ("colwidth=x", None),
    ],
)
def test_widths_of_cells(cell: str, widths: list[float] | None) -> None:
    """Those of a style with its unit, or of `colwidth`, one for each column."""
    html = f"<table><tr><td {cell}>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>"
    document = NativeEngine().from_html(html + "</table>").document
    assert f'"colwidth":{json_text(widths)}' in json_text(document)


def test_references_in_attributes() -> None:
    """As browsers read them."""
    assert shown_attribute("?a&copy=1&not;&amp") == "?a&copy=1¬&"
    assert shown_attribute("&#128;&#xD800;&#0;") == "€\ufffd\ufffd"
