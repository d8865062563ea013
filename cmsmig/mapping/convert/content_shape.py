"""What a service's rules about content ask: which fields hold nothing, which kinds of
values, which blocks. Known without the content itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.value_kinds import ValueKind, kind_of
from cmsmig.mapping.select.translations import own_key

FieldOf: TypeAlias = tuple[str, str]
"""A component and one of its field keys."""

_NAMING = {
    "asset": ("filename",),
    "multilink": ("id", "url", "cached_url", "email"),
}
"""What an asset or a link names, by its kind; without any of it, it is empty."""


@dataclass(frozen=True, slots=True)
class ContentShape:
    """The blocks of one story's content, the root among them."""

    used: Mapping[str, frozenset[str]]
    """Field keys by component."""
    blank: Mapping[str, frozenset[str]]
    """Field keys that hold nothing in at least one block, by component."""
    held: Mapping[FieldOf, frozenset[str]]
    """The components of the blocks that stand in a field."""
    kinds: Mapping[FieldOf, frozenset[ValueKind]]
    """The kinds of values that a field holds in any block."""

    def fields_with(self, component: str) -> Iterator[FieldOf]:
        """Yield the fields that hold blocks of a component."""
        return (
            place for place, names in sorted(self.held.items()) if component in names
        )

    def lacks(self, component: str, key: str) -> bool:
        """Return whether a block of the component has no value for a field."""
        return component in self.used and (
            key not in self.used[component]
            or key in self.blank.get(component, frozenset())
        )

    def as_json(self) -> JsonObject:
        """Return the shape as it is kept."""
        return {
            "used": {name: [*sorted(keys)] for name, keys in self.used.items()},
            "blank": {name: [*sorted(keys)] for name, keys in self.blank.items()},
            "held": [
                [*place, [*sorted(names)]] for place, names in sorted(self.held.items())
            ],
            "kinds": [
                [*place, "".join(sorted(kinds))]
                for place, kinds in sorted(self.kinds.items())
            ],
        }


def shape_from_json(kept: JsonObject) -> ContentShape:
    """Return a kept shape; raises `ValueError` and the like for anything else."""
    used = cast("dict[str, list[str]]", kept["used"])
    blank = cast("dict[str, list[str]]", kept["blank"])
    held = cast("list[tuple[str, str, list[str]]]", kept["held"])
    kinds = cast("list[tuple[str, str, str]]", kept["kinds"])
    return ContentShape(
        used={name: frozenset(keys) for name, keys in used.items()},
        blank={name: frozenset(keys) for name, keys in blank.items()},
        held={(name, key): frozenset(names) for name, key, names in held},
        kinds={(name, key): _KINDS[letters] for name, key, letters in kinds},
    )


class _Kinds(dict[str, frozenset[ValueKind]]):
    """Sets of kinds by their letters: few, and the same for many fields."""

    def __missing__(self, letters: str) -> frozenset[ValueKind]:
        return self.setdefault(letters, frozenset(map(ValueKind, letters)))


_KINDS = _Kinds()


def shape_of(content: JsonObject, related: Iterable[str] = ()) -> ContentShape:
    """Return the shape of a story's content, in one walk.

    `related` are fields that phase two fills with one relation, a text.
    """
    found = _Found()
    pending: list[tuple[Json, FieldOf | None]] = [(content, None)]
    while pending:
        value, place = pending.pop()
        held: Iterable[tuple[Json, FieldOf | None]] = ()
        if isinstance(value, list):
            held = [(each, place) for each in value]
        elif isinstance(value, dict):
            component = value.get("component")
            if isinstance(component, str) and "_uid" in value:
                held = found.block(component, value, place)
            else:
                held = [(each, place) for each in value.values()]
        pending += [one for one in held if type(one[0]) is dict or type(one[0]) is list]
    for key in related:
        found.kinds.setdefault((str(content.get("component")), key), set()).add(
            ValueKind.TEXT
        )
    return ContentShape(
        used={name: frozenset(keys) for name, keys in found.used.items()},
        blank={name: frozenset(keys) for name, keys in found.blank.items()},
        held={place: frozenset(names) for place, names in found.held.items()},
        kinds={
            place: _KINDS["".join(sorted(kinds))]
            for place, kinds in found.kinds.items()
        },
    )


@dataclass(slots=True)
class _Found:
    """What a walk has found so far."""

    used: dict[str, set[str]] = field(default_factory=dict)
    blank: dict[str, set[str]] = field(default_factory=dict)
    held: dict[FieldOf, set[str]] = field(default_factory=dict)
    kinds: dict[FieldOf, set[ValueKind]] = field(default_factory=dict)

    def block(
        self, component: str, block: JsonObject, place: FieldOf | None
    ) -> list[tuple[Json, FieldOf | None]]:
        """Note a block that stands in a field; return its values with their fields."""
        if place is not None:
            self.held.setdefault(place, set()).add(component)
        held = {k: v for k, v in block.items() if k not in ("component", "_uid")}
        # A translation is the same field, which its own value fills.
        fields = {key: value for key, value in held.items() if own_key(key) == key}
        for key, value in fields.items():
            self.kinds.setdefault((component, key), set()).add(kind_of(value))
        known = self.used.setdefault(component, set(fields))
        blank = {key for key, value in fields.items() if is_blank(value)}
        # What another block of the component has and this one does not is not filled.
        blank |= known ^ fields.keys()
        known |= fields.keys()
        if blank:
            self.blank.setdefault(component, set()).update(blank)
        return [(value, (component, own_key(key))) for key, value in held.items()]


def is_blank(value: Json) -> bool:
    """Return whether a required field counts as empty.

    Source: destination, content rules: required is a check for blank values. An asset
    without a file and a link without a target hold nothing.
    """
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, bool | int | float):
        return False
    if isinstance(value, dict):
        naming = _NAMING.get(str(value.get("fieldtype")), ())
        return not value or (bool(naming) and not any(map(value.get, naming)))
    return not value
