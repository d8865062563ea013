"""The components of blocks that a design needs: for the parts of split bodies, with
the fields that hold them, and for what other decisions and rules declare. And component
names: unique among ours, and clear of what the space holds unless that holds everything
that ours needs.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.counting import first_of
from cmsmig.errors import DecisionsError
from cmsmig.mapping.compare.component_fields import equal_component
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice
from cmsmig.mapping.decisions.design import (
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
)
from cmsmig.mapping.naming import identifier
from cmsmig.mapping.propose.component_payloads import block_body, component_bodies
from cmsmig.mapping.propose.encodings import RICHTEXT_FIELD
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_keys import free_names
from cmsmig.mapping.propose.text_marks import with_text_rules
from cmsmig.origin.schema import Collection
from cmsmig.richtext.blocks.block_runs import Heuristic
from cmsmig.richtext.blocks.outline import BlockKind

ROLES: Mapping[BlockKind, BlockRole] = {
    BlockKind.TEXT: BlockRole.TEXT,
    BlockKind.IMAGE: BlockRole.FIGURE,
    BlockKind.GALLERY: BlockRole.GALLERY,
    BlockKind.EMBED: BlockRole.EMBED,
    BlockKind.HTML: BlockRole.HTML,
    BlockKind.QUOTE: BlockRole.QUOTE,
    BlockKind.CODE: BlockRole.CODE,
    BlockKind.TABLE: BlockRole.TABLE,
}
"""The component that each kind of block becomes."""

_PROPOSED: Mapping[Heuristic, tuple[BlockKind, ...]] = {
    Heuristic.HEADINGS: (),
    Heuristic.IMAGES: (BlockKind.IMAGE,),
    Heuristic.EMBEDS: (BlockKind.EMBED, BlockKind.HTML),
    Heuristic.TABLES: (BlockKind.TABLE,),
    Heuristic.QUOTES: (BlockKind.QUOTE,),
    Heuristic.CODE: (BlockKind.CODE,),
    Heuristic.GALLERIES: (BlockKind.GALLERY,),
}
_SCHEMAS: Mapping[BlockRole, tuple[str, str, JsonObject]] = {
    BlockRole.TEXT: (
        "text_block",
        "Text",
        {"text": {**RICHTEXT_FIELD, "display_name": "Text"}},
    ),
    BlockRole.GALLERY: (
        "gallery",
        "Gallery",
        {"images": {"type": "bloks", "display_name": "Images"}},
    ),
    BlockRole.QUOTE: (
        "quote",
        "Quote",
        {"text": {**RICHTEXT_FIELD, "display_name": "Text"}},
    ),
    BlockRole.CODE: (
        "code_block",
        "Code",
        {
            "code": {"type": "textarea", "display_name": "Code"},
            "language": {"type": "text", "display_name": "Language"},
        },
    ),
    BlockRole.TABLE: (
        "table_block",
        "Table",
        {"table": {**RICHTEXT_FIELD, "display_name": "Table"}},
    ),
}
_ICONS: Mapping[BlockRole, str] = {
    BlockRole.TEXT: "block-text-l",
    BlockRole.GALLERY: "block-text-img-c",
    BlockRole.QUOTE: "block-comment",
    BlockRole.CODE: "block-keyboard",
    BlockRole.TABLE: "block-table",
}
_PREVIEWS: Mapping[BlockRole, str] = {BlockRole.CODE: "code"}
"""The fields that hold plain text."""
BLOCK_NAMES = frozenset(name for name, _, _ in _SCHEMAS.values())
"""The components of blocks that split bodies may need: no content type is named so,
since front ends know the blocks by these names."""


def split_design(design: Design, decision: BlocksDecision) -> Design:
    """Return the design as it is imported: the fields whose bodies are split are
    `bloks` fields that hold the components of their blocks."""
    fields = decision.split_fields()
    if not fields:
        return design
    kinds = _kinds_in_use(decision)
    return replace(
        design,
        content_types=tuple(
            replace(
                one,
                fields=tuple(
                    _split(design, one, field, fields, kinds) for field in one.fields
                ),
            )
            for one in design.content_types
        ),
    )


def missing_roles(design: Design, decision: BlocksDecision) -> tuple[BlockRole, ...]:
    """Return the roles that split bodies need and the design has no block for."""
    there = {block.role for block in design.blocks}
    fields = decision.split_fields()
    kinds = _kinds_in_use(decision)
    needed: set[BlockRole] = set()
    for place, choice in fields.items():
        needed |= {ROLES[kind] for kind in _kinds(choice, kinds.get(place, ()))}
    if BlockRole.GALLERY in needed:
        needed.add(ROLES[BlockKind.IMAGE])
    return tuple(role for role in BlockRole if role in needed - there)


def with_blocks(
    design: Design, decision: BlocksDecision, space: SpaceFacts | None = None
) -> Design:
    """Return the design with a block added for each role that split bodies need.

    Their names are clear of the design's, and of what differs in the space.
    """
    for role in missing_roles(design, decision):
        if role in _SCHEMAS:
            name, title, schema = _SCHEMAS[role]
            wanted = BlockDesign(
                name,
                title,
                schema,
                role=role,
                icon=_ICONS[role],
                preview_field=_PREVIEWS.get(role, ""),
            )
            added = named_block(design, wanted, space or SpaceFacts())
            design = replace(design, blocks=(*design.blocks, added))
    return design


def block_components(design: Design) -> dict[BlockKind, str]:
    """Return the names of the components that blocks become; those that the design
    has no block for are empty."""
    found = {kind: design.block(role) for kind, role in ROLES.items()}
    return {kind: each.component if each else "" for kind, each in found.items()}


def named_block(design: Design, wanted: BlockDesign, space: SpaceFacts) -> BlockDesign:
    """Return a block to add, its name clear of the design's and of what differs in
    the space; its texts offer what the design's do."""
    wanted = with_text_rules(wanted, design)
    taken = {block.component for block in design.blocks}
    taken |= {one.component for one in design.content_types}
    return next(
        block
        for each in free_names(wanted.component)
        if each not in taken
        for block in [replace(wanted, component=each)]
        if each not in space.components
        or equal_component(space.components[each], block_body(design, block))
    )


def _split(
    design: Design,
    content_type: ContentTypeDesign,
    field: FieldDesign,
    fields: Mapping[tuple[str, str], BodyChoice],
    kinds: Mapping[tuple[str, str], set[BlockKind]],
) -> FieldDesign:
    place = (content_type.collection_id, field.origin)
    if place not in fields or field.encoding is not Encoding.RICHTEXT:
        return field
    roles = {ROLES[kind] for kind in _kinds(fields[place], kinds.get(place, ()))}
    components = tuple(
        block.component for block in design.blocks if block.role in roles
    )
    return replace(field, encoding=Encoding.BLOCKS, components=components, rules={})


def _kinds(choice: BodyChoice, used: Container[BlockKind]) -> Iterator[BlockKind]:
    """Yield the kinds that a field's blocks are of, or may be proposed to be."""
    proposed = {kind for rule in choice.heuristics.on for kind in _PROPOSED[rule]}
    for kind in BlockKind:
        if kind is BlockKind.TEXT or kind in proposed or kind in used:
            yield kind


def _kinds_in_use(
    decision: BlocksDecision,
) -> Mapping[tuple[str, str], set[BlockKind]]:
    found: dict[tuple[str, str], set[BlockKind]] = {}
    for key, review in decision.reviews.items():
        kinds = found.setdefault((key.collection_id, key.field), set())
        kinds.update(block.kind for block in review.blocks)
    return found


def refuse_undesigned(design: Design, used: Mapping[str, Set[str]]) -> None:
    """Raise `DecisionsError` naming what stories use and the design lacks.

    `used`: field keys by component. Source: destination, unknown components are
    stored without a word.
    """
    if lacking := list(_find_undesigned(design, used)):
        raise DecisionsError(
            f"The rules of this project make blocks that the design lacks "
            f"({first_of(lacking, 5, ', and ')}), and the destination would store them "
            "without a word; declare them with component(...) next to the rules, or "
            "under blocks in decisions/design.yaml."
        )


def _find_undesigned(design: Design, used: Mapping[str, Set[str]]) -> Iterator[str]:
    keys = {
        body.name: schema.keys()
        if isinstance(schema := body.body["schema"], dict)
        else ()
        for body in component_bodies(design)
    }
    for component in sorted(used):
        if component not in keys:
            yield f"component `{component}`"
            continue
        for key in sorted(used[component] - set(keys[component])):
            yield f"field `{key}` of component `{component}`"


_NO_DESIGN: Final = Design((), ())


def name_components(
    design: Design,
    collections: Sequence[Collection],
    space: SpaceFacts,
    *,
    known: Design = _NO_DESIGN,
) -> Design:
    """Return `design` with every component's final name, and a note where it
    could not have the plain one.

    A name that the space uses is kept only for a component equal to ours. Since
    a relation names its target's component, one renaming may make another
    component unequal: this repeats until nothing moves, always forward through
    each component's list of names. The order of the content types changes
    nothing. What is in `known` keeps its names.
    """
    ranked = sorted(design.content_types, key=lambda one: one.collection_id)
    plain = {
        one.collection_id: one.component or f"type_{number}"
        for number, one in enumerate(ranked, start=1)
    }
    slugs = {one.collection_id: identifier(one.slug) for one in collections}
    wanted = [(name, slugs.get(owner, "")) for owner, name in plain.items()]
    refused = {each.component for each in known.content_types}
    refused |= {each.component for each in known.blocks}
    while True:
        blocks = _choose([(each.component,) for each in design.blocks], refused)
        types = _choose(wanted, refused | BLOCK_NAMES | {*blocks})
        found = _renamed(design, blocks, dict(zip(plain, types, strict=True)))
        # A relation's body names its target's component, which may be a known one.
        together = replace(
            found,
            content_types=(*found.content_types, *known.content_types),
            blocks=(*found.blocks, *known.blocks),
        )
        clashes = {
            body.name
            for body in component_bodies(together)
            if body.name in {*blocks, *types}
            and body.name in space.components
            and not equal_component(space.components[body.name], body.body)
        }
        if not clashes:
            break
        refused |= clashes
    return replace(
        found,
        content_types=tuple(
            replace(one, note=_note(one, plain[one.collection_id], space.components))
            for one in found.content_types
        ),
    )


def _choose(wanted: Iterable[Sequence[str]], taken: Set[str]) -> list[str]:
    """Give each the first of its names that is free, in order."""
    names: list[str] = []
    for own in wanted:
        free = (each for each in free_names(*filter(None, own)) if each not in taken)
        names.append(next(each for each in free if each not in names))
    return names


def _renamed(design: Design, blocks: Sequence[str], types: Mapping[str, str]) -> Design:
    """Return a design with names for its blocks, and for its content types by
    collection."""
    return replace(
        design,
        blocks=tuple(
            replace(block, component=name)
            for block, name in zip(design.blocks, blocks, strict=True)
        ),
        content_types=tuple(
            replace(one, component=types[one.collection_id])
            for one in design.content_types
        ),
    )


def _note(one: ContentTypeDesign, plain: str, existing: Mapping[str, object]) -> str:
    """Return the note that is there, and why the component has its name."""
    if one.component != plain:
        whose = (
            "the space has a different one"
            if plain in existing
            else "a block has that name"
            if plain in BLOCK_NAMES
            else "another has it"
        )
        return f"{one.note} Not named `{plain}`, since {whose}.".strip()
    if plain in existing:
        own = f"The space has an equal component `{plain}`, which is used."
        return f"{one.note} {own}".strip()
    return one.note
