"""Datasource entries whose names the destination refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cmsmig.counting import noun_for
from cmsmig.mapping.decisions.design import ContentTypeDesign, Encoding, FieldDesign
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.preflights.findings import Preflight, PreflightKind
from cmsmig.steps.snapshot import Snapshot

_REFUSED_FIRST: Final = ("-", "=", "@")
"""A name may hold these anywhere but at its beginning. Source: destination,
datasource entries."""


def find_entry_names(migration: Migration, snapshot: Snapshot) -> Iterator[Preflight]:
    """Yield a finding for each field with options that the destination refuses as
    entries of its datasource. Entries that the datasource already has pass."""
    for content_type in migration.design.content_types:
        if not migration.design.makes(content_type.component):
            continue
        for field in content_type.fields:
            if field.encoding is Encoding.OPTION_DATASOURCE:
                yield from _of_field(content_type, field, snapshot)


def _of_field(
    content_type: ContentTypeDesign, field: FieldDesign, snapshot: Snapshot
) -> Iterator[Preflight]:
    there = {each.name for each in snapshot.entries.get(field.datasource, ())}
    names = [
        label
        for _, label in field.options
        if label.startswith(_REFUSED_FIRST) and label not in there
    ]
    if not names:
        return
    listed = ", ".join(f"`{name}`" for name in names)
    entries = noun_for(len(names), "entry", "entries")
    yield Preflight(
        kind=PreflightKind.ENTRY_NAME,
        text=(
            f"The service refuses the {entries} {listed} of the datasource "
            f"`{field.datasource}` (field `{field.origin}` of "
            f"`{content_type.collection_slug}`), because a name must not begin with "
            "`-`, `=` or `@`; give the option another label in notebook 02 or in "
            "decisions/design.yaml, or rename it at the origin and pull again."
        ),
        collection=content_type.collection_slug,
        field=field.key,
        component=content_type.component,
        count=len(names),
    )
