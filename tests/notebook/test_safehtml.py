"""Previews of hostile bodies show them and do nothing else."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from cmsmig.ui.html.safe_html import facts, framed, note, preview, table
from cmsmig.ui.html.sanitizer import sanitised

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="jAvA&#9;script:alert(1)">x</a>',
    '<iframe src="https://example.com/"></iframe>',
    '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;"></iframe>',
    '<object data="x.swf"></object><embed src="x.swf">',
    '<form action="https://example.com/"><input autofocus onfocus=alert(1)></form>',
    '<p style="background:url(https://example.com/x.png)">x</p>',
    '<table background="https://example.com/x.png"><tr><td>x</td></tr></table>',
    "<style>@import url(https://example.com/x.css)</style>",
    '<meta http-equiv="refresh" content="0;url=https://example.com/">',
    '<base href="https://example.com/"><link rel=stylesheet href=x.css>',
    '<video src="https://example.com/x.mp4" autoplay></video>',
    '<p title="&quot;><script>alert(1)</script>">x</p>',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<!--<img src="--><img src=x onerror=alert(1)//">',
    '<svg><p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "</body></html><script>alert(1)</script>",
    '"></iframe><script>alert(1)</script>',
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "\x00<scr\x00ipt>alert(1)</script>",
    "<textarea><img src=x onerror=alert(1)></textarea>",
    "<![x]>",
    "<![ x [<img src=x onerror=alert(1)>",
    "<![CDATA[<script>alert(1)</script>]]>",
    f"&#{'9' * 5000};<a title='&#{'9' * 5000};'>x</a>",
    "\ud83d<p title='\udfff'>x</p>",
    "<template><img src=x onerror=alert(1)></template>",
)
# fmt: off
RUNS_OR_LOADS = frozenset({
    "script", "img", "iframe", "object", "embed", "form", "input", "style", "link",
    "meta", "base", "video", "audio", "svg", "math", "template", "textarea",
    "button", "select",
})
# fmt: on
ATTRIBUTES = frozenset(("class", "title", "start", "colspan", "rowspan"))


class Seen(HTMLParser):
    """Every start tag and attribute, as a browser would come to see them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(str(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("body", HOSTILE)
def test_nothing_that_runs_or_loads_is_left(body: str) -> None:
    """No element that runs, loads or leads away, and no attribute that could."""
    seen = Seen(sanitised(f"<p>before</p>{body}<p>after</p>"))
    assert not RUNS_OR_LOADS & set(seen.tags)
    assert {name for name, _ in seen.attributes} <= ATTRIBUTES
    assert seen.text.startswith("before")


@given(st.text(alphabet="<>/\"'= abcdeginoprstlxvmkhj&;:#!-\n\x00", max_size=200))
def test_no_text_at_all_gets_through_as_more_than_text(body: str) -> None:
    """Whatever the characters, only harmless elements and attributes come out."""
    seen = Seen(sanitised(body))
    assert not RUNS_OR_LOADS & set(seen.tags)
    assert {name for name, _ in seen.attributes} <= ATTRIBUTES


def test_what_is_not_shown_is_named() -> None:
    """An image, an embed and a script each leave a box that says what it was."""
    shown = Seen(
        sanitised(
            '<p>A <a href="https://example.com/x">link</a>'
            '<img src="https://example.com/cat.png" alt="A cat & a hat">'
            '<iframe src="https://example.com/video"></iframe><script>1</script></p>'
        )
    )
    for words in ("A link", "image: A cat & a hat", "example.com/video", "not run"):
        assert words in shown.text
    titles = [value for name, value in shown.attributes if name == "title"]
    assert "https://example.com/x" in titles


def test_harmless_content_stays() -> None:
    """Headings, lists, tables and emphasis come through as they are."""
    body = "<h2>One</h2><ul><li><em>two</em></li></ul><table><tbody><tr>"
    body += '<td colspan="2">three</td></tr></tbody></table>'
    assert sanitised(body) == body


@pytest.mark.parametrize("body", HOSTILE)
def test_a_preview_is_one_frame_that_may_do_nothing(body: str) -> None:
    """The page around it sees one iframe, sandboxed, with a policy of its own."""
    seen = Seen(preview(body, title=f"Body {body}"))
    assert seen.tags == ["iframe"]
    given = dict(seen.attributes)
    assert given["sandbox"] == ""
    assert set(given) == {"sandbox", "referrerpolicy", "title", "srcdoc", "style"}
    inside = Seen(given["srcdoc"])
    policies = [value for name, value in inside.attributes if name == "content"]
    assert policies == ["default-src 'none'; img-src data:; style-src 'unsafe-inline'"]
    assert "script" not in inside.tags
    assert "img" not in inside.tags


def test_texts_are_escaped_everywhere() -> None:
    """Cells, captions, names and sentences with markup in them show the markup."""
    evil = "<script>alert(1)</script>"
    for made in (
        table((evil,), [(evil,)], caption=evil),
        facts([(evil, evil)]),
        note(f"{evil} `{evil}` "),
        framed(Markup("<b>safe</b>"), title=evil),
    ):
        assert "<script" not in made


def test_sentences_show_commands_as_code_and_lone_backticks_as_they_are() -> None:
    """Backticks in pairs become code; an odd one is a character."""
    assert "<code>cmsmig pull</code>" in note("run `cmsmig pull` first")
    assert "a ` b" in note("a ` b")


def test_numbers_are_at_the_right_and_truth_is_a_word() -> None:
    """Numbers get separators and a class, truth values a word."""
    made = table(("a", "b"), [(12345, True)])
    assert ">12,345</td><td>yes</td>" in made
    assert 'class="number"' in made


def test_a_long_address_may_go_on_in_the_next_line_and_a_word_may_not() -> None:
    """At its signs; nothing of it is lost, and nothing in it becomes HTML."""
    address = "https://example.com/files/412ff10fac3f4ab4a589aaa5_quay.jpg?a=<b>"
    made = table(("Where",), [(f"See {address} unbelievably",)])
    seen = Seen(made)
    assert f"See {address} unbelievably" in seen.text
    assert "files/<wbr>412ff10fac3f4ab4a589aaa5" in made
    assert set(seen.tags) == {"table", "thead", "tbody", "tr", "th", "td", "wbr"}
    assert "<wbr>" not in table(("Where",), [("/blog/a-usual-slug",)])
    for sentence in (f"a ` {address}", f"`cmsmig pull`: see {address}"):
        assert "files/<wbr>412ff10fac3f4ab4a589aaa5" in note(sentence)
