"""A migration whose stories hold an item's languages as translated fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from cmsmig.canonical import fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.propose.translated_fields import Translations
from cmsmig.mapping.select.selection import Selection
from cmsmig.mapping.select.translations import (
    languages_of,
    merge_languages,
    translated_fields,
)
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.steps.decide.pulled_origin import Origin


@dataclass(frozen=True, slots=True)
class Translated:
    """The origin, the decisions and the selections, with translated fields."""

    origin: Origin
    decisions: Decisions
    selections: Mapping[str, Selection]


def translate(
    origin: Origin,
    decisions: Decisions,
    selections: Mapping[str, Selection],
    derived: DerivedFile,
) -> Translated:
    """Return the same with each item's languages as one, where that was decided."""
    locales = decisions.collections.translations
    if not locales:
        return Translated(origin, decisions, selections)
    fields = {
        each.collection_id: fields_translated(origin, each.collection_id, derived)
        for each in origin.collections
    }
    merged = {
        name: merge_languages(each, decisions.collections.locales, fields[name])
        for name, each in selections.items()
    }
    made = Translations(locales, fields)
    entries = (entry for each in merged.values() for entry in each.selected)
    return Translated(
        replace(origin, collections=tuple(map(made.of_schema, origin.collections))),
        replace(
            decisions,
            design=made.of_design(decisions.design),
            blocks=made.of_blocks(decisions.blocks, languages_of(entries)),
        ),
        merged,
    )


def fields_translated(
    origin: Origin, collection_id: str, derived: DerivedFile
) -> frozenset[str]:
    """Return the fields of a collection that are translated; they are kept, since all
    values have to be read for it."""
    staged, live = origin.staged[collection_id], origin.live[collection_id]
    hashes = [[str(each.key), each.data_hash] for each in (*staged, *live)]
    name = f"translated {collection_id}"
    made_of = fingerprint([code_digest(("mapping", "origin")), hashes])
    body = derived.part(name, 0, made_of)
    try:
        if body:
            return frozenset(map(str, json.loads(body)))
    except (ValueError, TypeError):
        # Nobody of ours wrote that.
        pass
    found = translated_fields((staged, live))
    derived.keep_parts(name, made_of, [json.dumps(sorted(found)).encode()])
    return found
