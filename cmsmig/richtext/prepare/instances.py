"""Instances of components of the origin's designer: their properties, and the blocks
that a decision makes of them.

Source: Webflow Data API v2, components in rich text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import account_wrapper, is_anchor
from cmsmig.richtext.html.dom import Element, Node, Text, text_of
from cmsmig.richtext.html.visibility import HIDDEN
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.policy import InstanceBlock, PropField, PropType
from cmsmig.richtext.prepare.drawn_marks import DRAWN
from cmsmig.richtext.prepare.embeds import Embeds, addressed, link_value

INSTANCE = "wf-component"
_PROP = "wf-prop"
_PREFIX = "prop-"
_SLOT = "slot"
_Lost: TypeAlias = tuple[str, str, Element]
"""One loss in a property: its kind, what is lost, and the element."""
SLOT_LEVELS = 2
"""Levels of nesting that a block with a document counts for."""
_OWN = frozenset(("component-id", "name"))
_OWN_OF_PROP = frozenset(("name", "label", "type"))
_FLAGS = {"true": True, "false": False}
_SILENT = HIDDEN | {"script", "style", "cms:comment"}
_BLANK = " \t\r\n\f"
_BLANKS = re.compile(f"[{_BLANK}]+")
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
"""Source: destination, values of number fields."""


@dataclass(frozen=True, slots=True)
class Prop:
    """A property as an instance gives it."""

    prop: str
    label: str
    """Empty for a property in an attribute."""
    type: str
    """The origin's name of the type; empty for a property in an attribute."""
    value: str
    """Its text."""
    element: Element | None = None
    """What holds it; None: an attribute."""

    @property
    def called(self) -> str:
        """Return what a person knows it by."""
        return f"{self.label} ({self.prop})" if self.label else self.prop


def props_of(instance: Element) -> Iterator[Prop]:
    """Yield the properties of an instance in the order of its source."""
    for name, value in instance.attributes.items():
        if name.startswith(_PREFIX):
            text = value.replace("\0", "\ufffd")
            yield Prop(name.removeprefix(_PREFIX), "", "", text)
    for child in instance.children:
        if isinstance(child, Element) and child.tag == _PROP:
            given = child.attributes
            yield Prop(
                given.get("name", "").lower(),
                given.get("label", ""),
                given.get("type", ""),
                _BLANKS.sub(" ", text_of(child)).strip(" "),
                child,
            )


def slot_of(node: Node) -> str:
    """Return the field of a block whose document is made of a node, or empty."""
    payload = node.payload if isinstance(node, Element) else None
    return str(payload.get(_SLOT, "")) if payload else ""


class Instances:
    """Makes the blocks of one body's instances."""

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self._losses = embeds.losses

    def block(self, element: Element, *, deep: bool) -> Element | None:
        """Return the block that an instance becomes, or None where none was decided
        on or something in it would find no place.

        A field with a document has a child, see `slot_of`; its value is filled in
        when the block is placed. `deep`: nothing may be nested here any more.
        """
        component = element.attributes.get("component-id", "")
        decided = self._embeds.policy.components.get(component)
        if decided is None:
            return None
        why = "It is nested too deep in other blocks." if deep else _stray(element)
        if why:
            why = (
                f"{why} This instance is therefore no block `{decided.block}`; it "
                "becomes what every other component becomes."
            )
            self._losses.lose("instance", f"<{INSTANCE}>", element, why=why)
            return None
        return self._made(element, decided)

    def _made(self, element: Element, decided: InstanceBlock) -> Element:
        given = [each for each in props_of(element) if _says_anything(each)]
        chosen = {each.prop: each for each in given}
        self._lose_others(element, given, chosen, decided)
        fields: JsonObject = {}
        slots: list[Node] = []
        for each in decided.props:
            prop = chosen.get(each.prop.lower())
            if prop is None:
                continue
            if each.type is PropType.RICHTEXT:
                fields[each.field] = None
                slots.append(self._slot(element, prop, each.field))
            elif (value := self._value(element, prop, each)) is not None:
                fields[each.field] = value
        element.attributes = {
            name: value
            for name, value in element.attributes.items()
            if name not in _OWN and not name.startswith(_PREFIX)
        }
        account_wrapper(element, self._losses)
        made = self._embeds.blok(element, decided.block, **fields)
        made.name, made.children = element.name, slots
        if name := element.attributes.get("id"):
            made.attributes["id"] = name
        return made

    def _lose_others(
        self,
        element: Element,
        given: Iterable[Prop],
        chosen: Mapping[str, Prop],
        decided: InstanceBlock,
    ) -> None:
        """Record the properties that become no field. An attribute and an element may
        give the same property; the element's value is used."""
        fields = {each.prop.lower() for each in decided.props}
        of = decided.component or decided.component_id
        for prop in given:
            taken = chosen[prop.prop]
            if prop is not taken and not prop.element and prop.value == taken.value:
                continue
            if prop.prop not in fields:
                why = (
                    f"No field of the block `{decided.block}` takes the property "
                    f"{prop.called} of {of}."
                )
                self._lose(element, prop, why)
            elif prop is not taken:
                why = f"The property {prop.called} of {of} has two values here."
                self._lose(element, prop, why)

    def _slot(self, element: Element, prop: Prop, field: str) -> Element:
        slot = prop.element
        if slot is None:
            slot = Element(_PROP, {}, element.start)
            slot.parent = element
            slot.children.append(Text(prop.value))
        self._account(slot)
        slot.tag, slot.attributes, slot.payload = "div", {}, {_SLOT: field}
        return slot

    def _value(self, element: Element, prop: Prop, wanted: PropField) -> Json:
        """Return a field's value, or None where the property has none of its type,
        which is a loss."""
        text, others = prop.value, list[_Lost]()
        if prop.element is not None:
            text, others = self._text_of(prop.element)
        value = self._typed(text, wanted.type, prop.element or element)
        if value is None:
            why = (
                f"The property {prop.called} is no {wanted.type}, which the field "
                f"`{wanted.field}` takes."
            )
            self._lose(element, prop, why)
            return None
        if prop.element is not None:
            self._account(prop.element)
        why = f"The field `{wanted.field}` takes a {wanted.type} without format."
        for kind, what, node in others:
            self._losses.lose(kind, what, node, why=why, severity=Severity.MEANING)
        return value

    def _typed(self, text: str, wanted: PropType, at: Element) -> Json:
        bare = text.strip(_BLANK)
        if wanted is PropType.TEXT:
            return text
        if wanted is PropType.LINK and _leads(bare):
            return self._link(bare, at)
        if wanted is PropType.NUMBER and _NUMBER.fullmatch(bare):
            return bare
        return _FLAGS.get(bare.lower()) if wanted is PropType.BOOLEAN else None

    def _lose(self, element: Element, prop: Prop, why: str) -> None:
        at = prop.element or element
        what = f'{_PREFIX}{prop.prop}="{prop.value}"'
        if prop.element is not None:
            what = self._embeds.source[at.start : at.end]
        self._losses.lose("property", what, at, why=why)

    def _link(self, href: str, at: Element) -> JsonObject:
        if reason := self._embeds.assets.missing(href):
            self._losses.lose("missing-file", href, at, why=reason)
        asset = self._embeds.assets.uploaded_asset(href)
        if asset is None:
            return link_value(href)
        return {**link_value(asset.filename), "linktype": "asset"}

    def _text_of(self, prop: Element) -> tuple[str, list[_Lost]]:
        """Return the text of a property, and everything in it that is no text."""
        pieces: list[str] = []
        others: list[_Lost] = []
        stack: list[Node] = [*reversed(prop.children)]
        while stack:
            node = stack.pop()
            if isinstance(node, Text):
                pieces.append(_BLANKS.sub(" ", node.value))
            elif node.tag == "br":
                pieces.append("\n")
            elif node.tag in _SILENT:
                others.append(
                    ("dropped", self._embeds.source[node.start : node.end], node)
                )
            else:
                href = node.attributes.get("href", "") if node.tag == "a" else ""
                leads = bool(href.strip())
                what = href if leads else self._begin_tag(node)
                # Its marks are in the text.
                if not node.reopened and node.tag != DRAWN:
                    others.append(("link" if leads else "property", what, node))
                stack.extend(reversed(node.children))
        lines = "".join(pieces).split("\n")
        return "\n".join(line.strip(" ") for line in lines).strip("\n"), others

    def _account(self, prop: Element) -> None:
        """Record what the element around a property says besides being one."""
        prop.attributes = {
            name: value
            for name, value in prop.attributes.items()
            if name not in _OWN_OF_PROP
        }
        account_wrapper(prop, self._losses)
        if is_anchor(name := prop.attributes.get("id", "")):
            self._losses.lose("anchor", name, prop)

    def _begin_tag(self, element: Element) -> str:
        begin = self._embeds.source[element.start : element.inner_start]
        return begin or self._embeds.source[element.start : element.end]


def _says_anything(prop: Prop) -> bool:
    held = prop.element.children if prop.element is not None else ()
    return bool(prop.value.strip()) or any(isinstance(each, Element) for each in held)


def _leads(href: str) -> bool:
    """Return whether a text is an address. JSON is none, though it has no scheme."""
    return not href.startswith(("{", "[")) and addressed(href)


def _stray(instance: Element) -> str:
    """Return a sentence about content outside of the properties, or empty."""
    for child in instance.children:
        if isinstance(child, Text):
            if child.value.strip():
                return "It has text outside of its properties."
        elif child.tag != _PROP:
            return f"It has <{child.name}> outside of its properties."
    return ""
