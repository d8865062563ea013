"""Rich text bodies to look at: which there are, what one becomes, what is in it.

Reads the raw cache through the migration; asks no service and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.field_context import FieldUse
from cmsmig.mapping.convert.field_values import encode
from cmsmig.mapping.convert.item_draft import Asked, Lookups, recording
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.decision_files import embed_policy
from cmsmig.mapping.decisions.design import Encoding, FieldDesign
from cmsmig.mapping.draft import DraftContext
from cmsmig.origin.schema import Collection, Item
from cmsmig.richtext.engine import Lenient, UploadedAsset
from cmsmig.richtext.html.dom import Element, path_of, walk
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.steps.decide.migration import Migration

_NUMBERS = TypeAdapter(list[int])
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


@dataclass(slots=True)
class EmbedLookups:
    """What a conversion asked of the choices about embeds, None where none was made."""

    kinds: dict[str, Treatment | None] = field(default_factory=dict)
    hosts: dict[str, Treatment | None] = field(default_factory=dict)

    def hold(self, policy: EmbedPolicy) -> bool:
        """Return whether each question is answered as before."""
        return all(policy.kinds.get(k) == v for k, v in self.kinds.items()) and all(
            policy.signatures.get(k) == v for k, v in self.hosts.items()
        )


@dataclass(frozen=True, slots=True)
class ConvertedBody:
    """What one body becomes before internal links are known, and what that depends
    on in addition to the body."""

    document: JsonObject
    losses: tuple[Loss, ...]
    lookups: Lookups = field(default_factory=Lookups)
    choices: EmbedLookups = field(default_factory=EmbedLookups)


def convert_body(
    body: Body, context: DraftContext, html: str | None = None
) -> ConvertedBody:
    """Return what a body becomes, exactly as its story draft will hold it; with `html`
    what it would become of that."""
    origin_field = body.collection.field(body.design.origin)
    validations = origin_field.validations if origin_field else {}
    value = body.item.data.get(body.design.origin) if html is None else html
    recorded, lookups = recording(context)
    policy, choices = context.embeds, EmbedLookups()
    asked = replace(
        policy,
        kinds=Asked(policy.kinds, choices.kinds.__setitem__),
        signatures=Asked(policy.signatures, choices.hosts.__setitem__),
    )
    recorded = replace(recorded, embeds=asked)
    encoded = encode(value, FieldUse(body.design, validations, body.item.key, recorded))
    document = encoded.value if isinstance(encoded.value, dict) else {}
    return ConvertedBody(document, encoded.losses, lookups, choices)


def structure_names(html: str) -> frozenset[str]:
    """Return the names of the structures in a body, such as `table` and `image`.

    Embeds are named by `embeds_of` instead.
    """
    return frozenset(
        name for each in walk(parse(html)) if (name := _STRUCTURES.get(each.tag))
    )


def elements_by_path(html: str) -> dict[str, Element]:
    """Return the elements of a body by the path that losses name them with."""
    found: dict[str, Element] = {}
    for element in walk(parse(html)):
        found.setdefault(path_of(element), element)
    return found


def bodies_of(migration: Migration, kept: DerivedFile) -> Iterator[Body]:
    """Yield the rich text bodies of everything that was decided to be imported.

    Which ones are empty is kept: no item's values are read for it the next time.
    """
    asked = list(_fields_of(migration))
    made_of = [[str(e.item.key), e.item.data_hash, e.design.origin] for e in asked]
    filled = kept.derive(
        "bodies",
        fingerprint(made_of),
        _NUMBERS,
        lambda: [number for number, each in enumerate(asked) if each.text.strip()],
    )
    return (asked[number] for number in filled)


def _fields_of(migration: Migration) -> Iterator[Body]:
    """Yield the bodies, empty ones too."""
    collections = {each.collection_id: each for each in migration.origin.collections}
    tags = {each.locale_id: each.tag for each in migration.origin.site.locales}
    for entry in migration.selected:
        key = entry.item.key
        content_type = migration.decisions.design.content_type(key.collection_id)
        for design in content_type.fields if content_type else ():
            if design.encoding in _BODIES:
                collection = collections[key.collection_id]
                yield Body(entry.item, collection, design, tags.get(key.locale_id, ""))


def preview_context(migration: Migration, embeds: EmbedsDecision) -> DraftContext:
    """Return a context in which every file stays at its origin address."""
    known: Sequence[str] = [
        address for upload in migration.files.uploads for address in upload.addresses
    ]
    assets = {address: UploadedAsset(None, address) for address in known}
    context = migration.context(assets, migration.files.missing)
    return replace(
        context,
        engine=Lenient(context.engine),
        embeds=embed_policy(embeds, migration.decisions.design),
    )
