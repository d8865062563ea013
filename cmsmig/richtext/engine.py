"""The seam between conversion and everything that needs converted bodies."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from cmsmig.canonical import JsonObject
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.policy import EmbedPolicy

_SHOWN = 200
"""Characters of a body that could not be converted."""


@dataclass(frozen=True, slots=True)
class Converted:
    """A rich text document (root `{"type": "doc", ...}`) and what it lost."""

    document: JsonObject
    losses: tuple[Loss, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    """What was done differently from the official converter."""


@dataclass(frozen=True, slots=True)
class UploadedAsset:
    """The destination's asset of an origin file."""

    asset_id: int | None
    """None while planning."""
    filename: str
    """The address that content holds."""


class AssetLookup:
    """What a body's conversion asks about files; pure and deterministic. This one
    knows no file.

    An address is always the decoded attribute value of the body, unchanged.
    Spec: import rule 5.
    """

    def uploaded_asset(self, address: str) -> UploadedAsset | None:
        """Return the asset of a picture or file, or None: the address stays."""
        return None

    def alt(self, address: str) -> str:
        """Return the asset's own alt text, or empty when none is known."""
        return ""

    def missing(self, address: str) -> str:
        """Return why a file could not be fetched, or empty when nothing is amiss.

        A body keeps the old address of such a file, and lists a loss.
        """
        return ""

    def uid(self, path: str) -> str:
        """Return the `_uid` of the block at `path`, which is unique in a body."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, path))


NO_EMBED_CHOICES = EmbedPolicy()
"""The defaults, which lose nothing."""
NO_ASSETS = AssetLookup()
"""For bodies converted on their own."""


class Engine(Protocol):
    """Turns bodies into rich text documents; pure and deterministic."""

    def from_html(
        self,
        html: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert an origin body. Never raises, whatever the text is.

        Picture and file addresses are rewritten through `assets` first, the
        structures without a node become what `policy` says, and everything
        without a place in the document is one `Loss` each.
        """
        ...

    def from_markdown(
        self,
        text: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert Markdown. Never raises, whatever the text is."""
        ...


@dataclass(frozen=True, slots=True)
class Lenient:
    """An engine for looking at many bodies: one that fails is empty, with one loss.

    An item's draft is made without it, so that such an item fails alone instead of
    being imported without its body.
    """

    engine: Engine

    def from_html(
        self,
        html: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert an origin body. Never raises."""
        return _converted(self.engine.from_html, html, policy, assets)

    def from_markdown(
        self,
        text: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert Markdown. Never raises."""
        return _converted(self.engine.from_markdown, text, policy, assets)


def _converted(
    convert: Callable[[str, EmbedPolicy, AssetLookup], Converted],
    body: str,
    policy: EmbedPolicy,
    assets: AssetLookup,
) -> Converted:
    try:
        return convert(body, policy, assets)
    except Exception as error:
        why = (
            f"This body could not be converted ({type(error).__name__}: {error}). "
            "Report it with the item's raw record."
        )
    what = body[:_SHOWN]
    loss = Loss("unconverted", what, "body", "", why, Severity.CONTENT)
    return Converted({"type": "doc", "content": []}, (loss,))
