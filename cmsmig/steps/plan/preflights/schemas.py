"""The fields of components as they will be when stories are created: what stands in
the space, and what an import would make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.compare.component_fields import schema_of
from cmsmig.reconcile.resource import Owner, compare
from cmsmig.reconcile.rules.component import component_to_send
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Schemas:
    """Field definitions and groups of components, by component."""

    fields: Mapping[str, Mapping[str, JsonObject]]
    groups: Mapping[str, str]
    """The UUID of a component's group; empty without one."""
    tags: Mapping[str, frozenset[str]]
    """Ids of a component's tags."""

    @classmethod
    def after(cls, migration: Migration, ledger: Ledger, snapshot: Snapshot) -> Schemas:
        """Return what will be there once the components are made. Reads only."""
        there = {each.name: each.body for each in snapshot.components}
        after = dict(there)
        for each in Resources.of(migration, ledger, snapshot).components():
            compared = compare(each, migration.decisions.conflicts)
            if compared.owner is Owner.OURS:
                after[each.ref.key] = component_to_send(compared)
            elif each.actual is None and each.desired is not None:
                after[each.ref.key] = each.desired.body
        fields = {name: schema_of(body) for name, body in after.items()}
        groups = {
            name: str(body.get("component_group_uuid") or "")
            for name, body in there.items()
        }
        tags = {
            name: _listed(body.get("internal_tag_ids")) for name, body in there.items()
        }
        return cls(fields, groups, tags)

    def allows(self, definition: JsonObject, component: str) -> bool:
        """Return whether a field takes a block of a component.

        Source: destination, field definitions: restrict_components.
        """
        if not definition.get("restrict_components"):
            return True
        match definition.get("restrict_type"):
            case "tags":
                of, names = "component_tag", self.tags.get(component, frozenset())
            case "groups":
                of, names = "component_group", _listed(self.groups.get(component))
            case _:
                of, names = "component", frozenset((component,))
        allowed = _listed(definition.get(f"{of}_whitelist"))
        denied = _listed(definition.get(f"{of}_denylist"))
        return (not allowed or bool(names & allowed)) and not names & denied


def _listed(value: Json) -> frozenset[str]:
    """Return the names of a list; the service also writes them comma-separated."""
    if isinstance(value, str):
        return frozenset(name for name in value.split(",") if name)
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()
