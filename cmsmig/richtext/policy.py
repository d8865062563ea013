"""What to do with the structures that rich text has no node for."""

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
    PICTURE = "picture"
    """For figures and pictures that link: an image node, what it can't hold is
    listed as a loss, and the caption follows as a paragraph."""
    DROP = "drop"
    """Left out, and listed as a loss."""


@dataclass(frozen=True, slots=True)
class EmbedPolicy:
    """Treatments by kind, and by signature (host or script) where one is named.

    The defaults lose nothing: figures and pictures that link become figure
    components, videos and iframes embed components, custom embeds raw HTML
    components.
    """

    kinds: Mapping[str, Treatment] = field(default_factory=dict)
    """Keys: `video`, `iframe`, `embed`, `component`, `media`; and `figure` and
    `linked-image`, which are `component` or `picture`."""
    signatures: Mapping[str, Treatment] = field(default_factory=dict)
    """Keys: a host such as `www.youtube.com`, or a script's host."""
    html_component: str = "html_embed"
    """Component for raw HTML; its one field is `html` (textarea)."""
    embed_component: str = "embed"
    """Component for an address: `url` (text), `kind`, `title`, `caption`, `html`."""
    embed_fields: frozenset[str] = frozenset(("frame", "shape", "thumbnail", "author"))
    """Fields that it has besides, and that a design made before them lacks: the
    address in the frame, the shape of a video, its thumbnail and its author."""
    figure_component: str = "figure"
    """Component for a picture with more than an image node holds: `image` (asset),
    `caption` (richtext), `link`, `alignment` and `size` (text)."""

    def keeps(self, kind: str) -> bool:
        """Return whether `figure` or `linked-image` keeps what an image node can't
        hold. Treatments that say nothing about a picture mean what is nearest."""
        chosen = self.kinds.get(kind, Treatment.COMPONENT)
        return chosen in (Treatment.COMPONENT, Treatment.HTML)
