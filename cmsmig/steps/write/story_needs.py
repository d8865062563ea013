"""What a story needs of the space: components, their fields, options of datasources.

The service stores an unknown field or option in silence, so a story that needs one is
not sent. Spec: import rule 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.ledger.rows import COMPONENT_MISSING, OPTION_MISSING
from cmsmig.mapping.compare.component_fields import schema_of
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.reconcile.rules.datasource import pairs_of
from cmsmig.steps.plan.preflights.findings import Refusal
from cmsmig.steps.write.import_job import ImportJob

_Field: TypeAlias = tuple[str, str]
"""A component and one of its field keys."""


@dataclass(frozen=True, slots=True)
class StoryNeeds:
    """The space as stories find it once everything that they need was written."""

    job: ImportJob
    there: Mapping[str, Set[str]]
    """Field keys by component, of the components that are looked at."""
    lacking_options: Mapping[_Field, Mapping[str, str]]
    """Values that no datasource has, with the name of their datasource."""
    looked_at: frozenset[str] | None = None
    """Components that are compared; None for all."""

    @classmethod
    def of_creates(cls, job: ImportJob) -> StoryNeeds:
        """Return it for stories to be created: the components were read back."""
        return cls(job, job.field_keys, _lacking_options(job))

    @classmethod
    def of_updates(cls, job: ImportJob) -> StoryNeeds:
        """Return it for stories to be updated: only components that were refused in
        this run are looked at, since the others are as the design has them."""
        refused = frozenset(name for kind, name in job.refused if kind == "component")
        there = {
            each.name: frozenset(schema_of(each.body))
            for each in job.snapshot.components
            if each.name in refused
        }
        return cls(job, there, _lacking_options(job), refused)

    def unmet(
        self, used: Mapping[str, Set[str]], content: JsonObject
    ) -> Refusal | None:
        """Return why a story with this content is not sent, if so."""
        if self.looked_at is not None:
            used = {name: used[name] for name in self.looked_at & used.keys()}
        if lacking := lacking_fields(self.there, used):
            refused = [
                each.text
                for each in self.job.refused.values()
                if each.kind == "component" and each.what in used
            ]
            then = " ".join(refused) or "Run `cmsmig prepare`, then this again."
            why = f"The space lacks what the story uses ({'; '.join(lacking)}). {then}"
            return Refusal(COMPONENT_MISSING, why)
        if self.lacking_options:
            for component, key, value, slug in self._options(content):
                why = (
                    f"The field `{key}` of the component `{component}` holds "
                    f"`{value}`, and the datasource `{slug}` has no such entry, "
                    "because it was not written; see why with `cmsmig plan`, then run "
                    "this again."
                )
                return Refusal(OPTION_MISSING, why)
        return None

    def _options(self, content: Json) -> Iterator[tuple[str, str, str, str]]:
        pending: list[Json] = [content]
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending += value
            elif isinstance(value, dict):
                pending += value.values()
                component = str(value.get("component", ""))
                for key, held in value.items():
                    lacking = self.lacking_options.get((component, key), {})
                    if isinstance(held, str) and held in lacking:
                        yield component, key, held, lacking[held]


def _lacking_options(job: ImportJob) -> Mapping[_Field, Mapping[str, str]]:
    """Return the options of our datasources that neither the space had nor this run
    wrote, by the fields that name the datasource."""
    made = job.ledger.inventory.made("datasource")
    lacking: dict[str, dict[str, str]] = {}
    for wanted in datasource_bodies(job.migration.design):
        row = made.get(wanted.slug)
        if row is None or not row.made:
            continue
        there = {value for _, value in pairs_of(row.body)}
        there |= job.snapshot.choices(wanted.slug)
        values = {value for _, value in wanted.entries} - there
        if values:
            lacking[wanted.slug] = dict.fromkeys(values, wanted.slug)
    return {
        (component.name, key): lacking[str(definition["datasource_slug"])]
        for component in (component_bodies(job.migration.design) if lacking else ())
        for key, definition in schema_of(component.body).items()
        if definition.get("datasource_slug") in lacking
    }


def lacking_fields(
    there: Mapping[str, Set[str]], used: Mapping[str, Set[str]]
) -> tuple[str, ...]:
    """Return the components and fields that are `used` and not `there`, a phrase
    each."""
    found: list[str] = []
    for component, keys in sorted(used.items()):
        if component not in there:
            found.append(f"component `{component}`")
            continue
        found += [
            f"field `{key}` of component `{component}`"
            for key in sorted(keys - there[component])
        ]
    return tuple(found)
