"""The design: which content types, fields, folders and components the
destination gets. Proposed, reviewed by a person, stored in `design.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import Field, PlainSerializer

from cmsmig.canonical import Json
from cmsmig.mapping.decisions.decision_records import (
    ENTRY,
    FREE_MAPPING,
    Record,
    Unwritten,
    unless,
)


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


class Option(NamedTuple):
    """An option of an origin field, and its label, unique in the field."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class FieldDesign(Record):
    """One destination field and where its value comes from."""

    origin: str
    """The origin field's slug (for ENVELOPE: `id`, `createdOn`, ...)."""
    origin_type: Annotated[str, Field(alias="type")]
    """As the origin names it, or `UNLISTED`."""
    key: str
    """The destination field key."""
    encoding: Encoding
    display_name: str
    required: Annotated[bool, unless(False)] = False
    target_collection: Annotated[str, unless("")] = ""
    """Collection that a relation points into."""
    datasource: Annotated[str, unless("")] = ""
    """Datasource slug for OPTION_DATASOURCE."""
    options: Annotated[
        tuple[Annotated[Option, ENTRY, PlainSerializer(Option._asdict)], ...],
        unless(()),
    ] = ()
    """In schema order."""
    help_text: Annotated[str, unless("")] = ""
    rules: Annotated[dict[str, Json], FREE_MAPPING] = field(default_factory=dict)
    """What values have to keep, as the destination's definition names it, such as
    `max_length`."""
    note: Annotated[str, unless("")] = ""
    """Why this was proposed, for the reviewer."""
    components: Unwritten[tuple[str, ...]] = ()
    """What a BLOCKS field may hold; follows from `blocks.yaml` as well."""
    translates: Unwritten[str] = ""
    """The key of the field that it is a translation of; follows from the languages of
    `collections.yaml`."""


@dataclass(frozen=True, slots=True)
class LeftOutField(Record):
    """An origin field that no destination field is made for."""

    origin: str
    origin_type: Annotated[str, Field(alias="type")]
    note: str = ""
    """Why, for the reviewer."""


@dataclass(frozen=True, slots=True)
class SectionDesign(Record):
    """A group of fields: a visual one, which changes no value, or a component."""

    key: str
    display_name: str
    component: Annotated[str, unless("")] = field(default="", kw_only=True)
    """Name of the nestable component that holds the fields; the key is that of the
    field that holds its one block. Empty: a visual group."""
    fields: tuple[str, ...] = ()
    """Destination field keys."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentTypeDesign(Record):
    """One collection's content type and folder."""

    collection_slug: Annotated[str, Field(alias="collection")]
    collection_id: str
    component: str
    display_name: str
    folder: str
    """The folder's path, below the locale's folder."""
    folder_name: str
    note: Annotated[str, unless("")] = ""
    """Why this was proposed, for the reviewer."""
    universal: Annotated[bool, unless(False)] = False
    """Content type and nestable both: the wire has no flag of its own for it."""
    date_field: Annotated[str, unless("")] = ""
    """Origin DateTime field for `first_published_at`; empty: `createdOn`."""
    order_field: Annotated[str, unless("")] = ""
    """Origin Number field for `position`; empty: the origin's order."""
    folder_by: Annotated[str, unless("")] = ""
    """Origin field (a reference, an option or a switch) that names a folder below the
    content type's own; empty: none."""
    start_page: Annotated[str, unless("")] = ""
    """The slug of the item that is the start page of the folder; empty: none."""
    tags_by: Annotated[str, unless("")] = ""
    """Origin field whose values are the story's tags; empty: none are sent."""
    asset_folder: Annotated[str, unless("")] = ""
    """Name of the asset folder of its items' files; empty: the design's."""
    icon: Annotated[str, unless("")] = ""
    """The component's icon, by the destination's name; empty: none is sent."""
    preview_field: Annotated[str, unless("")] = ""
    """Key of the field that editors see of a block in a list; empty: none is sent."""
    fields: tuple[FieldDesign, ...] = ()
    sections: Annotated[tuple[SectionDesign, ...], unless(())] = ()
    left_out: Annotated[tuple[LeftOutField, ...], unless(())] = ()

    @property
    def origins(self) -> tuple[str, ...]:
        """Return the origin fields that something is decided about."""
        fields = tuple(each.origin for each in self.fields)
        return (*fields, *(each.origin for each in self.left_out))


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
class BlockDesign(Record):
    """A nestable component, such as the one that holds raw HTML."""

    component: str
    display_name: str
    role: Annotated[BlockRole, unless(BlockRole.OTHER)] = field(
        default=BlockRole.OTHER, kw_only=True
    )
    universal: Annotated[bool, unless(False)] = field(default=False, kw_only=True)
    icon: Annotated[str, unless("")] = field(default="", kw_only=True)
    preview_field: Annotated[str, unless("")] = field(default="", kw_only=True)
    schema: Annotated[dict[str, Json], FREE_MAPPING] = field(default_factory=dict)
    """Destination field definitions by key, without `pos`."""


@dataclass(frozen=True, slots=True)
class Reviewed(Record):
    """Who took a decision, when, and how."""

    by: str
    at: str
    """ISO 8601 in UTC."""
    how: str
    """`individually` or `in bulk`."""


@dataclass(frozen=True, slots=True)
class Decision(Record):
    """What one file holds."""

    reviewed: Reviewed | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Design(Decision):
    """Everything that is made before the first story."""

    asset_folder: str = field(default="", kw_only=True)
    """Name of the asset folder that uploads go into; empty: the root."""
    content_types: tuple[ContentTypeDesign, ...] = ()
    blocks: tuple[BlockDesign, ...] = ()
    made: Unwritten[frozenset[str] | None] = None
    """The components that are made, with the datasources of their fields; None for
    all: a pilot makes only what it needs."""

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

    def folder_of_files(self, collection_id: str) -> str:
        """Return the name of the asset folder of a collection's files; empty: the
        root."""
        made = self.content_type(collection_id)
        return (made.asset_folder if made else "") or self.asset_folder

    def requires(self, component: str, key: str) -> bool | None:
        """Return whether the design makes a field of a component required; None where
        it has no such field."""
        found = [
            field.required
            for content_type in self.content_types
            if content_type.component == component
            for field in content_type.fields
            if field.key == key
        ]
        found += [
            bool(definition.get("required"))
            for block in self.blocks
            if block.component == component
            and isinstance(definition := block.schema.get(key), dict)
        ]
        return any(found) if found else None
