"""The origin as the accepted operations of `cleaning.yaml` leave it; kept, since every
value has to be read for it. Asks no service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import TypeAdapter

from cmsmig.canonical import fingerprint, fingerprint_of_each
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.cleaning.cleaner import CleanedItem, Cleaner
from cmsmig.mapping.decisions.cleaning import CleaningDecision
from cmsmig.origin.schema import Collection, Item
from cmsmig.steps.decide.drafter import plain
from cmsmig.steps.decide.pulled_origin import Origin

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
