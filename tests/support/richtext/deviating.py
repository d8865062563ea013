"""Which deviations apply to a body."""

from __future__ import annotations

from cmsmig.richtext.deviations import Deviation, deviations_in
from cmsmig.richtext.engine import NO_EMBED_CHOICES
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy


def deviations_of(
    html: str, policy: EmbedPolicy = NO_EMBED_CHOICES
) -> tuple[Deviation, ...]:
    """Return the deviations that apply to a body, with these choices for embeds."""
    return deviations_in(
        lambda on: NativeEngine(deviations=on).from_html(html, policy).document
    )
