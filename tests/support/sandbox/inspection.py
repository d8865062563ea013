"""What the service stores in silence although it is wrong: the violations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space, StoredAsset, StoredStory
from cmsmig.sandbox.destination.stories.story_rules import (
    document_blocks,
    is_number,
    nested_blocks,
    schema_of,
)
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy

_OWN_KEYS = frozenset({"component", "_uid", "_editable"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_LINK_KEYS = ("id", "url", "linktype", "fieldtype", "cached_url")
_LINK_TYPES = frozenset({"url", "story", "email", "asset"})
_ASSET_KEYS = ("id", "alt", "filename", "fieldtype")
_FOLDER_KEYS = frozenset({"content_types", "lock_subfolders_content_types"})
"""All that the content of a folder holds. Source: destination, shapes the editor
writes."""
_TEXTS = frozenset({"text", "textarea", "markdown"})


Note: TypeAlias = Callable[[str, str, str], None]
"""Takes one violation: its kind, its place, and what is there."""


@dataclass(slots=True)
class Inspection:
    """One story's inspection."""

    space: Space
    where: str
    note: Note
    uids: set[str] = field(default_factory=set)

    def complain(self, kind: str, place: str, what: str) -> None:
        """Note one violation at a place in the content."""
        self.note(kind, f"{self.where}: {place}", what)


Check: TypeAlias = Callable[[Inspection, JsonObject, Json, str], None]


def inspect_story(
    space: Space, note: Note, story: StoredStory, content: JsonObject
) -> None:
    """Note everything in a story's content that an editor would stumble over."""
    inspection = Inspection(space, f"stories/{space.full_slug(story)}", note)
    if story.is_folder:
        for key in sorted(content.keys() - _FOLDER_KEYS):
            inspection.complain("folder_content_key", f"content.{key}", key)
        return
    component = space.component(text_of(content.get("component")))
    if component is not None and not component.get("is_root"):
        name = text_of(component.get("name"))
        inspection.complain("not_a_content_type", "content", name)
    _block(inspection, content, "content")


def _block(inspection: Inspection, block: JsonObject, place: str) -> None:
    name = text_of(block.get("component"))
    _check_uid(inspection, block, place)
    if inspection.space.component(name) is None:
        inspection.complain("unknown_component", place, name or "(none)")
        return
    schema = schema_of(inspection.space, block)
    for key, value in block.items():
        if key in _OWN_KEYS:
            continue
        definition = schema.get(key.partition("__i18n__")[0])
        if not isinstance(definition, dict):
            inspection.complain("unknown_field", f"{place}.{key}", name)
            continue
        _check_language(inspection, definition, key, place)
        _value(inspection, definition, value, f"{place}.{key}")


def _check_language(
    inspection: Inspection, definition: JsonObject, key: str, place: str
) -> None:
    _, sign, code = key.partition("__i18n__")
    if not sign:
        return
    if not definition.get("translatable"):
        inspection.complain("not_translatable", f"{place}.{key}", key)
    if code not in {each.replace("-", "_") for each in inspection.space.languages}:
        inspection.complain("unknown_language", f"{place}.{key}", code)


def _check_uid(inspection: Inspection, block: JsonObject, place: str) -> None:
    uid = text_of(block.get("_uid"))
    if not uid:
        inspection.complain("missing_uid", place, "a block without _uid")
    elif uid in inspection.uids:
        inspection.complain("repeated_uid", place, uid)
    inspection.uids.add(uid)


def _value(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    kind = text_of(schema.get("type"))
    if kind in {"section", "tab"}:
        inspection.complain("value_of_a_section", at, kind)
    if value is None or kind not in _FORMS:
        return
    fits, complaint = _FORMS[kind]
    if not fits(value):
        inspection.complain(complaint, at, repr(value))
    elif value != "" and kind in _INSIDE:
        _INSIDE[kind](inspection, schema, value, at)
    for name in _barred(inspection.space, schema, value):
        inspection.complain("barred_component", at, name)


def _is_moment(value: Json) -> bool:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return False
    try:
        datetime.strptime(f"{value} +0000", "%Y-%m-%d %H:%M %z")
    except ValueError:
        return False
    return True


def _is_list_of(kind: type) -> Callable[[Json], bool]:
    """Return the form of a list of such values; unset it may be an empty text."""
    return lambda value: (
        value == ""
        or (isinstance(value, list) and all(isinstance(each, kind) for each in value))
    )


def _options(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    for index, one in enumerate(list_of(value)):
        _choice(inspection, schema, one, f"{at}[{index}]")


def _choice(inspection: Inspection, schema: JsonObject, one: Json, at: str) -> None:
    value, space = text_of(one), inspection.space
    source = text_of(schema.get("source"))
    if source == "internal_stories":
        _relation(inspection, schema, value, at)
    elif source == "internal":
        slug = schema.get("datasource_slug")
        owners = {o for o, body in space.datasources.items() if body["slug"] == slug}
        entries = space.entries.values()
        known = {e["value"] for e in entries if e["datasource_id"] in owners}
        if value not in known:
            inspection.complain("option_value", at, value)
    elif source in {"", "self"}:
        options = list_of(schema.get("options"))
        if value not in [object_of(option).get("value") for option in options]:
            inspection.complain("option_value", at, value)


def _relation(inspection: Inspection, schema: JsonObject, value: str, at: str) -> None:
    target = inspection.space.story_by_uuid(value)
    if target is None:
        inspection.complain("dangling_relation", at, value)
        return
    allowed = list_of(schema.get("filter_content_type"))
    if allowed and target.component not in allowed:
        inspection.complain("relation_content_type", at, value)


def _asset(inspection: Inspection, schema: JsonObject, one: Json, at: str) -> None:
    if not isinstance(one, dict):
        inspection.complain("asset_form", at, repr(one))
        return
    lacking = [key for key in _ASSET_KEYS if key not in one]
    if lacking or one.get("fieldtype") != "asset":
        inspection.complain("asset_form", at, f"lacks {', '.join(lacking)}")
    if one.get("is_external_url") is not True:
        _file(inspection, text_of(one.get("filename")), one.get("id"), at)


def _file(inspection: Inspection, address: str, own: Json, at: str) -> None:
    if not address:
        return
    asked = _asked(address)
    asset = _asset_at(inspection.space, asked)
    if asset is None or asset.data is None:
        inspection.complain("missing_file", at, address)
    elif own is not None and own != asset.asset_id:
        inspection.complain("asset_id", at, f"{own} is not the id of {address}")
    elif asked != inspection.space.address(asset):
        inspection.complain("asset_address_form", at, address)


def _asked(address: str) -> str:
    """Return what a browser asks the asset host for, which ignores a query."""
    return re.split("[?#]", address, maxsplit=1)[0]


def _asset_at(space: Space, address: str) -> StoredAsset | None:
    """Return the asset that has this address, with or without a scheme."""
    base = space.asset_base
    key = address.removeprefix(base).removeprefix(base.partition(":")[2])
    if key == address:
        return None
    return space.assets.get(space.by_key.get(key.lstrip("/"), 0))


def _assets(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    for index, one in enumerate(list_of(value)):
        if one != "":
            _asset(inspection, schema, one, f"{at}[{index}]")


def _multilink(inspection: Inspection, schema: JsonObject, one: Json, at: str) -> None:
    value = object_of(one)
    wrong = [key for key in _LINK_KEYS if not isinstance(value.get(key), str)]
    if wrong or value.get("fieldtype") != "multilink":
        inspection.complain("link_form", at, f"lacks {', '.join(wrong)}")
    linktype, target = value.get("linktype"), text_of(value.get("id"))
    if text_of(linktype) not in _LINK_TYPES:
        inspection.complain("link_form", at, f"linktype {linktype}")
    if linktype == "story" and target:
        _story_link(inspection, target, at)


def _story_link(inspection: Inspection, target: str, at: str) -> None:
    if inspection.space.story_by_uuid(target) is None:
        inspection.complain("dangling_link", at, target)


def _richtext(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    root = object_of(value)
    if value is not None and root.get("type") != "doc":
        inspection.complain("richtext_root", at, "the root is not a doc node")
    pending = [root]
    while pending:
        node = pending.pop()
        if node.get("type") == "image":
            _image(inspection, object_of(node.get("attrs")), at)
        for mark in list_of(node.get("marks")):
            link = object_of(object_of(mark).get("attrs"))
            if link.get("linktype") == "story":
                _story_link(inspection, text_of(link.get("uuid")), at)
        pending += map(object_of, list_of(node.get("content")))
    for index, block in enumerate(document_blocks(root)):
        _nested(inspection, block, f"{at}.blok[{index}]")


def _image(inspection: Inspection, attrs: JsonObject, at: str) -> None:
    address = text_of(attrs.get("src"))
    # An image may be at another host; only ours is known here.
    known = _asset_at(inspection.space, _asked(address))
    if attrs.get("id") is not None or known:
        _file(inspection, address, attrs.get("id"), at)
    elif address.startswith(inspection.space.asset_base):
        inspection.complain("missing_file", at, address)


def _bloks(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    for index, block in enumerate(nested_blocks(schema, value)):
        _nested(inspection, block, f"{at}[{index}]")


def _nested(inspection: Inspection, block: JsonObject, place: str) -> None:
    component = inspection.space.component(text_of(block.get("component")))
    if component is not None and not component.get("is_nestable"):
        name = text_of(component.get("name"))
        inspection.complain("not_nestable", place, name)
    _block(inspection, block, place)


_FORMS: dict[str, tuple[Callable[[Json], bool], str]] = {
    **dict.fromkeys(_TEXTS, (lambda value: isinstance(value, str), "not_a_string")),
    "number": (is_number, "number_form"),
    "boolean": (lambda value: isinstance(value, bool), "boolean_form"),
    "datetime": (lambda value: value == "" or _is_moment(value), "datetime_form"),
    "option": (lambda value: isinstance(value, str), "option_form"),
    "options": (_is_list_of(str), "option_form"),
    "asset": (lambda value: value == "" or isinstance(value, dict), "asset_form"),
    "multiasset": (_is_list_of(object), "asset_form"),
    "multilink": (lambda value: value == "" or isinstance(value, dict), "link_form"),
    "richtext": (lambda value: True, ""),
    "bloks": (_is_list_of(dict), "bloks_form"),
}
"""By field type: what a value has to be, and the violation of one that is not."""
_INSIDE: dict[str, Check] = {
    "option": _choice,
    "options": _options,
    "asset": _asset,
    "multiasset": _assets,
    "multilink": _multilink,
    "richtext": _richtext,
    "bloks": _bloks,
}
"""By field type: the check of what a value of that form holds."""


# Which components a bloks or rich text field allows.

_LISTS = {
    "": ("component_whitelist", "component_denylist"),
    "groups": ("component_group_whitelist", "component_group_denylist"),
    "tags": ("component_tag_whitelist", "component_tag_denylist"),
}
"""By `restrict_type`: the list of what is allowed and of what is not."""


def _barred(space: Space, field: JsonObject, value: Json) -> list[str]:
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
