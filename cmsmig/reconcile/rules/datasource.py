"""Datasources. Their fields are `name`, and `entries.calm`: the label of the entry
whose value is `calm`. Stories hold the value; the label is what editors see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import Datasource, DatasourceEntry, pages
from cmsmig.ledger.rows import MadeRow
from cmsmig.mapping.propose.component_payloads import DatasourceBody
from cmsmig.reconcile.diff import Diff, FieldRules, Fields, Sides
from cmsmig.reconcile.resource import (
    BASE,
    Comparison,
    Resource,
    Rules,
    Verb,
    is_ours,
    made_row,
)

_ENTRIES = "entries."


@dataclass(frozen=True, slots=True)
class StoredDatasource:
    """A datasource of the space with its entries."""

    datasource: Datasource
    entries: tuple[DatasourceEntry, ...] = ()

    @property
    def record(self) -> JsonObject:
        """Return it as the ledger keeps one."""
        pairs = ((each.name, each.value) for each in self.entries)
        return datasource_record(self.datasource.name, self.datasource.slug, pairs)


class DatasourceRules(Rules[DatasourceBody, StoredDatasource]):
    """The rules of datasources."""

    def own(self, actual: StoredDatasource) -> tuple[int, str]:
        """Return its number."""
        return actual.datasource.datasource_id, ""

    def sides(self, resource: Resource[DatasourceBody, StoredDatasource]) -> Sides:
        """Return name and entries on three sides.

        An entry that ours no longer has stays until that is decided, for stories may
        hold it. The service takes a label once.
        """
        row, desired, actual = resource.recorded, resource.desired, resource.actual
        base = _fields(row.body if row else {})
        ours = _fields(self.body(desired)) if desired else base
        theirs = _fields(actual.record) if actual else {}
        rules = FieldRules(
            holds=lambda field: field.startswith(_ENTRIES),
            is_refused=lambda field: _is_taken(field, ours, theirs),
        )
        return Sides(base or {"name": ours["name"]}, ours, theirs, rules)

    def body(self, desired: DatasourceBody) -> JsonObject:
        """Return it as it is designed."""
        return datasource_record(desired.name, desired.slug, desired.entries)

    def created(self, desired: DatasourceBody, actual: StoredDatasource) -> JsonObject:
        """Return its record without entries: those are written after it is there."""
        return datasource_record(desired.name, desired.slug, ())

    def written(
        self,
        compared: Comparison[DatasourceBody, StoredDatasource],
        answered: StoredDatasource,
    ) -> JsonObject:
        """Return the base to keep; what the service refused is not there."""
        there, ours = _fields(answered.record), compared.diff.sides.ours
        refused = {
            name for name in compared.diff.written if there.get(name) != ours.get(name)
        }
        return _record(compared.diff.base_after(refused), compared.ref.key)

    def intended(
        self, compared: Comparison[DatasourceBody, StoredDatasource]
    ) -> JsonObject:
        """Return the record after the write, with the base to keep then."""
        base = _record(compared.diff.base_after(), compared.ref.key)
        return {**_record(compared.diff.values, compared.ref.key), BASE: base}

    def settled(
        self, resource: Resource[DatasourceBody, StoredDatasource]
    ) -> MadeRow | None:
        """Return the ledger's row: fields with the intended value are ours, and so is a
        datasource that holds nothing but what a killed run intended."""
        row, intent, actual = resource.recorded, resource.intent, resource.actual
        if actual is None:
            return row
        if row is not None and is_ours(row, self.own(actual)[0]):
            if intent is not None:
                row = replace(row, body=_settled(row.body, intent.body, actual))
            return row
        if intent is None or not _is_begun(resource, intent.body, actual):
            return row
        body = _settled({}, intent.body, actual)
        return made_row(resource.ref, self.own(actual), body)

    def edits(
        self, compared: Comparison[DatasourceBody, StoredDatasource]
    ) -> list[str]:
        """Return also whether a developer gave it another slug."""
        actual = compared.resource.actual
        is_named = actual is None or actual.datasource.slug == compared.ref.key
        return [*([] if is_named else ["slug"]), *Rules.edits(self, compared)]

    def fits(self, resource: Resource[DatasourceBody, StoredDatasource]) -> bool:
        """Return whether it has every value of the design."""
        wanted = resource.desired.entries if resource.desired else ()
        there = resource.actual.entries if resource.actual else ()
        return {value for _, value in wanted} <= {each.value for each in there}

    def calls(
        self, compared: Comparison[DatasourceBody, StoredDatasource]
    ) -> Mapping[str, int]:
        """Return the calls for it and for each of its entries."""
        desired, actual = compared.resource.desired, compared.resource.actual
        if compared.verb is Verb.CREATE and desired is not None:
            entries = {"create_datasource_entries": len(desired.entries)}
            return {"create_datasources": 1, **entries}
        listed = pages(len(actual.entries)) if actual else 0
        looks = {"compare_datasources": 1, "compare_datasource_entries": listed}
        return {**looks, **Counter(call for call, _ in entry_writes(compared.diff))}


DATASOURCES: Final = DatasourceRules()


def datasource_record(
    name: str, slug: str, entries: Iterable[tuple[str, str]]
) -> JsonObject:
    """Return a datasource with its entries (label, value), as the ledger keeps one."""
    listed: list[Json] = [[label, value] for label, value in entries]
    return {"name": name, "slug": slug, "entries": listed}


def entry_value(field: str) -> str | None:
    """Return the value of the entry that a field names, or None for the name."""
    return field.removeprefix(_ENTRIES) if field.startswith(_ENTRIES) else None


def entry_writes(diff: Diff) -> Iterator[tuple[str, str]]:
    """Yield the requests that an update takes, by name, and the field of each.

    Entries that are new come in the order of the design, and last: what is removed
    or called something else first may be what has their label.
    """
    ours, theirs, written = diff.sides.ours, diff.sides.theirs, diff.written
    for field in sorted(written - ours.keys()):
        yield "delete_datasource_entries", field
    for field in sorted(written & ours.keys()):
        if not field.startswith(_ENTRIES):
            yield "update_datasources", field
        elif field in theirs:
            yield "update_datasource_entries", field
    for field in ours:
        if field in written and field not in theirs:
            yield "create_datasource_entries", field


def pairs_of(body: JsonObject) -> set[tuple[str, str]]:
    """Return the names and values of the entries that a datasource's body holds."""
    listed = body.get("entries")
    pairs = listed if isinstance(listed, list) else []
    return {
        (str(pair[0]), str(pair[1]))
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2
    }


def _is_begun(
    resource: Resource[DatasourceBody, StoredDatasource],
    intended: JsonObject,
    actual: StoredDatasource,
) -> bool:
    """Return whether it holds nothing but what a killed run intended."""
    wanted = {*resource.desired.entries} if resource.desired else set()
    return pairs_of(actual.record) <= pairs_of(intended) | wanted


def _is_taken(field: str, wanted: Fields, there: Fields) -> bool:
    """Return whether another entry has our label: the service takes a label once."""
    return field.startswith(_ENTRIES) and any(
        label == wanted.get(field)
        for other, label in there.items()
        if other.startswith(_ENTRIES) and other != field
    )


def _fields(record: JsonObject) -> dict[str, Json]:
    listed = record.get("entries")
    entries = {
        f"{_ENTRIES}{pair[1]}": pair[0]
        for pair in reversed(listed if isinstance(listed, list) else [])
        if isinstance(pair, list) and len(pair) == 2
    }
    ordered = dict(reversed(entries.items()))
    return {"name": record["name"], **ordered} if record else {}


def _record(fields: Fields, slug: str) -> JsonObject:
    entries = [
        (str(label), field.removeprefix(_ENTRIES))
        for field, label in fields.items()
        if field.startswith(_ENTRIES)
    ]
    return datasource_record(str(fields.get("name", "")), slug, entries)


def _settled(
    base: JsonObject, intended: JsonObject, actual: StoredDatasource
) -> JsonObject:
    """Return the base to keep after a killed run was about to write `intended`."""
    written, aim, there = _fields(base), _fields(intended), _fields(actual.record)
    after = intended.get(BASE)
    meant = _fields(after) if isinstance(after, dict) else aim
    for field in written.keys() | aim.keys():
        if aim.get(field) == there.get(field):
            written.pop(field, None)
            written |= {field: meant[field]} if field in meant else {}
    return _record(written, actual.datasource.slug)
