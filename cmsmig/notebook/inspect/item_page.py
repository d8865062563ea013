"""One item as a page: its fields, both versions, what it refers to and what to it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

from markupsafe import Markup

from cmsmig.canonical import JsonObject, text_of
from cmsmig.counting import counted
from cmsmig.evidence.old_addresses import site_address
from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import connect, translated
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.select.reference_targets import explained
from cmsmig.notebook.inspect.item_values import (
    Opener,
    ValueContext,
    moment_text,
    value_html,
    words_html,
)
from cmsmig.origin.files import FileRow
from cmsmig.origin.schema import Collection, Field
from cmsmig.richtext.plain_text import html_text
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.item_cells import STATES
from cmsmig.survey.references import (
    empty_causes,
    find_target,
    item_names,
    other_locales,
    referring,
)
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.controls import Copied
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import (
    NOTHING,
    code,
    escape,
    joined,
    preview,
    site_link,
)
from cmsmig.ui.view import View

_STATES = {
    "created": "Its story is in the space",
    "reused": "Its story was in the space before",
    "selected": "It is planned, and has no story yet",
    "skipped": "It was left out",
    "failed": "It failed",
}
"""States of an item's story in words."""
_HEIGHT = 320
_POINTING = 20
"""Items that refer to one, which its page lists."""
_BODY = 60_000
"""Characters of a body's HTML that are shown as text."""
_made = partial(fragment, "notebook/inspect/item_page.html")


def item_page(
    view: View,
    catalogue: Catalogue,
    entry: Entry,
    files: Mapping[str, FileRow],
    thumbnails: Thumbnails,
) -> Markup:
    """Return the page of an item; `view` has the actions that open others."""
    context = ValueContext(
        catalogue.site.time_zone,
        files,
        thumbnails.kept,
        empty_causes(catalogue, entry),
        _opener(view, catalogue, entry.key.locale_id),
    )
    collection = catalogue.collection(entry)
    versions = _versions(entry)
    return _made(
        "page",
        about=_about(catalogue, entry, collection),
        values=_values(collection, versions, context),
        bodies=list(_bodies(collection, versions)),
        around=_around(view, catalogue, entry),
    )


def _versions(entry: Entry) -> dict[str, JsonObject]:
    """Return the values of an item, twice where editors and visitors see others."""
    staged, live = entry.staged, entry.live
    if staged is not None and live is not None and entry.differs:
        return {
            "Visitors see (live)": live.read(),
            "Editors see (staged)": staged.read(),
        }
    return {"Value": entry.read()}


def _opener(view: View, catalogue: Catalogue, locale_id: str) -> Opener:
    """Return what opens the items that an item refers to, each with its own id."""
    numbers = count(1)

    def opener(item_id: str, cause: str) -> Markup:
        other = find_target(catalogue, item_id, locale_id)
        if other is None:
            name = item_names(catalogue, (item_id,))[item_id]
            return escape(f"{name} — {explained(cause)}" if cause else name)
        where = catalogue.collection(other).display_name
        why = f" — stays empty: {explained(cause)}" if cause else ""
        button = _open_button(view, other, f"to-{next(numbers)}")
        return joined((button, escape(f" ({where}, {other.slug}){why}")))

    return opener


def _open_button(view: View, entry: Entry, row: str, label: str = "") -> Markup:
    """Return the button that opens an item; `row` makes its id."""
    return view.act(
        "open",
        label or entry.title,
        value=str(entry.entry_id),
        row=row,
        about=f"Open {entry.title}",
        plain=True,
    )


def _about(catalogue: Catalogue, entry: Entry, collection: Collection) -> Markup:
    zone = catalogue.site.time_zone
    page, item_id = catalogue.page_path(entry), entry.key.item_id
    site = site_address(catalogue.site)
    tag = catalogue.locale_tag(entry)
    copied = Copied(item_id, f"Copy the id: {item_id}")
    rows: list[tuple[str, Markup | str]] = [
        ("Collection", collection.display_name),
        ("Slug", code(entry.slug) if entry.slug else "none"),
        *([("Locale", tag)] if tag else []),
        ("State", STATES[entry.state]),
        ("Changed", moment_text(entry.updated, zone) or "not known"),
        ("Published", moment_text(entry.published, zone) or "never"),
        ("Created", moment_text(entry.created, zone) or "not known"),
        ("Page", site_link(site, page) if entry.live else f"{page} (not live)"),
        ("Story", _story(catalogue, entry)),
        ("Id", joined((code(item_id), escape(" "), copied.button()))),
    ]
    return _made("facts", rows=rows)


def _story(catalogue: Catalogue, entry: Entry) -> str:
    if imported := _imported(catalogue.project.ledger, entry.key):
        return imported
    if entry.left_out:
        return f"None: {entry.left_out}"
    if entry.path:
        return f"Will be at {entry.path}; nothing was imported yet."
    return "Its path is known once the content types are designed (notebook 02)."


def _imported(ledger: Path, key: ItemKey) -> str:
    """Return the state of an item's story in words; empty before the first plan.

    Raises `LedgerError` when the ledger is damaged.
    """
    if not ledger.is_file():
        return ""
    with closing(connect(ledger, durable=False)) as db, translated(ledger):
        row = db.execute(
            "SELECT full_slug, status, explanation, published, story_id FROM items"
            " WHERE (collection_id, item_id, locale_id) = (?, ?, ?)",
            (key.collection_id, key.item_id, key.locale_id),
        ).fetchone()
    if row is None:
        return ""
    path, status, why, published, story = row
    state = _STATES.get(status, status)
    if story is not None:
        public = "published" if published else "not published"
        state += f" ({story}) at {path}, {public}"
    return f"{state}: {why}" if why else f"{state}."


def _values(
    collection: Collection, versions: Mapping[str, JsonObject], context: ValueContext
) -> Markup:
    rows, empty = [], []
    for field in _fields(collection, versions):
        values = [data.get(field.slug) for data in versions.values()]
        if all(map(is_blank, values)):
            empty.append(field.display_name)
            continue
        if field.type == "RichText":
            continue
        differs = len(values) > 1 and values[0] != values[1]
        shown = values if differs else values[-1:]
        cells = [value_html(field, each, context) for each in shown]
        is_text = field.type in ("PlainText", "Phone")
        if differs and is_text and all(isinstance(each, str) for each in values):
            cells[1] = words_html(str(values[0]), str(values[1])) or cells[1]
        rows.append((field.display_name, field.type, differs, cells))
    return _made(
        "values", heads=("Field", *versions), fields=rows, empty=", ".join(empty)
    )


def _fields(
    collection: Collection, versions: Mapping[str, JsonObject]
) -> tuple[Field, ...]:
    """Return the fields of a collection, then those that only the item has."""
    known = {each.slug for each in collection.fields}
    others = dict.fromkeys(
        slug for data in versions.values() for slug in data if slug not in known
    )
    extra = tuple(
        Field(slug, slug, slug, "not in the schema", False, "", {}) for slug in others
    )
    return (*collection.fields, *extra)


def _bodies(collection: Collection, versions: Mapping[str, JsonObject]) -> list[Markup]:
    return [
        _body(field, versions)
        for field in collection.fields
        if field.type == "RichText"
        and any(not is_blank(data.get(field.slug)) for data in versions.values())
    ]


def _body(field: Field, versions: Mapping[str, JsonObject]) -> Markup:
    texts = {about: text_of(data.get(field.slug)) for about, data in versions.items()}
    listed = list(texts.values())
    differs = len(set(listed)) > 1
    shown = list(texts.items())[0 if differs else -1 :]
    changes = (
        words_html(html_text(listed[0]), html_text(listed[1])) if differs else NOTHING
    )
    return _made(
        "body",
        name=field.display_name,
        differs=differs,
        versions=[
            (
                about,
                preview(text, title=f"{field.display_name}, {about}", height=_HEIGHT),
                text if len(text) <= _BODY else f"{text[:_BODY]}…",
            )
            for about, text in shown
        ],
        changes=changes,
    )


def _around(view: View, catalogue: Catalogue, entry: Entry) -> list[Markup]:
    items, found = referring(catalogue, entry, _POINTING)
    parts = []
    if items:
        title = f"Referred to by {counted(items, 'item')}"
        listed = []
        for number, (other, slug) in enumerate(found):
            collection = catalogue.collection(other)
            field = collection.field(slug)
            name = field.display_name if field else slug
            about = f" ({collection.display_name}, {other.slug}; field {name})"
            button = _open_button(view, other, f"from-{number}")
            listed.append(joined((button, escape(about))))
        every = view.act(
            "pointing",
            value=entry.key.item_id,
            about=f"List the items that refer to {entry.title}",
        )
        parts.append(_made("around", title=title, parts=listed, after=every))
    locales = []
    for each in other_locales(catalogue, entry):
        label = f"{each.title} ({catalogue.locale_tag(each) or 'without a locale'})"
        locales.append(_open_button(view, each, f"locale-{each.entry_id}", label))
    if locales:
        title = "In other locales"
        parts.append(_made("around", title=title, parts=locales, after=NOTHING))
    return parts
