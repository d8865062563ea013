"""Assets. Only the alternative text of a record is compared: title, folder, tags and
the rest are theirs and never sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Asset
from cmsmig.ledger.rows import AssetRow, Intent, MadeRow
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.reconcile.diff import Sides
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Comparison, Resource, Rules
from cmsmig.valid_text import valid_text

ALT: Final = "alt"
FOLDER: Final = "asset_folder_id"


class AssetRules(Rules[UploadPlan, Asset]):
    """The rules of assets; one is made by signing an upload, not by a plain create."""

    def own(self, actual: Asset) -> tuple[int, str]:
        """Return its number and our id for it."""
        return actual.asset_id, actual.ext_id

    def sides(self, resource: Resource[UploadPlan, Asset]) -> Sides:
        """Return its alternative text on three sides.

        Where the ledger does not hold what we wrote, a text that differs is a conflict.
        """
        row, desired, actual = resource.recorded, resource.desired, resource.actual
        base: JsonObject = {}
        if row is not None and isinstance(row.body.get(ALT), str):
            base = {ALT: valid_text(str(row.body[ALT]))}
        ours = base if desired is None else {ALT: valid_text(desired.alt)}
        return Sides(base, ours, {ALT: actual.alt} if actual else {})

    def body(self, desired: UploadPlan) -> JsonObject:
        """Return what signing gives its record."""
        return {ALT: desired.alt}

    def edits(self, compared: Comparison[UploadPlan, Asset]) -> list[str]:
        """Return its text, its folder, and what only an editor fills."""
        row, actual = compared.resource.recorded, compared.resource.actual
        if row is None or actual is None:
            return []
        text = Rules.edits(self, compared) if ALT in row.body else []
        is_moved = actual.asset_folder_id != row.body.get(
            FOLDER, actual.asset_folder_id
        )
        return [*text, *([FOLDER] if is_moved else []), *actual.filled]

    def calls(self, compared: Comparison[UploadPlan, Asset]) -> Mapping[str, int]:
        """Return the calls that compare and change its text."""
        return {"compare_assets": 1, "update_assets": 1}


ASSETS: Final = AssetRules()


def asset_resource(
    row: AssetRow, actual: Asset | None, desired: UploadPlan | None = None
) -> Resource[UploadPlan, Asset]:
    """Return an asset on three sides; its record was given our id for it at least."""
    ref = Ref(Kind.ASSET, row.name if desired is None else desired.name)
    body: JsonObject = {**row.body, "ext_id": row.ext_id}
    own = row.asset_id or 0
    recorded = MadeRow(ref.kind, ref.key, own, row.ext_id, True, body)
    return Resource(ref, desired, recorded, actual, ASSETS)


def is_file_of(row: AssetRow, actual: Asset) -> bool:
    """Return whether an asset is the file's: by our id for it, or its address."""
    return actual.ext_id == row.ext_id or actual.content_url == row.content_url


def signed_row(
    intent: Intent, listed: Iterable[Asset], known: AssetRow | None
) -> AssetRow | None:
    """Return the row of a file that a killed run signed, found by our id for it; None
    if the space has no such asset."""
    ours = (each for each in listed if each.ext_id == intent.request_hash)
    asset = min(ours, key=lambda each: each.asset_id, default=None)
    if asset is None:
        return None
    return AssetRow(
        sha256=intent.subject,
        ext_id=intent.request_hash,
        name=known.name if known else asset.content_url.rpartition("/")[2],
        status="signed",
        reason="",
        explanation="",
        asset_id=asset.asset_id,
        content_url=asset.content_url,
        body=known.body if known else {},
    )
