"""Image, MultiImage and File fields as asset values.

Source: destination, asset field value; the metadata is copied into each use.
"""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.asset_uploads import file_objects, shown_alt
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, is_unset
from cmsmig.mapping.convert.file_addresses import Found
from cmsmig.mapping.draft import UploadedAsset
from cmsmig.richtext.losses import Loss

_INHERIT = "__wf_reserved_inherit"
"""Means the file's own alt text."""


def empty_asset() -> JsonObject:
    """Return the value of an asset field that was never filled."""
    return {
        "id": None,
        "alt": None,
        "name": "",
        "focus": "",
        "title": "",
        "source": "",
        "filename": "",
        "copyright": "",
        "fieldtype": "asset",
        "meta_data": {},
    }


def asset_value(uploaded_asset: UploadedAsset, alt: str) -> JsonObject:
    """Return the value of an asset field that holds this file."""
    held: JsonObject = {
        "id": uploaded_asset.asset_id,
        "alt": alt,
        "filename": uploaded_asset.filename,
    }
    return {**empty_asset(), **held, "is_external_url": False}


def encode_asset(value: Json, use: FieldUse) -> Encoded:
    """Encode an Image or File: the one file, or the first of a list."""
    if is_unset(value) or value == []:
        return Encoded(empty_asset())
    assets, losses = _assets(value, use)
    beyond = tuple(
        use.loss("wrong-type", each, "The field takes one file; this is a further one.")
        for each in assets[1:]
    )
    return Encoded(assets[0] if assets else empty_asset(), losses + beyond)


def encode_multiasset(value: Json, use: FieldUse) -> Encoded:
    """Encode a MultiImage; files that could not be had are left out and listed."""
    if is_unset(value) or value == []:
        return Encoded([])
    assets, losses = _assets(value, use)
    listed: list[Json] = list(assets)
    return Encoded(listed, losses)


def _assets(value: Json, use: FieldUse) -> tuple[list[JsonObject], tuple[Loss, ...]]:
    many = isinstance(value, list)
    assets: list[JsonObject] = []
    losses: list[Loss] = []
    for index, entry in enumerate(value if isinstance(value, list) else [value]):
        place = f"[{index + 1}]" if many else ""
        found = next(file_objects(entry), None) if not isinstance(entry, list) else None
        if found is None:
            if not is_unset(entry) and entry != {}:
                why = "This is no file: it holds no address."
                losses.append(use.loss("wrong-type", entry, why, place=place))
            continue
        address = found[0].address
        uploaded_asset = use.uploaded_asset(address)
        if uploaded_asset is None:
            losses.append(use.missing_loss(address, place))
        else:
            assets.append(asset_value(uploaded_asset, _alt(found[0], found[1], use)))
    return assets, tuple(losses)


def _alt(found: Found, file_id: str, use: FieldUse) -> str:
    """Return the alt in this place; only the marker for it inherits the file's."""
    if found.alt.strip() != _INHERIT:
        return shown_alt(found.alt)
    return use.alt(found.address) or shown_alt(use.context.alts.get(file_id))
