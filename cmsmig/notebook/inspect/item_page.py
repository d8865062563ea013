"""One item as a page: its fields, both versions, what it refers to and what to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.select.reference_targets import explained
from cmsmig.notebook.inspect.item_values import (
    ValueContext,
    moment_told,
    value_html,
    words_html,
)
from cmsmig.origin.files import FileRow
from cmsmig.origin.schema import Collection, Field
from cmsmig.richtext.plain_text import html_text
from cmsmig.survey.catalogue import Entry
from cmsmig.survey.item_browser import ItemBrowser, Reference
from cmsmig.survey.item_relation import STATES, ItemRelation
from cmsmig.survey.page_addresses import OldPages
from cmsmig.survey.story_states import story_told
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.controls import Copied
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, code, escape, joined, preview
from cmsmig.ui.view import View

_HEIGHT = 320
_POINTING = 20
"""Items that refer to one, which its page lists."""
_BODY = 60_000
"""Characters of a body's HTML that are shown as text."""
_made = partial(fragment, "notebook/inspect/item_page.html")


@dataclass(frozen=True, slots=True)
class ItemPage:
    """An item's page, and the thumbnails that are still to be drawn."""

    html: Markup
    undrawn: tuple[str, ...]
    """Hashes."""


def item_page(
    view: View,
    browser: ItemBrowser,
    entry: Entry,
    files: Mapping[str, FileRow],
    thumbnails: Thumbnails,
) -> ItemPage:
    """Return the page of an item; `view` has the actions that open others."""
    undrawn: list[str] = []

    def thumbnail(sha256: str) -> str | None:
        found = thumbnails.kept(sha256)
        if found is None:
            undrawn.append(sha256)
        return found

    references = browser.references(entry)
    context = ValueContext(
        browser.catalogue.site.time_zone,
        files,
        thumbnail,
        {(each.field, each.item_id): each for each in references},
        _Opener(view, browser, entry.key.locale_id),
    )
    collection = browser.collection(entry)
    versions = _versions(entry)
    html = _made(
        "page",
        about=_about(browser, entry, collection),
        values=_values(collection, versions, context),
        bodies=list(_bodies(collection, versions)),
        around=_around(view, browser, entry),
    )
    return ItemPage(html, tuple(dict.fromkeys(undrawn)))


def _versions(entry: Entry) -> dict[str, JsonObject]:
    """Return the values of an item, twice where editors and visitors see others."""
    staged, live = entry.staged, entry.live
    if staged is not None and live is not None and entry.differs:
        return {
            "Visitors see (live)": live.read(),
            "Editors see (staged)": staged.read(),
        }
    source = staged or live
    return {"Value": source.read() if source else {}}


class _Opener:
    """Makes what opens the items that an item refers to, each told from the others."""

    def __init__(self, view: View, browser: ItemBrowser, locale_id: str) -> None:
        self._view = view
        self._browser = browser
        self._locale = locale_id
        self._made = 0

    def __call__(self, reference: Reference) -> Markup:
        self._made += 1
        other = reference.entry or self._browser.target(reference.item_id, self._locale)
        if other is None:
            told = explained(reference.cause) if reference.cause else "no such item"
            return joined((code(reference.item_id), escape(f" — {told}")))
        where = self._browser.collection(other).display_name
        why = f" — stays empty: {explained(reference.cause)}" if reference.cause else ""
        return joined(
            (
                open_button(self._view, other, f"to-{self._made}"),
                escape(f" ({where}, {other.slug}){why}"),
            )
        )


def open_button(view: View, entry: Entry, row: str, label: str = "") -> Markup:
    """Return the button that opens an item; `row` makes its id."""
    return view.act(
        "open",
        label or entry.title,
        value=str(entry.entry_id),
        row=row,
        about=f"Open {entry.title}",
        plain=True,
    )


def _about(browser: ItemBrowser, entry: Entry, collection: Collection) -> Markup:
    catalogue, zone = browser.catalogue, browser.catalogue.site.time_zone
    pages = OldPages.of_site(
        catalogue.site,
        catalogue.collections.values(),
        {entry.key} if entry.live is not None else set(),
    )
    rows: list[tuple[str, Markup | str]] = [
        ("Collection", collection.display_name),
        ("Slug", code(entry.slug) if entry.slug else "none"),
    ]
    if tag := ItemRelation(browser).locale_tag(entry):
        rows.append(("Locale", tag))
    rows += [
        ("State", STATES[entry.state]),
        ("Changed", moment_told(entry.updated, zone) or "not known"),
        ("Published", moment_told(entry.published, zone) or "never"),
        ("Created", moment_told(entry.created, zone) or "not known"),
        ("Page", pages.link(entry)),
        ("Story", _story(browser, entry)),
        ("Id", _id(entry)),
    ]
    return _made("facts", rows=rows)


def _id(entry: Entry) -> Markup:
    item_id = entry.key.item_id
    return joined(
        (
            code(item_id),
            escape(" "),
            Copied(item_id, f"Copy the id: {item_id}").button(),
        )
    )


def _story(browser: ItemBrowser, entry: Entry) -> str:
    told = story_told(browser.catalogue.project.ledger, entry.key)
    if told:
        return told
    if entry.left_out:
        return f"None: {entry.left_out}"
    if entry.path:
        return f"Will be at {entry.path}; nothing was imported yet."
    return "Its path is known once the content types are designed (notebook 02)."


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
        if differs and all(isinstance(each, str) for each in values):
            cells = _with_words(field, values, cells)
        rows.append((field.display_name, field.type, differs, cells))
    return _made(
        "values", heads=("Field", *versions), fields=rows, empty=", ".join(empty)
    )


def _with_words(field: Field, values: list[Json], cells: list[Markup]) -> list[Markup]:
    """Return the cells of a text, with the words that differ marked in the newer."""
    if field.type not in ("PlainText", "Phone"):
        return cells
    marked = words_html(str(values[0]), str(values[1]))
    return [cells[0], marked or cells[1]]


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


def _around(view: View, browser: ItemBrowser, entry: Entry) -> list[Markup]:
    count, referring = browser.referring(entry, _POINTING)
    parts = []
    if count:
        title = f"Referred to by {count:,} {'item' if count == 1 else 'items'}"
        listed = [
            _from(view, browser, each, f"from-{number}")
            for number, each in enumerate(referring)
        ]
        every = view.act(
            "pointing",
            value=entry.key.item_id,
            about=f"List the items that refer to {entry.title}",
        )
        parts.append(_made("around", title=title, parts=listed, after=every))
    locales = [
        open_button(view, each, f"locale-{each.entry_id}", _tagged(browser, each))
        for each in browser.other_locales(entry)
    ]
    if locales:
        title = "In other locales"
        parts.append(_made("around", title=title, parts=locales, after=NOTHING))
    return parts


def _tagged(browser: ItemBrowser, entry: Entry) -> str:
    tag = ItemRelation(browser).locale_tag(entry) or "without a locale"
    return f"{entry.title} ({tag})"


def _from(view: View, browser: ItemBrowser, reference: Reference, row: str) -> Markup:
    other = reference.entry
    if other is None:
        return code(reference.item_id)
    collection = browser.collection(other)
    field = collection.field(reference.field)
    name = field.display_name if field else reference.field
    after = f" ({collection.display_name}, {other.slug}; field {name})"
    return joined((open_button(view, other, row), escape(after)))
