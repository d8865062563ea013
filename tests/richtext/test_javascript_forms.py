"""Numbers, JSON text, styles and trees as JavaScript and its parsers have them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.json_text import json_text, number_text
from cmsmig.richtext.html.dom import Element, Text
from cmsmig.richtext.html.entities import decoded, decoded_attribute
from cmsmig.richtext.html.inline_style import computed, declared
from cmsmig.richtext.html.javascript import as_json, number_of, read_value
from cmsmig.richtext.html.tokenizer import parse_as_official

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=("Cs",))), inner, max_size=4
        )
    ),
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (7.0, "7"),
        (-0.0, "0"),
        (0.00001, "0.00001"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (1e16, "10000000000000000"),
        (12345678901234567000, "12345678901234567000"),
        (1e21, "1e+21"),
        (-1.25e30, "-1.25e+30"),
        (33.3, "33.3"),
        (math.inf, "null"),
        (math.nan, "null"),
    ],
)
def test_number_forms(number: float, text: str) -> None:
    """A number is printed as JavaScript prints it, alone and in a document."""
    assert number_text(number) == text
    assert json_text({"n": [number]}) == f'{{"n":[{text}]}}'


@given(_JSON)
def test_json_text_reads_back(value: object) -> None:
    """What is written reads as the same value, whichever way it was written."""
    assert json.loads(json_text(value), parse_int=float) == value
    both = [value, 1e-7]
    assert json.loads(json_text(both), parse_int=float) == both


def test_json_text_at_any_depth() -> None:
    """A document nested 100,000 deep is written."""
    value: object = "x"
    for _ in range(100_000):
        value = {"content": [value]}
    assert json_text(value).count("content") == 100_000


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("007", 7),
        ("-0", 0),
        ("+2.50", 2.5),
        (".5", 0.5),
        ("5.", "5."),
        (" 5 ", " 5 "),
        ("true", True),
        ("", ""),
        (None, None),
        ("12345678901234567890", 12345678901234567000),
        ("9" * 400, math.inf),
    ],
)
def test_attribute_values(text: str | None, value: object) -> None:
    """An attribute that looks like a number or a truth value is one."""
    found = read_value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0x10", 16), (" 7 ", 7), ("1e2", 100), ("0b11", 3), ("2.5", 2.5), ("", 0)],
)
def test_number_of(text: str, value: float) -> None:
    """Texts give the numbers that JavaScript's `Number` gives."""
    assert as_json(number_of(text)) == value


@pytest.mark.parametrize("text", ["x", "1_0", "0x", "١", "1e", "--1"])
def test_number_of_nothing(text: str) -> None:
    """What is no number there is none here."""
    assert math.isnan(number_of(text))


def test_styles() -> None:
    """The style sheet parser knows values, brackets, priority and the shorthand."""
    assert computed("font:bold 12px/1.5 serif") == {
        "font-weight": "bold",
        "font-style": "normal",
    }
    assert computed("font-weight:bold!important;font-weight:400") == {
        "font-weight": "bold"
    }
    assert computed("Font-Weight:bold;font-weight:heavy") == {}
    assert computed("x:y(a;b);width:1.23456789px") == {"width": "1.234568px"}
    assert declared("textAlign: right", "text-align") == "right"
    assert declared("Text-Align: right", "text-align") is None


def test_references() -> None:
    """References decode by HTML's rules, and stricter in attributes."""
    assert decoded("&notit; &#128; &#xD800; &copy &#0;") == "¬it; € \ufffd © \ufffd"
    assert decoded_attribute("?a&copy=1&not;&amp") == "?a&copy=1¬&"
    assert decoded_attribute("&gtl=") == ">l="


def _outline(element: Element) -> str:
    inner = "".join(
        child.value if isinstance(child, Text) else _outline(child)
        for child in element.children
    )
    return f"({element.tag} {inner})" if inner else f"({element.tag})"


@pytest.mark.parametrize(
    ("html", "outline"),
    [
        ("<b>1<i>2</b>3</i>", "(body (b 1(i 2))3)"),
        ("<table><p>x</p><tr><td>y", "(body (p)(table x(tbody (tr (td y)))))"),
        ("<a>1<i>2<a>3", "(body (a 1(i 2))(a 3))"),
        ("a<!-->b<!-- -->c", "(body ac)"),
        ('<p title="a>b">c', "(body (p c))"),
        ('<p title="a>b', "(body)"),
        ("a --> b", "(body a a --> b)"),
        ("<svg/><path/>x", "(body (svg)(path x))"),
        ("x</body>&amp;", "(body x&amp;)"),
        ("<p><div>x</p>", "(body (p)(div x))"),
    ],
)
def test_trees(html: str, outline: str) -> None:
    """Odd markup gives the official parser's tree."""
    assert _outline(parse_as_official(html)) == outline
