"""Nothing is lost in silence, and whatever comes out is valid."""

from __future__ import annotations

import json

from bodies import bodies, garbage
from conservation import invented, unaccounted
from hypothesis import HealthCheck, given, settings

from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.validate import problems

KINDS = ("video", "iframe", "embed", "component", "linked-image", "media")
chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=250,
    suppress_health_check=[HealthCheck.too_slow],
)


@chosen
@given(bodies)
def test_every_character_link_image_and_frame_is_accounted_for(html: str) -> None:
    """What a reader saw is in the document or is a loss that names it."""
    converted = NativeEngine().from_html(html)
    assert unaccounted(html, converted) == []


@chosen
@given(bodies)
def test_nothing_is_said_twice(html: str) -> None:
    """No character stands in the document more often than in the body."""
    assert invented(html, NativeEngine().from_html(html)) == {}


@chosen
@given(bodies)
def test_dropped_embeds_are_losses(html: str) -> None:
    """With every embed dropped, the account still holds."""
    policy = EmbedPolicy(kinds=dict.fromkeys(KINDS, Treatment.DROP))
    converted = NativeEngine().from_html(html, policy)
    assert unaccounted(html, converted) == []
    assert problems(converted.document) == ()


@chosen
@given(bodies | garbage)
def test_documents_are_always_valid(html: str) -> None:
    """Faithful documents have no problem, be the HTML what it may."""
    converted = NativeEngine().from_html(html)
    assert problems(converted.document) == ()
    assert json.loads(json.dumps(converted.document)) == converted.document


@chosen
@given(bodies | garbage)
def test_exact_documents_keep_the_content_model(html: str) -> None:
    """Exact conversion never raises either and never leaves the content model."""
    document = NativeEngine(Mode.EXACT).from_html(html).document
    assert [found for found in problems(document) if "hold" in found.what] == []


@chosen
@given(bodies | garbage)
def test_conversion_is_deterministic(html: str) -> None:
    """The same body gives the same document and the same losses."""
    assert NativeEngine().from_html(html) == NativeEngine().from_html(html)
