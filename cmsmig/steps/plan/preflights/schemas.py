"""The fields of components as they will be when stories are created: what stands in
the space, and what an import would make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.merge import merge_fields
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.destination_survey import Survey


@dataclass(frozen=True, slots=True)
class Schemas:
    """Field definitions and groups of components, by component."""

    fields: Mapping[str, Mapping[str, JsonObject]]
    groups: Mapping[str, str]
    """The UUID of a component's group; empty without one."""

    @classmethod
    def after(cls, migration: Migration, ledger: Ledger, survey: Survey) -> Schemas:
        """Return what will be there once the components are made. Reads only.

        By field: what only we changed since our last write is as we would write it,
        what somebody else changed stays as it is.
        """
        made = ledger.inventory.made("component")
        bodies = {each.name: each.body for each in component_bodies(migration.design)}
        there = {each.name: each.body for each in survey.components}
        fields: dict[str, dict[str, JsonObject]] = {}
        for name in there.keys() | bodies.keys():
            if name not in there:
                fields[name] = _schema(bodies[name])
                continue
            row = made.get(name)
            base = _schema(row.body) if row is not None and row.made else {}
            ours = _schema(bodies.get(name, {})) if base else {}
            fields[name] = _merged(base, ours, _schema(there[name]))
        groups = {
            name: str(body.get("component_group_uuid") or "")
            for name, body in there.items()
        }
        return cls(fields, groups)

    def allows(self, definition: JsonObject, component: str) -> bool:
        """Return whether a field takes a block of a component.

        Source: destination, field definitions: restrict_components. Restrictions by
        tag are not looked at.
        """
        if not definition.get("restrict_components"):
            return True
        by = definition.get("restrict_type")
        if by == "tags":
            return True
        name = self.groups.get(component, "") if by == "groups" else component
        of = "component_group" if by == "groups" else "component"
        allowed = _listed(definition.get(f"{of}_whitelist"))
        denied = _listed(definition.get(f"{of}_denylist"))
        return (not allowed or name in allowed) and name not in denied


def _merged(
    base: Mapping[str, JsonObject],
    ours: Mapping[str, JsonObject],
    theirs: Mapping[str, JsonObject],
) -> dict[str, JsonObject]:
    fields = {key: definition for key, definition in ours.items() if key not in theirs}
    for key, definition in theirs.items():
        merged = merge_fields(base.get(key, {}), ours.get(key, {}), definition)
        fields[key] = merged.values if key in base else definition
    return fields


def _schema(body: JsonObject) -> dict[str, JsonObject]:
    schema = body.get("schema")
    return {
        key: definition
        for key, definition in (schema if isinstance(schema, dict) else {}).items()
        if isinstance(definition, dict)
    }


def _listed(value: Json) -> frozenset[str]:
    """Return the names of a list; the service also writes them comma-separated."""
    if isinstance(value, str):
        return frozenset(name for name in value.split(",") if name)
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()
