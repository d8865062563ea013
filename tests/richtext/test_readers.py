"""What readers see is compared with another parser than the converter's: a break of the
converter or of the renderer does not pass unseen."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.render_story import render_value
from cmsmig.sandbox.server import SAMPLE
from tests.proofs.converter.sites import bodies_of_sites
from tests.support.richtext.bodies import SEARCH, edited_bodies
from tests.support.richtext.conservation import not_shown, unseen

BODY = (
    "<h2>First part</h2><p>One &amp; <strong>two</strong> words.</p>"
    '<p>See <a href="/here?a=1&amp;b=2">the page</a> and <a href="/there">that</a>.</p>'
    "<ul><li>apple</li><li>pear</li></ul>"
    "<table><tr><td>left</td><td>right</td></tr></table>"
    '<figure data-rt-type="image"><div><img src="a.png" alt="A boat"></div>'
    "<figcaption>In port</figcaption></figure>"
    "<p>He said <q>so <q>it</q> is</q>.</p>"
    '<p><img src="b.png" alt="A bird"></p>'
    '<div class="w-embed"><b>Typed</b> by hand</div>'
)
BREAKS = {
    "a paragraph is gone": ("<p>One .*?</p>", "", "missing text"),
    "a text comes twice": ("(<p>One .*?</p>)", r"\1\1", "added text"),
    "cells change places": (
        "(<td.*?</td>)(<td.*?</td>)",
        r"\2\1",
        "another order",
    ),
    "words run together": ("</strong> words", "</strong>words", "missing text: two"),
    "text is escaped twice": (
        "&amp; <strong>",
        "&amp;amp; <strong>",
        "missing text: &",
    ),
    "a list item is gone": ("<li><p>pear</p></li>", "", "missing text: pear"),
    "a caption is gone": ("In port", "", "missing text: port"),
    "raw HTML is gone": ("<b>Typed</b> by hand", "", "missing text: Typed"),
    "a link leads elsewhere": (
        r"/here\?a=1&amp;b=2",
        "/here?a=1",
        "link to /here?a=1&b",
    ),
    "a link is only text": (
        '<a href="/there">that</a>',
        "that",
        "link to /there",
    ),
    "a picture is another": ("b.png", "a.png", "picture b.png"),
    "a picture says nothing": ("A boat", "", "('a.png', 'A boat')"),
    "a heading is a paragraph": (
        "<h2>(.*?)</h2>",
        r"<p>\1</p>",
        "heading ('h2', 'F')",
    ),
    "a heading is another level": ("h2>", "h3>", "heading ('h2', 'F')"),
}
"""What breaks in the rendered story: a pattern, what takes its place, what is found."""


@pytest.mark.parametrize("name", BREAKS)
def test_a_break_is_noticed(name: str) -> None:
    converted = NativeEngine().from_html(BODY)
    shown, (pattern, broken, found) = render_value(converted.document), BREAKS[name]
    assert [*not_shown(BODY, shown, converted.losses)] == []
    changed, times = re.subn(pattern, broken, shown)
    assert times
    wrong = [*not_shown(BODY, changed, converted.losses)]
    assert any(found in each for each in wrong), wrong


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<h2>First<hr>part</h2>",
        "<p>a<script>x()</script>bd</p>",
        "<p>a<data value=1>b</data>c<nobr>d</nobr>e<acronym>f</acronym>g</p>",
        "<p>a<slot>b</slot>c<my-word>d</my-word>e</p>",
        "<p>a<ruby>漢字<rt>かんじ</rt></ruby>b</p>",
        "<p>a<ruby>漢<rp>（<rt>かん<rp>）<rp>（<rt>じ<rp>）</ruby>b</p>",
        "<ruby>漢<rt>かん</rt><rt> </rt></ruby><ruby>字<rt><a href=/x>じ</a></ruby>",
        "<p><ruby><ruby>a<rt>b</rt></ruby><rtc><rt>c</rt></rtc></ruby><rt>d</rt></p>",
        '<p>a <a href="/x"> </a><iframe></iframe><noscript>b</noscript></p>',
        "<p>a <a href='/x>link</a> rest</p>",
    ],
)
def test_what_parts_no_words_is_lost_or_broken_raises_no_alarm(html: str) -> None:
    assert [*unseen(html, NativeEngine().from_html(html))] == []


@settings(parent=SEARCH, max_examples=200)
@given(edited_bodies)
def test_readers_see_all_of_a_body(html: str) -> None:
    assert [*unseen(html, NativeEngine().from_html(html))] == []


def test_readers_see_all_of_the_sample() -> None:
    found = {
        body.key: [*unseen(body.text, NativeEngine().from_html(body.text))]
        for body in bodies_of_sites(SAMPLE.parent)[SAMPLE.name]
        if not body.markdown
    }
    assert len(found) > 50
    assert {key: each for key, each in found.items() if each} == {}
