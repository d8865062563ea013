"""The seam between conversion and everything that needs converted bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cmsmig.canonical import JsonObject
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import EmbedPolicy


@dataclass(frozen=True, slots=True)
class Converted:
    """A rich text document (root `{"type": "doc", ...}`) and what it lost."""

    document: JsonObject
    losses: tuple[Loss, ...] = ()


class Engine(Protocol):
    """Turns bodies into rich text documents; pure and deterministic."""

    def from_html(self, html: str, policy: EmbedPolicy) -> Converted:
        """Convert an origin body. Never raises, whatever the text is."""
        ...

    def from_markdown(self, text: str, policy: EmbedPolicy) -> Converted:
        """Convert Markdown. Never raises, whatever the text is."""
        ...
