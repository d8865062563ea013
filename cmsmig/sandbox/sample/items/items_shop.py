"""The shop: products, their stock-keeping units, categories."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.sample.bodies import bodies_embeds
from cmsmig.sandbox.sample.bodies.markup import bullets, paragraphs
from cmsmig.sandbox.sample.bodies.prose_en import BREWING, TABLE
from cmsmig.sandbox.sample.identity import asset, long_id, option_id, ref, refs
from cmsmig.sandbox.sample.records import Entry, State

_GOODS = option_id("product", "ec-product-type", "goods")
_SIZE = long_id("sku-property:size")


def _sizes(*names: str) -> list[Json]:
    """Return the options that a product's variants differ in."""
    sizes: list[Json] = [
        {"id": long_id(f"size:{name}"), "name": name, "slug": name.lower()}
        for name in names
    ]
    return [{"id": _SIZE, "name": "Size", "enum": sizes}]


def _product(name: str, slug: str, text: str, **more: Json) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "description": text,
        "shippable": True,
        "tax-category": "standard-taxable",
        "ec-product-type": _GOODS,
        "default-sku": ref("sku", slug),
        # The service sends keys that no field of the schema has.
        "sku-billing-method": "one-time",
        "track-inventory": {"enabled": True, "type": "finite"},
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


PRODUCT_ENTRIES = (
    Entry(
        "estuary-map",
        _product(
            "Map of the estuary",
            "estuary-map",
            paragraphs("Two colours, <strong>one</strong> tide. Folded or rolled.")
            + bullets("59 × 84 cm", "Printed on rag"),
            sku_properties=_sizes("Folded", "Rolled"),
            category=refs("category", "paper", "gifts"),
            goes_with=refs("product", "marsh-salt", "estuary-map", "back-issues"),
            made_by=ref("authors", "ines-carrow"),
            small_print="Not to be used for navigation.\nOr for lunch.",
        ),
        french={
            "name": "Carte de l’estuaire",
            "slug": "carte-de-l-estuaire",
            "description": "<p>Deux couleurs, une marée.</p>",
        },
    ),
    Entry(
        "marsh-salt",
        _product(
            "Marsh salt, smoked",
            "marsh-salt",
            paragraphs(BREWING[3]),
            sku_properties=_sizes("Small", "Large"),
            category=refs("category", "larder"),
        ),
        french={
            "name": "Sel fumé",
            "slug": "sel-fume",
            "description": "<p>Fumé à la bruyère.</p>",
        },
    ),
    Entry(
        "back-issues",
        _product(
            "Back issues, the lot",
            "back-issues",
            bodies_embeds.TABLES,
            category=refs("category", "paper"),
            sku_properties=[],
        ),
    ),
    Entry(
        "subscription",
        _product(
            "A year of post",
            "subscription",
            paragraphs("Four issues, four Tuesdays."),
            shippable=False,
            category=refs("category", "paper", "gifts"),
        ),
        french={
            "name": "Un an de courrier",
            "slug": "abonnement",
            "description": "<p>Quatre numéros.</p>",
        },
    ),
    Entry(
        "plum-jam",
        _product("Plum jam", "plum-jam", paragraphs(TABLE[4])),
        State.CHANGED,
        earlier={"name": "Plum jam (2023)", "category": refs("category", "larder")},
    ),
    Entry("reed-bundle", _product("A bundle of reed", "reed-bundle", "")),
    Entry(
        "tea-towel",
        _product("Tea towel, 1788 cow", "tea-towel", "<p>With concern.</p>"),
        State.ARCHIVED,
    ),
    Entry(
        "penguin-badge",
        {"name": "Penguin badge", "slug": "penguin-badge", "ec-product-type": _GOODS},
        State.DRAFT,
    ),
)


def _sku(
    name: str, slug: str, product: str, cents: int, size: str = "", **more: Json
) -> JsonObject:
    data: JsonObject = {
        "name": name,
        "slug": slug,
        "price": {"value": cents, "unit": "EUR"},
        "product": ref("product", product),
        "sku": slug.upper(),
        "sku-values": {_SIZE: long_id(f"size:{size}")} if size else {},
    }
    data.update({key.replace("_", "-"): value for key, value in more.items()})
    return data


SKU_ENTRIES = (
    Entry(
        "estuary-map",
        _sku(
            "Map of the estuary, folded",
            "estuary-map",
            "estuary-map",
            1850,
            "Folded",
            compare_at_price={"value": 2200, "unit": "EUR"},
            main_image=asset("estuary-map.jpg", "The map, unfolded"),
            more_images=[asset("estuary-map-back.jpg", None), asset("quay.jpg")],
            download_files=[asset("route-map.pdf")],
            weight=0.12,
            quantity=240,
        ),
        french={"name": "Carte de l’estuaire, pliée", "slug": "carte-pliee"},
    ),
    Entry(
        "estuary-map-rolled",
        _sku("Map, rolled", "estuary-map-rolled", "estuary-map", 2400, "Rolled"),
        french={"name": "Carte, roulée", "slug": "carte-roulee"},
    ),
    Entry(
        "marsh-salt",
        _sku("Marsh salt, 80 g", "marsh-salt", "marsh-salt", 650, "Small", quantity=0),
    ),
    Entry(
        "marsh-salt-large",
        _sku("Marsh salt, 250 g", "marsh-salt-large", "marsh-salt", 1490, "Large"),
    ),
    Entry("back-issues", _sku("Back issues", "back-issues", "back-issues", 24000)),
    Entry("subscription", _sku("A year of post", "subscription", "subscription", 4000)),
    Entry(
        "plum-jam",
        _sku("Plum jam", "plum-jam", "plum-jam", 720, main_image=asset("plum.jpg")),
    ),
    Entry(
        "reed-bundle",
        _sku(
            "A bundle of reed", "reed-bundle", "reed-bundle", 900, compare_at_price=None
        ),
    ),
    Entry(
        "tea-towel",
        _sku("Tea towel", "tea-towel", "tea-towel", 1500),
        State.ARCHIVED,
    ),
    Entry("lost-parcel", _sku("Lost parcel", "lost-parcel", "no-such-product", 1)),
)

CATEGORY_ENTRIES = (
    Entry(
        "paper",
        {
            "name": "Paper",
            "slug": "paper",
            "products": refs("product", "estuary-map", "back-issues", "subscription"),
            "blurb": "Flat things.",
            "sort-order": 1,
        },
        french={"name": "Papier", "slug": "papier", "blurb": "Choses plates."},
    ),
    Entry(
        "larder",
        {
            "name": "Larder",
            "slug": "larder",
            "products": refs("product", "marsh-salt", "plum-jam", "tea-towel"),
            "sort-order": 2,
        },
        french={"name": "Épicerie", "slug": "epicerie"},
    ),
    Entry("gifts", {"name": "Gifts", "slug": "gifts", "products": [], "sort-order": 3}),
)
