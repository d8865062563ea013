"""What decisions lack since the origin grew, taken from the proposals.

Nothing that people decided is changed: what is added comes last in its list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
    LocaleChoice,
)
from cmsmig.mapping.decisions.design import (
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    Option,
)
from cmsmig.mapping.naming import claims
from cmsmig.mapping.propose.block_designs import (
    name_components,
    named_block,
    with_blocks,
)
from cmsmig.mapping.propose.content_types import OWN_PLACE
from cmsmig.mapping.propose.encodings import OPTION_ENCODINGS
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_keys import assign_keys, later_label
from cmsmig.mapping.propose.proposals import propose_block_designs, propose_bodies
from cmsmig.origin.schema import Collection, Field
from cmsmig.richtext.policy import Treatment


@dataclass(frozen=True, slots=True)
class Addition:
    """One thing that a decision lacked."""

    kind: str
    name: str
    collection: str = ""
    """The slug of the collection it belongs to."""
    field: str = ""
    """The field that an option belongs to."""

    def __str__(self) -> str:
        field = f" of field `{self.field}`" if self.field else ""
        collection = f" of `{self.collection}`" if self.collection else ""
        return f"{self.kind} `{self.name}`{field}{collection}"

    def as_json(self) -> JsonObject:
        """Return the addition as `decide --json` prints it."""
        return asdict(self)


def with_missing_choices(
    decision: CollectionsDecision, proposal: CollectionsDecision
) -> tuple[CollectionsDecision, tuple[Addition, ...]]:
    """Return the decision with the collections and locales that it does not name."""
    known = {each.locale_id for each in decision.locales}
    locales = [each for each in proposal.locales if each.locale_id not in known]
    taken = {each.folder for each in decision.locales if each.migrate}
    collections = [
        each
        for each in proposal.collections
        if decision.choice(each.collection_id) is None
    ]
    named = {(each.parts, each.collection_id) for each in decision.former_paths}
    former = [
        each
        for each in proposal.former_paths
        if (each.parts, each.collection_id) not in named
    ]
    added = (
        *(Addition("collection", each.collection_slug) for each in collections),
        *(Addition("locale", each.tag) for each in locales),
        *(Addition("former path", each.path, each.collection_slug) for each in former),
    )
    return (
        replace(
            decision,
            locales=(*decision.locales, *_apart(locales, taken)),
            collections=(*decision.collections, *collections),
            former_paths=(*decision.former_paths, *former),
        ),
        added,
    )


def _apart(locales: Sequence[LocaleChoice], taken: set[str]) -> Iterator[LocaleChoice]:
    """Yield locales with folders that no other one has, as far as they are migrated."""
    moving = [each for each in locales if each.migrate]
    folders = claims(
        [each.folder for each in moving],
        lambda slug, number: f"{slug or 'locale'}-{number}",
        taken,
    )
    given = dict(zip((each.locale_id for each in moving), folders, strict=True))
    for each in locales:
        yield replace(each, folder=given.get(each.locale_id, each.folder))


def with_missing_designs(
    design: Design,
    proposal: Design,
    collections: Sequence[Collection],
    space: SpaceFacts,
) -> tuple[Design, tuple[Addition, ...]]:
    """Return the design with the content types, fields and options that it lacks.

    A proposed name that the design or the space has already gets another one.
    """
    by_id = {each.collection_id: each for each in collections}
    types: list[ContentTypeDesign] = []
    added: list[Addition] = []
    for each in design.content_types:
        proposed = proposal.content_type(each.collection_id)
        grown = _with_fields(each, proposed) if proposed else each
        names = [
            name for name in dict.fromkeys(grown.origins) if name not in each.origins
        ]
        added += [Addition("field", name, each.collection_slug) for name in names]
        optioned = _with_options(grown, by_id.get(each.collection_id))
        added += _new_options(grown, optioned)
        types.append(optioned)
    new = _new_types(design, proposal, collections, space)
    added += [Addition("content type", one.component) for one in new]
    return replace(design, content_types=(*types, *new)), tuple(added)


def with_missing_blocks(
    design: Design, bodies: BlocksDecision, embeds: EmbedsDecision, space: SpaceFacts
) -> tuple[Design, tuple[Addition, ...]]:
    """Return the design with the components that bodies need and it has none for."""
    grown = with_blocks(design, bodies, space)
    for block in propose_block_designs():
        if grown.block(block.role) is None and block.role in _roles(grown, embeds):
            found = named_block(grown, block, space)
            grown = replace(grown, blocks=(*grown.blocks, found))
    new = grown.blocks[len(design.blocks) :]
    return grown, tuple(Addition("block", each.component) for each in new)


def with_missing_bodies(
    decision: BlocksDecision, design: Design
) -> tuple[BlocksDecision, tuple[Addition, ...]]:
    """Return the decision with the RichText fields that it does not name."""
    new = [
        each
        for each in propose_bodies(design).bodies
        if decision.choice(each.collection_id, each.field) is None
    ]
    added = (Addition("body", each.field, each.collection_slug) for each in new)
    return replace(decision, bodies=(*decision.bodies, *new)), tuple(added)


_EMBEDS = ("video", "iframe", "media")
_MARKUP = ("embed", "component")
_PICTURES = ("figure", "linked-image")


def _roles(design: Design, embeds: EmbedsDecision) -> set[BlockRole]:
    """Return the roles that videos need, and bodies by the decided treatments."""
    texts = {Encoding.RICHTEXT, Encoding.MARKDOWN_AS_RICHTEXT}
    used_here = {field.encoding for one in design.content_types for field in one.fields}
    videos = {BlockRole.EMBED} if Encoding.VIDEO_BLOCK in used_here else set()
    if used_here.isdisjoint(texts):
        return videos
    kinds = embeds.kinds
    used = {kinds.get(kind, Treatment.COMPONENT) for kind in _EMBEDS}
    used |= {kinds.get(kind, Treatment.HTML) for kind in _MARKUP}
    used |= set(embeds.signatures.values())
    pictures = {kinds.get(kind, Treatment.COMPONENT) for kind in _PICTURES}
    found = videos | ({BlockRole.HTML} if Treatment.HTML in used else set())
    found |= {BlockRole.EMBED} if Treatment.COMPONENT in used else set()
    kept = pictures & {Treatment.COMPONENT, Treatment.HTML}
    return found | ({BlockRole.FIGURE} if kept else set())


def _with_fields(
    content_type: ContentTypeDesign, proposed: ContentTypeDesign
) -> ContentTypeDesign:
    named = {*content_type.origins, *OWN_PLACE}
    fields = [one for one in proposed.fields if one.origin not in named]
    left_out = [one for one in proposed.left_out if one.origin not in named]
    taken = {one.key for one in content_type.fields}
    taken |= {one.key for one in content_type.sections}
    choices = assign_keys([one.key for one in fields], taken)
    keyed = (
        replace(one, key=choice.key, note=f"{one.note} {choice.note}".strip())
        for one, choice in zip(fields, choices, strict=True)
    )
    return replace(
        content_type,
        fields=(*content_type.fields, *keyed),
        left_out=(*content_type.left_out, *left_out),
    )


def _with_options(
    content_type: ContentTypeDesign, collection: Collection | None
) -> ContentTypeDesign:
    if collection is None:
        return content_type
    fields = (
        _with_labels(field, collection.field(field.origin))
        for field in content_type.fields
    )
    return replace(content_type, fields=tuple(fields))


def _with_labels(field: FieldDesign, origin: Field | None) -> FieldDesign:
    if (
        origin is None
        or field.encoding not in OPTION_ENCODINGS
        or field.origin_type != origin.type
    ):
        return field
    options = field.options
    for option, label in origin.options:
        if option not in dict(options):
            taken = [known for _, known in options]
            options = (*options, Option(option, later_label(taken, label, option)))
    return replace(field, options=options)


def _new_options(
    before: ContentTypeDesign, after: ContentTypeDesign
) -> Iterator[Addition]:
    for old, new in zip(before.fields, after.fields, strict=True):
        for _, label in new.options[len(old.options) :]:
            yield Addition("option", label, after.collection_slug, new.origin)


def _new_types(
    design: Design,
    proposal: Design,
    collections: Sequence[Collection],
    space: SpaceFacts,
) -> tuple[ContentTypeDesign, ...]:
    new = [
        each
        for each in proposal.content_types
        if design.content_type(each.collection_id) is None
    ]
    folders = claims(
        [each.folder for each in new],
        lambda slug, number: f"{slug}-{number}",
        {each.folder for each in design.content_types},
    )
    placed = tuple(
        replace(each, folder=folder) for each, folder in zip(new, folders, strict=True)
    )
    named = name_components(Design(placed, ()), collections, space, known=design)
    return named.content_types
