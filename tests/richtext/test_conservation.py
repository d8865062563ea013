"""Nothing is lost in silence, nothing is said twice, and it is said in order."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.schema.validate import problems
from tests.support.richtext.bodies import bodies
from tests.support.richtext.conservation import invented, reordered, unaccounted, vague
from tests.support.richtext.reading import unread

KINDS = ("video", "iframe", "embed", "component", "media")
chosen = settings(
    derandomize=True,
    deadline=None,
    phases=(Phase.generate,),  # shrinking.smallest makes bodies small faster
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@chosen
@given(bodies)
def test_every_character_link_picture_and_embed_is_accounted_for(html: str) -> None:
    """What a reader saw is in the document or is a loss that names it."""
    converted = NativeEngine().from_html(html)
    assert unaccounted(html, converted) == []


@pytest.mark.parametrize("lost", [102, 2_345])
def test_losses_that_are_counted_are_accounted_for(lost: int) -> None:
    """A text that is lost more than a hundred times: the count stands for the rest."""
    html = f"<p>{'<span data-emoji=e>shown</span>' * lost}</p>"
    converted = NativeEngine().from_html(html)
    assert len(converted.losses) == 100
    assert (unaccounted(html, converted), unread(html, converted)) == ([], [])
    more = html.replace("</p>", "shown</p>")
    assert unaccounted(more, converted)
    assert unread(more, converted)


@chosen
@given(bodies)
def test_nothing_is_said_twice_or_elsewhere(html: str) -> None:
    """Document and losses together show each character once, in the body's order."""
    converted = NativeEngine().from_html(html)
    assert invented(html, converted) == {}
    assert reordered(html, converted) is None


@chosen
@given(bodies)
def test_a_loss_names_the_thing_itself(html: str) -> None:
    """What a loss says is lost stands in the body, and is of the kind it says."""
    assert list(vague(html, NativeEngine().from_html(html).losses)) == []


@pytest.mark.parametrize("treatment", list(Treatment))
@settings(parent=chosen, max_examples=50)
@given(html=bodies)
def test_every_choice_for_embeds_keeps_the_account(
    treatment: Treatment, html: str
) -> None:
    """Whatever is chosen for all embeds: all of it stands somewhere."""
    policy = EmbedPolicy(kinds=dict.fromkeys(KINDS, treatment))
    converted = NativeEngine().from_html(html, policy)
    assert unaccounted(html, converted) == []
    assert problems(converted.document) == ()


def test_paragraphs_that_show_nothing_are_listed_too() -> None:
    """Spacers leave no node and one loss for each kind, with how many there were."""
    html = "<p>a</p><p>\u200d</p><p>&nbsp;</p><h2></h2><p>b</p>"
    converted = NativeEngine().from_html(html)
    found = [(loss.kind, loss.what, loss.context) for loss in converted.losses]
    assert ("spacer", "<p>", "2 times in this body") in found
    assert [kind for kind, what, _ in found if what == "<h2>"] == ["spacer"]
    assert len(converted.document["content"]) == 2  # type: ignore[arg-type]


def _loss(kind: str, what: str) -> Loss:
    return Loss(kind, what, "p", "", "Because.", Severity.CONTENT)


def _document(*content: object) -> Converted:
    return Converted({"type": "doc", "content": list(content)}, ())  # type: ignore[list-item]


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
def test_the_account_misses_what_is_gone(html: str, named: str) -> None:
    """An empty document without losses is found out, thing by thing."""
    missing = unaccounted(html, _document())
    assert any(each.startswith(named) for each in missing)


def test_the_account_knows_where_a_link_led() -> None:
    """A text that lost its link is missed, though text and address both stand."""
    link = {"type": "link", "attrs": {"href": "/x"}}
    linked = {"type": "text", "text": "a", "marks": [link]}
    document = _document(linked, {"type": "text", "text": "b"})
    assert unaccounted("<a href='/x'>ab</a>", document) == [
        "under the link /x: {'b': 1}"
    ]


def test_the_account_counts_pictures() -> None:
    """A picture that stands twice in the body stands twice in the document."""
    image = {"type": "image", "attrs": {"src": "i.png"}}
    two = "<img src='i.png'><img src='i.png'>"
    assert unaccounted(two, _document(image)) == ["picture i.png"]
    assert unaccounted(two, _document(image, image)) == []


def test_the_account_finds_losses_that_say_too_much_or_nothing() -> None:
    """A loss of the whole document, of another thing, or of nothing is vague."""
    html = "<div>a<script>x()</script></div>"
    assert list(vague(html, [_loss("script", "<script>x()</script>")])) == []
    assert list(vague(html, [_loss("script", html)])) != []
    assert list(vague(html, [_loss("text", "b")])) != []
    assert list(vague(html, [_loss("text", "")])) != []
    kept = Converted(
        {"type": "doc", "content": [{"type": "text", "text": "a"}]},
        (_loss("dropped", "<p>a</p>"),),
    )
    assert invented("<p>a</p>", kept) == {"a": 1}
