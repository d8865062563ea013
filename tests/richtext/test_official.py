"""Conversion against the recorded outputs of the official package."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from cmsmig.json_text import json_text
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.render import render_rich_text
from tests.support.richtext.bodies import SEARCH, plain
from tests.support.richtext.recorded import Case, difference, recorded

CASES = recorded()


def test_all_kinds_are_recorded() -> None:
    """There are 363 HTML and 34 Markdown cases, each with a name of its own; so many
    are equal, and of the others the file names what is done otherwise."""
    assert len({case.name for case in CASES}) == len(CASES)
    assert sum(case.markdown for case in CASES) == 34
    assert len(CASES) == 397
    assert sum(not case.deviations for case in CASES) == 301


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_document_is_the_officials_or_its_deviations_are_named(case: Case) -> None:
    """The JSON text is the official's byte for byte, key order included, or another one
    where the conversion notes what the file names."""
    engine = NativeEngine()
    made = (engine.from_markdown if case.markdown else engine.from_html)(case.source)
    found, wanted = json_text(made.document), json_text(case.document)
    if case.deviations:
        assert found != wanted
        assert made.deviations == case.deviations
    else:
        assert found == wanted, difference(wanted, found, case.source)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_rendering_is_the_officials(case: Case) -> None:
    """From the text of the official document the HTML is made."""
    document = json.loads(json_text(case.document))
    rendered = render_rich_text(document, trusted=True)
    assert rendered == case.rendered, difference(case.rendered, rendered, case.source)


@SEARCH
@given(plain)
def test_nothing_deviates_in_plain_bodies(html: str) -> None:
    """Of these the official document is made, which `make conformance` looks at."""
    assert NativeEngine().from_html(html).deviations == ()
