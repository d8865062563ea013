"""One body compared with the official document: equal, deviating, or a defect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import given, settings

from cmsmig.json_text import json_text
from cmsmig.richtext.comparison import Compared, Fault, compare
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from tests.support.richtext.bodies import SEARCH, bodies, garbage
from tests.support.richtext.recorded import recorded

EXACT = NativeEngine(Mode.EXACT)
chosen = settings(SEARCH, max_examples=60)


@contextmanager
def broken(mode: Mode, error: Exception | None = None) -> Iterator[None]:
    """Let one mode leave the letter `e` out, or end with an error."""
    whole = NativeEngine.from_html

    def convert(engine: NativeEngine, html: str) -> Converted:
        if engine._mode is not mode:
            return whole(engine, html)
        if error is not None:
            raise error
        return whole(engine, html.replace("e", ""))

    with mock.patch.object(NativeEngine, "from_html", convert):
        yield


def official(html: str) -> str:
    """Return what the official converter makes of a body, as exact mode does."""
    return json_text(EXACT.from_html(html).document)


def against(html: str, mode: Mode | None = None) -> Compared:
    """Compare a body with what exact mode makes of it; `mode` is broken then."""
    wanted = official(html)
    if mode is None:
        return compare(html, wanted, markdown=False)
    with broken(mode):
        return compare(html, wanted, markdown=False)


def test_no_recorded_case_is_a_defect() -> None:
    """All recorded outputs of the official converter; some equal, some deviate."""
    found = []
    for case in recorded():
        wanted = json_text(case.document)
        made = compare(case.source, wanted, markdown=case.markdown)
        assert made.defects == (), case.name
        assert made.equal != bool(made.deviations)
        found.append(made.equal)
    assert found.count(True) > 200
    assert found.count(False) > 50


@chosen
@given(bodies | garbage)
def test_a_body_is_equal_or_deviates_by_name(html: str) -> None:
    """Never both, never neither, and no defect where exact mode is the official; a
    character that exact mode loses is a defect, whatever else is in the body."""
    html = f"<p>The end</p>{html}"
    found = against(html)
    assert found.defects == ()
    assert found.equal != bool(found.deviations)
    lost = against(html, Mode.EXACT)
    assert Fault.EXACT in {each.fault for each in lost.defects}
    assert not lost.equal


@pytest.mark.parametrize(
    "html",
    [
        "<p>The end</p>",
        "<p>The \u200d</p><p>\u200d</p>end",
        "<b>The <i>x</b> end</i>",
    ],
)
def test_a_lost_character_of_faithful_mode_is_found(html: str) -> None:
    """As unnamed, whether or not deviations apply: with all off it is still lost."""
    found = against(html, Mode.FAITHFUL)
    [defect] = found.defects
    assert defect.fault is Fault.UNNAMED
    assert bool(found.deviations) is (html != "<p>The end</p>")
    if not found.deviations:
        assert defect.path == "doc.content[0].content[0].text"
        assert (defect.ours, defect.official) == ('"Th nd"', '"The end"')


def test_one_text_out_and_another_in_is_no_defect() -> None:
    """Deviations that move texts in opposite directions are both named."""
    found = against(
        "<div data-blok><p>kept</p></div><p>a</p>"
        "<div class=w-embed><b>taken</b></div><p>b</p>"
    )
    assert found.deviations == (Deviation.EMBED, Deviation.BLOK)
    assert found.defects == ()


def test_an_error_of_ours_is_a_defect() -> None:
    """It is said in the place of our document."""
    with broken(Mode.FAITHFUL, RuntimeError("out of order")):
        [defect] = compare("<p>a</p>", official("<p>a</p>"), markdown=False).defects
    assert defect.fault is Fault.RAISED
    assert defect.ours == "RuntimeError: out of order"


@pytest.mark.parametrize("text", ["", "[", "[1]", "null", '{"type":"doc"}'])
def test_what_is_no_document_differs_and_is_shown(text: str) -> None:
    """An answer of any shape is a difference, never an error."""
    found = compare("<p>a</p>", text, markdown=False)
    assert {each.fault for each in found.defects} == {Fault.EXACT, Fault.UNNAMED}
    assert all(each.official == text for each in found.defects)


def test_a_document_of_any_depth_is_compared() -> None:
    """Neither Python's depth of calls nor its reader of JSON is a limit."""
    html = "<blockquote>" * 3000 + "x"
    found = against(html)
    assert found.deviations == (Deviation.NESTING,)
    assert found.defects == ()
    assert against(f"{html}e", Mode.EXACT).defects


def test_keys_in_another_order_are_another_document() -> None:
    """The official's order of keys counts, and is what the defect shows."""
    turned = official("<p>a</p>").replace(
        '{"type":"text","text":"a"}', '{"text":"a","type":"text"}'
    )
    found = compare("<p>a</p>", turned, markdown=False)
    assert {each.path for each in found.defects} == {"doc.content[0].content[0]"}
