"""The origin as the accepted operations of `cleaning.yaml` leave it, kept, since every
value has to be read for it; what each operation changes, or would; and what is added to
the file. Asks no service.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject, fingerprint, fingerprint_of_each
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.errors import UsageError
from cmsmig.mapping.cleaning.cleaner import CleanedItem, Cleaner, Edit
from cmsmig.mapping.decisions.cleaning import (
    AltText,
    CleaningDecision,
    CleaningKind,
    Operation,
)
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.propose.decision_checks import check_against
from cmsmig.origin.schema import Collection, Item
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.decision_store import (
    change_decision,
    decision_in,
    decision_text,
    stamp_review,
)
from cmsmig.steps.decide.drafter import plain
from cmsmig.steps.decide.pulled_origin import Origin, read_origin

_CODEC = TypeAdapter(dict[str, CleanedItem])


def open_cleaner(origin: Origin, decision: CleaningDecision) -> Cleaner:
    """Return the accepted operations over the collections of a site."""
    return Cleaner(
        decision.accepted,
        {each.collection_id: each for each in origin.collections},
        {each.locale_id: each.tag for each in origin.site.locales},
    )


def clean_origin(
    origin: Origin, decision: CleaningDecision, derived: DerivedFile
) -> tuple[Origin, Cleaner]:
    """Return the origin with the values of both sets cleaned. Without an accepted
    operation it is the same origin. Raises `DecisionsError` for a regular expression
    that takes too long."""
    cleaner = open_cleaner(origin, decision)
    staged, live = dict(origin.staged), dict(origin.live)
    for each in origin.collections:
        name = each.collection_id
        if not cleaner.reaching(each):
            continue
        both = {_name(e): e for e in (*staged[name], *live[name])}
        found = _found(cleaner, each, both, derived)
        new = {print_: cleaner.apply(both[print_], e) for print_, e in found.items()}
        staged[name], live[name] = (
            tuple(new.get(_name(e), e) for e in items)
            for items in (staged[name], live[name])
        )
    return replace(origin, staged=staged, live=live), cleaner


def _found(
    cleaner: Cleaner,
    collection: Collection,
    items: Mapping[str, Item],
    derived: DerivedFile,
) -> Mapping[str, CleanedItem]:
    """Return the items of a collection that change, by `_name`."""
    made_of = fingerprint(
        [
            code_digest(("mapping", "origin", "richtext"), ("regex",)),
            {str(number): each.effect for number, each in cleaner.reaching(collection)},
            plain(collection.fields),
            cleaner.locales,
            fingerprint_of_each(items),
        ]
    )

    def find() -> dict[str, CleanedItem]:
        found = ((name, cleaner.summary(each)) for name, each in items.items())
        return {name: each for name, each in found if each}

    name = f"cleaned {collection.collection_id}"
    return derived.derive(name, made_of, _CODEC, find)


def _name(item: Item) -> str:
    return f"{item.key} {item.data_hash}"


_SAMPLES = 3


@dataclass(slots=True)
class OperationCount:
    """How much an operation changes."""

    number: int
    """Its place in the file, from 1."""
    operation: Operation
    cleaner: Cleaner
    places: int = 0
    items: list[Item] = field(default_factory=list)
    """Those that it changes."""

    def changes(self) -> Iterator[tuple[Item, Edit]]:
        """Yield each field that it changes, by item."""
        for item in self.items:
            for edit in self.cleaner.edits(item):
                if edit.operation == self.number:
                    yield item, edit

    def samples(self) -> Iterator[tuple[str, Edit, str, str]]:
        """Yield some changes: the name of the item, and both sides."""
        for item, edit in islice(self.changes(), _SAMPLES):
            yield item.name, edit, *edit.parts[0]

    def as_json(self) -> JsonObject:
        """Return it as `clean --json` lists it."""
        return {
            "number": self.number,
            "kind": str(self.operation.kind),
            "title": self.operation.title,
            "state": self.operation.state,
            "items": len(self.items),
            "places": self.places,
            "samples": [
                {"name": name, "field": edit.field.slug, "old": old, "new": new}
                for name, edit, old, new in self.samples()
            ],
        }


def read_cleaning(
    project: Project, settings: Settings
) -> tuple[Origin, CleaningDecision]:
    """Return what was pulled, and the operations.

    Raises `UnreadError` without a complete pull and `DecisionsError` for operations
    that do not fit it.
    """
    origin = read_origin(project, settings.site_id)
    decision = decision_in(project, CleaningDecision) or CleaningDecision()
    check_against(decision, origin.collections)
    return origin, decision


def count_operations(
    origin: Origin, decision: CleaningDecision
) -> tuple[OperationCount, ...]:
    """Return how much each operation changes in the editors' version of the items; a
    proposal, if all of them were accepted."""
    now = stamp_review("", "")
    every = [e if e.reviewed else replace(e, reviewed=now) for e in decision.operations]
    proposed = replace(decision, operations=tuple(every))
    cleaners = [open_cleaner(origin, each) for each in (decision, proposed)]
    found = tuple(
        OperationCount(number, each, cleaners[each.reviewed is None])
        for number, each in enumerate(decision.operations, start=1)
    )
    for cleaner in cleaners if proposed != decision else cleaners[:1]:
        _count(origin, cleaner, [each for each in found if each.cleaner is cleaner])
    return found


def _count(origin: Origin, cleaner: Cleaner, counts: Sequence[OperationCount]) -> None:
    by_number = {each.number: each for each in counts}
    reached = [e.collection_id for e in origin.collections if cleaner.reaching(e)]
    for key, item in origin.every_item().items():
        if key.collection_id not in reached:
            continue
        for edit in cleaner.edits(item):
            if count := by_number.get(edit.operation):
                count.places += edit.places
                if item not in count.items[-1:]:
                    count.items.append(item)


def add_operations(project: Project, found: Iterable[Operation]) -> int:
    """Add operations about what none in the file is about; return how many.

    Writes nothing where there is none.
    """
    wanted = {each.subject: each for each in found}
    added = 0

    def add(now: CleaningDecision) -> CleaningDecision:
        nonlocal added
        known = {each.subject for each in now.operations}
        fresh = [each for subject, each in wanted.items() if subject not in known]
        added = len(fresh)
        return replace(now, operations=(*now.operations, *fresh))

    if wanted:
        change_decision(project, CleaningDecision, add)
    return added


def read_alts(path: Path, reviewed: Reviewed | None = None) -> Operation:
    """Return the operation of a list of alternative texts that was filled in: CSV with
    the columns `picture`, `where` and `alt`. Rows without a text are left out.

    Raises `UsageError` for another file.
    """
    text = (decision_text(path) or "").removeprefix("\ufeff")
    head = text.partition("\n")[0]
    delimiter = next((each for each in ";\t" if each in head), ",")
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    if not {"picture", "alt"} <= {*(rows.fieldnames or ())}:
        raise UsageError(
            f"{path} is no list of alternative texts: its first line needs the columns "
            "picture, where and alt; `cmsmig clean --propose` writes one to fill in."
        )
    alts = tuple(
        AltText(row["picture"], alt, row.get("where") or "")
        for row in rows
        if (alt := (row["alt"] or "").strip())
    )
    return Operation(kind=CleaningKind.ALT_TEXT, alts=alts, reviewed=reviewed)
