"""What a page parts stays apart: words, lines of code, headings of several lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.deviating import deviations_of
from tests.support.richtext.reading import lines, stuck, unread
from tests.support.richtext.roundtrip import unsettled

_TAGS = (
    *("p", "div", "b", "em", "span", "a href=/x", "li", "ul", "ol", "h2", "h3", "pre"),
    *("table", "caption", "tbody", "tfoot", "tr", "td", "th", "blockquote", "section"),
    *("details", "summary", "dl", "dt", "dd", "figure", "figcaption", "main", "br"),
)
_tags = st.one_of(
    st.sampled_from((" ", "\n", "<hr>", "<img src=i>", "</p>", "</br>")),
    st.sampled_from([f"<{tag}>" for tag in _TAGS]),
    st.sampled_from([f"</{tag.split()[0]}>" for tag in _TAGS]),
)
_pieces = st.builds("".join, st.lists(_tags, min_size=1, max_size=2))
chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=300,
    suppress_health_check=[HealthCheck.too_slow],
)


def rendered(html: str, mode: Mode = Mode.FAITHFUL) -> str:
    """Return what becomes of a body, as HTML."""
    return render_rich_text(NativeEngine(mode).from_html(html).document)


def lost(html: str) -> list[tuple[str, str]]:
    """Return the losses of a body."""
    found = NativeEngine().from_html(html).losses
    return [(str(loss.kind), loss.what) for loss in found]


@chosen
@given(st.lists(_pieces, max_size=10))
def test_words_never_join(parts: list[str]) -> None:
    """What a page shows on two lines is no single word in the document."""
    html = "".join(f"{part}w{number}w" for number, part in enumerate(parts))
    document = NativeEngine().from_html(html).document
    assert stuck(html, document) == []
    assert problems(document) == ()


def test_the_reader_of_lines_tells_words_apart() -> None:
    """The check can fail: joined words are found, whole ones are not."""
    joined = {"type": "doc", "content": [{"type": "text", "text": "ab"}]}
    assert lines("a</p>b") == ["a", "b"]
    assert stuck("a</p>b", joined) == ["ab"]
    assert stuck("a</div><b>b</b>", joined) == []


@pytest.mark.parametrize(
    ("html", "becomes"),
    [
        ("a</p>b", "<p>a</p><p>b</p>"),
        ("a</br>b", "<p>a<br>b</p>"),
        ("<b>a</p>b</b>", "<p><strong>a</strong></p><p><strong>b</strong></p>"),
        ("a<b></p>b</b>", "<p>a</p><p><strong>b</strong></p>"),
        ("<p>a<div>b</div></p>c", "<p>a</p><p>b</p><p>c</p>"),
        ("<ul><li>a</p>b</li></ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
    ],
)
def test_an_end_tag_that_ends_nothing_parts_texts(html: str, becomes: str) -> None:
    """As in a browser; the official converter goes on as if nothing were there."""
    assert rendered(html) == becomes
    assert lost(html) == []


@pytest.mark.parametrize(
    ("html", "becomes"),
    [
        ("<p>a<img src=i>b</p>c", '<p>a</p><img src="i"><p>b</p><p>c</p>'),
        ("<h2><img src=i>b</h2>c", '<img src="i"><h2>b</h2><p>c</p>'),
        ("<pre><hr>b</pre>c", "<hr><pre><code>b</code></pre><p>c</p>"),
        ("<pre><p><hr>b</p>c</pre>", "<hr><pre><code>b\nc</code></pre>"),
        ("<h2><div>a</div>b</h2>c", "<h2>a</h2><h2>b</h2><p>c</p>"),
        ("<h2><div><hr>a</div>b</h2>c", "<hr><h2>a</h2><h2>b</h2><p>c</p>"),
        ("<dd><section><dt>a</section>b", "<p>a</p><p>b</p>"),
        ("<span><dd>a</span>b</dd>c", "<p>a</p><p>b</p><p>c</p>"),
        (
            "<div><td>a</div>b",
            "<table><tbody><tr><td><p>a</p></td></tr></tbody></table><p>b</p>",
        ),
    ],
)
def test_what_a_picture_parts_ends_where_it_ended(html: str, becomes: str) -> None:
    """A text after a paragraph with a picture in it is a paragraph of its own."""
    assert rendered(html) == becomes


@pytest.mark.parametrize(
    ("html", "becomes"),
    [
        ("<pre><div>a</div><div>b</div></pre>", "<pre><code>a\nb</code></pre>"),
        ("<pre><p>a</p><p>b</p>c</pre>", "<pre><code>a\nb\nc</code></pre>"),
        ("<pre><div>a\n</div>b</pre>", "<pre><code>a\nb</code></pre>"),
        (
            "<pre class=k>a<img src=i><br>b</pre>",
            '<pre><code class="k">a</code></pre><img src="i">'
            '<pre><code class="k">\nb</code></pre>',
        ),
    ],
)
def test_blocks_in_code_are_its_lines(html: str, becomes: str) -> None:
    """Code goes on: a block in it is a line, and a picture only parts it."""
    assert rendered(html) == becomes


@pytest.mark.parametrize(
    ("html", "becomes", "losses"),
    [
        ("<h2><p>a</p></h2>", "<h2>a</h2>", []),
        ("<h2>x<p>a</p>y</h2>", "<h2>x</h2><h2>a</h2><h2>y</h2>", []),
        (
            '<h2><p style="text-align:center">a</p></h2>',
            "<h2>a</h2>",
            [("style", "text-align: center")],
        ),
        (
            "<h2><ul><li><p>a</p></li></ul></h2>",
            "<ul><li><p>a</p></li></ul>",
            [("element", "<h2>")],
        ),
    ],
)
def test_paragraphs_in_a_heading_are_the_heading(
    html: str, becomes: str, losses: list[tuple[str, str]]
) -> None:
    """The heading stands; what it can't be is listed."""
    assert rendered(html) == becomes
    assert lost(html) == losses


def test_no_text_holds_the_character_zero() -> None:
    """Services that store texts refuse it; it is gone, and listed once."""
    html = "a\0b<p title='c\0d'><a href='/x\0y'>e</a></p><div class=w-embed>f\0</div>"
    converted = NativeEngine().from_html(html)
    assert "\\u0000" not in json.dumps(converted.document)
    assert [loss.what for loss in converted.losses if loss.kind == "character"] == [
        "U+0000"
    ]
    assert rendered("a\0b") == "<p>ab</p>"
    assert rendered("a\0b", Mode.EXACT) == "<p>a\0b</p>"
    assert Deviation.MARKUP in deviations_of("a\0b")


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (
            "n.png&copy=&#9999999&#x;&#x80&lt&co&notin<",
            "n.png&copy=\ufffd&#x;€<&co&notin<",
        ),
        ("?a&copyx&copy;&copy", "?a&copyx©©"),
        ("?a&amp&b=&gt;", "?a&&b=>"),
        ("?&notit;&notin;&ampx;", "?&notit;∉&ampx;"),
    ],
)
def test_broken_references_in_an_address_are_read_as_browsers_do(
    value: str, read: str
) -> None:
    """An address leads where it led; the official cuts names short in other places."""
    html = f'<img src="{value}">'
    converted = NativeEngine().from_html(html)
    image = converted.document["content"][0]  # type: ignore[index, call-overload]
    assert image["attrs"]["src"] == read  # type: ignore[index, call-overload]
    assert unread(html, converted) == []
    exact = NativeEngine(Mode.EXACT).from_html(html).document
    if exact != converted.document:
        assert Deviation.MARKUP in deviations_of(html)


_LEFT = (
    "<script></h4>x", "<p><script>y</script></p>", "<p><style>z</style></p>",
    "<p><input></p>", "<p><textarea></textarea></p>", "<p><noscript>n</noscript></p>",
    "<h2><noscript><img src=i></noscript></h2>", "<p><img alt=a></p>", "<h4><tbody>",
    "<h4><y><th>", "<p><c data-emoji></p>",
    "<h4><d class=w-embed>", "<p><button></button></p>",
    "<p><head><ol>", "<h4 class=w-embed><p>", "<h4><ol><t>", "<h2><figcaption>",
    "<em></details></article>x<p></article>",
)  # fmt: skip


@settings(parent=chosen, max_examples=200)
@given(st.lists(st.sampled_from((*_LEFT, "a", "<p>b</p>", "</p>")), max_size=5))
def test_a_paragraph_of_losses_alone_leaves_nothing(parts: list[str]) -> None:
    """What is in it is listed, and rendered and read again nothing changes."""
    html = "".join(parts)
    converted = NativeEngine().from_html(html)
    once = render_rich_text(converted.document)
    if not unsettled(converted.document, Mode.FAITHFUL):
        assert rendered(once) == once
    held = json.dumps(converted.document)  # an open embed has some of it
    told = "".join((held, *(loss.what for loss in converted.losses)))
    assert all(each in told for each in ("<script>y", "<input>") if each in html)


@pytest.mark.parametrize(
    ("html", "becomes"),
    [
        (
            "<table><tfoot><tr><td>f</td></tr></tfoot><caption>c <b>d</b></caption>"
            "<tbody><tr><td>b</td></tr></tbody></table>",
            "<p>c <strong>d</strong></p><table><tbody><tr><td><p>b</p></td></tr>"
            "<tr><td><p>f</p></td></tr></tbody></table>",
        ),
        (
            "<table><caption>c<tr><td>b</table>",
            "<p>c</p><table><tbody><tr><td><p>b</p></td></tr></tbody></table>",
        ),
        ("<table><caption>c</caption></table>", "<p>c</p>"),
    ],
)
def test_captions_and_feet_stand_where_pages_show_them(html: str, becomes: str) -> None:
    """A caption above its table, a foot below the rows; and nothing else moves."""
    assert Deviation.TABLE_PARTS in deviations_of(html)
    assert rendered(html) == becomes
    assert lost(html) == []


@pytest.mark.parametrize(
    ("html", "losses"),
    [
        ("<p>a <img src=i> b</p>", [("sentence", "<img>")]),
        ("<li>a <a href=/x><img src=i></a><b>b</b></li>", [("sentence", "<img>")]),
        ("a <iframe src=//v></iframe> b", [("sentence", "<iframe>")]),
        ("<p>a<br><img src=i><br>b</p>", []),
        ("<p>a <img src=i></p><p>b</p>", []),
        ("<p><img src=i> b</p>", []),
        ("a<div class=w-embed>x</div>b", []),
        ("a<figure><img src=i></figure>b", []),
        ("<p>a <img> b</p>", [("image", "")]),
    ],
)
def test_a_picture_that_cuts_a_sentence_is_listed(
    html: str, losses: list[tuple[str, str]]
) -> None:
    """Pictures and embeds are blocks: between two texts of one line it is told."""
    assert lost(html) == losses


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("<li><span data-emoji>Go<li>Go", ["Go", "Go"]),
        ("<li><span data-emoji>a<li>a b<li>a", ["a", "a b", "a"]),
    ],
)
def test_a_text_that_is_lost_twice_is_listed_twice(html: str, told: list[str]) -> None:
    """An element that is never closed goes on in the next block, with other text."""
    losses = NativeEngine().from_html(html).losses
    assert [each.what for each in losses if each.kind == "text"] == told
