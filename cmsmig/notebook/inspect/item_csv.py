"""A list of items as CSV: a line for each item, or for each finding in one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cmsmig.mapping.dates import iso_text, parse_moment
from cmsmig.notebook.inspect.item_list import STATES, locale_tag
from cmsmig.survey.catalogue import Entry
from cmsmig.survey.catalogue_filter import Wanted
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.item_findings import sightings

FOLDER = "lists"
_AT_ONCE = 200
_HEAD = (
    "Collection",
    "Name",
    "Slug",
    "Locale",
    "State",
    "Changed",
    "Story path",
    "Id",
)


def csv_rows(
    browser: ItemBrowser, wanted: Wanted, columns: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """Yield the head and the lines of a list of items; `columns` names the fields
    that are shown, after `field:`."""
    fields = [each.removeprefix("field:") for each in columns if "field:" in each]
    found = ("Found in field", "Found") if wanted.finding else ()
    yield (*_HEAD, *found, *fields)
    first = 0
    while True:
        page = browser.page(wanted, first, _AT_ONCE)
        cells = browser.cells(page.entries, fields)
        told = sightings(browser, wanted.finding, page.entries)
        for entry in page.entries:
            values = tuple(cells.get((entry.entry_id, each), "") for each in fields)
            start = _start(browser, entry)
            listed = told.get(entry.entry_id, ())
            if not wanted.finding:
                yield (*start, *values)
            elif not listed:
                yield (*start, "", "", *values)
            for each in listed:
                yield (*start, each.field, each.what, *values)
        first += _AT_ONCE
        if first >= page.count:
            return


def csv_path(browser: ItemBrowser, root: Path, wanted: Wanted) -> Path:
    """Return where a list goes: a file of the project folder, named after it."""
    collection = browser.catalogue.collections.get(wanted.collection)
    parts = (collection.slug if collection else "items", wanted.finding)
    name = "-".join(_plain(each) for each in parts if _plain(each)) or "items"
    return root / FOLDER / f"{name}.csv"


def _start(browser: ItemBrowser, entry: Entry) -> tuple[str, ...]:
    moment = parse_moment(entry.updated)
    return (
        browser.collection(entry).display_name,
        entry.name,
        entry.slug,
        locale_tag(browser.catalogue, entry),
        STATES[entry.state],
        iso_text(moment) if moment else entry.updated,
        entry.path,
        entry.key.item_id,
    )


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60]
