"""Tables to look at: the pulled site and the ledger's views, as data frames.

The only module that imports pandas. Frames hold text, numbers and truth values
as they are; nothing in them is HTML until `frame_html` has escaped it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from cmsmig.counting import and_more, noun_for
from cmsmig.errors import LedgerError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import connect, translated
from cmsmig.mapping.select.selection import PublicationState, publication_state
from cmsmig.origin.schema import Collection, Item
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.relation import Relation


class View(StrEnum):
    """The ledger's documented views."""

    ACCOUNTING = "accounting"
    """One row: in = created + reused + skipped + failed (+ open)."""
    ITEMS = "items"
    """One row per item and locale, with the story it lives in."""
    LOSSES_BY_KIND = "losses_by_kind"
    """How many of what was lost, and how bad."""
    REASONS = "reasons"
    """How many items ended in which state and why."""


def frame_of(
    rows: Iterable[Mapping[str, object]], columns: Sequence[str]
) -> pd.DataFrame:
    """Return rows as a frame with exactly these columns, in this order.

    A key that a row lacks is an empty text; an empty frame keeps its columns.
    Values stay as they are: a column of numbers stays whole numbers.
    """
    listed = [[row.get(column, "") for column in columns] for row in rows]
    return pd.DataFrame(listed, columns=list(columns), dtype=object)


def relation_frame(
    relation: Relation, query: Query = EVERYTHING, shown: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the rows of a list as a frame, as its CSV file has them."""
    head, *rows = relation.csv(query, shown)
    return pd.DataFrame(rows, columns=list(head), dtype=object)


def view_frame(ledger: Path, view: View) -> pd.DataFrame:
    """Return one of the ledger's views. Reads only.

    Raises `LedgerError` when there is no ledger yet, or it is damaged.
    """
    if not ledger.is_file():
        raise LedgerError(
            f"There is no ledger at {ledger} yet; run `cmsmig prepare` or notebook 04."
        )
    db = connect(ledger, durable=False)
    try:
        with translated(ledger):
            found = db.execute(f"SELECT * FROM {view}")
            columns = [column[0] for column in found.description]
            rows = [dict(zip(columns, row, strict=True)) for row in found]
    finally:
        db.close()
    return frame_of(rows, columns)


def collections_frame(origin: Origin) -> pd.DataFrame:
    """Return a row per collection: what it is, and how many items in which set."""
    return frame_of(
        [_collection_row(origin, each) for each in origin.collections],
        ("collection", "slug", "fields", "staged", "live", "items"),
    )


def states_frame(origin: Origin) -> pd.DataFrame:
    """Return a row per collection and a column per state that occurs.

    An item counts once for each of its locales.
    """
    counted = [(each, _states(origin, each)) for each in origin.collections]
    occurring = [
        state
        for state in PublicationState
        if any(counts[state] for _, counts in counted)
    ]
    rows: list[dict[str, object]] = [
        {"collection": each.display_name}
        | {_spoken(state): counts[state] for state in occurring}
        for each, counts in counted
    ]
    return frame_of(rows, ("collection", *map(_spoken, occurring)))


def schema_frame(collection: Collection) -> pd.DataFrame:
    """Return a row per field of one collection, in the origin's order."""
    rows = [
        {
            "field": field.display_name,
            "slug": field.slug,
            "type": field.type,
            "required": field.required,
            "options": ", ".join(name for _, name in field.options),
            "help text": field.help_text,
        }
        for field in collection.fields
    ]
    return frame_of(rows, ("field", "slug", "type", "required", "options", "help text"))


def frame_html(frame: pd.DataFrame, *, rows: int | None = None) -> Markup:
    """Return a frame as an HTML table in which every cell is escaped.

    With `rows`, longer frames are cut there and a line says how many are left.
    """
    shown = frame if rows is None else frame.head(rows)
    # pandas shortens texts to 50 characters unless told otherwise.
    with pd.option_context("display.max_colwidth", None):
        html = shown.to_html(escape=True, index=False, border=0, classes="cmsmig-table")
    left = len(frame) - len(shown)
    said = and_more(len(frame), len(shown), "… and ", f" {noun_for(left, 'row')}.")
    return fragment("survey/data_frames.html", "frame", table=html, said=said)


def _collection_row(origin: Origin, collection: Collection) -> dict[str, object]:
    staged, live = _both_sets(origin, collection.collection_id)
    return {
        "collection": collection.display_name,
        "slug": collection.slug,
        "fields": len(collection.fields),
        "staged": len(staged),
        "live": len(live),
        "items": len(staged | live),
    }


def _states(origin: Origin, collection: Collection) -> dict[PublicationState, int]:
    staged, live = _both_sets(origin, collection.collection_id)
    counts = dict.fromkeys(PublicationState, 0)
    for key in staged.keys() | live.keys():
        counts[publication_state(staged.get(key), live.get(key))] += 1
    return counts


def _both_sets(
    origin: Origin, collection_id: str
) -> tuple[dict[ItemKey, Item], dict[ItemKey, Item]]:
    staged = {item.key: item for item in origin.staged[collection_id]}
    live = {item.key: item for item in origin.live[collection_id]}
    return staged, live


def _spoken(state: PublicationState) -> str:
    return state.replace("_", " ")
