"""The design: which content types, fields, folders and components the
destination gets. Proposed, reviewed by a person, stored in `design.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject


class Encoding(StrEnum):
    """How an origin value is written at the destination."""

    TEXT = "text"
    TEXTAREA = "textarea"
    MARKDOWN = "markdown"
    """PlainText verbatim in a `markdown` field."""
    MARKDOWN_AS_RICHTEXT = "markdown_as_richtext"
    """PlainText that reads as Markdown, converted into a `richtext` field."""
    RICHTEXT = "richtext"
    ASSET = "asset"
    MULTIASSET = "multiasset"
    MULTILINK = "multilink"
    NUMBER = "number"
    DATETIME = "datetime"
    DATE = "date"
    """A `datetime` without time: the calendar day, stored as midnight."""
    BOOLEAN = "boolean"
    OPTION = "option"
    OPTION_DATASOURCE = "option_datasource"
    RELATION = "relation"
    RELATIONS = "relations"
    VIDEO_MULTILINK = "video_multilink"
    VIDEO_TEXT = "video_text"
    VIDEO_BLOCK = "video_block"
    COLOR_TEXT = "color_text"
    COLOR_PLUGIN = "color_plugin"
    PRICE_AMOUNT = "price_amount"
    """Minor units to a number in major units."""
    PRICE_CURRENCY = "price_currency"
    JSON_TEXT = "json_text"
    """A structure the destination has no type for, verbatim as JSON text."""
    BLOCKS = "blocks"
    """A body as blocks. Never in `design.yaml`: it follows from `blocks.yaml`."""
    ENVELOPE = "envelope"
    """An envelope value (id, state, times) as text; `origin` is its wire name."""


UNLISTED = "unlisted"
"""Type of a value whose key the origin's schema does not list."""


@dataclass(frozen=True, slots=True)
class FieldDesign:
    """One destination field and where its value comes from."""

    origin: str
    """The origin field's slug (for ENVELOPE: `id`, `createdOn`, ...)."""
    origin_type: str
    """As the origin names it, or `UNLISTED`."""
    key: str
    """The destination field key."""
    encoding: Encoding
    display_name: str
    required: bool = False
    options: tuple[tuple[str, str], ...] = ()
    """(origin option id, unique label) in schema order."""
    datasource: str = ""
    """Datasource slug for OPTION_DATASOURCE."""
    target_collection: str = ""
    """Collection that a relation points into."""
    help_text: str = ""
    note: str = ""
    """Why this was proposed, for the reviewer."""
    rules: JsonObject = field(default_factory=dict)
    """What values have to keep, as the destination's definition names it, such as
    `max_length`."""
    components: tuple[str, ...] = ()
    """What a BLOCKS field may hold; follows from `blocks.yaml` as well."""
    translates: str = ""
    """The key of the field that it is a translation of. Never in `design.yaml`: it
    follows from the languages of `collections.yaml`."""


@dataclass(frozen=True, slots=True)
class LeftOutField:
    """An origin field that no destination field is made for."""

    origin: str
    origin_type: str
    note: str
    """Why, for the reviewer."""


@dataclass(frozen=True, slots=True)
class SectionDesign:
    """A group of fields: a visual one, which changes no value, or a component."""

    key: str
    display_name: str
    fields: tuple[str, ...]
    """Destination field keys."""
    component: str = ""
    """Name of the nestable component that holds the fields; the key is that of the
    field that holds its one block. Empty: a visual group."""


@dataclass(frozen=True, slots=True)
class ContentTypeDesign:
    """One collection's content type and folder."""

    collection_id: str
    collection_slug: str
    component: str
    display_name: str
    folder: str
    """The folder's slug, below the locale's folder."""
    folder_name: str
    fields: tuple[FieldDesign, ...]
    sections: tuple[SectionDesign, ...] = ()
    date_field: str = ""
    """Origin DateTime field for `first_published_at`; empty: `createdOn`."""
    order_field: str = ""
    """Origin Number field for `position`; empty: the origin's order."""
    left_out: tuple[LeftOutField, ...] = ()
    universal: bool = False
    """Content type and nestable both: the wire has no flag of its own for it."""
    note: str = ""
    """Why this was proposed, for the reviewer."""
    folder_by: str = ""
    """Origin field (a reference, an option or a switch) that names a folder below the
    content type's own; empty: none."""
    start_page: str = ""
    """The slug of the item that is the start page of the folder; empty: none."""
    tags_by: str = ""
    """Origin field whose values are the story's tags; empty: none are sent."""


class BlockRole(StrEnum):
    """What the conversion uses a block for."""

    HTML = "html"
    """Raw HTML that rich text has no node for."""
    EMBED = "embed"
    """An address with its kind, title, caption and original HTML."""
    FIGURE = "figure"
    """A picture with its caption, link, alignment and size."""
    TEXT = "text"
    """A part of a body as rich text."""
    GALLERY = "gallery"
    """Pictures that follow each other."""
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class BlockDesign:
    """A nestable component, such as the one that holds raw HTML."""

    component: str
    display_name: str
    schema: JsonObject
    """Destination field definitions by key, without `pos`."""
    role: BlockRole = BlockRole.OTHER
    universal: bool = False


@dataclass(frozen=True, slots=True)
class Reviewed:
    """Who took a decision, when, and how."""

    by: str
    at: str
    """ISO 8601 in UTC."""
    how: str
    """`individually` or `in bulk`."""


@dataclass(frozen=True, slots=True)
class Design:
    """Everything that is made before the first story."""

    content_types: tuple[ContentTypeDesign, ...]
    blocks: tuple[BlockDesign, ...]
    asset_folder: str = ""
    """Name of the asset folder that uploads go into; empty: the root."""
    reviewed: Reviewed | None = None
    made: frozenset[str] | None = None
    """The components that are made, with the datasources of their fields; None for
    all. Never in `design.yaml`: a pilot makes only what it needs."""

    def makes(self, component: str) -> bool:
        """Return whether a component is made."""
        return self.made is None or component in self.made

    def block(self, role: BlockRole) -> BlockDesign | None:
        """Return the block that the conversion uses for `role`, if there is one."""
        return next((block for block in self.blocks if block.role is role), None)

    def content_type(self, collection_id: str) -> ContentTypeDesign | None:
        """Return the content type of a collection, if it is migrated."""
        return next(
            (
                content_type
                for content_type in self.content_types
                if content_type.collection_id == collection_id
            ),
            None,
        )

    def requires(self, component: str, key: str) -> bool:
        """Return whether the design makes a field of a component required."""
        return any(
            field.required and field.key == key
            for content_type in self.content_types
            if content_type.component == component
            for field in content_type.fields
        ) or any(
            isinstance(definition := block.schema.get(key), dict)
            and bool(definition.get("required"))
            for block in self.blocks
            if block.component == component
        )
