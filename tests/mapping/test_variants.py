"""Variants of a shop's products, in words."""

from __future__ import annotations

from typing import Any

import pytest

from cmsmig.mapping.select.variants import variant_texts
from cmsmig.origin.schema import Collection, Item, parse_collection, parse_item

PROPERTIES = [
    {"id": "c", "name": "Color", "enum": [{"id": "r", "name": "Royal Blue"}]},
    {"id": "z", "name": "Size", "enum": [{"id": "s", "name": "Small"}]},
]


def _collection(slug: str, **fields: str) -> Collection:
    made = [
        {
            "id": name,
            "slug": name.replace("_", "-"),
            "type": kind,
            "displayName": name,
            "isRequired": False,
            "helpText": None,
            "validations": {"collectionId": "product"} if name == "product" else None,
        }
        for name, kind in fields.items()
    ]
    named = {"id": slug, "slug": slug, "displayName": slug, "singularName": slug}
    return parse_collection({**named, "fields": made}, slug)


def _item(collection: str, locale: str, **data: Any) -> Item:
    values = {name.replace("_", "-"): value for name, value in data.items()}
    item = {
        "id": f"one-{collection}",
        "cmsLocaleId": locale,
        "isArchived": False,
        "isDraft": False,
        "fieldData": {"name": "One", "slug": "one", **values},
    }
    return parse_item(item, collection, "test")


@pytest.mark.parametrize(
    ("chosen", "locale", "text"),
    [
        ({"z": "s", "c": "r"}, "en", "Color: Royal Blue; Size: Small"),
        ({"z": "s", "c": None}, "en", "Size: Small"),
        ({"z": "s", "c": ""}, "en", "Size: Small"),
        ({"z": "s", "c": "r"}, "fr", "Color: Royal Blue; Size: Small"),
        ({"z": "s", "c": "gone"}, "en", None),
        ({"z": "s", "gone": "r"}, "en", None),
        ({}, "en", None),
    ],
)
def test_a_variant_is_in_the_words_of_its_product(
    chosen: dict[str, Any], locale: str, text: str | None
) -> None:
    """Also where nothing is chosen of a property, or the product is in the primary
    language alone. One whose option has no name is left to its JSON text."""
    collections = [
        _collection("product", sku_properties="SkuSettings"),
        _collection("sku", sku_values="SkuValues", product="Reference"),
    ]
    product = _item("product", "en", sku_properties=PROPERTIES)
    sku = _item("sku", locale, sku_values=chosen, product="one-product")
    every = {each.key: each for each in (product, sku)}
    found = variant_texts([sku], collections, every)
    assert [*found.values()] == [text] * (text is not None)
