"""The design as a page for front-end developers: each content type and block with its
fields, the values that they hold, and the origin's fields that they come from.

All texts are content: Markdown and HTML in them are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.mapping.compare.component_fields import in_order, options_of, schema_of
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.printable import printable

_VALUES: Mapping[str, str] = {
    "text": "text on one line",
    "textarea": "text of several lines",
    "markdown": "Markdown",
    "richtext": "a rich text document",
    "number": "decimal text, such as `12.5`; empty where unset",
    "datetime": "`YYYY-MM-DD HH:mm` in UTC; empty where unset",
    "boolean": "`true` or `false`; absent where never set",
    "asset": "a file with its alternative text",
    "multiasset": "files, in their order",
    "multilink": "a link",
    "table": "head and rows of texts",
    "custom": "the value of a field plugin",
    "option": "one of the options, or empty",
    "options": "some of the options",
    "bloks": "blocks, in their order",
}
"""By type of the field."""
_ENCODED: Mapping[Encoding, str] = {
    Encoding.DATE: "`YYYY-MM-DD 00:00`: the calendar day at the old site",
    Encoding.PRICE_AMOUNT: "decimal text: the amount in major units",
    Encoding.PRICE_CURRENCY: "the code of the currency",
    Encoding.JSON_TEXT: "JSON as text, or a text as it was",
    Encoding.VIDEO_TEXT: "the address of the video",
    Encoding.VIDEO_MULTILINK: "a link to the video",
    Encoding.VIDEO_BLOCK: "one block with the video, or none",
    Encoding.COLOR_TEXT: "the colour as the old site had it, such as `#aabbcc`",
    Encoding.COLOR_PLUGIN: "the colour under `color`",
    Encoding.ENVELOPE: "text: a value that the item had outside of its fields",
    Encoding.RELATION: "the UUID of a story, or empty",
    Encoding.RELATIONS: "the UUIDs of stories, in their order",
}
"""By encoding, where the type of the field does not say it all."""
_RULES = (
    "max_length",
    "minlength",
    "regex",
    "min_value",
    "max_value",
    "decimals",
    "steps",
    "minimum",
    "maximum",
    "minimum_entries",
    "maximum_entries",
    "filetypes",
)
_CODE = re.compile(r"[\w ./@+,:;()'-]+")
_ACTS = re.compile(r"([\\`*_\[\]|#~!])")
_Row: TypeAlias = "Sequence[str]"


def reference_page(design: Design) -> str:
    """Return the Markdown of the page."""
    return "\n".join(chain.from_iterable(_sections(design))) + "\n"


def _sections(design: Design) -> Iterator[Iterable[str]]:
    bodies = {each.name: each.body for each in component_bodies(design)}
    yield (
        "# Content types and blocks",
        "",
        "Written by `cmsmig schema`; a new run replaces this file. A field without a",
        "value may be absent.",
        "",
    )
    for content_type in design.content_types:
        yield _content_type(content_type, bodies)
    types = {each.component for each in design.content_types}
    for name, body in bodies.items():
        if name not in types:
            rows = [_row(key, each, None) for key, each in _fields(body)]
            yield _heading(body, "Block"), *_table(_HEAD[:4], [r[:4] for r in rows])
    if datasources := datasource_bodies(design):
        yield ("## Datasources", "")
        yield _table(
            ("Datasource", "Name", "Values"),
            [
                (_code(s.slug), _text(s.name), _listed(value for _, value in s.entries))
                for s in datasources
            ],
        )


_HEAD = ("Field", "Name", "Type", "Value", "Origin field", "Encoding", "Remarks")


def _content_type(
    made: ContentTypeDesign, bodies: Mapping[str, JsonObject]
) -> Iterator[str]:
    body = bodies[made.component]
    designs = {each.key: each for each in made.fields}
    yield _heading(body, "Content type")
    dated = _code(made.date_field) if made.date_field else "the creation of the item"
    yield (
        f"Collection {_code(made.collection_slug)}; stories in the folder "
        f"{_code(made.folder)}, first published by {dated}."
    )
    yield ""
    found = [*_fields(body)]
    for section in made.sections:
        inside = _fields(bodies[section.component]) if section.component else ()
        found += ((f"{section.key}[0].{key}", each) for key, each in inside)
    rows = [_row(key, each, designs.get(key.rpartition(".")[2])) for key, each in found]
    yield from _table(_HEAD, rows)
    if made.left_out:
        yield from ("Fields of the collection that are left out:", "")
        yield from _table(
            ("Origin field", "Type", "Reason"),
            [
                (_code(e.origin), _text(e.origin_type), _text(e.note))
                for e in made.left_out
            ],
        )


def _fields(body: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    schema = schema_of(body)
    for key in in_order(schema):
        if schema[key].get("type") not in ("section", "tab"):
            yield key, schema[key]


def _row(key: str, definition: JsonObject, design: FieldDesign | None) -> _Row:
    kind = str(definition.get("type"))
    value = _ENCODED.get(design.encoding, "") if design else ""
    held = definition.get("component_whitelist") or definition.get(
        "filter_content_type"
    )
    listed = [
        *(options_of(definition) or ()),
        *(held if isinstance(held, list) else ()),
    ]
    if definition.get("datasource_slug"):
        listed.append(f"datasource {definition['datasource_slug']}")
    of = f": {_listed(listed)}" if listed else ""
    return (
        _code(key),
        _text(definition.get("display_name") or ""),
        _code(kind),
        (value or _VALUES.get(kind, "")) + of,
        f"{_code(design.origin)} ({_text(design.origin_type)})" if design else "",
        _code(design.encoding) if design else "",
        _text("; ".join(_remarks(definition))),
    )


def _remarks(definition: JsonObject) -> Iterator[str]:
    for flag in ("required", "translatable"):
        if definition.get(flag):
            yield flag
    for name in _RULES:
        if definition.get(name) not in (None, ""):
            limit = definition[name]
            listed = limit if isinstance(limit, list) else [limit]
            yield f"{name} {', '.join(map(str, listed))}"
    if definition.get("description"):
        yield str(definition["description"])


def _heading(body: JsonObject, kind: str) -> str:
    name = _text(body.get("display_name") or body["name"])
    return f"## {kind}: {name} ({_code(body['name'])})\n"


def _table(head: _Row, rows: Iterable[_Row]) -> Iterator[str]:
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
    yield ""


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(_code, values))


def _code(value: object) -> str:
    text = str(value)
    return f"`{text}`" if _CODE.fullmatch(text) else _text(text)


def _text(value: object) -> str:
    """Return a text that Markdown shows as it is, on one line."""
    text = printable(" ".join(str(value).split()))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _ACTS.sub(r"\\\1", text)
