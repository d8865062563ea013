"""One item to one draft: a pure function of item, design and context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from cmsmig.canonical import Json, JsonObject, compact, fingerprint, packed
from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.mapping.compare.content_equality import comparable, same
from cmsmig.mapping.convert.content_shape import is_empty_for_editors, shape_of
from cmsmig.mapping.convert.field_context import (
    Encoded,
    FieldUse,
    as_text,
    is_unfilled,
    loss_of,
)
from cmsmig.mapping.convert.field_values import encode, target_ids
from cmsmig.mapping.convert.item_draft import ItemDraft, Marks, recording
from cmsmig.mapping.convert.linking import link_uses
from cmsmig.mapping.dates import calendar_day, iso_text, parse_moment, utc_day
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.mapping.draft import DraftContext, FieldLoss, Place, RelationUse
from cmsmig.mapping.select.translations import EmptyShown, own_key
from cmsmig.mapping.select.variants import VALUES, variant_key
from cmsmig.mapping.uids import block_uid, story_uid
from cmsmig.origin.schema import HeldData, Item
from cmsmig.richtext.losses import Severity, losses_by_severity
from cmsmig.richtext.schema.validate import wrong_document

_NO_FIELDS = ("component", "_uid")
_RELATIONS = frozenset((Encoding.RELATION, Encoding.RELATIONS))


def draft_item(
    item: Item, content_type: ContentTypeDesign, made_of: str, context: DraftContext
) -> ItemDraft | str:
    """Return what an item becomes, or why there is no story, for an editor.

    `made_of` is the fingerprint of everything that it is made of. An item that goes
    wrong fails alone.
    """
    try:
        held = replace(item, source=HeldData(item.data))
        draft, content = _draft(held, content_type, made_of, context)
        wrong = wrong_document(content)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    if wrong:
        return (
            f"No story could be made of {item.name or item.key.item_id} ({wrong}); "
            "report this with the item's raw record."
        )
    return draft


def _draft(
    item: Item, content_type: ContentTypeDesign, made_of: str, context: DraftContext
) -> tuple[ItemDraft, JsonObject]:
    """Return a draft and its content, which holds marks for files."""
    marks = Marks(made_of)
    recorded, lookups = recording(context, marks)
    content, losses = _convert(item, content_type, recorded)
    # Losses name files as an editor knows them, by the origin's addresses.
    kept_losses: list[Json] = [
        [each.field, *map(marks.origin_text, map(str, each.loss.as_json().values()))]
        for each in losses
    ]
    published, day = _dates(item, content_type, context)
    relations = tuple(_relation_uses(item, content_type))
    links, mentions = link_uses(content)
    single = (each.field for each in relations if not each.multiple)
    body = compact({"content": content, "losses": kept_losses})
    draft = ItemDraft(
        made_of=made_of,
        key=item.key,
        name=item.name,
        names=tuple((each.code, each.name) for each in item.languages),
        first_published_at=published,
        sort_by_date=day,
        relations=relations,
        links=links,
        mentions=mentions,
        lookups=lookups,
        slots=marks.slots(content),
        shape=shape_of(content, single),
        size=len(compact(content)),
        losses=losses_by_severity(each.loss for each in losses),
        losses_print=fingerprint(kept_losses) if kept_losses else "",
        fingerprint="",
        body=packed(body),
    )
    return replace(draft, fingerprint=draft.fingerprint_of(body)), content


def _convert(
    item: Item, content_type: ContentTypeDesign, context: DraftContext
) -> tuple[JsonObject, list[FieldLoss]]:
    """Return the content of the story an item becomes, relations empty, links not yet
    internal, and what is lost.

    The keys of the content are `component`, `_uid`, then the fields in the design's
    order. Whatever the item's values are, nothing raises: what does not fit is a loss.
    """
    content: JsonObject = {
        "component": content_type.component,
        "_uid": story_uid(context.namespace, item.key),
    }
    losses: list[FieldLoss] = []
    for design in content_type.fields:
        if design.translates and design.origin not in item.data:
            continue
        encoded = encode(
            _value(item, design, context), _use(item, content_type, design, context)
        )
        losses += [FieldLoss(design.origin, loss) for loss in encoded.losses]
        if design.translates:
            losses += _translate(content, item, design, encoded)
        elif encoded.present:
            content[design.key] = encoded.value
    for section in content_type.sections:
        if section.component:
            _nest(content, section, item, context)
    losses += [*_find_unmapped(item, content_type), *_find_odd_characters(item)]
    return content, losses


def _nest(
    content: JsonObject, section: SectionDesign, item: Item, context: DraftContext
) -> None:
    """Put a section's fields into the one block of its component; none where all of
    them are blank."""
    keys = [key for key in content if own_key(key) in section.fields]
    inside = {key: content.pop(key) for key in keys}
    block: JsonObject = {
        "component": section.component,
        "_uid": block_uid(context.namespace, item.key, section.key),
        **inside,
    }
    is_filled = any(not is_empty_for_editors(value) for value in inside.values())
    content[section.key] = [block] if is_filled else []


def _translate(
    content: JsonObject, item: Item, design: FieldDesign, encoded: Encoded
) -> Iterator[FieldLoss]:
    """Add a translation to its field, unless visitors get the same without it;
    yield the loss of an empty one, where they get the field's own value instead."""
    # A switch that was never filled is off, also where the primary language's is on.
    value = encoded.value if encoded.present else False
    own, other = content.get(design.translates), value
    if design.encoding in _RELATIONS:
        # They are filled later, so the origin's values are compared.
        own = [*target_ids(item.data.get(own_key(design.origin)), multiple=True)]
        other = [*target_ids(item.data.get(design.origin), multiple=True)]
    if same(own, other):
        return
    if isinstance(value, bool):
        # A service may look for translations of the fields that are there.
        content.setdefault(design.translates, False)
    content[design.key] = value
    if not EmptyShown.OBJECTS.is_shown(other) and _shows_something(own):
        # Source: destination, content rules: the field's own value is shown then.
        why = (
            f"{design.display_name} is empty here; visitors of this language get the "
            "value of the primary language instead."
        )
        at = design.origin
        loss = loss_of("empty-translation", "", why, at, Severity.MEANING)
        yield FieldLoss(at, loss)


def _shows_something(value: Json) -> bool:
    """Return whether visitors see anything of a value; a block without content shows
    nothing."""
    if isinstance(value, list):
        return any(map(_shows_something, value))
    if isinstance(value, dict) and "component" in value:
        fields = (each for key, each in value.items() if key not in _NO_FIELDS)
        return any(map(_shows_something, fields))
    return comparable(value) is not None


def translations_of(
    place: Place, names: Iterable[tuple[str, str]]
) -> dict[str, JsonObject]:
    """Return the slug and the name of a story in other languages, by their code."""
    called = dict(names)
    return {
        code: {"lang": code, "slug": slug, "name": called[code].strip() or slug}
        for code, slug in place.slugs
        if code in called
    }


def _use(
    item: Item,
    content_type: ContentTypeDesign,
    design: FieldDesign,
    context: DraftContext,
) -> FieldUse:
    collection = context.collections.get(content_type.collection_id)
    field = collection.field(design.origin) if collection else None
    return FieldUse(design, field.validations if field else {}, item.key, context)


def _value(item: Item, design: FieldDesign, context: DraftContext) -> Json:
    if design.encoding is Encoding.ENVELOPE:
        return _envelope(item).get(design.origin)
    value = item.data.get(design.origin)
    if design.origin_type == VALUES and design.encoding is not Encoding.JSON_TEXT:
        return context.variants.get(variant_key(item), value)
    return value


def _envelope(item: Item) -> JsonObject:
    return {
        "id": item.key.item_id,
        "cmsLocaleId": item.key.locale_id,
        "createdOn": item.created_on,
        "lastUpdated": item.last_updated,
        "lastPublished": item.last_published,
        "isDraft": item.draft,
        "isArchived": item.archived,
    }


def _relation_uses(
    item: Item, content_type: ContentTypeDesign
) -> Iterator[RelationUse]:
    for design in content_type.fields:
        if design.encoding not in _RELATIONS:
            continue
        multiple = design.encoding is Encoding.RELATIONS
        ids = target_ids(item.data.get(design.origin), multiple=multiple)
        if ids:
            yield RelationUse(
                field=design.key,
                origin_field=design.origin,
                multiple=multiple,
                targets=tuple(
                    ItemKey(design.target_collection, each, item.key.locale_id)
                    for each in ids
                ),
            )


def _find_unmapped(item: Item, content_type: ContentTypeDesign) -> Iterator[FieldLoss]:
    """List the values under keys that no destination field takes.

    `name` and `slug` are the story's own. A switch that is off says nothing:
    the service returns false for one that was never touched.
    """
    taken = {
        design.origin
        for design in content_type.fields
        if design.encoding is not Encoding.ENVELOPE
    }
    taken |= {name for name in ("name", "slug") if isinstance(item.data.get(name), str)}
    left_out = {field.origin: field.note for field in content_type.left_out}
    for slug in sorted(item.data.keys() - taken):
        value = item.data[slug]
        if is_unfilled(value) or value is False or value in ([], {}):
            continue
        own = own_key(slug)
        if own in left_out:
            why = left_out[own] or "It was decided to leave this field out."
            loss = loss_of("left-out-field", value, why, slug, Severity.MEANING)
        else:
            why = "No field of the design takes this value."
            loss = loss_of("unmapped-field", value, why, slug)
        yield FieldLoss(slug, loss)


def _find_odd_characters(item: Item) -> Iterator[FieldLoss]:
    """List the characters of an item that no text may hold, once."""
    if item.odd_characters:
        fields = [
            slug for slug, value in item.data.items() if "\ufffd" in as_text(value)
        ]
        what = counted(item.odd_characters, "character")
        why = (
            "Half of a character, usually of an emoji, shows as �; U+0000 is left out."
        )
        where = ", ".join(fields)
        yield FieldLoss(
            "", loss_of("odd-character", what, why, where, Severity.MEANING)
        )


def _dates(
    item: Item, content_type: ContentTypeDesign, context: DraftContext
) -> tuple[str, str]:
    """Return `first_published_at` and `sort_by_date`, or two empty texts.

    From the design's date field where the item fills it, else `createdOn`.
    """
    chosen = content_type.date_field
    moment = parse_moment(item.data.get(chosen)) if chosen else None
    fields = content_type.fields
    days = {each.origin for each in fields if each.encoding is Encoding.DATE}
    if moment is not None and chosen in days:
        day = calendar_day(moment, context.site.time_zone)
        return f"{day}T00:00:00.000Z", day
    moment = moment or parse_moment(item.created_on)
    return (iso_text(moment), utc_day(moment)) if moment else ("", "")
