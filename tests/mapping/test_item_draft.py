"""A draft that is kept: what it lost names files as editors know them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cmsmig.mapping.decisions.design import Encoding
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from tests.support.mapping.drafting import (
    FILES,
    content_type,
    context,
    draft_story,
    field,
    item,
    uploaded_asset,
)

FILE = f"https://{FILES}/5f/film.mp4?a=1&b=2"
HTML = FILE.replace("&", "&amp;")
DESIGN = content_type(field("body", Encoding.RICHTEXT, "RichText"))


@pytest.mark.parametrize(
    "body",
    [
        f'<pre><a href="{HTML}">x</a></pre>',
        f'<p>a</p><div class="w-embed"><video src="{HTML}"></video></div>',
        f'<table><caption><a href="{HTML}">x</a></caption><tr><td>a</td></tr></table>',
        f'<p><a href="{HTML}" ping="{HTML}" onclick="go()">x</a></p>',
    ],
)
@pytest.mark.parametrize("treatment", Treatment)
def test_losses_name_the_origins_addresses(body: str, treatment: Treatment) -> None:
    """No mark is left in them, wherever in the conversion they were noted."""
    treatments = dict.fromkeys(("embed", "media", "video"), treatment)
    asked = replace(
        context(
            DESIGN,
            assets={FILE: uploaded_asset("https://a.storyblok.com/f/1/film.mp4")},
        ),
        embeds=EmbedPolicy(kinds=treatments),
    )
    story = draft_story(item({"body": body}), DESIGN, asked)
    losses = [f"{each.loss.what} {each.loss.context}" for each in story.losses]
    assert not any(".invalid" in each for each in losses), losses
    assert ".invalid" not in str(story.content)
