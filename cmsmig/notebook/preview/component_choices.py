"""The designer's components in bodies: their properties, and the block and fields that
a person chooses for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import counted, first_of
from cmsmig.mapping.propose.instance_blocks import (
    PropFacts,
    propose_instance_block,
    proposed_type,
)
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.body_index import BodyIndex
from cmsmig.review.embeds import ComponentSort
from cmsmig.richtext.policy import InstanceBlock, PropField, PropType
from cmsmig.ui.controls import bar, select, text
from cmsmig.ui.html.safe_html import NOTHING, Cell, joined, sheet, table
from cmsmig.ui.view import View, action

_NAMED = 5
"""Bodies that a table names."""
_NOTHING = "nothing"
_AS_KIND, _OWN = "kind", "block"
_TYPES: Sequence[tuple[str, str]] = (
    ("nothing, listed as a loss", _NOTHING),
    ("text", PropType.TEXT),
    ("number", PropType.NUMBER),
    ("yes or no", PropType.BOOLEAN),
    ("link", PropType.LINK),
    ("rich text", PropType.RICHTEXT),
)
_BECOMES = (("what every component becomes", _AS_KIND), ("a block of its own", _OWN))
_HEAD = ("property", "type", "becomes", "field", "such as")


def components_html(body_index: BodyIndex, decided: Sequence[InstanceBlock]) -> Markup:
    """Return each component that bodies hold instances of, with its properties and
    what they become."""
    blocks = {each.component_id: each for each in decided}
    tables = [
        _listed(body_index, sort, blocks.get(sort.component_id), _named_type)
        for sort in body_index.components()
    ]
    return sheet(joined(tables)) if tables else NOTHING


class ComponentChoices(View):
    """One component's choices at a time; each is written at once."""

    def __init__(self, previews: Previews) -> None:
        super().__init__()
        self._previews = previews
        self._at = ""

    def html(self, *, live: bool) -> Markup:
        """Return the choices about one component, or nothing where there is none."""
        sorts = self._previews.body_index.components()
        if not sorts:
            return NOTHING
        sort = self._chosen()
        block = self._previews.instance_blocks.get(sort.component_id)
        names = [(f"{one.called} ({one.count})", one.component_id) for one in sorts]
        controls = [
            select("component-chosen", "Component", names, sort.component_id),
            select(
                "component-becomes",
                "Its instances become",
                _BECOMES,
                _OWN if block else _AS_KIND,
            ),
        ]
        if block is not None:
            controls.append(text("component-block", "Block", block.block))
        shown = _listed(self._previews.body_index, sort, block, self._typed)
        return bar(*controls) + sheet(shown)

    def _chosen(self) -> ComponentSort:
        sorts = self._previews.body_index.components()
        return next((one for one in sorts if one.component_id == self._at), sorts[0])

    def _decided(self) -> InstanceBlock | None:
        return self._previews.instance_blocks.get(self._chosen().component_id)

    def _proposed(self) -> InstanceBlock:
        sort, taken = self._chosen(), self._previews.taken_names()
        return propose_instance_block(sort.component_id, sort.name, sort.props, taken)

    @action("component-chosen")
    def _choose(self, value: str) -> None:
        self._at = value
        self.show()

    @action("component-becomes")
    def _become(self, value: str) -> None:
        block = self._proposed() if value == _OWN else None
        self._write(block)

    @action("component-block")
    def _name(self, value: str) -> None:
        if (block := self._decided()) is not None:
            self._write(replace(block, block=value.strip()))

    @action("component-prop")
    def _take(self, value: str) -> None:
        prop, _, chosen = value.rpartition("=")
        block, proposed = self._decided(), self._proposed()
        if block is None:
            return
        props = {each.prop: each for each in block.props}
        own = {each.prop: each for each in proposed.props}
        if chosen == _NOTHING:
            props.pop(prop, None)
        else:
            given = props.get(prop) or own[prop]
            props[prop] = replace(given, type=PropType(chosen))
        order = dict.fromkeys((*own, *props))
        listed = tuple(props[each] for each in order if each in props)
        self._write(replace(block, props=listed))

    def _write(self, block: InstanceBlock | None) -> None:
        self._previews.decide_instances(self._chosen().component_id, block)
        self.show()

    def _typed(self, prop: PropFacts, taken: PropField | None) -> Cell:
        return select(
            "component-prop",
            "",
            _TYPES,
            _NOTHING if taken is None else taken.type,
            row=prop.prop,
            about=f"What {prop.label or prop.prop} becomes",
        )


def _listed(
    body_index: BodyIndex,
    sort: ComponentSort,
    block: InstanceBlock | None,
    becomes: Callable[[PropFacts, PropField | None], Cell],
) -> Markup:
    taken = {each.prop: each for each in block.props} if block else {}
    rows: list[tuple[Cell, ...]] = [
        (
            prop.label or prop.prop,
            prop.type or f"an attribute, {proposed_type(prop)}",
            "" if block is None else becomes(prop, taken.get(prop.prop)),
            taken[prop.prop].field if prop.prop in taken else "",
            " · ".join(each for each in prop.samples if each),
        )
        for prop in sort.props
    ]
    titles = [body_index.bodies[index].title for index in sort.bodies]
    bodies = counted(len(titles), "body", "bodies")
    where = f"{bodies}: {first_of(titles, _NAMED)}"
    becoming = f"block {block.block}" if block else "as every component"
    return table(
        _HEAD,
        rows,
        caption=(
            f"{sort.called}, {becoming}: {counted(sort.count, 'instance')} in {where}"
        ),
    )


def _named_type(_: PropFacts, taken: PropField | None) -> Cell:
    return next(
        label for label, kind in _TYPES if kind == (taken.type if taken else _NOTHING)
    )
