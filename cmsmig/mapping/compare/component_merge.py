"""A component of ours, merged with what a developer made of it."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.component_fields import (
    FLAGS,
    Shape,
    with_fields,
)
from cmsmig.mapping.compare.plain_values import is_unset, plain
from cmsmig.mapping.compare.schema_merge import (
    Decide,
    FieldRules,
    SchemaMerge,
    merge_schema,
)

ANSWERED = "answered"
"""Key beside the record that was last written: fields that the service gave back as
something else, by name. As long as they stand like that, nobody changed them."""


@dataclass(frozen=True, slots=True)
class ComponentMerge:
    """The merge of a component, and the records that follow from it."""

    fields: SchemaMerge
    send: JsonObject
    """What a PUT has to carry: their component with what is written of ours."""
    base: JsonObject
    """What counts as written by us once that stands there."""
    shape: Shape

    def written_base(self, answered: JsonObject) -> JsonObject:
        """Return the base to keep after a write that got this answer."""
        flags = {flag: answered[flag] for flag in FLAGS if flag in answered}
        base = {**flags, **self.base}
        sent, got = self.shape.fields(self.send), self.shape.fields(answered)
        ours = self.shape.fields(self.base)
        altered: JsonObject = {
            field: got.get(field)
            for field in sent.keys() | got.keys()
            if self._is_attribute(field)
            and sent.get(field) == ours.get(field) != got.get(field)
        }
        return {**base, ANSWERED: altered} if altered else base

    def _is_attribute(self, field: str) -> bool:
        """Return whether a field is one attribute of a schema field, or a flag."""
        listed = self.shape.is_order(field) or self.shape.is_choice(field)
        return self.shape.divides(field) and not listed


def first_base(sent: JsonObject, answered: JsonObject) -> JsonObject:
    """Return the base to keep of a component that was created."""
    return _whole_merge(sent).written_base(answered)


def merge_component(
    base: JsonObject,
    ours: JsonObject,
    theirs: JsonObject,
    decide: Decide,
    used: Set[str] = frozenset(),
) -> ComponentMerge:
    """Return the merge of `ours` with `theirs`, both made from `base`.

    `base` is what was kept after the last write. `used` are the field keys that
    stories have: what somebody took out of these is a conflict.
    """
    written = {name: value for name, value in base.items() if name != ANSWERED}
    wanted = {
        **{flag: written[flag] for flag in FLAGS if flag in written},
        **ours,
    }
    there = as_sent(theirs, base, wanted)
    shape = Shape.of(written, wanted, there)
    our_fields = shape.fields(wanted)
    rules = FieldRules(
        is_order=shape.is_order,
        is_choice=shape.is_choice,
        is_needed=lambda field: (
            field in our_fields and field in {f"schema.{key}" for key in used}
        ),
    )
    fields = merge_schema(
        shape.fields(written), our_fields, shape.fields(there), decide, rules
    )
    merged = with_fields(there, fields.merged.written, wanted, shape)
    return ComponentMerge(
        fields,
        send=_sendable(merged, [*ours, *fields.merged.written]),
        base=with_fields(wanted, fields.waiting, written, shape),
        shape=shape,
    )


def _whole_merge(sent: JsonObject) -> ComponentMerge:
    return merge_component(sent, sent, sent, lambda field, value: None)


def as_sent(
    theirs: JsonObject, base: JsonObject, wanted: JsonObject | None = None
) -> JsonObject:
    """Return their component without what the service alone made of our last write.

    `base` is what was kept after it.
    """
    altered = base.get(ANSWERED)
    if not isinstance(altered, dict):
        return theirs
    written = {name: value for name, value in base.items() if name != ANSWERED}
    shape = Shape.of(written, wanted or written, theirs)
    there = shape.fields(theirs)
    untouched = {
        field
        for field, value in altered.items()
        if plain(there.get(field)) == plain(value) and shape.divides(field)
    }
    return with_fields(theirs, untouched, written, shape)


def _sendable(record: JsonObject, keys: Iterable[str]) -> JsonObject:
    """Return a record without what the service alone writes.

    Flags that somebody set go along, in case that it replaces the whole record.
    """
    kept: dict[str, Json] = {}
    for name in dict.fromkeys(("name", *FLAGS, "schema")):
        if name in record and (name in keys or not is_unset(plain(record[name]))):
            kept[name] = record[name]
    return kept
