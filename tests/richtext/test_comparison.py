"""One body held against the official document: equal, deviating, or a defect."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from cmsmig.json_text import json_text
from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.engine import NO_ASSETS, NO_EMBED_CHOICES, Converted
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.parity.comparison import Compared, Engines, Fault, compare
from tests.support.richtext.bodies import bodies, garbage
from tests.support.richtext.recorded import recorded

ENGINES = Engines()
EXACT = NativeEngine(Mode.EXACT)
chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)


class Broken:
    """A converter that leaves the letter `e` out, or ends with an error."""

    def __init__(self, whole: NativeEngine, *, raises: bool = False) -> None:
        self._whole = whole
        self._raises = raises

    def from_html(
        self, html: str, policy: object = NO_EMBED_CHOICES, assets: object = NO_ASSETS
    ) -> Converted:
        """Convert a body, badly."""
        if self._raises:
            raise RuntimeError("out of order")
        return self._whole.from_html(html.replace("e", ""))

    from_markdown = from_html


def official(html: str) -> str:
    """Return what the official converter makes of a body, as exact mode does."""
    return json_text(EXACT.from_html(html).document)


def against(html: str, engines: Engines = ENGINES) -> Compared:
    """Compare a body with what exact mode makes of it."""
    return compare(html, official(html), engines, markdown=False)


def test_no_recorded_case_is_a_defect() -> None:
    """All recorded outputs of the official converter; some equal, some deviate."""
    found = []
    for case in recorded():
        wanted = json_text(case.document)
        made = compare(case.source, wanted, ENGINES, markdown=case.markdown)
        assert made.defects == (), case.name
        assert made.equal != bool(made.deviations)
        found.append(made.equal)
    assert found.count(True) > 200
    assert found.count(False) > 50


@chosen
@given(bodies)
def test_a_body_is_equal_or_deviates_by_name(html: str) -> None:
    """Never both, never neither, and no defect where exact mode is the official."""
    found = against(html)
    assert found.defects == ()
    assert found.equal != bool(found.deviations)


@chosen
@given(bodies | garbage)
def test_a_lost_character_of_exact_mode_is_found(html: str) -> None:
    """Whatever else is in the body, and whether or not it deviates."""
    html = f"<p>The end</p>{html}"
    broken = Engines(exact=Broken(EXACT))
    found = against(html, broken)
    assert Fault.EXACT in {each.fault for each in found.defects}
    assert not found.equal


def test_a_lost_character_of_faithful_mode_is_found() -> None:
    """As unnamed, whether or not deviations apply: with all off it is still lost."""
    engines = Engines(faithful=lambda on: Broken(NativeEngine(deviations=on)))
    [defect] = against("<p>The end</p>", engines).defects
    assert (defect.fault, defect.path) == (
        Fault.UNNAMED,
        "doc.content[0].content[0].text",
    )
    assert (defect.ours, defect.official) == ('"Th nd"', '"The end"')
    for html in ("<p>The \u200d</p><p>\u200d</p>end", "<b>The <i>x</b> end</i>"):
        found = against(html, engines)
        [defect] = found.defects
        assert defect.fault is Fault.UNNAMED
        assert defect.ours != defect.official
        assert found.deviations


def test_one_text_out_and_another_in_is_no_defect() -> None:
    """Deviations that move texts in opposite directions are both named."""
    html = (
        "<div data-blok><p>kept</p></div><p>a</p>"
        "<div class=w-embed><b>taken</b></div><p>b</p>"
    )
    found = against(html)
    assert found.deviations == (Deviation.EMBED, Deviation.BLOK)
    assert found.defects == ()


def test_an_error_of_ours_is_a_defect() -> None:
    """It is told in the place of our document."""
    engines = Engines(faithful=lambda _: Broken(NativeEngine(), raises=True))
    [defect] = against("<p>a</p>", engines).defects
    assert defect.fault is Fault.RAISED
    assert defect.ours == "RuntimeError: out of order"


@pytest.mark.parametrize("text", ["", "[", "[1]", "null", '{"type":"doc"}'])
def test_what_is_no_document_differs_and_is_shown(text: str) -> None:
    """An answer of any shape is a difference, never an error."""
    found = compare("<p>a</p>", text, ENGINES, markdown=False)
    assert {each.fault for each in found.defects} == {Fault.EXACT, Fault.UNNAMED}
    assert all(each.official == text for each in found.defects)


def test_a_document_of_any_depth_is_compared() -> None:
    """Neither Python's depth of calls nor its reader of JSON is a limit."""
    html = "<blockquote>" * 3000 + "x"
    found = against(html)
    assert found.deviations == (Deviation.NESTING,)
    assert found.defects == ()
    engines = Engines(exact=Broken(EXACT))
    assert against(f"{html}e", engines).defects


def test_keys_in_another_order_are_another_document() -> None:
    """The official's order of keys counts, and is what the defect shows."""
    turned = official("<p>a</p>").replace(
        '{"type":"text","text":"a"}', '{"text":"a","type":"text"}'
    )
    found = compare("<p>a</p>", turned, ENGINES, markdown=False)
    assert {each.path for each in found.defects} == {"doc.content[0].content[0]"}
