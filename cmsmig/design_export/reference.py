"""The design as a page for front-end developers: the languages, each content type and
block with its fields, the values that they hold, and the origin's fields that they come
from, and what was in the head of the old pages.

All texts are content: Markdown and HTML in them are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.design_export.languages import (
    SiteLanguage,
    languages_section,
    site_languages,
)
from cmsmig.design_export.markdown_text import Row, code, listed, table, text
from cmsmig.mapping.compare.component_fields import keys_in_order, options_of, schema_of
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.select.old_paths import joined
from cmsmig.steps.decide.decided_design import DecidedDesign
from cmsmig.steps.decide.pulled_origin import Origin

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


def reference_page(decided: DecidedDesign) -> str:
    """Return the Markdown of the page."""
    return "\n".join(chain.from_iterable(_sections(decided))) + "\n"


def _sections(decided: DecidedDesign) -> Iterator[Iterable[str]]:
    design = decided.design
    bodies = {each.name: each.body for each in component_bodies(design)}
    yield (
        "# Content types and blocks",
        "",
        "Written by `cmsmig schema`; a new run replaces this file. A field without a",
        "value may be absent.",
        "",
    )
    yield languages_section(decided)
    for content_type in design.content_types:
        yield _content_type(content_type, bodies)
        yield old_pages(decided, content_type.collection_id)
    types = {each.component for each in design.content_types}
    for name, body in bodies.items():
        if name not in types:
            rows = [_row(key, each, None) for key, each in _fields(body)]
            shown = table(_HEAD[:4], [r[:4] for r in rows]) if rows else _NO_FIELDS
            yield _heading(body, "Block"), *shown
    if datasources := datasource_bodies(design):
        yield ("## Datasources", "")
        yield table(
            ("Datasource", "Name", "Values"),
            [
                (code(s.slug), text(s.name), listed(value for _, value in s.entries))
                for s in datasources
            ],
        )


_NO_FIELDS = ("It has no fields.", "")
_HEAD = ("Field", "Name", "Type", "Value", "Origin field", "Encoding", "Remarks")


def _content_type(
    made: ContentTypeDesign, bodies: Mapping[str, JsonObject]
) -> Iterator[str]:
    body = bodies[made.component]
    designs = {each.key: each for each in made.fields}
    yield _heading(body, "Content type")
    dated = code(made.date_field) if made.date_field else "the creation of the item"
    yield (
        f"Collection {code(made.collection_slug)}; stories in the folder "
        f"{code(made.folder)}, first published by {dated}."
    )
    yield ""
    found = [*_fields(body)]
    for section in made.sections:
        inside = _fields(bodies[section.component]) if section.component else ()
        found += ((f"{section.key}[0].{key}", each) for key, each in inside)
    rows = [_row(key, each, designs.get(key.rpartition(".")[2])) for key, each in found]
    # The name and the path of a story are no fields.
    yield from table(_HEAD, rows) if rows else _NO_FIELDS
    if made.left_out:
        yield from ("Fields of the collection that are left out:", "")
        yield from table(
            ("Origin field", "Type", "Reason"),
            [
                (code(e.origin), text(e.origin_type), text(e.note))
                for e in made.left_out
            ],
        )


def _fields(body: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    schema = schema_of(body)
    for key in keys_in_order(schema):
        if schema[key].get("type") not in ("section", "tab"):
            yield key, schema[key]


def _row(key: str, definition: JsonObject, design: FieldDesign | None) -> Row:
    kind = str(definition.get("type"))
    value = _ENCODED.get(design.encoding, "") if design else ""
    held = definition.get("component_whitelist") or definition.get(
        "filter_content_type"
    )
    values = [
        *(options_of(definition) or ()),
        *(held if isinstance(held, list) else ()),
    ]
    if definition.get("datasource_slug"):
        values.append(f"datasource {definition['datasource_slug']}")
    of = f": {listed(values)}" if values else ""
    return (
        code(key),
        text(definition.get("display_name") or ""),
        code(kind),
        (value or _VALUES.get(kind, "")) + of,
        f"{code(design.origin)} ({text(design.origin_type)})" if design else "",
        code(design.encoding) if design else "",
        text("; ".join(_remarks(definition))),
    )


def _remarks(definition: JsonObject) -> Iterator[str]:
    for flag in ("required", "translatable"):
        if definition.get(flag):
            yield flag
    for name in _RULES:
        if definition.get(name) not in (None, ""):
            limit = definition[name]
            limits = limit if isinstance(limit, list) else [limit]
            yield f"{name} {', '.join(map(str, limits))}"
    if definition.get("description"):
        yield str(definition["description"])


def _heading(body: JsonObject, kind: str) -> str:
    name = text(body.get("display_name") or body["name"])
    return f"## {kind}: {name} ({code(body['name'])})\n"


_SLUG = "SLUG"


def old_pages(decided: DecidedDesign, collection_id: str) -> Iterator[str]:
    """Yield the lines of the reference page about the old pages of a collection, and
    how many stories exist in each language; nothing without a complete pull.

    Patterns are as the origin's list of pages has them.
    """
    origin = decided.origin
    if origin is None:
        return
    languages = site_languages(decided, collection_id)
    yield from (
        f"Old pages: {'; '.join(_paths(origin, collection_id, languages))}.",
        "",
    )
    patterns = [*_patterns(origin, collection_id)]
    if patterns:
        yield from ("What the template page has in its head:", "")
        yield from table(("Language", "What", "Pattern"), patterns)


def _paths(
    origin: Origin, collection_id: str, languages: tuple[SiteLanguage, ...]
) -> Iterator[str]:
    """Yield the path of the pages, in each language with its stories."""
    if len(languages) < 2:
        own = languages[0].locale.locale_id if languages else ""
        yield _path(origin, collection_id, own)
        return
    for each in languages:
        path = _path(origin, collection_id, each.locale.locale_id)
        stories = counted(each.stories or 0, "story", "stories")
        yield f"{code(each.locale.tag)} {path} ({stories})"


def _path(origin: Origin, collection_id: str, locale_id: str) -> str:
    folder = origin.old_paths.folder(collection_id, locale_id)
    return code(joined((*folder, _SLUG)))


def _patterns(origin: Origin, collection_id: str) -> Iterator[tuple[str, str, str]]:
    locales = origin.site.locales
    tags = {name: each.tag for each in locales for name in each.names}
    primary = "".join(each.tag for each in locales if each.primary)
    for collection in origin.collections:
        if collection.collection_id != collection_id:
            continue
        for page in collection.templates:
            tag = tags.get(page.locale_id, primary)
            for what, pattern in page.head:
                yield text(tag), what, code(pattern)
