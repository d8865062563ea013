"""The independent account can fail: it finds what is gone, and what is false."""

from __future__ import annotations

import pytest

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from tests.support.richtext.account import untrue, wrong
from tests.support.richtext.conservation import unaccounted, vague
from tests.support.richtext.reading import lines, stuck, unread

VIDEO = (
    '<figure class="w-richtext-figure-type-video w-richtext-align-center" '
    'data-rt-type="video" data-page-url="https://v.example/watch?v=1" {}>'
    '<div><iframe src="https://v.example/embed/1" title="T"></iframe></div></figure>'
)


def document(*content: object) -> Converted:
    return Converted({"type": "doc", "content": list(content)}, ())  # type: ignore[list-item]


def loss(kind: str, what: str, where: str = "p") -> Loss:
    return Loss(kind, what, where, "", "Because.", Severity.CONTENT)


@pytest.mark.parametrize(
    ("html", "named"),
    [
        ("<p>a</p>", "characters"),
        ("<p>\N{WOMAN}\u200d\N{GIRL}</p>", "joined"),
        ("<img src='i.png'>", "picture i.png"),
        ("<a href='/x'></a>", "link /x"),
        ("<a href='?a=1&copy=2&amp;b'></a>", "link ?a=1&copy=2&b"),
        ("<iframe src='//v.example'></iframe>", "embed //v.example"),
        ("<figure data-page-url='//v.example'></figure>", "embed //v.example"),
        ("<wf-component component-id='c'></wf-component>", "embed c"),
        ("<script>x < y</script>", "code x < y"),
        ("<p id='here'></p>", "name here"),
    ],
)
def test_what_is_gone_is_missed(html: str, named: str) -> None:
    """An empty document without losses is found out, thing by thing."""
    missing = unaccounted(html, document())
    assert any(each.startswith(named) for each in missing)


def test_a_link_that_led_from_more_is_missed() -> None:
    """A text that lost its link is missed, though text and address are both there."""
    link = {"type": "link", "attrs": {"href": "/x"}}
    linked = {"type": "text", "text": "a", "marks": [link]}
    made = document(linked, {"type": "text", "text": "b"})
    assert unaccounted("<a href='/x'>ab</a>", made) == ["under the link /x: {'b': 1}"]


def test_pictures_are_counted() -> None:
    """A picture that is twice in the body is twice in the document."""
    image = {"type": "image", "attrs": {"src": "i.png"}}
    two = "<img src='i.png'><img src='i.png'>"
    assert unaccounted(two, document(image)) == ["picture i.png"]
    assert unaccounted(two, document(image, image)) == []


@pytest.mark.parametrize("lost", [102, 2_345])
def test_losses_that_are_counted_are_counted(lost: int) -> None:
    """A text that is lost more than a hundred times: the count is for the rest."""
    html = f"<p>{'<span data-emoji=e>shown</span>' * lost}</p>"
    converted = NativeEngine().from_html(html)
    assert len(converted.losses) == 100
    assert (unaccounted(html, converted), unread(html, converted)) == ([], [])
    more = html.replace("</p>", "shown</p>")
    assert unaccounted(more, converted)
    assert unread(more, converted)


def test_a_loss_that_says_too_much_or_nothing_is_vague() -> None:
    """A loss of the whole document, of another thing, or of nothing; and what is both
    kept and lost is there twice."""
    html = "<div>a<script>x()</script></div>"
    assert list(vague(html, [loss("script", "<script>x()</script>")])) == []
    for kind, what in (("script", html), ("text", "b"), ("text", "")):
        assert list(vague(html, [loss(kind, what)])) != []
    kept = document({"type": "text", "text": "a"}).document
    twice = Converted(kept, (loss("dropped", "<p>a</p>"),))
    assert "twice {'a': 1}" in wrong("<p>a</p>", twice)


@pytest.mark.parametrize(
    ("html", "kind", "what"),
    [
        (
            "<figure data-rt-max-width=60%><img src=i></figure>",
            "size",
            "max-width: 60%",
        ),
        (
            "<figure style=max-width:60% data-rt-max-width=60%><img src=i></figure>",
            "attribute",
            "max-width: 60%",
        ),
        ("<pre><code>x</code></pre>", "mark-in-code", "code"),
        ("<h2 id=n>a</h2>", "anchor", "n"),
        ("<p><a href=/x>a</a></p>", "link", "/x"),
        ("<figure data-rt-align=center><img src=i></figure>", "alignment", "center"),
    ],
)
def test_a_loss_of_what_is_kept_is_false(html: str, kind: str, what: str) -> None:
    """It is found out, and without it there is nothing to find."""
    made = NativeEngine().from_html(html)
    assert made.losses == ()
    assert untrue(html, Converted(made.document, (loss(kind, what, "figure"),))) != []


@pytest.mark.parametrize("treatment", list(Treatment))
def test_no_choice_for_a_video_makes_a_loss_false(treatment: Treatment) -> None:
    """What raw HTML holds of a figure is not listed as lost."""
    policy = EmbedPolicy(kinds={"video": treatment})
    for shape in ('style="padding-bottom:56.2%" data-rt-dimensions="854:480"', ""):
        html = VIDEO.format(shape)
        for each in (html, html.replace("<iframe", "<i").replace("</iframe", "</i")):
            assert untrue(each, NativeEngine().from_html(each, policy)) == []


def test_joined_words_are_found() -> None:
    """Whole ones are not."""
    made = {"type": "doc", "content": [{"type": "text", "text": "ab"}]}
    assert lines("a</p>b") == ["a", "b"]
    assert stuck("a</p>b", made) == ["ab"]
    assert stuck("a</div><b>b</b>", made) == []
