"""Exact conversion against the recorded outputs of the official package."""

from __future__ import annotations

import json

import pytest

from cmsmig.json_text import json_text
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.render import render_rich_text
from tests.support.richtext.recorded import Case, difference, recorded

CASES = recorded()
DIFFERING: dict[str, str] = {}
"""By name, why a case differs. There is none."""


def _converted(case: Case) -> object:
    engine = NativeEngine(Mode.EXACT)
    convert = engine.from_markdown if case.markdown else engine.from_html
    return convert(case.source).document


def _indented(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False, indent=1)


def test_all_kinds_are_recorded() -> None:
    """There are 362 HTML and 34 Markdown cases, each with a name of its own."""
    assert len({case.name for case in CASES}) == len(CASES)
    assert sum(case.markdown for case in CASES) == 34
    assert len(CASES) == 396


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_document_is_the_officials(case: Case) -> None:
    """The JSON text is the official's byte for byte, key order included."""
    found, wanted = json_text(_converted(case)), json_text(case.document)
    if case.name in DIFFERING:
        assert found != wanted, "it no longer differs; take it off the list"
    elif found != wanted:
        pytest.fail(difference(_indented(wanted), _indented(found), case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rendering_is_the_officials(case: Case) -> None:
    """A converted document, as its JSON text, renders to the official's HTML."""
    document = json.loads(json_text(_converted(case)))
    found = render_rich_text(document, trusted=True)
    if found != case.rendered:
        split = case.rendered.replace("><", ">\n<"), found.replace("><", ">\n<")
        pytest.fail(difference(*split, case))
