"""What the service stores in silence although it is wrong: the violations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.document import examine
from cmsmig.sandbox.destination.stories.restrictions import barred
from cmsmig.sandbox.destination.stories.story_rules import (
    document_blocks,
    nested_blocks,
    schema_of,
)
from cmsmig.sandbox.destination.stories.story_translations import speaks
from cmsmig.sandbox.destination.stories.strictness import NUMBER
from cmsmig.sandbox.values import list_of, object_of, text_of

_OWN_KEYS = frozenset({"component", "_uid", "_editable"})
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_LINK_KEYS = ("id", "url", "linktype", "fieldtype", "cached_url")
_LINK_TYPES = frozenset({"url", "story", "email", "asset"})
_ASSET_KEYS = ("id", "alt", "filename", "fieldtype")
_FOLDER_KEYS = frozenset({"content_types", "lock_subfolders_content_types"})
"""All that the content of a folder holds. Source: destination, shapes the editor
writes."""
_TEXTS = frozenset({"text", "textarea", "markdown"})


@dataclass(slots=True)
class Inspection:
    """One story's inspection; complaints go to the space's recorder."""

    space: Space
    where: str
    uids: set[str] = field(default_factory=set)

    def complain(self, kind: str, place: str, what: str) -> None:
        """Record one violation at a place in the content."""
        self.space.violated(kind, f"{self.where}: {place}", what)


Check: TypeAlias = Callable[[Inspection, JsonObject, Json, str], None]


def inspect_story(space: Space, story: StoredStory, content: JsonObject) -> None:
    """Record everything in a story's content that an editor would stumble over."""
    inspection = Inspection(space, f"stories/{space.full_slug(story)}")
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
    if not speaks(inspection.space, code):
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
    elif kind in _CHECKS and value is not None:
        _CHECKS[kind](inspection, schema, value, at)
        for name in barred(inspection.space, schema, value):
            inspection.complain("barred_component", at, name)


def _text(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if not isinstance(value, str):
        inspection.complain("not_a_string", at, type(value).__name__)


def _number(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        inspection.complain("number_form", at, repr(value))


def _boolean(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if not isinstance(value, bool):
        inspection.complain("boolean_form", at, repr(value))


def _datetime(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if value != "" and not _is_moment(value):
        inspection.complain("datetime_form", at, repr(value))


def _is_moment(value: Json) -> bool:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return False
    try:
        datetime.strptime(f"{value} +0000", "%Y-%m-%d %H:%M %z")
    except ValueError:
        return False
    return True


def _option(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if not isinstance(value, str):
        inspection.complain("option_form", at, repr(value))
    elif value:
        _choice(inspection, schema, value, at)


def _options(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if value == "":
        return
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        inspection.complain("option_form", at, repr(value))
        return
    for index, one in enumerate(value):
        _choice(inspection, schema, text_of(one), f"{at}[{index}]")


def _choice(inspection: Inspection, schema: JsonObject, value: str, at: str) -> None:
    space, source = inspection.space, text_of(schema.get("source"))
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


def _asset(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if value == "":
        return
    if not isinstance(value, dict):
        inspection.complain("asset_form", at, repr(value))
        return
    lacking = [key for key in _ASSET_KEYS if key not in value]
    if lacking or value.get("fieldtype") != "asset":
        inspection.complain("asset_form", at, f"lacks {', '.join(lacking)}")
    if value.get("is_external_url") is not True:
        _file(inspection, text_of(value.get("filename")), value.get("id"), at)


def _file(inspection: Inspection, address: str, own: Json, at: str) -> None:
    if not address:
        return
    asset = inspection.space.asset_at(address)
    if asset is None or asset.data is None:
        inspection.complain("missing_file", at, address)
    elif own is not None and own != asset.asset_id:
        inspection.complain("asset_id", at, f"{own} is not the id of {address}")
    elif address != inspection.space.address(asset):
        inspection.complain("asset_address_form", at, address)


def _assets(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if value == "":
        return
    if not isinstance(value, list):
        inspection.complain("asset_form", at, repr(value))
        return
    for index, one in enumerate(value):
        _asset(inspection, schema, one, f"{at}[{index}]")


def _multilink(
    inspection: Inspection, schema: JsonObject, value: Json, at: str
) -> None:
    if value == "":
        return
    if not isinstance(value, dict):
        inspection.complain("link_form", at, repr(value))
        return
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
    found = examine(value)
    for complaint in found.complaints:
        place = f"{at}.{complaint.where}".rstrip(".")
        inspection.complain(complaint.kind, place, complaint.what)
    for place, target in found.story_links:
        _story_link(inspection, target, f"{at}.{place}")
    for place, attrs in found.images:
        address = text_of(attrs.get("src"))
        # An image may stand at another host; only ours is known here.
        if attrs.get("id") is not None or inspection.space.asset_at(address):
            _file(inspection, address, attrs.get("id"), f"{at}.{place}")
        elif address.startswith(inspection.space.asset_base):
            inspection.complain("missing_file", f"{at}.{place}", address)
    root = object_of(value)
    whole = root.get("type") == "doc"
    for index, block in enumerate(found.blocks if whole else document_blocks(root)):
        _nested(inspection, block, f"{at}.blok[{index}]")


def _bloks(inspection: Inspection, schema: JsonObject, value: Json, at: str) -> None:
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        if value != "":
            inspection.complain("bloks_form", at, type(value).__name__)
        return
    for index, block in enumerate(nested_blocks(schema, value)):
        _nested(inspection, block, f"{at}[{index}]")


def _nested(inspection: Inspection, block: JsonObject, place: str) -> None:
    component = inspection.space.component(text_of(block.get("component")))
    if component is not None and not component.get("is_nestable"):
        name = text_of(component.get("name"))
        inspection.complain("not_nestable", place, name)
    _block(inspection, block, place)


_CHECKS: dict[str, Check] = {
    **dict.fromkeys(_TEXTS, _text),
    "number": _number,
    "boolean": _boolean,
    "datetime": _datetime,
    "option": _option,
    "options": _options,
    "asset": _asset,
    "multiasset": _assets,
    "multilink": _multilink,
    "richtext": _richtext,
    "bloks": _bloks,
}
