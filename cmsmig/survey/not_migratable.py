"""What cannot be migrated, and in which items it is. Spec: import rules 8 and 9."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.counting import counted
from cmsmig.origin.schema import Field, Item
from cmsmig.richtext.engine import Lenient
from cmsmig.richtext.native import NativeEngine
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.census import rich_bodies

ALWAYS: tuple[tuple[str, str, str], ...] = (
    (
        "Members and gated content",
        "User accounts have no item data to read, and a gate is no field.",
        "Put a sign-in in front of the new site's delivery API; invite members anew.",
    ),
    (
        "Forms and their submissions",
        "A form is part of a page's layout, and what people sent is no item.",
        "Export the submissions in the origin before it is closed; build the forms in "
        "the new site, or use a form service.",
    ),
    (
        "Orders, checkout, stock and tax of a shop",
        "Products, variants and categories are items and come along; the rest is not "
        "content. A price becomes a number and a currency.",
        "Export the orders before the origin is closed; connect a shop service.",
    ),
    (
        "Site search",
        "The origin makes its index from pages, and no index is to be had.",
        "Add a search to the new site; it can read the destination's delivery API.",
    ),
    (
        "Titles, descriptions and social pictures of collection templates",
        "They are patterns in the designer, such as the name and the site's title. "
        "What stands in fields of items comes along.",
        "Write the patterns down, and build them into the new site's templates.",
    ),
    (
        "Custom code of the site and its pages",
        "Head and body code, scripts and style sheets are in the site's settings and "
        "in the designer, not in items.",
        "Go through it: what is still wanted, such as analytics or consent, goes into "
        "the new site's code.",
    ),
    (
        "Static pages, collection templates, styles and interactions",
        "They are no items. The code export does not help: it leaves out items, "
        "collection lists, shop, forms, search, passwords and other languages.",
        "Build them in the new site. Notebook 07 lists the links that lead to them.",
    ),
    (
        "Pictures that differ by language outside of items",
        "A picture in an item's field comes along in each language that the item has; "
        "those of static pages and templates do not.",
        "Save them from each language's pages, and build them into the new site.",
    ),
    (
        "Passwords of protected pages",
        "The API tells nothing of them.",
        "Protect the pages in the new site, before the switch.",
    ),
    (
        "Code blocks and embeds that the API delivers empty",
        "For some of them the API sends the frame without its code.",
        "They are listed below; copy their code by hand.",
    ),
    (
        "What a CSV export holds",
        "Nothing is read from CSV: it has no field types, no reference ids, no "
        "alternative texts and no states.",
        "Nothing: all of it comes from the read API instead.",
    ),
)
"""What no site can take along: what it is, why, and what to do about it."""

KINDS: dict[str, str] = {
    "empty-code": "Code blocks that arrived without their code",
    "empty-embed": "Embeds that arrived without their code",
    "script": "Scripts, style sheets and event handlers outside of embeds",
    "form-control": "Form controls in a text",
    "image": "Pictures without an address",
    "comment": "Text hidden by a comment that never ends",
    "unclosed-embed": "Embeds that are never closed and hold the rest of their body",
    "missing-file": "Files that could not be downloaded",
    "unknown-field": "Fields of a type that the API does not document",
    "no-slug": "Items without a slug, so without a page",
}
"""Kinds of obstacles that items can have, as headings."""

_NOTHING: tuple[object, ...] = (None, "", [], {})
_WORDS = 80
BODY_LOSSES = frozenset(
    (
        "empty-code", "empty-embed", "script", "form-control", "image", "comment",
        "unclosed-embed",
    )
)  # fmt: skip
"""Kinds that are losses of bodies."""
_KNOWN_TYPES = frozenset(
    (
        "PlainText", "RichText", "Number", "DateTime", "Switch", "Color", "Link",
        "Email", "Phone", "Option", "Image", "MultiImage", "File", "Reference",
        "MultiReference", "VideoLink",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing in one item that a person has to see to."""

    kind: str
    """A key of `KINDS`."""
    item: Item
    where: str
    """The field's slug and the place in it."""
    context: str
    """Some text around it, or the address."""
    why: str


def find_obstacles(origin: Origin) -> tuple[Obstacle, ...]:
    """Return what the site's items hold that cannot be migrated. Reads only."""
    order = list(KINDS)
    found = [*_in_bodies(origin), *_fields(origin), *_files(origin)]
    return tuple(sorted(found, key=lambda each: order.index(each.kind)))


def _in_bodies(origin: Origin) -> Iterator[Obstacle]:
    engine = Lenient(NativeEngine())
    for item, name, body in rich_bodies(origin):
        for loss in engine.from_html(body).losses:
            if loss.kind in BODY_LOSSES:
                where = f"{name}: {loss.where}"
                near = loss.what if loss.kind == "script" else loss.context
                yield Obstacle(
                    loss.kind, item, where, _short(near or loss.what), loss.why
                )


def _fields(origin: Origin) -> Iterator[Obstacle]:
    items = list(origin.every_item().values())
    for item in items:
        if not item.slug:
            why = "No address leads to it; it is imported under its id."
            yield Obstacle("no-slug", item, "slug", item.name, why)
    for collection in origin.collections:
        own = [
            item for item in items if item.key.collection_id == collection.collection_id
        ]
        for field in collection.fields:
            if field.type in _KNOWN_TYPES:
                continue
            filled = [item for item in own if item.data.get(field.slug) not in _NOTHING]
            if filled:
                near = _short(str(filled[0].data[field.slug]))
                why = _why_unknown(field, len(filled))
                yield Obstacle("unknown-field", filled[0], field.slug, near, why)


def _why_unknown(field: Field, filled: int) -> str:
    items = counted(filled, "item")
    told = f"Filled in {items}. {field.type} is imported by the shape of its values"
    if field.type.startswith("Membership"):
        return f"{told}, but who may see what becomes an auth layer, not a field."
    return f"{told}; look at it in notebook 02."


def _short(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"


def _files(origin: Origin) -> Iterator[Obstacle]:
    failed = {address: row for address, row in origin.files.items() if row.error}
    if not failed:
        return
    for item in origin.every_item().values():
        for name, value in item.data.items():
            held = str(value)
            for address, row in failed.items():
                if address in held:
                    why = row.detail or row.error
                    yield Obstacle("missing-file", item, name, address, why)
