"""Exact conversion against the recorded outputs of the official package."""

from __future__ import annotations

import json

import pytest

from cmsmig.json_text import json_text
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.render import render_rich_text
from tests.support.richtext.recorded import Case, difference, recorded
from tests.support.richtext.validity import faults

CASES = recorded()


def _converted(case: Case) -> object:
    engine = NativeEngine(Mode.EXACT)
    convert = engine.from_markdown if case.markdown else engine.from_html
    return convert(case.source).document


def test_all_kinds_are_recorded() -> None:
    """There are 363 HTML and 34 Markdown cases, each with a name of its own."""
    assert len({case.name for case in CASES}) == len(CASES)
    assert sum(case.markdown for case in CASES) == 34
    assert len(CASES) == 397


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_document_and_rendering_are_the_officials(case: Case) -> None:
    """The JSON text is the official's byte for byte, key order included; and from that
    text the HTML is."""
    found, wanted = json_text(_converted(case)), json_text(case.document)
    assert faults(case.document, exact=True) == []
    assert found == wanted, difference(wanted, found, case.source)
    rendered = render_rich_text(json.loads(found), trusted=True)
    assert rendered == case.rendered, difference(case.rendered, rendered, case.source)
