"""Documents: rendering, problems, links, text."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from cmsmig.canonical import JsonObject
from cmsmig.richtext.links import StoryLink, rewrite_links
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.plain_text import visible_text
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.bodies import bodies, garbage
from tests.support.richtext.conservation import characters
from tests.support.richtext.roundtrip import unsettled
from tests.support.richtext.validity import faults


def document_of(html: str) -> JsonObject:
    """Return the faithful document of `html`."""
    return NativeEngine().from_html(html).document


def new_link(address: str) -> StoryLink | None:
    """Know one story, under three addresses."""
    path = address.split("#")[0].split("?")[0].removeprefix("https://e.com")
    return StoryLink("uuid-1", "blog/new") if path == "/post/old" else None


@pytest.mark.parametrize(
    "html",
    [
        "<p>a &amp; <strong>b</strong> &#x27;c&#x27;</p>",
        '<h2 style="text-align: center;">T</h2>',
        '<ol start="3"><li><p>x</p></li></ol>',
        '<p><a href="/x"><strong>a</strong>b</a></p>',
        "<table><thead><tr><th><p>H</p></th></tr></thead><tbody><tr>"
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


chosen = settings(
    derandomize=True,
    deadline=None,
    phases=(Phase.generate,),  # shrinking.smallest makes bodies small faster
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("mode", list(Mode))
@chosen
@given(html=bodies | garbage)
def test_rendering_again_changes_nothing(mode: Mode, html: str) -> None:
    """Rendered, read and rendered again, the HTML is the same, but for what is named;
    after that it stays as it is, whatever it was."""
    engine = NativeEngine(mode)
    first = engine.from_html(html).document
    rendered = render_rich_text(first)
    second = engine.from_html(rendered).document
    again = render_rich_text(second)
    if not unsettled(first, mode):
        assert again == rendered
    if not unsettled(second, mode):
        assert engine.from_html(again).document == second


@pytest.mark.parametrize("mode", list(Mode))
@chosen
@given(html=bodies | garbage)
def test_every_document_is_valid(mode: Mode, html: str) -> None:
    """Be the HTML what it may: the document has no fault, and JSON holds it."""
    document = NativeEngine(mode).from_html(html).document
    assert faults(document, exact=mode is Mode.EXACT) == []
    assert json.loads(json.dumps(document)) == document


@chosen
@given(bodies)
def test_rendered_documents_read_back_with_the_same_text(html: str) -> None:
    """Rendering and converting again shows the same characters."""
    first = document_of(html)
    again = document_of(render_rich_text(first))
    assert characters(visible_text(again)) == characters(visible_text(first))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ([], "empty or incomplete"),
        ([{"type": "paragraph"}], "lacks the attribute textAlign"),
        ([{"type": "text", "text": "x"}], "can't hold 'text'"),
        ([{"type": "nonsense"}], "no node of type"),
        (
            [{"type": "blok", "attrs": {"id": "1", "body": [{"component": "x"}]}}],
            "lacks its _uid",
        ),
        (
            [
                {
                    "type": "paragraph",
                    "attrs": {"textAlign": None},
                    "content": [{"type": "text", "text": ""}],
                }
            ],
            "text is empty",
        ),
        (
            [
                {
                    "type": "paragraph",
                    "attrs": {"textAlign": None},
                    "content": [
                        {
                            "type": "text",
                            "text": "x",
                            "marks": [{"type": "link", "attrs": {"href": "/"}}],
                        }
                    ],
                }
            ],
            "lacks the attribute uuid",
        ),
    ],
)
def test_problems_are_named(content: list[object], what: str) -> None:
    """Each defect is found and told in words."""
    found = problems({"type": "doc", "content": content})
    assert any(what in problem.what for problem in found)


def test_links_are_rewritten_in_marks_blocks_and_raw_html() -> None:
    """Every kind of link to a known story becomes a link to that story."""
    document = document_of(
        '<p><a href="https://e.com/post/old?a=1#s" target="_blank">x</a>'
        '<a href="/other">y</a></p>'
        '<a href="/post/old"><img src="i.png"></a>'
        '<div class="w-embed"><a class="k" href="/post/old#z">z</a></div>'
    )
    before = copy.deepcopy(document)
    rewritten, counts = rewrite_links(document, new_link)
    assert document == before
    assert (counts.rewritten, counts.kept) == (3, 1)
    assert problems(rewritten) == ()
    written = json.dumps(rewritten)
    assert "/post/old" not in written
    assert (
        '{"href": "/blog/new?a=1", "uuid": "uuid-1", "anchor": "s", '
        '"target": "_blank", "linktype": "story", "custom": {}}'
    ) in written
    assert '"id": "uuid-1", "linktype": "story", "url": ""' in written
    assert 'class=\\"k\\" href=\\"/blog/new#z\\"' in written


def test_link_targets_are_listed_in_order() -> None:
    """Addresses come in the order of the document; mail and files don't."""
    document = document_of(
        '<a href="/1">a</a><a href="mailto:x@y.z">m</a>'
        '<ul><li><a href="/2">b</a></li></ul><a href="/3"><img src="i"></a>'
    )
    asked: list[str] = []
    rewrite_links(document, lambda address: asked.append(address))
    assert asked == ["/1", "/2", "/3"]


def test_links_that_come_to_lead_to_one_story_become_one() -> None:
    """Two spellings of an address side by side; the document stays valid."""
    document = document_of(
        '<p><a href="/post/old">a</a><a href="https://e.com/post/old"><b>b</b></a>'
        '<a href="https://e.com/post/old">c</a><a href="/post/old">d</a>'
        '<a href="/post/old#s">e</a></p>'
    )
    rewritten, counts = rewrite_links(document, new_link)
    assert counts.rewritten == 5
    assert problems(rewritten) == ()
    texts = [each["text"] for each in rewritten["content"][0]["content"]]
    assert texts == ["a", "b", "cd", "e"]


def test_visible_text_has_a_line_for_each_paragraph() -> None:
    """Paragraphs, breaks and cells do not run together."""
    html = "<h1>T</h1><p>a<br>b</p><ul><li>c</li></ul>"
    assert visible_text(document_of(html)) == "T\na\nb\nc"


def test_links_of_figures_and_in_their_captions_are_rewritten() -> None:
    """A figure's own link, and every link mark in its caption's document."""
    document = document_of(
        '<figure><a href="/post/old"><img src="i.png"></a><figcaption>c '
        '<a href="/post/old#s">d</a></figcaption></figure>'
    )
    rewritten, counts = rewrite_links(document, new_link)
    assert (counts.rewritten, counts.kept) == (2, 0)
    assert problems(rewritten) == ()
    written = json.dumps(rewritten)
    assert "/post/old" not in written
    assert '"uuid": "uuid-1", "anchor": "s"' in written


def embedded(html: str) -> str:
    """Return raw HTML of a block as phase two leaves it."""
    block = {"_uid": "u", "component": "html_embed", "html": html}
    rewritten, _ = rewrite_links({"value": [block]}, new_link)
    return rewritten["value"][0]["html"]  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    "html",
    [
        "<a href='{}'>x</a>",
        '<a href="{}">x</a>',
        "<a href={}>x</a>",
        '<A CLASS="k"HREF = "{}" >x</A>',
        '<a title="a > b" href="{}">x</a>',
        '<a title=\' href="/post/old" \' href="{}">x</a>',
        '<a href="{}" href="/post/old">x</a>',
        '<map><area shape="rect" href="{}"></map>',
        '<svg><a xlink:href="{}"><path d="M0"/></a></svg>',
        '<form action="{}"><button formaction="{}">x</button></form>',
        '<!-- <a href="/post/old"> --><a href="{}">&amp;&nbsp;\u200d</a><br/>',
        '<noscript><a\n\thref="{}"\n>x</a></noscript>',
        '<textarea><a href="/post/old"></textarea><a href="{}">x</a>',
        '<style>a[href="/post/old"] {{ }}</style><a href="{}">x</a>',
    ],
)
def test_of_raw_html_the_values_of_links_alone_are_replaced(html: str) -> None:
    """All other bytes stay, quotes and case of names too."""
    for old, new in (
        ("/post/old", "/blog/new"),
        ("/post/old?a=1#s", "/blog/new?a=1#s"),
        ("https://e.com/post/old", "/blog/new"),
    ):
        assert embedded(html.replace("{}", old)) == html.replace("{}", new)


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<a href='/post/old?a=1&b=2'>", "<a href='/blog/new?a=1&amp;b=2'>"),
        ('<a href="/post/old?a=&quot;b">', '<a href="/blog/new?a=&quot;b">'),
        ("<a href='/post/old?a=&#39;b'>", "<a href='/blog/new?a=&#x27;b'>"),
        ("<a href=/post/old?a=b&c>x", "<a href=/blog/new?a=b&amp;c>x"),
    ],
)
def test_a_replaced_value_is_quoted_as_its_place_needs(html: str, wanted: str) -> None:
    """Quotes and ampersands are references."""
    assert embedded(html) == wanted


@pytest.mark.parametrize(
    "html",
    [
        '<div data-href="{}"></div>',
        "<button onclick=\"location.href='{}'\">x</button>",
        '<script>go("{}")</script>',
        '<div data-settings=\'{"url": "{}"}\'></div>',
        '<script type="application/ld+json">'
        '{"url": "https:\\/\\/e.com\\/post\\/old"}</script>',
        '<wf-component prop-1="{}"></wf-component>',
        '<iframe src="{}"></iframe>',
    ],
)
def test_what_raw_html_mentions_elsewhere_is_named_and_stays(html: str) -> None:
    """Where no link holds the address."""
    html = html.replace("{}", "/post/old")
    mentioned: list[str] = []
    block = {"_uid": "u", "component": "html_embed", "html": html}
    rewritten, counts = rewrite_links({"value": [block]}, new_link, mentioned.append)
    assert rewritten["value"] == [block]
    assert counts.rewritten == 0
    assert any("/post/old" in each for each in mentioned)
