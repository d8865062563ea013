"""The controls that choose which items notebook 01 lists."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.dates import parse_moment
from cmsmig.notebook.inspect.item_list import STATES, title_of
from cmsmig.notebook.kit.live_controls import button, search, select, text
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_filter import (
    COLUMNS,
    FOUND,
    NO_LOCALE,
    FieldTest,
    Wanted,
    finding_name,
)
from cmsmig.survey.item_browser import Facet, ItemBrowser
from cmsmig.ui.html.safe_html import NOTHING, joined

_TESTS = (
    ("is empty", FieldTest.EMPTY),
    ("has any value", FieldTest.FILLED),
    ("holds the text", FieldTest.HOLDS),
    ("is exactly", FieldTest.IS),
)
_LABEL = 40
"""Characters of an option that a drop-down shows."""


def search_html(wanted: Wanted) -> Markup:
    """Return the field that searches all text."""
    return search(
        "explore-search", "Search", wanted.text, hint="words in any field", key="/"
    )


def filters_html(browser: ItemBrowser, wanted: Wanted) -> Markup:
    """Return the choices that every item has, each with its counts."""
    catalogue = browser.catalogue
    return joined(
        (
            select(
                "explore-collection",
                "Collection",
                _collections(catalogue),
                wanted.collection,
                key="c",
            ),
            select(
                "explore-state",
                "State",
                _states(browser, wanted),
                wanted.state,
                key="s",
            ),
            select(
                "explore-locale", "Locale", _locales(catalogue), wanted.locale, key="l"
            )
            if catalogue.site.locales
            else NOTHING,
            select(
                "explore-finding",
                "Items with",
                _findings(browser, wanted),
                wanted.finding,
                key="w",
            ),
            text(
                "explore-since",
                "Changed since",
                wanted.since,
                hint="2024-03-31",
                key="d",
            ),
            select(
                "explore-order",
                "Sort by",
                _orders(browser, wanted),
                wanted.sort,
                key="o",
            ),
            button(
                "explore-clear",
                "Clear",
                key="x",
                still=True,
                about="List all items again",
            ),
        )
    )


def field_html(catalogue: Catalogue, wanted: Wanted) -> Markup:
    """Return what asks a field of the chosen collection for a value."""
    collection = catalogue.collections.get(wanted.collection)
    if collection is None:
        return NOTHING
    fields = [("any field", ""), *((f.display_name, f.slug) for f in collection.fields)]
    parts = [select("explore-field", "Field", fields, wanted.field, key="f")]
    if wanted.field:
        tests = [(label, str(each)) for label, each in _TESTS]
        parts.append(select("explore-test", "", tests, wanted.test, about="The field"))
    if wanted.field and wanted.test in (FieldTest.HOLDS, FieldTest.IS):
        parts.append(text("explore-value", "", wanted.value, hint="a text"))
    return joined(parts)


def facets_html(facets: tuple[Facet, ...]) -> Markup:
    """Return a drop-down for each field whose values are counted."""
    first = next((n for n, each in enumerate(facets) if each.values), 0)
    return joined(
        select(
            "explore-facet",
            each.field.display_name,
            _values(each),
            each.chosen,
            row=str(number),
            key="" if number != first else "v",
        )
        for number, each in enumerate(facets)
        if each.values
    )


def with_facet(wanted: Wanted, field: str, value: str) -> Wanted:
    """Return a choice with another value of a field; empty: any."""
    kept = tuple(each for each in wanted.facets if each[0] != field)
    return replace(wanted, facets=(*kept, (field, value)) if value else kept)


def with_collection(wanted: Wanted, collection: str) -> Wanted:
    """Return a choice with another collection; what is asked of fields goes."""
    sort = "name" if wanted.sort.startswith("field:") else wanted.sort
    return replace(
        wanted,
        collection=collection,
        field="",
        value="",
        test=FieldTest.EMPTY,
        facets=(),
        sort=sort,
    )


def parse_day(given: str) -> str:
    """Return a day as it is compared; raises `UsageError` for what is none."""
    given = given.strip()
    if given and (len(given) < 8 or parse_moment(given) is None):
        raise UsageError(
            f"{given!r} is no day; write it as year, month and day: 2024-03-31."
        )
    return given


def _collections(catalogue: Catalogue) -> list[tuple[str, str]]:
    rows = catalogue.all(
        "SELECT edition, count(*) FROM entry WHERE edition IN "
        f"{catalogue.ids()} GROUP BY edition"
    )
    counts = {catalogue.collection_of(edition): int(count) for edition, count in rows}
    return [
        (f"all ({sum(counts.values()):,})", ""),
        *(
            (f"{_short(each.display_name)} ({counts.get(name, 0):,})", name)
            for name, each in catalogue.collections.items()
        ),
    ]


def _orders(browser: ItemBrowser, wanted: Wanted) -> list[tuple[str, str]]:
    collection = browser.catalogue.collections.get(wanted.collection)
    fields = collection.fields if collection else ()
    keys = [*COLUMNS, *(f"field:{each.slug}" for each in fields)]
    if wanted.finding:
        keys.insert(1, FOUND)
    return [(title_of(browser, wanted, each), each) for each in keys]


def _states(browser: ItemBrowser, wanted: Wanted) -> list[tuple[str, str]]:
    counts = browser.states(wanted)
    listed = [
        (f"{STATES[each]} ({count:,})", str(each)) for each, count in counts.items()
    ]
    if wanted.state and all(value != wanted.state for _, value in listed):
        label = next(STATES[each] for each in STATES if each == wanted.state)
        listed.append((f"{label} (0)", wanted.state))
    return [("any", ""), *listed]


def _locales(catalogue: Catalogue) -> list[tuple[str, str]]:
    listed = [(each.tag, each.locale_id) for each in catalogue.site.locales]
    return [("all", ""), *listed, ("without", NO_LOCALE)]


def _findings(browser: ItemBrowser, wanted: Wanted) -> list[tuple[str, str]]:
    counts = {**browser.findings(wanted.collection)}
    if wanted.finding:
        counts.setdefault(wanted.finding, 0)
    return [
        ("anything", ""),
        *((f"{finding_name(name)} ({n:,})", name) for name, n in counts.items()),
    ]


def _values(facet: Facet) -> list[tuple[str, str]]:
    listed = [
        (f"{_short(each.label)} ({each.items:,})", each.value) for each in facet.values
    ]
    left = f", {facet.left:,} more values" if facet.left else ""
    return [(f"any{left}", ""), *listed]


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
