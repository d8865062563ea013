"""What becomes of the structures that rich text has no node for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Treatment(StrEnum):
    """What to do with one kind of embed."""

    HTML = "html"
    """A `blok` node holding a raw HTML component: nothing is lost."""
    COMPONENT = "component"
    """A `blok` node holding a component with the address."""
    LINK = "link"
    """A paragraph with a link to the address."""
    DROP = "drop"
    """Left out, and listed as a loss."""


@dataclass(frozen=True, slots=True)
class EmbedPolicy:
    """Treatments by kind, and by signature (host or script) where one is named.

    The defaults lose nothing: videos and iframes become embed components,
    custom embeds raw HTML components.
    """

    kinds: Mapping[str, Treatment] = field(default_factory=dict)
    """Keys: `video`, `iframe`, `embed`, `component`, `linked-image`, `media`."""
    signatures: Mapping[str, Treatment] = field(default_factory=dict)
    """Keys: a host such as `www.youtube.com`, or a script's host."""
    html_component: str = "html_embed"
    """Component for raw HTML; its one field is `html` (textarea)."""
    embed_component: str = "embed"
    """Component for an address: `url` (text), `kind`, `title`, `caption`, `html`."""
    image_component: str = "linked_image"
    """Component for a picture with a link: `image` (asset), `link`, `caption`."""
