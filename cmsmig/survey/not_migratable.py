"""What cannot be migrated, and in which items it is. Spec: import rules 8 and 9."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.mapping.propose.field_types import FIELD_TYPES
from cmsmig.origin.schema import Field
from cmsmig.survey.body_census import LOSS_OF
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.item_findings import first_of_several
from cmsmig.ui.documents.findings import Finding, loss_name, loss_todo
from cmsmig.ui.query import folded

ALWAYS: tuple[tuple[str, str, str], ...] = (
    (
        "Members and gated content",
        "User accounts have no item data to read, and a gate is no field.",
        "Put a sign-in in front of the new site's delivery API; invite members again.",
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
        "What is in fields of items comes along.",
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
"""What no site can migrate: what it is, why, and what to do about it."""

KINDS: dict[str, str] = {
    "empty-code": "Code blocks that arrived without their code",
    "empty-embed": "Embeds that arrived without their code",
    "script": "Scripts and event handlers outside of embeds",
    "form-control": "Form controls in a text",
    "image": "Pictures without an address",
    "comment": "Text hidden by a comment that never ends",
    "unclosed-embed": "Embeds that are never closed and hold the rest of their body",
    "missing-file": "Files that could not be downloaded",
    "unknown-field": "Fields of a type that the API does not document",
    "no-slug": "Items without a slug, so without a page",
}
"""Kinds of obstacles that items can have, as headings."""

BODY_LOSSES = frozenset(
    (
        "empty-code", "empty-embed", "script", "form-control", "image", "comment",
        "unclosed-embed",
    )
)  # fmt: skip
"""Kinds that are losses of bodies."""


def find_obstacles(
    catalogue: Catalogue, since: Callable[[ItemKey], str] = lambda _: ""
) -> Iterator[Finding]:
    """Yield what the site's items hold that cannot be migrated, by kind, as far as the
    bodies were scanned; `since` returns that an item is new."""
    for kind in KINDS:
        for entry, field, what, why in _FOUND.get(kind, _in_bodies)(catalogue, kind):
            yield Finding(
                kind=KINDS[kind],
                item=entry.title,
                page=catalogue.page_path(entry),
                field=field,
                what=what,
                why=why,
                todo=_ADVICE.get(kind) or loss_todo(kind, what),
                since=since(entry.key),
            )


def _in_bodies(catalogue: Catalogue, kind: str) -> Iterator[_Obstacle]:
    of = (
        f"JOIN noticed n ON n.entry = e.id WHERE e.edition IN {catalogue.ids()} "
        "AND n.finding = ? ORDER BY e.edition, e.sorted, e.id, n.field"
    )
    values = (f"{LOSS_OF}{loss_name(kind)}",)
    rows = catalogue.all(
        f"SELECT n.field, n.place, n.times, n.what, n.why FROM entry e {of}", values
    )
    entries = catalogue.entries(of, values)
    for entry, (field, place, times, what, why) in zip(entries, rows, strict=True):
        yield entry, f"{field}: {place}", first_of_several(times, what), why


def _without_slug(catalogue: Catalogue, kind: str) -> Iterator[_Obstacle]:
    why = "No address leads to it; it is imported under its id."
    where = f"WHERE edition IN {catalogue.ids()} AND slug = '' ORDER BY edition, sorted"
    for entry in catalogue.entries(where):
        yield entry, "slug", entry.name, why


def _unknown_fields(catalogue: Catalogue, kind: str) -> Iterator[_Obstacle]:
    """Yield each field of a type that the API does not document, with its first
    value."""
    for collection in catalogue.collections.values():
        for field in collection.fields:
            of = (
                "FROM entry e JOIN cell c ON c.entry = e.id WHERE e.edition IN "
                f"{catalogue.ids(collection.collection_id)} AND c.field = ?"
            )
            count, first, shown = (
                (0, 0, "")
                if field.type in FIELD_TYPES
                else catalogue.one(
                    f"SELECT count(DISTINCT e.id), min(e.id), c.shown {of}",
                    (field.slug,),
                )
            )
            if count:
                why = _why_unknown(field, count)
                yield catalogue.entry(first), field.slug, shown, why


def _why_unknown(field: Field, filled: int) -> str:
    items = counted(filled, "item")
    said = f"Filled in {items}. {field.type} is imported by the shape of its values"
    if field.type.startswith("Membership"):
        return f"{said}, but who may see what becomes an auth layer, not a field."
    return f"{said}."


def _missing_files(catalogue: Catalogue, kind: str) -> Iterator[_Obstacle]:
    of = (
        f"JOIN searched s ON s.entry = e.id WHERE e.edition IN {catalogue.ids()} "
        "AND instr(s.text, ?) ORDER BY e.edition, e.sorted, e.id"
    )
    for address, row in catalogue.files.rows().items():
        if row.error:
            values = (folded(address),)
            fields = catalogue.all(f"SELECT s.field FROM entry e {of}", values)
            entries = catalogue.entries(of, values)
            for entry, (field,) in zip(entries, fields, strict=True):
                yield entry, field, address, row.detail or row.error


_Obstacle: TypeAlias = tuple[Entry, str, str, str]
"""An item, where in it, what, and why it stays behind."""
_FOUND: Mapping[str, Callable[[Catalogue, str], Iterator[_Obstacle]]] = {
    "missing-file": _missing_files,
    "unknown-field": _unknown_fields,
    "no-slug": _without_slug,
}
"""What finds a kind; all others are losses of bodies."""
_ADVICE: Mapping[str, str] = {
    "unknown-field": "Look at it in notebook 02.",
    "no-slug": "Give it a slug at the origin, if it is to have a page.",
}
