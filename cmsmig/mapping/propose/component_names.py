"""Component names: unique among ours, and clear of what the space holds unless that
holds everything that ours needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from cmsmig.mapping.compare.component_fields import equal_component
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design
from cmsmig.mapping.naming import identifier
from cmsmig.mapping.propose.block_designs import BLOCK_NAMES
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.field_keys import free_names
from cmsmig.origin.schema import Collection

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
    ranked_design = replace(design, content_types=tuple(ranked))
    found = _name_all(ranked_design, collections, space, known)
    by_id = {one.collection_id: one for one in found.content_types}
    return replace(
        found,
        content_types=tuple(by_id[one.collection_id] for one in design.content_types),
    )


def _name_all(
    design: Design,
    collections: Sequence[Collection],
    space: SpaceFacts,
    known: Design,
) -> Design:
    plain = _plain_names(design)
    slugs = {one.collection_id: identifier(one.slug) for one in collections}
    candidates = [_candidates(name, slugs.get(owner, "")) for name, owner in plain]
    refused = {each.component for each in known.content_types}
    refused |= {each.component for each in known.blocks}
    while True:
        names = _choose(candidates, refused, blocks=len(design.blocks))
        found = _rename(design, names)
        clashes = {
            body.name
            for body in component_bodies(_together(found, known))
            if body.name in names
            and body.name in space.components
            and not equal_component(space.components[body.name], body.body)
        }
        if not clashes:
            return _annotate(found, plain, space.components)
        refused |= clashes


def _together(design: Design, known: Design) -> Design:
    """Return both as one, since a relation's body names its target's component."""
    return replace(
        design,
        content_types=(*design.content_types, *known.content_types),
        blocks=(*design.blocks, *known.blocks),
    )


def _plain_names(design: Design) -> list[tuple[str, str]]:
    """Return (name, collection id) of the blocks, then of the content types."""
    blocks = [(block.component, "") for block in design.blocks]
    return blocks + [
        (content_type.component or f"type_{number}", content_type.collection_id)
        for number, content_type in enumerate(design.content_types, start=1)
    ]


def _candidates(name: str, other: str) -> Sequence[str]:
    return tuple(dict.fromkeys(one for one in (name, other) if one))


def _choose(
    candidates: Sequence[Sequence[str]], refused: set[str], *, blocks: int
) -> list[str]:
    """Give each the first of its names that is free, in order: the `blocks` first.
    What follows them leaves the names of all blocks free."""
    used = set(refused)
    names: list[str] = []
    for index, own in enumerate(candidates):
        taken = used if index < blocks else used | BLOCK_NAMES
        name = next(name for name in free_names(*own) if name not in taken)
        used.add(name)
        names.append(name)
    return names


def _rename(design: Design, names: Sequence[str]) -> Design:
    count = len(design.blocks)
    return replace(
        design,
        blocks=tuple(
            replace(block, component=name)
            for block, name in zip(design.blocks, names[:count], strict=True)
        ),
        content_types=tuple(
            replace(content_type, component=name)
            for content_type, name in zip(
                design.content_types, names[count:], strict=True
            )
        ),
    )


def _annotate(
    design: Design, plain: Sequence[tuple[str, str]], existing: Mapping[str, object]
) -> Design:
    count = len(design.blocks)
    return replace(
        design,
        content_types=tuple(
            replace(content_type, note=_note(content_type, name, existing))
            for content_type, (name, _) in zip(
                design.content_types, plain[count:], strict=True
            )
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
