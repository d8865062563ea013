"""The instances of the designer's components in rich text bodies, by component."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cmsmig.mapping.propose.instance_blocks import PropFacts
from cmsmig.richtext.html.dom import Element, walk
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.prepare.instances import INSTANCE, Prop, props_of

_SAMPLES = 3
"""Different values of a property that are shown."""
_SAMPLE = 80


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a component in a body."""

    component_id: str
    name: str
    props: tuple[PropFacts, ...]


@dataclass(frozen=True, slots=True)
class ComponentSort:
    """All instances of one component."""

    component_id: str
    name: str
    count: int
    bodies: tuple[int, ...]
    """The indexes of the bodies that hold one."""
    props: tuple[PropFacts, ...]

    @property
    def called(self) -> str:
        """Return what a person knows it by."""
        return self.name or self.component_id


def instances_in(html: str) -> Iterator[Instance]:
    """Yield an instance that conversion recognised, by its HTML, and those in it."""
    root = parse(html)
    for each in walk(root):
        if each.tag == INSTANCE and each.attributes.get("component-id"):
            yield _instance(each)


def sorts_of(found: Iterable[tuple[int, Sequence[Instance]]]) -> list[ComponentSort]:
    """Return the components of instances by body, commonest first."""
    by_component: dict[str, list[tuple[int, Instance]]] = {}
    for index, instances in found:
        for each in instances:
            by_component.setdefault(each.component_id, []).append((index, each))
    sorts = [_sort(name, held) for name, held in by_component.items()]
    return sorted(sorts, key=lambda one: (-one.count, one.name, one.component_id))


def _instance(element: Element) -> Instance:
    given = element.attributes
    props = {each.prop: each for each in props_of(element) if each.prop}
    return Instance(
        given["component-id"],
        given.get("name", ""),
        tuple(_facts(each) for each in props.values()),
    )


def _facts(prop: Prop) -> PropFacts:
    return PropFacts(prop.prop, prop.label, prop.type, (prop.value[:_SAMPLE],))


def _sort(component_id: str, held: Sequence[tuple[int, Instance]]) -> ComponentSort:
    props: dict[str, PropFacts] = {}
    for _, each in held:
        for prop in each.props:
            props[prop.prop] = _joined(props.get(prop.prop), prop)
    return ComponentSort(
        component_id,
        next((each.name for _, each in held if each.name), ""),
        len(held),
        tuple(dict.fromkeys(index for index, _ in held)),
        tuple(props.values()),
    )


def _joined(known: PropFacts | None, prop: PropFacts) -> PropFacts:
    if known is None:
        return prop
    samples = tuple(dict.fromkeys((*known.samples, *prop.samples)))[:_SAMPLES]
    return PropFacts(
        prop.prop, known.label or prop.label, known.type or prop.type, samples
    )
