"""A sound story, and faults that are planted into it one at a time."""

from __future__ import annotations

import copy
from dataclasses import dataclass

Path = tuple[str | int, ...]

GROUPS = [{"uuid": "g-1", "name": "Texts"}]
_NAMES = {"restrict_components": True, "restrict_type": ""}
_BY_GROUP = {"restrict_components": True, "restrict_type": "groups"}


def _component(name: str, group: str = "", **schema: dict) -> dict:
    return {"name": name, "component_group_uuid": group or None, "schema": schema}


COMPONENTS = [
    _component(
        "article",
        title={"type": "text", "required": True},
        price={"type": "number"},
        wide={"type": "boolean"},
        picture={"type": "asset"},
        pictures={"type": "multiasset"},
        link={"type": "multilink"},
        mood={"type": "option", "options": [{"name": "Calm", "value": "calm"}]},
        body={"type": "richtext", "component_whitelist": ["quote"], **_NAMES},
        blocks={"type": "bloks", "component_denylist": ["aside"], **_NAMES},
        texts={"type": "bloks", "component_group_whitelist": ["g-1"], **_BY_GROUP},
    ),
    _component("quote", "g-1", text={"type": "text", "required": True}),
    _component("aside"),
]
"""As the management API has them."""


def _asset() -> dict:
    return {"fieldtype": "asset", "id": 7, "alt": "", "filename": "https://a.b/c.jpg"}


def _link() -> dict:
    address = {"id": "", "url": "https://a.b/", "cached_url": "https://a.b/"}
    return {"fieldtype": "multilink", "linktype": "url", **address}


def _quote(**fields: object) -> dict:
    return {"component": "quote", "_uid": "1-2-3", "text": "Said.", **fields}


def _linked_text() -> dict:
    attributes = {"href": "/a", "uuid": None, "anchor": None, "target": None}
    mark = {"type": "link", "attrs": {**attributes, "linktype": "url"}}
    return {"type": "text", "text": "Here", "marks": [mark]}


SOUND = {
    "component": "article",
    "_uid": "0-0-0",
    "title": "A title",
    "price": "-12.5",
    "wide": False,
    "picture": _asset(),
    "pictures": [_asset()],
    "link": _link(),
    "mood": "calm",
    "body": {
        "type": "doc",
        "content": [
            {"type": "paragraph", "content": [_linked_text()]},
            {"type": "blok", "attrs": {"id": None, "body": [_quote()]}},
        ],
    },
    "blocks": [_quote()],
    "texts": [_quote()],
}
_IN_TEXT: Path = ("body", "content", 1, "attrs", "body", 0)


@dataclass(frozen=True)
class Fault:
    """One value put into the sound story, and what has to be said of it."""

    what: str
    path: Path
    value: object
    code: str


FAULTS = (
    Fault("unknown component", ("blocks", 0, "component"), "none", "unknown_component"),
    Fault(
        "unknown component in rich text",
        (*_IN_TEXT, "component"),
        "none",
        "unknown_component",
    ),
    Fault("required text is empty", ("title",), "", "missing_required_field"),
    Fault(
        "required text of a block in rich text is empty",
        (*_IN_TEXT, "text"),
        "",
        "missing_required_field",
    ),
    Fault("number with an exponent", ("price",), "1e5", "constraint_violation"),
    Fault("boolean as text", ("wide",), "false", "invalid_value"),
    Fault("text as a number", ("title",), 5, "invalid_value"),
    Fault("asset as text", ("picture",), "https://a.b/c.jpg", "invalid_value"),
    Fault("files as one file", ("pictures",), _asset(), "invalid_value"),
    Fault("link without its kind", ("link",), {"url": "/a"}, "invalid_value"),
    Fault("blocks as text", ("blocks",), "none", "invalid_value"),
    Fault("rich text as text", ("body",), "<p>HTML</p>", "invalid_value"),
    Fault("option that is not listed", ("mood",), "wild", "unknown_option"),
    Fault(
        "block that the field does not take",
        ("blocks", 0),
        {"component": "aside", "_uid": "4"},
        "disallowed_component",
    ),
    Fault(
        "block of a group that the field does not take",
        ("texts", 0),
        {"component": "aside", "_uid": "4"},
        "disallowed_component",
    ),
    Fault(
        "block that the rich text does not take",
        _IN_TEXT,
        {"component": "aside", "_uid": "4"},
        "disallowed_component",
    ),
    Fault(
        "node that rich text does not have",
        ("body", "content", 0, "type"),
        "chapter",
        "invalid_value",
    ),
    Fault(
        "link mark without its keys",
        ("body", "content", 0, "content", 0, "marks", 0, "attrs"),
        {"href": "/a"},
        "invalid_value",
    ),
)


def planted(fault: Fault) -> dict:
    """Return the sound story with a fault in it."""
    story = copy.deepcopy(SOUND)
    *way, last = fault.path
    place = story
    for step in way:
        place = place[step]
    place[last] = fault.value
    return story
