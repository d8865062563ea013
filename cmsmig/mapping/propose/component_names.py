"""Component names: unique among ours, and clear of what the space holds unless that
holds everything that ours needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
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
