"""Too much of anything takes seconds and linear time, and nothing of it is lost.

`make converter KIND=extremes` measures all constructs. The sizes and limits here are
far apart: what was quadratic took minutes.
"""

from __future__ import annotations

import io
import json
import sys

import pytest

from cmsmig.cli import main
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.plain_text import html_text
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from cmsmig.steps.batch_conversion import document_text, losses_text
from tests.support.richtext.conservation import of_document
from tests.support.richtext.constructs import (
    ATTRIBUTE,
    BODY,
    FIELD,
    STYLE,
    Construct,
)
from tests.support.richtext.extremes import EXTREMES, Extreme, missing_texts
from tests.support.richtext.growth import paths_of

MOST = 50_000
"""Bytes a body has in these tests, if it is not deep;
`make converter KIND=extremes` takes all of it."""


@pytest.mark.processor_time(5)
@pytest.mark.parametrize("extreme", EXTREMES, ids=lambda extreme: extreme.name)
def test_nothing_is_lost_of_too_much(extreme: Extreme) -> None:
    """The document is valid, written and rendered; every text is still there."""
    count = extreme.full
    while len(html := extreme.written(count)) > MOST:
        if extreme.name.startswith("deep"):
            break
        count //= 2
    converted = NativeEngine().from_html(html)
    assert missing_texts(extreme, count, converted) <= 0
    assert problems(converted.document) == ()
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
@pytest.mark.parametrize("tags", ["<div>", "<ul><li>", "<blockquote>", "<b>"])
def test_the_command_takes_any_depth(
    tags: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nested ten thousand deep, a body goes through the command line."""
    html = tags * 10_000 + "deep"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(html.encode())))
    main(["convert", "-"])
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
        assert problems(document) == ()
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


@pytest.mark.processor_time(5)
def test_a_word_of_many_addresses_is_looked_at_once() -> None:
    """In code of Markdown, which no rule for links reads."""
    text = "://" * 60_000
    (block,) = NativeEngine().from_markdown(f"    {text}").document["content"]
    assert block["content"] == [{"type": "text", "text": f"{text}\n"}]


LARGE = 65_536
_EMBED = '<div class="w-embed">'
PIECES = (
    f"{_EMBED}<div>a</div><p>b</p>", f"{_EMBED}<script>a</div><p id=>b</p>",
    f"{_EMBED}<table><tr><td>", f"{_EMBED}</div>", f"{_EMBED}<!-- ",
)  # fmt: skip
SEEN = (
    Construct(STYLE, "names", "-"),
    Construct(STYLE, "brackets", "(", "width:"),
    Construct(STYLE, "calculations", "calc(", "width:"),
    Construct(STYLE, "pairs of brackets", "a:()", after="("),
    Construct(STYLE, "digits", "1", "width:", "x"),
    Construct(STYLE, "blanks", " ", "width:var(--a,", "x"),
    Construct(STYLE, "addresses", "url(//a", "background-image:"),
    Construct(ATTRIBUTE, "start", "1", '<ol start="', 'x"><li>x'),
    Construct(ATTRIBUTE, "source", "0", '<video data-src="', '!">x'),
    Construct(BODY, "embeds in embeds", _EMBED),
    Construct(BODY, "embeds and comments", f"{_EMBED}<!-->"),
    Construct(BODY, "code in code", "<pre>"),
    Construct(BODY, "links in an embed", "<a href ", _EMBED, "</div>"),
    Construct(BODY, "open quotes", '<a "'),
    Construct(BODY, "equal paragraphs", "<p>x</p>"),
    Construct(BODY, "readings in readings", "<ruby><rtc>"),
    Construct(BODY, "posts in posts", '<blockquote class="twitter-tweet">'),
    Construct(BODY, "pictures without scripts", '<img src="data:,"><noscript>'),
    Construct(FIELD, "mail links", "@", "mailto:", "?", encoding="multilink"),
    Construct(FIELD, "mail addresses", "a.", "a@", "@", encoding="textarea"),
    Construct(FIELD, "marks of letters", "\u0301\u0316", encoding="text"),
)
CASES = [
    pytest.param(each, path, id=f"{each.name}, {path}")
    for each in SEEN
    for path in paths_of(each)
]


@pytest.mark.processor_time(6)
@pytest.mark.parametrize("piece", PIECES)
def test_unclosed_embeds_are_listed_in_seconds(piece: str) -> None:
    """However many there are: each is looked at once."""
    NativeEngine().from_html(piece * (LARGE // len(piece)))


@pytest.mark.processor_time(6)
@pytest.mark.parametrize(("construct", "path"), CASES)
def test_what_took_minutes_takes_seconds(construct: Construct, path: str) -> None:
    """Each construct that was quadratic, on every path it takes."""
    paths_of(construct)[path](construct.written(LARGE))


@pytest.mark.processor_time(6)
@pytest.mark.parametrize(
    ("before", "around", "unit"),
    [("<li><ul>", "<span>", "<li></li>"), ("", "<div>", "<code class=y></code>")],
)
def test_nothing_is_looked_for_through_all_that_is_open(
    before: str, around: str, unit: str
) -> None:
    """What an item ends, and the block whose language a code tells."""
    count = 20_000
    html = f"{before}{around * count}{unit * count}x"
    assert "x" in document_text(NativeEngine().from_html(html).document)


def test_losses_of_nested_embeds_do_not_outgrow_the_body() -> None:
    """Each byte of a body is in few losses, however deep it is nested."""
    html = _EMBED * (LARGE // len(_EMBED))
    assert len(losses_text(NativeEngine().from_html(html))) < 8 * len(html)


def test_losses_that_are_alike_are_counted() -> None:
    """Of a thing that is lost without end a hundred are kept, the last with a count."""
    losses = NativeEngine().from_html("<script>x</script>" * 5_000).losses
    assert len(losses) == 100
    assert losses[-1].context.endswith("and 4,900 more times in this body")
