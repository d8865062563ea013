"""Components. Their fields are flags, attributes of schema fields and single options;
see `mapping/compare/component_fields.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import Component
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.compare.component_fields import (
    FLAGS,
    ComponentShape,
    equal_component,
    schema_of,
    with_fields,
)
from cmsmig.mapping.compare.content_equality import is_unset, plain
from cmsmig.mapping.propose.component_payloads import ComponentBody
from cmsmig.reconcile.diff import Diff, FieldRules, Sides
from cmsmig.reconcile.resource import (
    BASE,
    SENT,
    Comparison,
    Resource,
    Rules,
    Verb,
    is_ours,
    made_row,
    part_of,
)

ANSWERED = "answered"
"""Key in the record that was last written: fields that the service returned with
another value, by name. As long as they have that value, no developer changed them."""


class _Bodies(NamedTuple):
    """A component on three sides, and how these are divided into the same fields."""

    base: JsonObject
    ours: JsonObject
    theirs: JsonObject
    shape: ComponentShape

    @classmethod
    def of(
        cls, base: JsonObject, ours: JsonObject | None, theirs: JsonObject
    ) -> _Bodies:
        """Return them for what was kept after the last write, what is wanted, and what
        is there; where nothing is wanted, ours is the base."""
        written = {name: value for name, value in base.items() if name != ANSWERED}
        known = {flag: written[flag] for flag in FLAGS if flag in written}
        wanted = written if ours is None else {**known, **ours}
        there = _as_sent(theirs, base, wanted)
        return cls(written, wanted, there, ComponentShape.of(written, wanted, there))


@dataclass(frozen=True, slots=True)
class ComponentRules(Rules[ComponentBody, Component]):
    """The rules of components."""

    used: Mapping[str, Set[str]] = field(default_factory=dict)
    """The field keys that stories use, by component: one that a developer removed is a
    conflict."""

    def own(self, actual: Component) -> tuple[int, str]:
        """Return its number."""
        return actual.component_id, ""

    def sides(self, resource: Resource[ComponentBody, Component]) -> Sides:
        """Return flags, attributes and options on three sides."""
        base, ours, theirs, shape = _bodies(resource)
        wanted = shape.fields(ours)
        needed = {f"schema.{key}" for key in self.used.get(resource.ref.key, ())}
        rules = FieldRules(
            yields=shape.is_order,
            holds=shape.is_choice,
            is_needed=lambda name: name in wanted and name in needed,
        )
        return Sides(shape.fields(base), wanted, shape.fields(theirs), rules)

    def body(self, desired: ComponentBody) -> JsonObject:
        """Return its record."""
        return desired.body

    def created(self, desired: ComponentBody, actual: Component) -> JsonObject:
        """Return its record, with what the service made of it."""
        bodies = _Bodies.of(desired.body, desired.body, desired.body)
        return _with_answer(bodies, desired.body, desired.body, actual.body)

    def written(
        self, compared: Comparison[ComponentBody, Component], answered: Component
    ) -> JsonObject:
        """Return the base to keep, with what the service made of it."""
        bodies = _bodies(compared.resource)
        sent = component_to_send(compared)
        return _with_answer(bodies, sent, _base(bodies, compared.diff), answered.body)

    def intended(self, compared: Comparison[ComponentBody, Component]) -> JsonObject:
        """Return what is sent, and the base to keep once it is stored."""
        base = _base(_bodies(compared.resource), compared.diff)
        return {SENT: component_to_send(compared), BASE: base}

    def settled(self, resource: Resource[ComponentBody, Component]) -> MadeRow | None:
        """Return the ledger's row: a component is ours if it holds what a killed run
        was about to write, or the fields of what it was about to create."""
        row, intent, actual = resource.recorded, resource.intent, resource.actual
        if actual is None:
            return row
        ours = row is not None and is_ours(row, actual.component_id)
        if intent is not None and (
            _is_applied(intent, actual)
            or (not ours and is_begun(intent.body, actual.body))
        ):
            return made_row(resource.ref, self.own(actual), _base_after(intent))
        return row

    def edits(self, compared: Comparison[ComponentBody, Component]) -> list[str]:
        """Return also whether a developer gave it another name."""
        actual = compared.resource.actual
        is_named = actual is None or actual.name == compared.ref.key
        return [*([] if is_named else ["name"]), *Rules.edits(self, compared)]

    def fits(self, resource: Resource[ComponentBody, Component]) -> bool:
        """Return whether stories may be made on it as it is."""
        desired, actual = resource.desired, resource.actual
        if desired is None or actual is None:
            return False
        return equal_component(actual.body, desired.body)

    def calls(
        self, compared: Comparison[ComponentBody, Component]
    ) -> Mapping[str, int]:
        """Return the call that makes it, or those that compare and change it."""
        if compared.verb is Verb.CREATE:
            return {"create_components": 1}
        return {"compare_components": 1, "update_components": 1}


def component_to_send(compared: Comparison[ComponentBody, Component]) -> JsonObject:
    """Return what a PUT has to carry: their component with what is written of ours.

    Flags that a developer set are sent, too, in case the PUT replaces the record.
    """
    bodies, written = _bodies(compared.resource), compared.diff.written
    desired = compared.resource.desired
    merged = with_fields(bodies.theirs, written, bodies.ours, bodies.shape)
    return _sendable(merged, [*(desired.body if desired else ()), *written])


def is_begun(sent: JsonObject, there: JsonObject) -> bool:
    """Return whether a create of `sent` may have made a component: it has each of our
    fields with its type, and the same two flags. Labels may differ."""
    theirs, ours = schema_of(there), schema_of(sent)
    return (
        bool(ours)
        and there.get("name") == sent.get("name")
        and all(
            bool(there.get(flag)) is bool(sent.get(flag))
            for flag in ("is_root", "is_nestable")
        )
        and all(
            key in theirs and theirs[key].get("type") == definition.get("type")
            for key, definition in ours.items()
        )
    )


def _bodies(resource: Resource[ComponentBody, Component]) -> _Bodies:
    row, desired, actual = resource.recorded, resource.desired, resource.actual
    return _Bodies.of(
        row.body if row else {},
        desired.body if desired else None,
        actual.body if actual else {},
    )


def _base(bodies: _Bodies, diff: Diff) -> JsonObject:
    return with_fields(bodies.ours, diff.waiting, bodies.base, bodies.shape)


def _with_answer(
    bodies: _Bodies, sent: JsonObject, base: JsonObject, answered: JsonObject
) -> JsonObject:
    """Return the base to keep after a write that got this answer."""
    shape = bodies.shape
    flags = {flag: answered[flag] for flag in FLAGS if flag in answered}
    asked, got, ours = (shape.fields(each) for each in (sent, answered, base))
    altered: JsonObject = {
        name: got.get(name)
        for name in asked.keys() | got.keys()
        if shape.divides(name)
        and not (shape.is_order(name) or shape.is_choice(name))
        and asked.get(name) == ours.get(name) != got.get(name)
    }
    kept = {**flags, **base}
    return {**kept, ANSWERED: altered} if altered else kept


def _as_sent(theirs: JsonObject, base: JsonObject, wanted: JsonObject) -> JsonObject:
    """Return their component without what the service alone made of our last write.

    `base` is what was kept after it.
    """
    altered = base.get(ANSWERED)
    if not isinstance(altered, dict):
        return theirs
    written = {name: value for name, value in base.items() if name != ANSWERED}
    shape = ComponentShape.of(written, wanted, theirs)
    there = shape.fields(theirs)
    untouched = {
        name
        for name, value in altered.items()
        if plain(there.get(name)) == plain(value) and shape.divides(name)
    }
    return with_fields(theirs, untouched, written, shape)


def _is_applied(intent: Intent, found: Component) -> bool:
    """Return whether the component holds what a killed run was about to write."""
    sent = part_of(intent.body, SENT) or intent.body
    if not sent:
        return False
    base, _, theirs, shape = _Bodies.of(sent, None, found.body)
    return shape.fields(base) == shape.fields(theirs)


def _base_after(intent: Intent) -> JsonObject:
    """Return what counts as written by us once an intended write is applied."""
    return part_of(intent.body, BASE) or intent.body


def _sendable(record: JsonObject, keys: Iterable[str]) -> JsonObject:
    """Return a record without what the service alone writes."""
    wanted = {*keys}
    kept: dict[str, Json] = {}
    for name in dict.fromkeys(("name", *FLAGS, "schema")):
        if name in record and (name in wanted or not is_unset(plain(record[name]))):
            kept[name] = record[name]
    return kept
