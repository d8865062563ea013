"""Faithful conversion is the official one but for deviations that have a name, a
reason, and that change something wherever they apply."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given

from cmsmig.canonical import JsonObject
from cmsmig.richtext.deviations import (
    ALL,
    DEVIATIONS,
    Deviation,
    DeviationRule,
    deviations_in,
)
from cmsmig.richtext.native import Mode, NativeEngine
from tests.support import example_rules
from tests.support.richtext.bodies import SEARCH, bodies, garbage
from tests.support.richtext.recorded import recorded

CASES = [case for case in recorded() if not case.markdown]
DOCUMENT = Path(__file__).parents[2] / "docs" / "rich-text.md"
SAMPLES: dict[Deviation, str] = {
    Deviation.FIGURE: (
        "<p>a</p><figure class='w-richtext-align-center'><img src=i>"
        "<figcaption>b <b>c</b></figcaption></figure><p>d</p>"
    ),
    Deviation.LINKED_IMAGE: "<p>a</p><a href=/x><img src=i></a><p>b</p>",
    Deviation.IMAGE_SOURCE: "<p>a</p><img src='data:image/gif;base64,R0lGODlh'>",
    Deviation.RESERVED_ALT: "<img src=i alt=__wf_reserved_decorative><p>a</p>",
    Deviation.VIDEO: "<p>a</p><iframe src=https://v.example/1></iframe><p>b</p>",
    Deviation.EMBED: "<p>a</p><div class=w-embed><b>x</b></div><p>b</p>",
    Deviation.COMPONENT: "<p>a</p><wf-component><p>x</p></wf-component><p>b</p>",
    Deviation.BLOK: "<p>a</p><div data-blok><p>x</p></div><p>b</p>",
    Deviation.ANCHOR: "<h2 id=a>One two</h2><p>b</p>",
    Deviation.BLOCKS_INSIDE: (
        "<h2>a<img src=i>b</h2><ol><li><img src=i></li><li>c</li></ol>"
    ),
    Deviation.BLOCKS_APART: "<details><summary>a</summary>b</details><p>c</p>",
    Deviation.BLANKS: "<p>a</p>\nb<p>c</p>",
    Deviation.QUOTATION: "<p>a <q>b <q>c</q></q></p>",
    Deviation.DIRECTION: "<p dir=rtl>a</p>",
    Deviation.READING: "<p><ruby>a<rt>b</rt></ruby></p>",
    Deviation.SPACER: "<p>a</p><p>\u200d</p><ul><li><p>&nbsp;</p></li></ul>",
    Deviation.LIST_BLANKS: (
        "<ol> &nbsp;<li>a</li> &nbsp;<li>b<ul></ul></li></ol><ul> </ul><p>c</p>"
    ),
    Deviation.LIST_NUMBERS: (
        "<ol>a<li value=4>b</li><hr>c<li>d</li></ol><ol start=2><hr><li>e</li></ol>"
    ),
    Deviation.VALUES: "<img src=i alt=007><h2 level=abc>a</h2><ol start=1e999><li>b",
    Deviation.MAIL_LINK: "<a href=mailto:a@b.c>a</a><p>b</p>",
    Deviation.LINK_ATTRIBUTES: "<a href=/x class=w-button onclick=go()>a</a>",
    Deviation.EMPTY_ID: "<a href=/x id=''>a</a><a href=/x id=' ' rel=me>b</a>",
    Deviation.LINK_TARGET: (
        "<a href=/x target=_new>a</a><a href=/y target=/y><img src=i></a>"
    ),
    Deviation.CODE_IN_LINK: "<a href=/x>a <code>b</code></a><code>c</code>",
    Deviation.SPAN: "<span id=i class=k>a</span> b",
    Deviation.UNDONE_MARKS: (
        "<u style=text-decoration:none>a</u><b>b <i style=font-weight:normal>c</i></b>"
    ),
    Deviation.TABLE_PARTS: (
        "<p>a</p><table><tfoot><tr><td>f</td></tr></tfoot><caption>c</caption>"
        "<tbody><tr><td>b</td></tr></tbody></table>"
    ),
    Deviation.NESTING: "<p>a</p>" + "<ul><li>x" * 18,
    Deviation.MARKUP: "<b>1<i>2</b>3</i>",
}
"""For each deviation a body that it changes."""


@cache
def engine(on: frozenset[Deviation]) -> NativeEngine:
    """Return the engine with these deviations on."""
    return NativeEngine(deviations=on)


def document(html: str, on: frozenset[Deviation] = ALL) -> JsonObject:
    """Return a document of faithful mode with these deviations."""
    return engine(on).from_html(html).document


def deviations_of(html: str) -> tuple[Deviation, ...]:
    """Return the deviations that apply to a body."""
    return deviations_in(lambda on: document(html, on))


def text(value: JsonObject) -> str:
    """Return a document's bytes, so that key order counts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_names(html: str) -> None:
    """Insist that the deviations that apply are those that make the document."""
    here, whole = frozenset(deviations_of(html)), text(document(html))
    assert text(document(html, here)) == whole
    for name in ALL:
        if name in here:
            assert text(document(html, here - {name})) != whole, name
        else:
            assert text(document(html, ALL - {name})) == whole, name


def test_every_deviation_has_a_row() -> None:
    """One row each, in the order of the names, with reasons; as documented."""
    assert [rule.name for rule in DEVIATIONS] == list(Deviation)
    rules = [(str(rule.name), rule.official, rule.instead) for rule in DEVIATIONS]
    assert all(all(rule) for rule in rules)
    written = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", written, re.M
    )
    assert [row for row in rows if row[0] in list(Deviation)] == rules


def test_the_document_shows_the_example_of_rules() -> None:
    """The example that the document shows is the one that is tested."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    assert f"```python\n{example}```" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", DEVIATIONS, ids=lambda rule: str(rule.name))
def test_each_deviation_applies_and_changes_something(rule: DeviationRule) -> None:
    """It is named, and switching it off gives another document."""
    html = SAMPLES[rule.name]
    assert rule.name in deviations_of(html)
    assert document(html) != document(html, ALL - {rule.name})


def test_of_two_that_do_the_same_to_a_body_one_is_named() -> None:
    """A paragraph in code is left out as blank, or is a line of it: that is none."""
    check_names("<pre><p></p></pre>")


def test_of_two_that_do_the_same_one_applies() -> None:
    """Neither changes the document alone; both off do, so one is named."""

    def convert(on: frozenset[Deviation]) -> JsonObject:
        return {"type": "doc", "kept": bool(on & {Deviation.VIDEO, Deviation.BLOK})}

    assert deviations_in(convert) == (Deviation.BLOK,)


def test_of_two_that_need_each_other_both_apply() -> None:
    """Either one off changes the document."""

    def convert(on: frozenset[Deviation]) -> JsonObject:
        return {"type": "doc", "kept": on >= {Deviation.VIDEO, Deviation.BLOK}}

    assert deviations_in(convert) == (Deviation.VIDEO, Deviation.BLOK)


def test_on_the_recorded_cases_each_deviation_that_applies_is_named() -> None:
    """Where it applies, it changes the document; where it does not, nothing."""
    for case in CASES:
        check_names(case.source)


@SEARCH
@given(bodies | garbage)
def test_a_deviation_that_does_not_apply_changes_nothing(html: str) -> None:
    """And one that applies does, on random bodies, well-formed or not."""
    check_names(html)


@SEARCH
@given(bodies | garbage)
def test_with_every_deviation_off_faithful_is_exact(html: str) -> None:
    """Nothing is done otherwise that has no name."""
    exact = NativeEngine(Mode.EXACT).from_html(html).document
    assert text(document(html, frozenset())) == text(exact)
