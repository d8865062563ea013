"""The variants of a shop's products, in words. Source: origin, ecommerce."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.item_key import ItemKey
from cmsmig.origin.schema import Collection, Field, Item

VALUES = "SkuValues"
"""The type of a variant's field that has its options, by the id of the property."""
_PROPERTIES = "SkuSettings"
"""The type of a product's field that names properties and options."""
_ANY = ""
"""In the place of a locale: the item in any."""


def variant_texts(
    items: Iterable[Item],
    collections: Iterable[Collection],
    every: Mapping[ItemKey, Item],
) -> dict[str, str]:
    """Return what the variants among `items` are by `variant_key`, such as "Size:
    Small; Color: Royal Blue".

    The names are those of their products, which are among `every`: in the variant's
    language, else in another. A variant with an option without a name is left out.
    """
    schemas = {each.collection_id: each for each in collections}
    known = {
        (key.collection_id, key.item_id, locale): item
        for key, item in every.items()
        for locale in (key.locale_id, _ANY)
    }
    found: dict[str, str] = {}
    for item in items:
        schema = schemas[item.key.collection_id]
        field = _of_type(schema, VALUES)
        chosen = item.data.get(field.slug) if field else None
        if isinstance(chosen, dict):
            properties = _properties(item, schema, schemas, known)
            wanted: JsonObject = {key: each for key, each in chosen.items() if each}
            found[variant_key(item)] = _in_words(wanted, properties)
    return {key: text for key, text in found.items() if text}


def variant_key(item: Item) -> str:
    """Return what tells an item with its values from all others."""
    return f"{item.key} {item.data_hash}"


def _of_type(schema: Collection, kind: str) -> Field | None:
    return next((each for each in schema.fields if each.type == kind), None)


def _properties(
    item: Item,
    schema: Collection,
    schemas: Mapping[str, Collection],
    known: Mapping[tuple[str, str, str], Item],
) -> Iterable[Json]:
    """Return the properties of the product that a variant refers to."""
    for reference in schema.fields:
        target = schemas.get(reference.target_collection)
        field = _of_type(target, _PROPERTIES) if target else None
        if target is None or field is None:
            continue
        place = (target.collection_id, text_of(item.data.get(reference.slug)))
        locales = (item.key.locale_id, _ANY)
        found = (known[*place, each] for each in locales if (*place, each) in known)
        product = next(found, None)
        properties = product.data.get(field.slug) if product else None
        if isinstance(properties, list):
            return properties
    return ()


def _in_words(chosen: JsonObject, properties: Iterable[Json]) -> str:
    """Return the chosen options in the product's order; empty where a name lacks."""
    words: list[str] = []
    for each in properties:
        if not isinstance(each, dict) or each.get("id") not in chosen:
            continue
        option = chosen[text_of(each["id"])]
        listed = each.get("enum")
        names = [
            text_of(one.get("name"))
            for one in (listed if isinstance(listed, list) else ())
            if isinstance(one, dict) and one.get("id") == option
        ]
        if names and names[0] and text_of(each.get("name")):
            words.append(f"{text_of(each.get('name'))}: {names[0]}")
    return "; ".join(words) if len(words) == len(chosen) else ""
