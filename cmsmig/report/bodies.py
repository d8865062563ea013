"""Rich text bodies to look at: which there are, what they become, what is in them.

Reads the raw cache through the migration; asks no service and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.mapping.choices import EmbedsDecision
from cmsmig.mapping.decisions import embed_policy
from cmsmig.mapping.design import Encoding, FieldDesign
from cmsmig.mapping.draft import AssetHome, DraftContext
from cmsmig.mapping.encoded import FieldUse
from cmsmig.mapping.values import encode
from cmsmig.origin.schema import Collection, Item
from cmsmig.report.embeds import EmbedSort, count_embeds, embeds_of
from cmsmig.richtext.dom import Element, path_of, walk
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.parse import parse
from cmsmig.steps.migration import Migration

_BODIES = (Encoding.RICHTEXT, Encoding.MARKDOWN_AS_RICHTEXT)
_STRUCTURES: Mapping[str, str] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("ul", "ol"), "list"),
    **dict.fromkeys(("pre", "code"), "code"),
    **dict.fromkeys(("video", "audio"), "media"),
    "a": "link",
    "blockquote": "quote",
    "figure": "figure",
    "hr": "rule",
    "iframe": "iframe",
    "img": "image",
    "script": "script",
    "style": "style",
    "table": "table",
}


class Filter(StrEnum):
    """Which bodies a picker offers, beside those with one structure."""

    ALL = "all bodies"
    LOSSES = "with losses"
    CONTENT = "with losses of content"


@dataclass(frozen=True, slots=True)
class Body:
    """The body in one field of one item, in the version that was decided on."""

    item: Item
    collection: Collection
    design: FieldDesign
    locale: str
    """The locale's tag, or empty on a site that lists none."""

    @property
    def text(self) -> str:
        """Return the body as the origin holds it."""
        value = self.item.data.get(self.design.origin)
        return value if isinstance(value, str) else ""

    @property
    def title(self) -> str:
        """Return what the body is called in lists."""
        name = self.item.name or self.item.slug or self.item.key.item_id
        return f"{name} ({self.locale})" if self.locale else name


@dataclass(frozen=True, slots=True)
class ConvertedBody:
    """What one body becomes before internal links are known."""

    document: JsonObject
    losses: tuple[Loss, ...]

    @property
    def worst(self) -> int:
        """Return how many losses a reader would notice."""
        return sum(loss.severity is Severity.CONTENT for loss in self.losses)


class BodyShelf:
    """The bodies of a migration, each converted once under the choices at hand."""

    def __init__(self, migration: Migration, embeds: EmbedsDecision) -> None:
        self.bodies = tuple(_bodies(migration))
        self._migration = migration
        self._context = _context(migration, embeds)
        self._converted: dict[int, ConvertedBody] = {}
        self._structures: dict[int, frozenset[str]] = {}
        self._embeds: tuple[EmbedSort, ...] | None = None

    def choose(self, embeds: EmbedsDecision) -> None:
        """Convert under other embed choices from now on."""
        self._context = _context(self._migration, embeds)
        self._converted.clear()

    def converted(self, index: int) -> ConvertedBody:
        """Return what the body at `index` becomes."""
        if index not in self._converted:
            self._converted[index] = convert_body(self.bodies[index], self._context)
        return self._converted[index]

    def select(
        self,
        wanted: str = Filter.ALL,
        *,
        collection_id: str = "",
        field: str = "",
        locale: str = "",
    ) -> tuple[int, ...]:
        """Return the indexes of the bodies that pass.

        `wanted` is a `Filter` or the name of a structure; empty names let
        everything pass.
        """
        return tuple(
            index
            for index, body in enumerate(self.bodies)
            if collection_id in ("", body.collection.collection_id)
            and field in ("", body.design.origin)
            and locale in ("", body.locale)
            and self._passes(index, wanted)
        )

    def find(self, item: str, field: str = "") -> int | None:
        """Return the first body of an item, named by its id, slug or name."""
        return next(
            (
                index
                for index, body in enumerate(self.bodies)
                if item in (body.item.key.item_id, body.item.slug, body.item.name)
                and field in ("", body.design.origin)
            ),
            None,
        )

    def structures(self) -> tuple[str, ...]:
        """Return the names of the structures that occur, in their order."""
        found = (self._structures_of(index) for index in range(len(self.bodies)))
        return tuple(sorted(frozenset().union(*found)))

    def tellingly(self, count: int) -> tuple[int, ...]:
        """Return up to `count` bodies: those that lose most of all first."""
        losing = [
            index for index in range(len(self.bodies)) if self.converted(index).losses
        ]
        losing.sort(
            key=lambda index: (
                -self.converted(index).worst,
                -len(self.converted(index).losses),
                index,
            )
        )
        return tuple(losing[: max(count, 0)])

    def embeds(self) -> tuple[EmbedSort, ...]:
        """Return the embeds of all bodies by kind and signature, commonest first."""
        if self._embeds is None:
            self._embeds = count_embeds(body.text for body in self.bodies)
        return self._embeds

    def _passes(self, index: int, wanted: str) -> bool:
        if wanted == Filter.ALL:
            return True
        if wanted == Filter.LOSSES:
            return bool(self.converted(index).losses)
        if wanted == Filter.CONTENT:
            return self.converted(index).worst > 0
        return wanted in self._structures_of(index)

    def _structures_of(self, index: int) -> frozenset[str]:
        if index not in self._structures:
            self._structures[index] = structures_of(self.bodies[index].text)
        return self._structures[index]


def convert_body(body: Body, context: DraftContext) -> ConvertedBody:
    """Return what a body becomes, exactly as its story draft will hold it."""
    field = body.collection.field(body.design.origin)
    validations = field.validations if field else {}
    value = body.item.data.get(body.design.origin)
    use = FieldUse(body.design, validations, body.item.key, context)
    encoded = encode(value, use)
    document = encoded.value if isinstance(encoded.value, dict) else {}
    return ConvertedBody(document, encoded.losses)


def structures_of(html: str) -> frozenset[str]:
    """Return the names of the structures in a body, such as `table` and `image`."""
    found = {name for each in walk(parse(html)) if (name := _STRUCTURES.get(each.tag))}
    return frozenset(found | {kind for kind, _, _ in embeds_of(html)})


def elements_by_path(html: str) -> dict[str, Element]:
    """Return the elements of a body by the path that losses name them with."""
    found: dict[str, Element] = {}
    for element in walk(parse(html)):
        found.setdefault(path_of(element), element)
    return found


def _bodies(migration: Migration) -> Iterator[Body]:
    collections = {each.collection_id: each for each in migration.origin.collections}
    tags = {each.locale_id: each.tag for each in migration.origin.site.locales}
    for entry in migration.selected:
        key = entry.item.key
        content_type = migration.design.content_type(key.collection_id)
        for design in content_type.fields if content_type else ():
            body = Body(
                entry.item,
                collections[key.collection_id],
                design,
                tags.get(key.locale_id, ""),
            )
            if design.encoding in _BODIES and body.text.strip():
                yield body


def _context(migration: Migration, embeds: EmbedsDecision) -> DraftContext:
    """Return a context in which every file stays at its origin address."""
    known: Sequence[str] = [
        address for upload in migration.uploads for address in upload.addresses
    ]
    homes = {address: AssetHome(None, address) for address in known}
    context = migration.context(homes, migration.missing_files)
    return replace(context, embeds=embed_policy(embeds, migration.design))
