"""The input and the result of converting one field value."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.data_address import file_key, is_data
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.asset_uploads import file_id_of, shown_alt
from cmsmig.mapping.convert.file_addresses import (
    asset_of,
    in_source,
    is_file,
    may_hold,
    replaced,
)
from cmsmig.mapping.decisions.design import FieldDesign
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.uids import block_uid
from cmsmig.richtext.engine import AssetLookup, UploadedAsset
from cmsmig.richtext.losses import Loss, Severity


@dataclass(frozen=True, slots=True)
class Encoded:
    """A destination value and what it lost."""

    value: Json
    losses: tuple[Loss, ...] = ()
    present: bool = True
    """False: the key is left out, as for a Switch that was never filled."""


@dataclass(frozen=True, slots=True)
class FieldUse(AssetLookup):
    """One field of one item; answers what a body's conversion asks about files."""

    design: FieldDesign
    validations: JsonObject
    key: ItemKey
    context: DraftContext

    def uploaded_asset(self, address: str) -> UploadedAsset | None:
        """Return the new address of an origin file, if it was uploaded."""
        return asset_of(self.context.assets, address)

    def file(self, address: str) -> str | None:
        """Return the new address of a file, or None: the address stays."""
        uploaded_asset = self.uploaded_asset(address)
        return None if uploaded_asset is None else uploaded_asset.filename

    def alt(self, address: str) -> str:
        """Return the file's own alt text, or empty when none is known."""
        alts = self.context.alts
        address = file_key(address.strip())
        return shown_alt(alts.get(address) or alts.get(file_id_of(address)) or "")

    def missing(self, address: str) -> str:
        """Return why a file could not be fetched, or empty when nothing is amiss."""
        if self.uploaded_asset(address) is not None:
            return ""
        missing, key = self.context.missing_assets, file_key(address)
        reason = missing.get(key) or missing.get(key.strip())
        if reason:
            return reason
        if is_data(address) or is_file(address, self.context.file_hosts):
            return "The file was not downloaded."
        return ""

    def uid(self, path: str) -> str:
        """Return the `_uid` of the block at `path` of this field."""
        return block_uid(self.context.namespace, self.key, f"{self.design.key}/{path}")

    def loss(
        self,
        kind: str,
        what: Json,
        why: str,
        severity: Severity = Severity.CONTENT,
        place: str = "",
    ) -> Loss:
        """Return a loss in this field, at `place` in it."""
        return loss_of(kind, what, why, f"{self.design.origin}{place}", severity)

    def missing_loss(self, address: str, place: str = "") -> Loss:
        """Return the loss of a file that could not be fetched."""
        why = self.missing(address) or "The file was not downloaded."
        return self.loss("missing-file", address, why, place=place)

    def with_files(self, text: str) -> tuple[str, tuple[Loss, ...]]:
        """Return plain text with file addresses rewritten; nothing is decoded."""
        if not may_hold(text):
            return text, ()
        places = [*in_source(text, self.context.file_hosts)]
        losses = tuple(
            self.missing_loss(text[start:end])
            for start, end in places
            if self.uploaded_asset(text[start:end]) is None
        )
        return replaced(text, places, self.file), losses


def loss_of(
    kind: str, what: Json, why: str, where: str, severity: Severity = Severity.CONTENT
) -> Loss:
    """Return a loss of a whole value, which is shown as text."""
    return Loss(
        kind=kind,
        what=as_text(what),
        where=where,
        context="",
        why=why,
        severity=severity,
    )


def as_text(value: Json) -> str:
    """Return a value as text: a string as it is, all else as JSON.

    Keys are sorted, since their order means nothing and must change nothing.
    """
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def is_unfilled(value: Json) -> bool:
    """Return whether a field was never filled: null and "" are the same."""
    return value is None or value == ""
