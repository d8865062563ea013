"""From an origin value to a destination value: one literal table.

Values are written as the destination's own tools write them; whatever the
origin holds, nothing raises. Source: destination, field values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.asset_uploads import file_objects, shown_alt
from cmsmig.mapping.convert.bodies import (
    encode_blocks,
    encode_markdown,
    encode_richtext,
)
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, as_text, is_unfilled
from cmsmig.mapping.convert.file_addresses import Found
from cmsmig.mapping.convert.multilinks import (
    encode_link,
    encode_video_block,
    encode_video_link,
    encode_video_text,
)
from cmsmig.mapping.dates import (
    calendar_day,
    datetime_text,
    is_midnight,
    parse_moment,
    zone_of,
)
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.encodings import COLOR_PLUGIN
from cmsmig.mapping.propose.field_types import field_type
from cmsmig.mapping.value_checks import major_units, number_text
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.losses import Loss, Severity

Encode: TypeAlias = "Callable[[Json, FieldUse], Encoded]"

_PRICE_KEYS = frozenset(("value", "unit", "string", "currency"))
_INHERIT = "__wf_reserved_inherit"
"""Means the file's own alt text."""


def encode(value: Json, use: FieldUse) -> Encoded:
    """Return what `value` becomes in the field `use` describes, and its losses."""
    return ENCODERS[use.design.encoding](value, use)


def _text(value: Json, use: FieldUse) -> Encoded:
    """Carry text verbatim; a value of another type as its JSON text."""
    if is_unfilled(value):
        return Encoded("")
    text, losses = use.with_files(as_text(value))
    if not isinstance(value, str):
        why = "The field holds text; this value is carried as JSON text."
        losses += (use.loss("wrong-type", value, why, Severity.MEANING),)
    return Encoded(text, losses + _check_value(value, use))


def _number(value: Json, use: FieldUse) -> Encoded:
    if is_unfilled(value):
        return Encoded("")
    text = number_text(value)
    if text is None:
        return Encoded("", (_not_a("number", value, use),))
    return Encoded(text, _check_value(value, use))


def _datetime(value: Json, use: FieldUse) -> Encoded:
    if is_unfilled(value):
        return Encoded("")
    moment = parse_moment(value)
    if moment is None:
        return Encoded("", (_not_a("date", value, use),))
    if not moment.second and not moment.microsecond:
        return Encoded(datetime_text(moment))
    why = "The destination stores minutes; the seconds are dropped."
    loss = use.loss("seconds", value, why, Severity.LAYOUT)
    return Encoded(datetime_text(moment), (loss,))


def _date(value: Json, use: FieldUse) -> Encoded:
    if is_unfilled(value):
        return Encoded("")
    moment = parse_moment(value)
    if moment is None:
        return Encoded("", (_not_a("date", value, use),))
    zone = use.context.site.time_zone
    losses: tuple[Loss, ...] = ()
    if not is_midnight(moment, zone_of(zone)):
        why = "The field is a date without a time; the time of this value is dropped."
        losses = (use.loss("time", value, why, Severity.MEANING),)
    return Encoded(f"{calendar_day(moment, zone)} 00:00", losses)


def _boolean(value: Json, use: FieldUse) -> Encoded:
    """A Switch that was never filled has no value at all."""
    if is_unfilled(value):
        return Encoded(None, present=False)
    if isinstance(value, bool):
        return Encoded(value)
    return Encoded(None, (_not_a("yes or no", value, use),), present=False)


def _option(value: Json, use: FieldUse) -> Encoded:
    """Translate an option's id to its label. Spec: field map, Option."""
    if is_unfilled(value):
        return Encoded("")
    labels = dict(use.design.options)
    if isinstance(value, str):
        if value in labels:
            return Encoded(labels[value])
        if value in labels.values():
            return Encoded(value)
    why = "The field's schema has no such option any more."
    return Encoded("", (use.loss("option", value, why),))


def _color_plugin(value: Json, use: FieldUse) -> Encoded:
    color = _text(value, use)
    plugin: JsonObject = {
        "plugin": COLOR_PLUGIN,
        "_uid": use.uid("color"),
        "color": color.value,
    }
    return Encoded(plugin, color.losses)


def _price_amount(value: Json, use: FieldUse) -> Encoded:
    if is_unfilled(value):
        return Encoded("")
    unit = value.get("unit") if isinstance(value, dict) else ""
    amount = None
    if isinstance(value, dict) and isinstance(unit, str) and unit:
        amount = major_units(value.get("value"), unit)
    if not isinstance(value, dict) or amount is None:
        return Encoded("", (_not_a("price", value, use),))
    losses = tuple(
        use.loss("price", {name: value[name]}, "A price has an amount and a currency.")
        for name in sorted(value.keys() - _PRICE_KEYS)
        if not is_unfilled(value[name])
    )
    return Encoded(amount, losses)


def _price_currency(value: Json, use: FieldUse) -> Encoded:
    """Carry the currency alone; a price that is none is the amount's loss."""
    return _envelope(value.get("unit") if isinstance(value, dict) else None, use)


def _json_text(value: Json, use: FieldUse) -> Encoded:
    if is_unfilled(value):
        return Encoded("")
    losses: list[Loss] = []

    def rewritten(inner: Json) -> Json:
        """Rewrite addresses inside the strings, so that quoting cannot hide them."""
        if isinstance(inner, str):
            if (file := use.file(inner)) is not None:
                return file
            text, more = use.with_files(inner)
            losses.extend(more)
            return text
        if isinstance(inner, list):
            return [rewritten(each) for each in inner]
        if isinstance(inner, dict):
            return {name: rewritten(inner[name]) for name in sorted(inner)}
        return inner

    found = rewritten(value)
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return Encoded(text, tuple(losses))


def _envelope(value: Json, use: FieldUse) -> Encoded:
    return Encoded("" if is_unfilled(value) else as_text(value))


def _relation(value: Json, use: FieldUse) -> Encoded:
    """Relations stay empty in phase one. Spec: import rule 3."""
    multiple = use.design.encoding is Encoding.RELATIONS
    return Encoded([] if multiple else "", _strays(value, use, multiple))


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


def asset_value(asset: UploadedAsset, alt: str) -> JsonObject:
    """Return the value of an asset field that holds this file."""
    held: JsonObject = {"id": asset.asset_id, "alt": alt, "filename": asset.filename}
    return {**empty_asset(), **held, "is_external_url": False}


def _asset(value: Json, use: FieldUse) -> Encoded:
    """Encode an Image or File: the one file, or the first of a list."""
    if is_unfilled(value) or value == []:
        return Encoded(empty_asset())
    assets, losses = _asset_values(value, use)
    beyond = tuple(
        use.loss("wrong-type", each, "The field takes one file; this is a further one.")
        for each in assets[1:]
    )
    return Encoded(assets[0] if assets else empty_asset(), losses + beyond)


def _multiasset(value: Json, use: FieldUse) -> Encoded:
    """Encode a MultiImage; files that could not be fetched are left out and listed."""
    if is_unfilled(value) or value == []:
        return Encoded([])
    assets, losses = _asset_values(value, use)
    listed: list[Json] = list(assets)
    return Encoded(listed, losses)


def _asset_values(
    value: Json, use: FieldUse
) -> tuple[list[JsonObject], tuple[Loss, ...]]:
    many = isinstance(value, list)
    assets: list[JsonObject] = []
    losses: list[Loss] = []
    for index, entry in enumerate(value if isinstance(value, list) else [value]):
        place = f"[{index + 1}]" if many else ""
        found = next(file_objects(entry), None) if not isinstance(entry, list) else None
        if found is None:
            if not is_unfilled(entry) and entry != {}:
                why = "This is no file: it holds no address."
                losses.append(use.loss("wrong-type", entry, why, place=place))
            continue
        address = found[0].address
        asset = use.uploaded_asset(address)
        if asset is None:
            losses.append(use.missing_loss(address, place))
        else:
            assets.append(asset_value(asset, _alt(found[0], found[1], use)))
    return assets, tuple(losses)


def _alt(found: Found, file_id: str, use: FieldUse) -> str:
    """Return the alt in this place; only the marker for it inherits the file's."""
    if found.alt.strip() != _INHERIT:
        return shown_alt(found.alt)
    return use.alt(found.address) or shown_alt(use.context.alts.get(file_id))


ENCODERS: Mapping[Encoding, Encode] = {
    Encoding.TEXT: _text,
    Encoding.TEXTAREA: _text,
    Encoding.MARKDOWN: _text,
    Encoding.MARKDOWN_AS_RICHTEXT: encode_markdown,
    Encoding.RICHTEXT: encode_richtext,
    Encoding.ASSET: _asset,
    Encoding.MULTIASSET: _multiasset,
    Encoding.MULTILINK: encode_link,
    Encoding.NUMBER: _number,
    Encoding.DATETIME: _datetime,
    Encoding.DATE: _date,
    Encoding.BOOLEAN: _boolean,
    Encoding.OPTION: _option,
    Encoding.OPTION_DATASOURCE: _option,
    Encoding.RELATION: _relation,
    Encoding.RELATIONS: _relation,
    Encoding.VIDEO_MULTILINK: encode_video_link,
    Encoding.VIDEO_TEXT: encode_video_text,
    Encoding.VIDEO_BLOCK: encode_video_block,
    Encoding.COLOR_TEXT: _text,
    Encoding.COLOR_PLUGIN: _color_plugin,
    Encoding.PRICE_AMOUNT: _price_amount,
    Encoding.PRICE_CURRENCY: _price_currency,
    Encoding.JSON_TEXT: _json_text,
    Encoding.BLOCKS: encode_blocks,
    Encoding.ENVELOPE: _envelope,
}


def target_ids(value: Json, *, multiple: bool) -> tuple[str, ...]:
    """Return the item ids of a reference value, in the origin's order."""
    listed = value if isinstance(value, list) else [value]
    ids = tuple(each for each in listed if isinstance(each, str) and each)
    return ids if multiple else ids[:1]


def _strays(value: Json, use: FieldUse, multiple: bool) -> tuple[Loss, ...]:
    """List the values of a reference field that are no reference."""
    left = len(target_ids(value, multiple=multiple))
    why = "This is no reference to one more item."
    losses = []
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and each and left:
            left -= 1
        elif not is_unfilled(each):
            losses.append(use.loss("wrong-type", each, why))
    return tuple(losses)


def _check_value(value: Json, use: FieldUse) -> tuple[Loss, ...]:
    check = field_type(use.design.origin_type).check
    found = check(value, use.validations)
    if not found:
        return ()
    return (use.loss("validation", value, found, Severity.MEANING),)


def _not_a(what: str, value: Json, use: FieldUse) -> Loss:
    return use.loss("wrong-type", value, f"This is no {what}, which the field takes.")
