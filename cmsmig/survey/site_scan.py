"""What the lists of a site need, made once for all panels of a notebook: the rows of
its items, the effect of the decisions on them, and what their bodies hold."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from time import monotonic
from typing import TypeAlias

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.select.reference_targets import KnownItems, cause_of, known_items
from cmsmig.mapping.select.story_paths import assign_places
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.survey.body_census import look_through_bodies
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.cleaning_findings import compare_values
from cmsmig.survey.value_facts import REFERENCE
from cmsmig.ui.action_queue import in_slices

_AT_ONCE = 500
_OFTEN = 0.7
"""Seconds between two times that the panels show how far it is."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The effect of decisions on items, none of which is in memory."""

    known: KnownItems
    paths: Mapping[ItemKey, str]
    """Where stories go; empty before the content types are designed."""
    left_out: Mapping[ItemKey, str]
    """A sentence each."""


def find_outcomes(
    origin: Origin, choices: CollectionsDecision, design: Design | None
) -> Outcomes:
    """Return the effect of decisions on each item. Reads only."""
    selections = origin.select(choices)
    known = known_items(selections, choices, origin.collections)
    paths: dict[ItemKey, str] = {}
    if design is not None:
        designed = {each.collection_id for each in design.content_types}
        chosen = {
            name: found.selected
            for name, found in selections.items()
            if name in designed
        }
        places = assign_places(chosen, design, choices.locales).places
        paths = {key: place.full_slug for key, place in places.items()}
    skipped = (each for found in selections.values() for each in found.skipped)
    return Outcomes(known, paths, {each.key: each.sentence for each in skipped})


def scan_values(catalogue: Catalogue) -> None:
    """Find what all values hold, however long it takes."""
    work = (build, look_through_bodies, compare_values)
    for _ in chain.from_iterable(each(catalogue) for each in work):
        pass


class SiteScan:
    """Completes a catalogue, and keeps what it found there."""

    def __init__(
        self,
        catalogue: Catalogue,
        decisions: Callable[[], str],
        outcomes: Callable[[], Outcomes],
    ) -> None:
        """`decisions` returns a digest of the decisions, `outcomes` their effect."""
        self.catalogue = catalogue
        self.progress = ""
        """How far it is, in a sentence."""
        self.watchers: dict[str, Callable[[], None]] = {}
        """By panel: called now and then while the scan runs."""
        self._decisions = decisions
        self._outcomes = outcomes
        self._task: asyncio.Task[None] | None = None

    def left(self, *, bodies: bool = True) -> int:
        """Return how many bytes of items are still to be looked through, at most;
        without `bodies` as in `finish`."""
        ids = self.catalogue.ids()
        missing = f"SELECT count(*) FROM edition WHERE id IN {ids} AND NOT complete"
        unread = f"SELECT count(*) FROM entry WHERE edition IN {ids} AND losses IS NULL"
        asked = (missing, unread) if bodies else (missing,)
        if not any(self.catalogue.one(each)[0] for each in asked):
            return 0
        return sum(each.state[0] for each in self.catalogue.raw.values())

    def finish(self, *, bodies: bool = True) -> None:
        """Make everything now, however long it takes; without `bodies` all but what
        bodies hold."""
        for _ in build(self.catalogue):
            pass
        if self._is_open():
            for _ in self._keep(self._outcomes()):
                pass
        if bodies:
            scan_values(self.catalogue)

    async def run(self) -> None:
        """Make what is missing in the background; of several runs one works, and all
        wait for it."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())
        await asyncio.shield(self._task)

    async def _work(self) -> None:
        listed = "{:,} items are in the list so far; more follow."
        await self._follow(build(self.catalogue), listed)
        if self._is_open():
            found = await asyncio.to_thread(self._outcomes)
            async for _ in in_slices(self._keep(found)):
                pass
        left = "Bodies: {:,} items still to be looked through."
        await self._follow(look_through_bodies(self.catalogue), left)
        await self._follow(compare_values(self.catalogue), left)
        self.progress = ""

    async def _follow(self, work: Iterator[int], said: str) -> None:
        last = 0.0
        async for number in in_slices(work):
            if monotonic() - last > _OFTEN:
                last = monotonic()
                self.progress = said.format(number)
                self._show()
        self._show()

    def _show(self) -> None:
        for watcher in self.watchers.values():
            watcher()

    def _is_open(self) -> bool:
        """Return whether the rows hold the outcomes under other decisions."""
        catalogue = self.catalogue
        (count,) = catalogue.one(
            f"SELECT count(*) FROM edition WHERE id IN {catalogue.ids()} AND "
            "decided = ?",
            (self._decisions(),),
        )
        return bool(count < len(catalogue.editions))

    def _keep(self, outcomes: Outcomes) -> Iterator[None]:
        """Write the outcome of each item to its rows, some at a time."""
        catalogue = self.catalogue
        for collection, edition in catalogue.editions.items():
            rows = catalogue.all(
                "SELECT id, item, locale FROM entry WHERE edition = ?", (edition,)
            )
            for start in range(0, len(rows), _AT_ONCE):
                some = {
                    entry: ItemKey(collection, item, locale)
                    for entry, item, locale in rows[start : start + _AT_ONCE]
                }
                causes = [*_causes(catalogue, outcomes, some)]
                catalogue.change(partial(_write, outcomes, some, causes))
                yield
        decided, ids = self._decisions(), catalogue.ids()
        catalogue.change(
            lambda db: db.execute(
                f"UPDATE edition SET decided = ? WHERE id IN {ids}", (decided,)
            )
        )


_Cause: TypeAlias = tuple[str, int, str, int]
"""Why a reference would stay empty, and its place: entry, field, ordinal."""


def _write(
    outcomes: Outcomes,
    some: Mapping[int, ItemKey],
    causes: list[_Cause],
    db: sqlite3.Connection,
) -> None:
    db.executemany(
        "UPDATE entry SET path = ?, left_out = ? WHERE id = ?",
        [
            (outcomes.paths.get(key, ""), outcomes.left_out.get(key, ""), entry)
            for entry, key in some.items()
        ],
    )
    db.executemany(
        "UPDATE cell SET cause = ? WHERE (entry, field, ordinal) = (?, ?, ?)", causes
    )


def _causes(
    catalogue: Catalogue, outcomes: Outcomes, some: Mapping[int, ItemKey]
) -> Iterator[_Cause]:
    """Yield the cause of each reference whose cause has changed, with its place."""
    rows = catalogue.all(
        "SELECT entry, field, ordinal, facet, shown, cause FROM cell "
        f"WHERE kind = ? AND entry IN ({', '.join(map(str, some))})",
        (REFERENCE,),
    )
    for entry, field, ordinal, target, collection, before in rows:
        source, cause = some[entry], ""
        if source in outcomes.known.selected:
            key = ItemKey(collection, target, source.locale_id)
            cause = str(cause_of(key, outcomes.known) or "")
        if cause != before:
            yield cause, entry, field, ordinal
