"""What a service's rules about content ask: which fields hold nothing, which kinds of
values, which blocks. Known without the content itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from cmsmig.canonical import Json, JsonObject, compact
from cmsmig.destination.value_kinds import ValueKind, kind_of
from cmsmig.mapping.select.translations import own_key

FieldOf: TypeAlias = tuple[str, str]
"""A component and one of its field keys."""
_Holding: TypeAlias = "JsonObject | list[Json]"
_BLOCK = b'"component":'
"""What is in the JSON of a value that holds blocks; most are documents without."""

_NAMING = {
    "asset": ("filename",),
    "multilink": ("id", "url", "cached_url", "email"),
}
"""What an asset or a link names, by its kind; without any of it, it is empty."""


class FieldShape(NamedTuple):
    """What a field holds in the blocks of one component."""

    kinds: tuple[ValueKind, ...]
    """The kinds of its values, sorted."""
    held: tuple[str, ...]
    """The components of the blocks that are in it, sorted."""
    is_blank: bool
    """Whether it holds nothing in at least one block."""


@dataclass(frozen=True, slots=True)
class ContentShape:
    """The blocks of one story's content, the root among them."""

    fields: Mapping[str, Mapping[str, FieldShape]]
    """By component and key."""

    @property
    def used(self) -> Mapping[str, frozenset[str]]:
        """Return the field keys by component."""
        return {name: frozenset(keys) for name, keys in self.fields.items()}

    def fields_with(self, component: str) -> Iterator[FieldOf]:
        """Yield the fields that hold blocks of a component."""
        return (
            (name, key)
            for name, fields in sorted(self.fields.items())
            for key, shape in sorted(fields.items())
            if component in shape.held
        )

    def lacks(self, component: str, key: str) -> bool:
        """Return whether a block of the component has no value for a field."""
        fields = self.fields.get(component)
        return fields is not None and (key not in fields or fields[key].is_blank)


def shape_of(content: JsonObject, related: Iterable[str] = ()) -> ContentShape:
    """Return the shape of a story's content, in one walk.

    `related` are fields, or translations of them, that phase two fills with one
    relation, a text.
    """
    found: dict[str, dict[str, _Found]] = {}
    pending: list[tuple[_Holding, _Found | None]] = [(content, None)]
    while pending:
        value, place = pending.pop()
        if isinstance(value, dict):
            component = value.get("component")
            if isinstance(component, str) and "_uid" in value:
                if place is not None:
                    place.held.add(component)
                pending += _look_at(found, component, value)
                continue
        for each in value.values() if isinstance(value, dict) else value:
            if type(each) is dict or type(each) is list:
                pending.append((each, place))
    root = found.setdefault(str(content.get("component")), {})
    for key in related:
        root.setdefault(own_key(key), _Found(True)).kinds.add(ValueKind.TEXT)
    return ContentShape(
        {
            name: {key: each.shape() for key, each in fields.items()}
            for name, fields in found.items()
        }
    )


@dataclass(slots=True)
class _Found:
    """What a walk has found of a field so far."""

    is_blank: bool
    kinds: set[ValueKind] = field(default_factory=set)
    held: set[str] = field(default_factory=set)

    def shape(self) -> FieldShape:
        kinds, held = tuple(sorted(self.kinds)), tuple(sorted(self.held))
        return FieldShape(kinds, held, self.is_blank)


def _look_at(
    found: dict[str, dict[str, _Found]], component: str, block: JsonObject
) -> list[tuple[_Holding, _Found | None]]:
    """Note the fields of a block; return what may hold others, with its fields."""
    # What another block of the component has and this one does not is not filled.
    is_new = component not in found
    fields = found.setdefault(component, {})
    held = {k: v for k, v in block.items() if k not in ("component", "_uid")}
    for key in dict.fromkeys(map(own_key, held)):
        fields.setdefault(key, _Found(not is_new))
    for key, each in fields.items():
        # A translation is the same field, which its own value fills.
        if key in held:
            each.kinds.add(kind_of(held[key]))
        each.is_blank |= is_empty_for_editors(held.get(key))
    return [
        (value, fields[own_key(key)])
        for key, value in held.items()
        if isinstance(value, dict | list) and _BLOCK in compact(value)
    ]


def is_empty_for_editors(value: Json) -> bool:
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
