"""What each encoding is at the destination, and which an origin type may take."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.design import Encoding

COLOR_PLUGIN = "storyblok-colorpicker"
"""The service's own colour field plugin. Source: destination, colour picker."""

RELATION_ENCODINGS = frozenset((Encoding.RELATION, Encoding.RELATIONS))

OPTION_ENCODINGS = frozenset((Encoding.OPTION, Encoding.OPTION_DATASOURCE))

_TEXTS = (
    Encoding.TEXT,
    Encoding.TEXTAREA,
    Encoding.MARKDOWN,
    Encoding.MARKDOWN_AS_RICHTEXT,
)

ALLOWED: Mapping[str, tuple[Encoding, ...]] = {
    "PlainText": _TEXTS,
    "RichText": (Encoding.RICHTEXT,),
    "Image": (Encoding.ASSET,),
    "MultiImage": (Encoding.MULTIASSET,),
    "File": (Encoding.ASSET,),
    "Link": (Encoding.MULTILINK, Encoding.TEXT),
    "VideoLink": (
        Encoding.VIDEO_BLOCK,
        Encoding.VIDEO_MULTILINK,
        Encoding.VIDEO_TEXT,
    ),
    "Email": (Encoding.TEXT,),
    "Phone": (Encoding.TEXT,),
    "Color": (Encoding.COLOR_TEXT, Encoding.COLOR_PLUGIN),
    "Number": (Encoding.NUMBER,),
    "DateTime": (Encoding.DATETIME, Encoding.DATE),
    "Switch": (Encoding.BOOLEAN,),
    "Option": (Encoding.OPTION, Encoding.OPTION_DATASOURCE),
    "Reference": (Encoding.RELATION,),
    "MultiReference": (Encoding.RELATIONS,),
}
"""The field map: the first of each is proposed as a rule.

Every type may also become JSON text, which keeps any value verbatim.
"""

_ANYTHING = (
    *_TEXTS,
    Encoding.NUMBER,
    Encoding.BOOLEAN,
    Encoding.ASSET,
    Encoding.MULTIASSET,
    Encoding.PRICE_AMOUNT,
    Encoding.PRICE_CURRENCY,
)


def allowed_encodings(origin_type: str) -> tuple[Encoding, ...]:
    """Return what a reviewer may choose for a field of this type."""
    return (*ALLOWED.get(origin_type, _ANYTHING), Encoding.JSON_TEXT)


LINK_FIELD: JsonObject = {
    "type": "multilink",
    "email_link_type": True,
    "asset_link_type": True,
    "show_anchor": True,
    "allow_target_blank": True,
}
"""A link field that takes every kind of link an import writes."""

_ONE_STORY: JsonObject = {
    "type": "option",
    "source": "internal_stories",
    "use_uuid": True,
}
_MANY_STORIES: JsonObject = {
    "type": "options",
    "source": "internal_stories",
    "use_uuid": True,
    "is_reference_type": True,
    "entry_appearance": "card",
    "allow_advanced_search": True,
}

FIELD_BODIES: Mapping[Encoding, JsonObject] = {
    Encoding.TEXT: {"type": "text"},
    Encoding.TEXTAREA: {"type": "textarea"},
    Encoding.MARKDOWN: {"type": "markdown"},
    Encoding.MARKDOWN_AS_RICHTEXT: {"type": "richtext", "allow_target_blank": True},
    Encoding.RICHTEXT: {"type": "richtext", "allow_target_blank": True},
    Encoding.ASSET: {"type": "asset"},
    Encoding.MULTIASSET: {"type": "multiasset"},
    Encoding.MULTILINK: LINK_FIELD,
    Encoding.NUMBER: {"type": "number"},
    Encoding.DATETIME: {"type": "datetime"},
    Encoding.DATE: {"type": "datetime", "disable_time": True},
    Encoding.BOOLEAN: {"type": "boolean"},
    Encoding.OPTION: {"type": "option"},
    Encoding.OPTION_DATASOURCE: {"type": "option", "source": "internal"},
    Encoding.RELATION: _ONE_STORY,
    Encoding.RELATIONS: _MANY_STORIES,
    Encoding.VIDEO_MULTILINK: LINK_FIELD,
    Encoding.VIDEO_TEXT: {"type": "text"},
    Encoding.VIDEO_BLOCK: {"type": "bloks", "maximum": 1},
    Encoding.COLOR_TEXT: {"type": "text"},
    Encoding.COLOR_PLUGIN: {"type": "custom", "field_type": COLOR_PLUGIN},
    Encoding.PRICE_AMOUNT: {"type": "number"},
    Encoding.PRICE_CURRENCY: {"type": "text"},
    Encoding.JSON_TEXT: {"type": "textarea"},
    Encoding.BLOCKS: {"type": "bloks"},
    Encoding.ENVELOPE: {"type": "text"},
}
"""The field definition each encoding gets, before names and targets."""
