"""Documents: rendering, text, and links to stories."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.richtext.links import StoryLink, rewrite_links
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.plain_text import visible_text
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from tests.support.cases import cases
from tests.support.richtext.outline import outline


def document_of(html: str) -> JsonObject:
    """Return the faithful document of `html`."""
    return NativeEngine().from_html(html).document


def new_link(address: str) -> StoryLink | None:
    """Know one story, under two addresses."""
    path = address.split("#")[0].split("?")[0].removeprefix("https://e.com")
    return StoryLink("uuid-1", "blog/new") if path == "/post/old" else None


@pytest.mark.parametrize(
    "html",
    [
        "<p>a &amp; <strong>b</strong> &#x27;c&#x27;</p>",
        '<h2 style="text-align: center;">T</h2>',
        '<ol start="3"><li><p>x</p></li></ol>',
        '<p><a href="/x"><strong>a</strong>b</a></p>',
        "<table><thead><tr><th><p>H</p></th><th><p>I</p></th></tr></thead><tbody><tr>"
        '<td colspan="2"><p>c</p></td></tr></tbody></table>',
        '<pre><code class="language-py">a &lt; b</code></pre>',
        "<p>a<br>b</p><hr>",
    ],
)
def test_render_gives_back_what_was_read(html: str) -> None:
    """Canonical HTML survives conversion and rendering unchanged."""
    expected = html.replace("&#x27;", "&#039;")
    assert render_rich_text(document_of(html)) == expected


def test_render_writes_no_address_that_runs_code() -> None:
    """A link to code in a hand-made document is rendered as text."""
    mark = {"type": "link", "attrs": {"href": "javascript:x()", "linktype": "url"}}
    text = {"type": "text", "text": "<x>", "marks": [mark]}
    assert render_rich_text({"type": "doc", "content": [text]}) == "&lt;x&gt;"


def test_visible_text_has_a_line_for_each_paragraph() -> None:
    """Paragraphs, breaks and cells do not run together."""
    html = "<h1>T</h1><p>a<br>b</p><ul><li>c</li></ul>"
    assert visible_text(document_of(html)) == "T\na\nb\nc"


@cases(__file__, "links.yaml")
def test_links_become_links_to_stories(case: dict[str, Any]) -> None:
    """In marks, blocks and raw HTML; the document that is given stays as it is."""
    document = document_of(case["html"])
    before = copy.deepcopy(document)
    rewritten, counts = rewrite_links(document, new_link)
    assert document == before
    assert outline(rewritten) == case["document"]
    assert (counts.rewritten, counts.kept) == (case["rewritten"], case["kept"])
    assert problems(rewritten) == ()


@cases(__file__, "raw_links.yaml")
def test_links_in_raw_html(case: dict[str, Any]) -> None:
    """Only the value of a link is replaced; elsewhere an address is mentioned."""
    block = {"_uid": "u", "component": "html_embed", "html": case["html"]}
    mentioned: list[str] = []
    rewritten, counts = rewrite_links({"value": [block]}, new_link, mentioned.append)
    becomes = case.get("becomes", case["html"])
    assert rewritten["value"] == [block | {"html": becomes}]
    if "becomes" not in case:
        assert counts.rewritten == 0
        assert any("/post/old" in each for each in mentioned)


def test_links_are_asked_about_in_order() -> None:
    """In the order of the document; mail and files are not."""
    document = document_of(
        '<a href="/1">a</a><a href="mailto:x@y.z">m</a>'
        '<ul><li><a href="/2">b</a></li></ul><a href="/3"><img src="i"></a>'
    )
    asked: list[str] = []
    rewrite_links(document, lambda address: asked.append(address))
    assert asked == ["/1", "/2", "/3"]
