"""What holds of every body, whatever is in it: well-formed, broken, or hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cmsmig.richtext.custom.claims import CustomRules
from cmsmig.richtext.html.soup import Tag
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.plain_text import visible_text
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.render import render_rich_text
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.account import wrong
from tests.support.richtext.bodies import (
    SEARCH,
    bodies,
    garbage,
    instances,
)
from tests.support.richtext.conservation import characters, mappings, unaccounted
from tests.support.richtext.reading import stuck, unread
from tests.support.richtext.rules import noted

KINDS = ("video", "iframe", "embed", "component", "media")
EMBED = '<div data-rt-embed-type="true">'
FAITHFUL = NativeEngine()
chosen = settings(SEARCH, max_examples=200)


@chosen
@given(bodies)
def test_the_account_holds(html: str) -> None:
    """Every character, link, picture, embed, script and name is in the document or in
    a loss, once and in order; and no loss names what the document holds."""
    assert wrong(html, FAITHFUL.from_html(html)) == []


@chosen
@given(garbage)
def test_what_a_browser_shows_of_broken_markup_is_not_lost(html: str) -> None:
    """By an account that reads as browsers do, and asks for texts and addresses."""
    assert unread(html, FAITHFUL.from_html(html)) == []


@pytest.mark.parametrize("treatment", list(Treatment))
@settings(parent=chosen, max_examples=50)
@given(html=bodies)
def test_every_choice_for_embeds_keeps_the_account(
    treatment: Treatment, html: str
) -> None:
    """Whatever is chosen for all embeds: nothing of them is lost in silence."""
    policy = EmbedPolicy(kinds=dict.fromkeys(KINDS, treatment))
    converted = FAITHFUL.from_html(html, policy)
    assert unaccounted(html, converted) == []
    assert problems(converted.document) == ()


@settings(parent=chosen, max_examples=60)
@given(instances)
def test_instances_of_components_keep_the_account(
    html: str,
) -> None:
    """They are whole as raw HTML."""
    converted = FAITHFUL.from_html(html)
    assert wrong(html, converted) == []
    assert problems(converted.document) == ()


@chosen
@given(html=bodies | garbage)
def test_every_document_is_valid_and_the_same_each_time(html: str) -> None:
    """JSON holds it, and no body before it changes it."""
    engine = NativeEngine()
    first = engine.from_html(html)
    assert problems(first.document) == ()
    assert json.loads(json.dumps(first.document)) == first.document
    engine.from_html("<p><a href=x>other</a><img src=i>")
    assert engine.from_html(html) == first == NativeEngine().from_html(html)


@chosen
@given(html=bodies | garbage)
def test_rendering_again_changes_nothing(html: str) -> None:
    """Rendered, read and rendered again, the HTML is the same, but for what is named;
    after that it stays as it is, whatever it was."""
    engine = NativeEngine()
    first = engine.from_html(html).document
    rendered = render_rich_text(first)
    second = engine.from_html(rendered).document
    again = render_rich_text(second)
    if not unsettled(first):
        assert again == rendered
    if not unsettled(second):
        assert engine.from_html(again).document == second
    shown, before = visible_text(second), visible_text(first)
    assert not characters(shown) - characters(before)


_TAGS = (
    *("p", "div", "b", "em", "span", "a href=/x", "li", "ul", "ol", "h2", "h3", "pre"),
    *("table", "caption", "tbody", "tfoot", "tr", "td", "th", "blockquote", "section"),
    *("details", "summary", "dl", "dt", "dd", "figure", "figcaption", "main", "br"),
)
_tags = st.sampled_from(
    (
        *(f"<{tag}>" for tag in _TAGS),
        *(f"</{tag.split()[0]}>" for tag in _TAGS),
        *(" ", "\n", "<hr>", "<img src=i>", "</p>", "</br>"),
    )
)


@settings(parent=chosen, max_examples=300)
@given(st.lists(st.lists(_tags, min_size=1, max_size=2).map("".join), max_size=10))
def test_words_never_join(parts: list[str]) -> None:
    """What a page shows on two lines is no single word in the document."""
    html = "".join(f"{part}w{number}w" for number, part in enumerate(parts))
    assert stuck(html, FAITHFUL.from_html(html).document) == []


_LEFT = (
    "<script></h4>x", "<p><script>y</script></p>", "<p><style>z</style></p>",
    "<p><input></p>", "<p><textarea></textarea></p>", "<p><noscript>n</noscript></p>",
    "<h2><noscript><img src=i></noscript></h2>", "<p><img alt=a></p>", "<h4><tbody>",
    "<h4><y><th>", "<p><c data-emoji></p>", "<h4><d class=w-embed>",
    "<p><button></button></p>", "<p><head><ol>", "<h4 class=w-embed><p>", "<h4><ol><t>",
    "<h2><figcaption>", "<em></details></article>x<p></article>",
)  # fmt: skip


@chosen
@given(st.lists(st.sampled_from((*_LEFT, "a", "<p>b</p>", "</p>")), max_size=5))
def test_a_paragraph_of_losses_alone_leaves_nothing(parts: list[str]) -> None:
    """What is in it is listed, and rendered and read again nothing changes."""
    html = "".join(parts)
    converted = FAITHFUL.from_html(html)
    once = render_rich_text(converted.document)
    if not unsettled(converted.document):
        assert render_rich_text(FAITHFUL.from_html(once).document) == once
    held = json.dumps(converted.document)  # an open embed has some of it
    found = "".join((held, *(loss.what for loss in converted.losses)))
    assert all(each in found for each in ("<script>y", "<input>") if each in html)


_BLANKS = ("&nbsp;", "\u200d", " \u200b ", "\u00a0\u00a0", "&#x2060;", "\ufeff", "\n")
_NO_ITEMS = (
    *_BLANKS, "<br>", "<p>&nbsp;</p>", "<p></p>", "<h3>\u200d</h3>", "<ul></ul>",
    "<ol> </ol>", "<ul>&nbsp;</ul>", "<div>&nbsp;</div>", "<b>\u200d</b>",
    "<ul><br></ul>", "<ul><ol></ol></ul>",
    "<span> </span>", "<p><br></p>",
)  # fmt: skip
_ITEMS = ("<li>a</li>", "<li></li>", "<li>b<p>c</p></li>")
_NO_BLOCKS = (
    *_BLANKS, "<div>\u200d</div>", "<b>&nbsp;</b>", "<ul></ul>", "<ol>\n</ol>",
    "<section>\u200b<br>\u200d</section>", "<ul>&nbsp;<br></ul>",
)  # fmt: skip
_BLOCKS = (
    "<p>a</p>", "<h2>b</h2>", "<figure><img src=i></figure>", "<hr>", "<img src=j>",
    "<blockquote>c</blockquote>", "<ul><li>d</li></ul>", "<pre>e</pre>",
    "<table><tbody><tr><td>f</td></tr></tbody></table>",
    "<figure><iframe src=//v.example/1></iframe></figure>",
)  # fmt: skip


@pytest.mark.parametrize(
    ("around", "empty", "shown"),
    [
        ("<ul>{}</ul>", _NO_ITEMS, _ITEMS),
        ("<ol>{}</ol>", _NO_ITEMS, _ITEMS),
        ("{}", _NO_BLOCKS, _BLOCKS),
    ],
)
@chosen
@given(data=st.data())
def test_what_shows_nothing_between_items_or_blocks_is_none(
    around: str, empty: Sequence[str], shown: Sequence[str], data: st.DataObject
) -> None:
    """List and body are the same as without it."""
    pieces = data.draw(st.lists(st.sampled_from((*empty, *shown)), max_size=8))
    whole, kept = "".join(pieces), "".join(each for each in pieces if each in shown)
    without = around.replace("{}", kept) if kept else ""
    made, wanted = (
        FAITHFUL.from_html(f"<p>x</p>{each}<p>y</p>").document
        for each in (around.replace("{}", whole), without)
    )
    assert made == wanted


_AFTER = (
    '<p id="">a <b>b</b></p>', '<h2 id="">c</h2>', '<ul id=""><li id="">d</li></ul>',
    '<figure id="" data-rt-type="image"><div><img src="e.png"></div></figure>',
    '<blockquote id="">f</blockquote>', f'{EMBED}<div class="g"><i>g</i></div></div>',
    f"{EMBED}<script>h(1 < 2)</script></div>",
)  # fmt: skip
_INSIDE = (
    "w1", "w2", "<div>x</div>", "<p>y</p>", "<b>z", "<br>", "<style>.a{}</style>",
    "<table><tr><td>t</td></tr></table>", "<script>u('</p>')</script>",
    "<div><div>v</div></div>",
)  # fmt: skip
_OPEN = (
    ("<div class=o>", "</div>"), ("<div><div>", "</div></div>"),
    ("<script>s(", "</script>"), ("<iframe src=//v.example>", "</iframe>"),
    ("<textarea>", "</textarea>"),
)  # fmt: skip
"""What opens, and what would close it."""


def some(of: Sequence[str], least: int = 0) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(of), min_size=least, max_size=4).map("".join)


def unclosed(html: str) -> int:
    """Return how many embeds are listed that are never closed."""
    return sum(
        each.kind == "unclosed-embed" for each in FAITHFUL.from_html(html).losses
    )


@chosen
@given(some(_AFTER), some(_INSIDE), st.sampled_from(_OPEN), some(_AFTER, 1))
def test_an_embed_that_is_never_closed_is_whole_and_listed(
    before: str, code: str, open_: tuple[str, str], after: str
) -> None:
    """All that follows is in its block; closed, it is none of it."""
    begins, ends = open_
    assume(ends not in after)  # it closes the element
    left = FAITHFUL.from_html(f"{before}{EMBED}{code}{begins}</div>{after}")
    content: Any = left.document["content"]
    assert after in content[-1]["attrs"]["body"][0]["html"]
    assert unclosed(f"{before}{EMBED}{code}{begins}</div>{after}") == 1
    assert unclosed(f"{before}{EMBED}{code}{begins}{ends}</div>{after}") == 0


def nothing(tag: Tag) -> None:
    """Look at everything, and take nothing."""


@chosen
@given(bodies)
def test_rules_keep_the_account_and_leave_what_they_do_not_take(html: str) -> None:
    """Whatever rules claim; and one that says None of every element leaves no trace."""
    made = NativeEngine(
        rules=CustomRules(noted("b, figcaption, div, li:has(a)"))
    ).from_html(html)
    assert unaccounted(html, made) == []
    assert problems(made.document) == ()
    untaken = NativeEngine(rules=CustomRules(nothing)).from_html(html)
    assert untaken == FAITHFUL.from_html(html)


_BLANKS = re.compile(r"(?:\A[ \t\r\n\f])|(?:[ \t\r\n\f]\Z)|[ \t\r\n\f]{2}|[\t\r\n\f]")
_SHOWN = re.compile(r"[^\s\u200b\u200c\u200d\u2060\ufeff]")
_SPELLABLE = re.compile(r"[^\s\x00\"'<>/=]+")
_TEXTBLOCKS = ("paragraph", "heading")


def unsettled(document: object) -> set[str]:
    """Return the names of what a document holds that HTML can't tell again."""
    return {name for node in mappings(document) for name in _of_node(node)}


def _of_node(node: Mapping[str, object]) -> Iterator[str]:
    kind, given = node.get("type"), node.get("attrs")
    content = node.get("content")
    inside = content if isinstance(content, list) else []
    if kind == "blok":
        yield "blok: rendered as nothing"
    if kind in _TEXTBLOCKS:
        lines = "".join(
            str(each.get("text", "\n" if each["type"] == "hard_break" else "\ufffc"))
            for each in inside
        )
        if any(_BLANKS.search(line) for line in lines.split("\n")):
            yield "blanks: kept here, collapsed when read again"
        if inside and not _SHOWN.search(lines):
            yield "spacer: left out when it is a paragraph of its own"
    if kind in ("heading", "tableRow") and not inside:
        yield "empty heading or row: left out when it is delivered so"
    if kind == "code_block" and not inside:
        yield "empty code: listed and left out when it is delivered so"
    for mark in _marks(node):
        held = mark.get("attrs")
        values = held.values() if isinstance(held, Mapping) else ()
        if mark["type"] in ("anchor", "styled", "textStyle") and not any(values):
            yield "empty mark: rendered without its attribute"
        custom = held.get("custom") if isinstance(held, Mapping) else None
        if isinstance(custom, Mapping) and not all(map(_SPELLABLE.fullmatch, custom)):
            yield "a link's attribute that no HTML can spell"
        if mark["type"] == "highlight" and any(values):
            yield "highlight: its colour is rendered as a background"
    if kind == "image" and isinstance(given, Mapping) and not given.get("src"):
        yield "image without an address"


def _marks(node: Mapping[str, object]) -> list[Mapping[str, object]]:
    marks = node.get("marks")
    return marks if isinstance(marks, list) else []
