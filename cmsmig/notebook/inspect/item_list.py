"""The list of items of notebook 01 as HTML: its table, its columns, its filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.counting import and_more, counted
from cmsmig.mapping.dates import parse_moment, utc_day
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.notebook.kit.live_controls import button, tick
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.catalogue_filter import Finding, Wanted, finding_name
from cmsmig.survey.item_browser import ItemBrowser, Page
from cmsmig.survey.item_findings import Sighting, sightings
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import escape, joined, stacked

PAGE = 25
"""Items of a page."""
STATES: Mapping[PublicationState, str] = {
    PublicationState.PUBLISHED: "published",
    PublicationState.CHANGES_IN_DRAFT: "live, with newer edits in draft",
    PublicationState.DRAFT: "draft, never live",
    PublicationState.UNPUBLISHED: "was live, is not any more",
    PublicationState.QUEUED: "goes live with the next publish",
    PublicationState.QUEUED_CHANGES: "live, with changes that go live next",
    PublicationState.ARCHIVED: "archived",
    PublicationState.ARCHIVED_LIVE: "archived, still live",
    PublicationState.LIVE_ONLY: "live only, gone for editors",
}
"""States of items in words."""
TITLES: Mapping[str, str] = {
    "slug": "Slug",
    "collection": "Collection",
    "locale": "Locale",
    "state": "State",
    "updated": "Changed",
    "published": "Published",
    "created": "Created",
    "losses": "Losses",
    "path": "Story path",
    "id": "Id",
}
"""Columns beside the name, in their order."""
_FOUND = 4
"""Findings of one item that a list shows."""
_made = partial(fragment, "notebook/inspect/item_list.html")


@dataclass(frozen=True, slots=True)
class Shown:
    """What of the list is on show."""

    page: Page
    columns: tuple[str, ...]
    """Keys of `TITLES`, and fields after `field:`."""
    wanted: Wanted
    current: int = 0
    """The entry that keys act on; 0: none."""


def default_columns(catalogue: Catalogue) -> tuple[str, ...]:
    """Return the columns of a list that nobody has changed."""
    locale = ("locale",) if catalogue.site.locales else ()
    return ("slug", "collection", *locale, "state", "updated", "id")


def frame_html() -> Markup:
    """Return the places of all regions."""
    return _made("frame")


def table_html(browser: ItemBrowser, shown: Shown) -> Markup:
    """Return the list with its controls."""
    heads = [_sort_button(browser, shown, each) for each in _columns(shown)]
    return _made("table", columns=heads, lines=_rows(browser, shown, live=True))


def still_html(browser: ItemBrowser, shown: Shown) -> Markup:
    """Return the list without a control."""
    heads = [(title_of(browser, shown.wanted, each), "") for each in _columns(shown)]
    return _made("frozen", columns=heads, lines=_rows(browser, shown, live=False))


def columns_html(browser: ItemBrowser, shown: Shown) -> Markup:
    """Return the boxes that show columns and hide them."""
    collection = browser.catalogue.collections.get(shown.wanted.collection)
    fields = collection.fields if collection else ()
    keys = [*TITLES, *(f"field:{each.slug}" for each in fields)]
    known = ("name", "slug")
    return _made(
        "ticks",
        parts=[
            tick(
                "explore-column",
                title_of(browser, shown.wanted, each),
                each in shown.columns,
                value=each,
            )
            for each in keys
            if each.removeprefix("field:") not in known or each == "slug"
        ],
    )


def title_of(browser: ItemBrowser, wanted: Wanted, column: str) -> str:
    """Return a column's heading."""
    if column == "name":
        return "Name"
    if column == "found":
        return "Found"
    if column in TITLES:
        return TITLES[column]
    slug = column.removeprefix("field:")
    collection = browser.catalogue.collections.get(wanted.collection)
    field = collection.field(slug) if collection else None
    return field.display_name if field else slug


def steps_html(page: Page) -> Markup:
    """Return the ways to other pages and items."""
    last = page.first + len(page.entries) >= page.count
    more = page.first > 0
    pages = page.count > PAGE
    moves = (
        (
            button("explore-first", "First page", enabled=more),
            button("explore-back", "Previous page", key="p", still=True, enabled=more),
            button("explore-on", "Next page", key="n", still=True, enabled=not last),
            button("explore-last", "Last page", enabled=not last),
        )
        if pages
        else ()
    )
    return joined(
        (
            *moves,
            button("explore-up", "↑ item", key="k", still=True),
            button("explore-down", "↓ item", key="j", still=True),
            button("explore-save", "Save this list as CSV", key="e", still=True),
        )
    )


def place_told(page: Page) -> str:
    """Return which items are on show, of how many."""
    if not page.count:
        return "No item passes this choice."
    if page.count == len(page.entries):
        return f"{counted(page.count, 'item')}."
    end = page.first + len(page.entries)
    return f"{page.first + 1:,} to {end:,} of {counted(page.count, 'item')}."


def open_button(
    entry: Entry, *, row: str = "", label: str = "", tabbed: bool = True
) -> Markup:
    """Return the button that opens an item; `row` tells it from others on show."""
    return button(
        "explore-open",
        label or entry.title,
        value=str(entry.entry_id),
        row=row or str(entry.entry_id),
        about=f"Open {entry.title}",
        plain=True,
        tabbed=tabbed,
    )


def copy_button(entry: Entry, *, tabbed: bool = True) -> Markup:
    """Return an item's id in short, and the button that copies all of it."""
    item_id = entry.key.item_id
    return button(
        "explore-copy",
        "Copy id",
        value=item_id,
        row=str(entry.entry_id),
        copies=item_id,
        about=f"Copy the id of {entry.title}: {item_id}",
        tabbed=tabbed,
    )


def day_html(moment: str) -> Markup:
    """Return the day of a moment, `2024-03-14`, the moment itself when pointed at."""
    found = parse_moment(moment)
    return _made("day", text=utc_day(found), moment=moment) if found else escape(moment)


def locale_tag(catalogue: Catalogue, entry: Entry) -> str:
    """Return the tag of an entry's locale."""
    tags = {each.locale_id: each.tag for each in catalogue.site.locales}
    return tags.get(entry.key.locale_id, entry.key.locale_id)


def _columns(shown: Shown) -> tuple[str, ...]:
    columns = tuple(
        each
        for each in shown.columns
        if each != "collection" or not shown.wanted.collection
    )
    found = ("found",) if _is_told(shown.wanted.finding) else ()
    return ("name", *found, *columns)


def _is_told(finding: str) -> bool:
    quiet = (Finding.SAME_NAME, Finding.SAME_SLUG, Finding.NO_SLUG)
    return bool(finding) and finding not in quiet


def _sort_button(
    browser: ItemBrowser, shown: Shown, column: str
) -> tuple[Markup | str, str]:
    title = title_of(browser, shown.wanted, column)
    place = _columns(shown).index(column)
    sorted_ = ""
    if shown.wanted.sort == column:
        sorted_ = "descending" if shown.wanted.descending else "ascending"
    arrow = {"ascending": " ↑", "descending": " ↓"}.get(sorted_, "")
    made = button(
        "explore-sort",
        f"{title}{arrow}",
        value=column,
        row=str(place),
        about=f"Sort by {title}",
        plain=True,
    )
    return made, sorted_


def _rows(
    browser: ItemBrowser, shown: Shown, *, live: bool
) -> list[tuple[bool, list[tuple[str, Markup | str]]]]:
    entries, columns = shown.page.entries, _columns(shown)
    slugs = [
        each.removeprefix("field:") for each in columns if each.startswith("field:")
    ]
    cells = browser.cells(entries, slugs)
    found = sightings(browser, shown.wanted.finding, entries)
    rows = []
    for entry in entries:
        current = live and entry.entry_id == shown.current
        row = [
            _cell(
                browser,
                entry,
                each,
                cells,
                found.get(entry.entry_id, []),
                current,
                live,
            )
            for each in columns
        ]
        rows.append((current, row))
    return rows


def _cell(
    browser: ItemBrowser,
    entry: Entry,
    column: str,
    cells: Mapping[tuple[int, str], str],
    found: Sequence[Sighting],
    current: bool,
    live: bool,
) -> tuple[str, Markup | str]:
    """Return a cell's class and content."""
    if column == "name":
        return "", open_button(entry, tabbed=current) if live else entry.title
    if column == "found":
        return "", found_html(found)
    if column == "id":
        code = copy_button(entry, tabbed=current) if live else entry.key.item_id
        return "whole", code
    if column.startswith("field:"):
        return "", cells.get((entry.entry_id, column.removeprefix("field:")), "")
    if column in ("updated", "published", "created"):
        return "whole", day_html(getattr(entry, column))
    if column == "slug":
        return "slug", entry.slug
    return "", {
        "collection": browser.collection(entry).display_name,
        "locale": locale_tag(browser.catalogue, entry),
        "state": STATES[entry.state],
        "losses": "" if entry.losses is None else f"{entry.losses:,}",
        "path": entry.path,
    }.get(column, "")


def found_html(found: Sequence[Sighting]) -> Markup:
    """Return what was found in an item, a line each."""
    lines = [
        f"{each.field}: {each.what}" if each.field else each.what
        for each in found[:_FOUND]
    ]
    lines.append(and_more(len(found), _FOUND, "… and "))
    return stacked(line for line in lines if line)


def told_html(wanted: Wanted, page: Page) -> Markup:
    """Return which items are listed, in words."""
    words = place_told(page)
    if wanted.finding:
        words += f" Listed: {finding_name(wanted.finding)}."
    return _made("told", text=words)
