"""Which components a bloks or rich text field allows."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.story_rules import (
    nested_blocks,
)
from cmsmig.sandbox.values import list_of, text_of, truthy

_LISTS = {
    "": ("component_whitelist", "component_denylist"),
    "groups": ("component_group_whitelist", "component_group_denylist"),
    "tags": ("component_tag_whitelist", "component_tag_denylist"),
}
"""By `restrict_type`: the list of what is allowed and of what is not."""


def barred(space: Space, field: JsonObject, value: Json) -> list[str]:
    """Return the components directly in a value that the field does not allow."""
    kind = text_of(field.get("restrict_type"))
    if not truthy(field.get("restrict_components")) or kind not in _LISTS:
        return []
    whitelist, denylist = (_marks(field.get(name)) for name in _LISTS[kind])
    names = {text_of(b.get("component")) for b in nested_blocks(field, value)}
    return sorted(
        name
        for name in names
        if (whitelist and not whitelist & _own(space, kind, name))
        or denylist & _own(space, kind, name)
    )


def _marks(value: Json) -> set[str]:
    # Tags are numbers in a field and texts in a component.
    return {str(one) for one in list_of(value)}


def _own(space: Space, kind: str, name: str) -> set[str]:
    """Return what a list can name a component by: its name, groups or tags."""
    component = space.component(name) or {}
    if kind == "tags":
        return _marks(component.get("internal_tag_ids"))
    if kind != "groups":
        return {name}
    return set(_groups(space, component.get("component_group_uuid")))


def _groups(space: Space, own: Json) -> list[str]:
    """Return a group and its parents: a list that names a group includes subgroups."""
    by_uuid = {group["uuid"]: group for group in space.groups.values()}
    found: list[str] = []
    while own in by_uuid:
        found.append(str(own))
        own = by_uuid[own].get("parent_uuid")
    return found
