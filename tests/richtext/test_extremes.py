"""Too much of anything is done within seconds, and nothing of it is lost."""

from __future__ import annotations

import io
import json
import sys

import pytest

from cmsmig.cli import main
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.plain_text import html_text
from cmsmig.richtext.render import render_rich_text
from cmsmig.steps.batch_conversion import document_text
from tests.support.richtext.conservation import of_document
from tests.support.richtext.extremes import EXTREMES, Extreme, missing_texts
from tests.support.richtext.validity import faults

MOST = 50_000
"""Bytes a body has in these tests, if it is not deep;
`make converter KIND=extremes` takes all of it."""


@pytest.mark.processor_time(5)
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("extreme", EXTREMES, ids=lambda extreme: extreme.name)
def test_nothing_is_lost_of_too_much(extreme: Extreme, mode: Mode) -> None:
    """The document is valid, written and rendered; in faithful mode every text is
    still there."""
    count = extreme.full
    while len(html := extreme.written(count)) > MOST:
        if extreme.name.startswith("deep"):
            break
        count //= 2
    converted = NativeEngine(mode).from_html(html)
    if mode is Mode.FAITHFUL:
        assert missing_texts(extreme, count, converted) <= 0
    assert faults(converted.document, exact=mode is Mode.EXACT) == []
    assert isinstance(render_rich_text(converted.document), str)
    assert len(document_text(converted.document)) > 0


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (f"&#{'9' * 5000};", "\ufffd"),
        (f"&#x{'f' * 5000};", "\ufffd"),
        (f"&#{'0' * 5000}38;lt;", "&lt;"),
        (f"&#x{'0' * 5000}41;", "A"),
    ],
)
def test_a_character_has_a_number_of_any_length(reference: str, shown: str) -> None:
    """As browsers read it: in a text, in a form field and in an attribute."""
    body = f'<p title="{reference}">{reference}</p><textarea>{reference}</textarea>'
    converted = NativeEngine().from_html(body)
    assert "".join(of_document(converted.document).texts).startswith(shown)
    assert html_text(body) == f"{shown} {shown}"


@pytest.mark.processor_time(5)
@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("tags", ["<div>", "<ul><li>", "<blockquote>", "<b>"])
def test_the_command_takes_any_depth(
    mode: Mode,
    tags: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nested ten thousand deep, a body goes through the command line."""
    html = tags * 10_000 + "deep"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(html.encode())))
    main(["convert", "--mode", str(mode), "-"])
    assert '"deep"' in capsys.readouterr().out


def test_markdown_of_any_depth() -> None:
    """Quotes and lists nested without end in Markdown end."""
    for text in (
        ">" * 5_000 + "x",
        "- " * 2_000 + "x",
        "*" * 50_000 + "x",
        "[" * 20_000,
    ):
        document = NativeEngine().from_markdown(text).document
        assert faults(document, exact=False) == []
        assert document_text(document) != ""


@pytest.mark.processor_time(5)
@pytest.mark.parametrize("unit", ["![", "//files.example.net/", "'"])
def test_markdown_that_takes_too_much_work_is_raw_html(unit: str) -> None:
    """It becomes one raw HTML block with a loss that says why; the rest is read."""
    text = unit * (256_000 // len(unit))
    converted = NativeEngine().from_markdown(f"# Title\n\n{text}\n\n*end*")
    kinds = [node["type"] for node in converted.document["content"]]
    assert kinds.count("blok") == 1
    assert kinds[0] == "heading"
    assert kinds[-1] == "paragraph"
    assert [loss.kind for loss in converted.losses] == ["markdown"]
    held = json.dumps(converted.document)
    assert held.count(unit) == text.count(unit)
