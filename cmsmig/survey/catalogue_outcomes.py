"""What becomes of each item of a catalogue under the decisions as they stand: its
story's path, why it is left out, and which references would stay empty."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.select.reference_targets import KnownItems, cause_of, known_items
from cmsmig.mapping.select.selection import Selected
from cmsmig.mapping.select.story_paths import assign_places
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.value_facts import REFERENCE

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What becomes of items, none of them in memory."""

    known: KnownItems
    paths: Mapping[ItemKey, str]
    """Where stories go; empty while nobody designed the content types."""
    left_out: Mapping[ItemKey, str]
    """A sentence each."""


def find_outcomes(
    origin: Origin, choices: CollectionsDecision, design: Design | None
) -> Outcomes:
    """Return what becomes of each item. Reads only."""
    selections = origin.select(choices)
    known = known_items(selections, choices, origin.collections)
    chosen = {name: found.selected for name, found in selections.items()}
    return Outcomes(
        known,
        _paths(chosen, design, choices),
        {
            each.key: each.sentence
            for found in selections.values()
            for each in found.skipped
        },
    )


def keep_outcomes(
    catalogue: Catalogue, outcomes: Outcomes, decided: str
) -> Iterator[None]:
    """Write what becomes of items beside their rows, some at a time; `decided` names
    the decisions."""
    for collection, edition in catalogue.editions.items():
        rows = catalogue.all(
            "SELECT id, item, locale FROM entry WHERE edition = ?", (edition,)
        )
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            keys = [ItemKey(collection, item, locale) for _, item, locale in some]
            values = [
                (outcomes.paths.get(key, ""), outcomes.left_out.get(key, ""), row[0])
                for key, row in zip(keys, some, strict=True)
            ]
            causes = list(_causes(catalogue, outcomes, [row[0] for row in some]))

            def write(
                db: sqlite3.Connection,
                values: list[tuple[str, str, int]] = values,
                causes: list[tuple[str, int, str, int]] = causes,
            ) -> None:
                db.executemany(
                    "UPDATE entry SET path = ?, left_out = ? WHERE id = ?", values
                )
                db.executemany(
                    "UPDATE cell SET cause = ? "
                    "WHERE (entry, field, ordinal) = (?, ?, ?)",
                    causes,
                )

            catalogue.change(write)
            yield
    named = (decided,)
    ids = catalogue.ids()
    catalogue.change(
        lambda db: db.execute(
            f"UPDATE edition SET decided = ? WHERE id IN {ids}", named
        )
    )


def is_decided(catalogue: Catalogue, decided: str) -> bool:
    """Return whether the rows already say what becomes of items under decisions."""
    (count,) = catalogue.one(
        f"SELECT count(*) FROM edition WHERE id IN {catalogue.ids()} AND decided = ?",
        (decided,),
    )
    return bool(count == len(catalogue.editions))


def _causes(
    catalogue: Catalogue, outcomes: Outcomes, ids: list[int]
) -> Iterator[tuple[str, int, str, int]]:
    """Yield the cause of each reference whose cause has changed, with its place."""
    rows = catalogue.all(
        "SELECT c.entry, c.field, c.ordinal, c.facet, c.shown, c.cause, e.edition, "
        "e.item, e.locale FROM cell c JOIN entry e ON e.id = c.entry "
        f"WHERE c.kind = ? AND c.entry IN ({', '.join(map(str, ids))})",
        (REFERENCE,),
    )
    for entry, field, ordinal, target, collection, before, edition, *item in rows:
        source = ItemKey(catalogue.collection_of(edition), *item)
        cause = ""
        if source in outcomes.known.selected:
            found = cause_of(ItemKey(collection, target, item[1]), outcomes.known)
            cause = str(found or "")
        if cause != before:
            yield cause, entry, field, ordinal


def _paths(
    selected: Mapping[str, tuple[Selected, ...]],
    design: Design | None,
    choices: CollectionsDecision,
) -> Mapping[ItemKey, str]:
    if design is None:
        return {}
    designed = {each.collection_id for each in design.content_types}
    known = {name: found for name, found in selected.items() if name in designed}
    places = assign_places(known, design, choices.locales).places
    return {key: place.full_slug for key, place in places.items()}
