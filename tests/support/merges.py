"""Components and datasources, compared with what is recorded and with the space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Component, Datasource, DatasourceEntry
from cmsmig.ledger.rows import Intent
from cmsmig.mapping.decisions.conflicts import (
    ConflictKind,
    ConflictsDecision,
    EditChoice,
    Side,
)
from cmsmig.mapping.propose.component_payloads import ComponentBody, DatasourceBody
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Comparison, Resource, compare, made_row
from cmsmig.reconcile.rules.component import ComponentRules, component_to_send
from cmsmig.reconcile.rules.datasource import (
    DATASOURCES,
    StoredDatasource,
    entry_writes,
)

OWN = (7, "")


@dataclass(frozen=True)
class Merge:
    """A comparison of an object of ours, and what follows from it."""

    compared: Comparison[Any, Any]

    def names(self, *outcomes: Outcome) -> frozenset[str]:
        return self.compared.diff.names(*outcomes)

    @property
    def written(self) -> frozenset[str]:
        return self.compared.diff.written

    @property
    def writes(self) -> bool:
        return bool(self.written)

    @property
    def kept(self) -> frozenset[str]:
        return self.names(Outcome.KEEP, Outcome.ACCEPT)

    @property
    def accepted(self) -> frozenset[str]:
        return self.names(Outcome.ACCEPT)

    @property
    def agreed(self) -> frozenset[str]:
        return self.names(Outcome.AGREE)

    @property
    def conflicts(self) -> frozenset[str]:
        return self.names(Outcome.CONFLICT)

    @property
    def stays(self) -> frozenset[str]:
        return self.names(Outcome.HOLD)

    @property
    def waiting(self) -> frozenset[str]:
        return self.compared.diff.waiting

    @property
    def send(self) -> Any:
        return component_to_send(self.compared)

    @property
    def requests(self) -> list[tuple[str, str]]:
        return [*entry_writes(self.compared.diff)]

    @property
    def intended(self) -> JsonObject:
        return self.compared.resource.rules.intended(self.compared)

    def base_after(self, answered: JsonObject | None = None) -> JsonObject:
        """Return the base to keep: after an answer, or all that was sent was taken."""
        actual: Any = _component(answered or {})
        if answered is None:
            actual = _stored(self.intended)
        return self.compared.resource.rules.written(self.compared, actual)


def decided(kind: ConflictKind, take: Side | None) -> ConflictsDecision:
    """Return what decides alike about every field."""
    edits = () if take is None else (EditChoice(kind=kind, what="*", take=take),)
    return ConflictsDecision(edits=edits)


def first_base(sent: JsonObject, answered: JsonObject) -> JsonObject:
    """Return the base to keep of a component that was created."""
    wanted = ComponentBody(str(sent["name"]), sent)
    return ComponentRules().created(wanted, _component(answered))


def merge_component(
    base: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    take: Side | None = None,
    used: frozenset[str] = frozenset(),
) -> Merge:
    """Return a component compared with its base and with the space."""
    name = str(ours["name"])
    ref = Ref(Kind.COMPONENT, name)
    rules, row = ComponentRules({name: used}), made_row(ref, OWN, base)
    wanted = ComponentBody(name, ours)
    resource = Resource(ref, wanted, row, _component(theirs), rules)
    return Merge(compare(resource, decided(ConflictKind.COMPONENT, take)))


def merge_datasource(
    base: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    take: Side | None = None,
    intended: JsonObject | None = None,
) -> Merge:
    """Return a datasource compared with its base and with the space."""
    slug = str(ours["slug"])
    ref = Ref(Kind.DATASOURCE, slug)
    pairs: Any = ours["entries"]
    wanted = DatasourceBody(slug, str(ours["name"]), tuple(map(tuple, pairs)))
    intent = Intent(ref.kind, slug, "", intended) if intended else None
    row = made_row(ref, OWN, base)
    resource = Resource(ref, wanted, row, _stored(theirs), DATASOURCES, intent)
    return Merge(compare(resource, decided(ConflictKind.DATASOURCE, take)))


def _component(body: JsonObject) -> Component:
    return Component(OWN[0], str(body.get("name")), body)


def _stored(record: JsonObject) -> StoredDatasource:
    pairs: Any = record["entries"]
    entries = tuple(DatasourceEntry(0, *pair) for pair in pairs)
    source = Datasource(OWN[0], str(record["name"]), str(record["slug"]))
    return StoredDatasource(source, entries)
