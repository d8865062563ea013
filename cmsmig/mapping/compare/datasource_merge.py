"""A datasource of ours, merged with what an editor made of it.

Its fields are its `name`, and `entries.calm`: the label of the entry whose value is
`calm`. Stories hold the value; the label is what editors see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.schema_merge import (
    Decide,
    FieldRules,
    SchemaMerge,
    merge_schema,
)

_ENTRIES = "entries."
_BASE = "base"
"""Key in an intent beside what is to stand there: what counts as ours then."""


def datasource_record(
    name: str, slug: str, entries: Iterable[tuple[str, str]]
) -> JsonObject:
    """Return a datasource with its entries (label, value), as the ledger keeps one."""
    listed: list[Json] = [[label, value] for label, value in entries]
    return {"name": name, "slug": slug, "entries": listed}


def intended_record(fields: SchemaMerge, slug: str) -> JsonObject:
    """Return what is to stand there after a write, with the base to keep then."""
    return {
        **_record(fields.merged.values, slug),
        _BASE: written_record(fields, slug),
    }


def written_record(
    fields: SchemaMerge, slug: str, refused: Set[str] = frozenset()
) -> JsonObject:
    """Return the base to keep of a datasource once its merge is stored there, but for
    the fields that the service `refused`."""
    waiting = fields.waiting | refused
    held = {field: fields.base[field] for field in waiting if field in fields.base}
    ours = {field: fields.ours[field] for field in fields.ours.keys() - waiting}
    ordered = {field: ours[field] for field in fields.ours if field in ours}
    return _record(ordered | held, slug)


def merge_datasource(
    base: JsonObject,
    intended: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    decide: Decide,
) -> SchemaMerge:
    """Return the merge of `ours` with `theirs`.

    `base` is what was kept after the last write, `intended` what a killed run was
    about to write, or empty: what stands there like that is ours.
    """
    wanted, there = _fields(ours), _fields(theirs)
    written = _settled(base, intended, theirs) or {"name": wanted["name"]}
    rules = FieldRules(
        is_order=lambda field: False,
        is_choice=lambda field: field.startswith(_ENTRIES),
        is_needed=lambda field: False,
        is_refused=lambda field: _is_taken(field, wanted, there),
    )
    return merge_schema(written, wanted, there, decide, rules)


def settled_record(
    base: JsonObject, intended: JsonObject, theirs: JsonObject
) -> JsonObject:
    """Return the base to keep after a killed run was about to write `intended`.

    What stands there as it was meant is what that run wrote.
    """
    return _record(_settled(base, intended, theirs), str(theirs["slug"]))


def entry_value(field: str) -> str | None:
    """Return the value of the entry that a field names, or None for the name."""
    return field.removeprefix(_ENTRIES) if field.startswith(_ENTRIES) else None


def _is_taken(
    field: str, wanted: Mapping[str, Json], there: Mapping[str, Json]
) -> bool:
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


def _record(fields: Mapping[str, Json], slug: str) -> JsonObject:
    entries = [
        (str(label), field.removeprefix(_ENTRIES))
        for field, label in fields.items()
        if field.startswith(_ENTRIES)
    ]
    return datasource_record(str(fields.get("name", "")), slug, entries)


def _settled(
    base: JsonObject, intended: JsonObject, theirs: JsonObject
) -> dict[str, Json]:
    written, aim, there = _fields(base), _fields(intended), _fields(theirs)
    after = intended.get(_BASE)
    meant = _fields(after) if isinstance(after, dict) else aim
    for field in (written.keys() | aim.keys()) if intended else ():
        if aim.get(field) == there.get(field):
            written = _with(written, field, meant)
    return written


def _with(
    fields: Mapping[str, Json], field: str, source: Mapping[str, Json]
) -> dict[str, Json]:
    others = {name: value for name, value in fields.items() if name != field}
    return {**others, field: source[field]} if field in source else others


def datasource_writes(fields: SchemaMerge) -> Iterator[tuple[str, str]]:
    """Yield the requests that a merge takes, by name, and the field of each.

    Entries that are new come in the order of the design, and last: what is removed
    or called something else first may be what has their label.
    """
    written = [*fields.ours.keys() & fields.merged.written]
    for field in sorted(fields.merged.written - fields.ours.keys()):
        yield "delete_datasource_entries", field
    for field in sorted(written):
        if not field.startswith(_ENTRIES):
            yield "update_datasources", field
        elif field in fields.theirs:
            yield "update_datasource_entries", field
    for field in fields.ours:
        if field in fields.merged.written and field not in fields.theirs:
            yield "create_datasource_entries", field
