"""Blocks for the components of the origin's designer: what is proposed for those in
bodies, and the destination's components that decided ones need."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.design import BlockDesign, BlockRole, Design
from cmsmig.mapping.naming import claims, identifier
from cmsmig.mapping.propose.block_designs import with_declared
from cmsmig.mapping.propose.design_checks import doubles
from cmsmig.mapping.propose.encodings import LINK_FIELD, RICHTEXT_FIELD
from cmsmig.mapping.propose.field_keys import (
    COMPONENT,
    assign_keys,
    key_problem,
    numbered_name,
)
from cmsmig.mapping.propose.text_marks import with_text_rules
from cmsmig.richtext.policy import InstanceBlock, PropField, PropType

_FILE = "decisions/embeds.yaml"
_SCHEMAS: Mapping[PropType, JsonObject] = {
    PropType.TEXT: {"type": "text"},
    PropType.NUMBER: {"type": "number"},
    PropType.BOOLEAN: {"type": "boolean"},
    PropType.LINK: LINK_FIELD,
    PropType.RICHTEXT: RICHTEXT_FIELD,
}
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class PropFacts:
    """What the bodies of a site contain of one property of a component."""

    prop: str
    label: str
    type: str
    """The origin's name of the type; empty for a property in an attribute."""
    samples: tuple[str, ...]


def with_instance_blocks(design: Design, embeds: EmbedsDecision) -> Design:
    """Return a design with the components that decided instances become.

    A component that the design already has is not changed. Raises `DecisionsError`
    when that has another use, lacks a field, or has it with another type.
    """
    wanted = [with_text_rules(_block(each), design) for each in embeds.components]
    there = {block.component: block for block in design.blocks}
    for block in wanted:
        if (known := there.get(block.component)) is not None:
            _refuse_another(known, block)
    return with_declared(design, wanted, _FILE)


def _block(decided: InstanceBlock) -> BlockDesign:
    schema: JsonObject = {
        each.field: {**_SCHEMAS[each.type], "display_name": each.label or each.field}
        for each in decided.props
    }
    return BlockDesign(decided.block, decided.component or decided.block, schema)


def _refuse_another(known: BlockDesign, wanted: BlockDesign) -> None:
    if known.role is not BlockRole.OTHER:
        raise DecisionsError(
            f"{_FILE} makes instances of {wanted.display_name} the block "
            f"`{wanted.component}`, which decisions/design.yaml has for {known.role} "
            "blocks; give it another name."
        )
    for key, field in wanted.schema.items():
        held, meant = (_type_of(each) for each in (known.schema.get(key), field))
        if held not in ("", meant):
            raise DecisionsError(
                f"{_FILE} fills the field `{key}` of the block `{wanted.component}` "
                f"with a {meant}, and it is a {held} in decisions/design.yaml; make "
                "both the same."
            )


def _type_of(field: object) -> str:
    return str(field.get("type", "")) if isinstance(field, dict) else ""


def instance_problems(components: Sequence[InstanceBlock]) -> Iterator[str]:
    """Yield what is wrong with decided blocks, each as a sentence without its stop."""
    for each in components:
        called = f"component {each.component or each.component_id}"
        if not COMPONENT.fullmatch(each.block):
            yield (
                f"the block `{each.block}` of the {called} may hold only lower-case "
                "letters, digits, hyphens and underscores"
            )
        for prop in each.props:
            if why := key_problem(prop.field):
                yield f"the field `{prop.field}` of the {called} {why}"
        for twice in doubles(prop.field for prop in each.props):
            yield f"two properties of the {called} have the field `{twice}`"
        for twice in doubles(prop.prop.lower() for prop in each.props):
            yield f"the property {twice} of the {called} is decided twice"
    for twice in doubles(each.component_id for each in components):
        yield f"the component {twice} is decided twice"
    for twice in doubles(each.block for each in components):
        yield f"two components have the block `{twice}`"


def propose_instance_block(
    component_id: str, name: str, props: Sequence[PropFacts], taken: Collection[str]
) -> InstanceBlock:
    """Propose the block of a component, with a field for each of its properties.

    `taken` are the names of other components.
    """
    wanted = identifier(name) or "component"
    (block,) = claims([wanted], numbered_name, taken)
    slugs = [identifier(each.label) or f"prop_{each.prop[:8]}" for each in props]
    keys = assign_keys(slugs)
    return InstanceBlock(
        component_id,
        block,
        tuple(
            PropField(each.prop, key.key, proposed_type(each), label=each.label)
            for each, key in zip(props, keys, strict=True)
        ),
        component=name,
    )


def proposed_type(prop: PropFacts) -> PropType:
    """Return what a property becomes by its type at the origin and its values."""
    if prop.type == PropType.RICHTEXT:
        return PropType.RICHTEXT
    filled = [each for each in prop.samples if each.strip()]
    if prop.type or not filled:
        return PropType.TEXT
    if all(each in ("true", "false") for each in filled):
        return PropType.BOOLEAN
    if all(_NUMBER.fullmatch(each) for each in filled):
        return PropType.NUMBER
    leads = ("http://", "https://", "mailto:", "tel:", "/", "#")
    if all(each.startswith(leads) for each in filled):
        return PropType.LINK
    return PropType.TEXT
