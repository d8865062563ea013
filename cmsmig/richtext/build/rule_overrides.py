"""The official's rules, amended by the deviations that are on."""

from __future__ import annotations

from functools import cache

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import link_keeps, window_of
from cmsmig.richtext.build.element_rules import RULES, Reader, Rule, Rules
from cmsmig.richtext.build.style_marks import UNDONE, undoes
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.html.numbers import integer, span
from cmsmig.richtext.schema.attribute_types import LINK_TYPES, NODE_TYPES
from cmsmig.richtext.schema.content_model import ATTRIBUTES

_TYPED = frozenset(("heading", "ordered_list", "tableCell", "tableHeader"))
_DEFAULTS: JsonObject = {"colwidth": None, "meta_data": None}
"""What takes the place of a value that is of a wrong type; else the source's text."""


@cache
def rules_for(on: frozenset[Deviation]) -> Rules:
    """Return the rules that hold when these deviations are on."""
    rules: dict[str, tuple[Rule, ...]] = dict(RULES)
    if Deviation.SPAN in on:
        rules["span"] = tuple(_of_named_span(rule) for rule in RULES["span"])
    if Deviation.BLOK in on:
        rules["div"] = ()
    for tag, rows in rules.items():
        rules[tag] = tuple(_amended(rule, on) for rule in rows)
    return rules


def mail_address(href: Json) -> str:
    """Return what a `mailto:` link leads to, or empty for other links."""
    if not isinstance(href, str) or href[:7].lower() != "mailto:":
        return ""
    return href[7:].strip()


def _of_named_span(rule: Rule) -> Rule:
    """Let a span with an id be more than an anchor; it is an emoji for none."""
    if rule.name == "anchor":
        return Rule(rule.name, rule.read, rule.mark, consuming=False)
    if rule.name != "emoji":
        return rule
    return Rule(
        rule.name,
        lambda element: None if "id" in element.attributes else rule.read(element),
    )


def _amended(rule: Rule, on: frozenset[Deviation]) -> Rule:
    if rule.name == "image" and rule.read is RULES["img"][-1].read:
        return Rule(rule.name, _image_reader(rule.read, on))
    if rule.name == "link":
        return Rule(rule.name, _link_reader(rule.read, on), mark=True)
    if Deviation.UNDONE_MARKS in on and rule.name in UNDONE:
        return Rule(rule.name, _undone_reader(rule), mark=True)
    if Deviation.VALUES in on and rule.name in _TYPED:
        return Rule(rule.name, _typed_reader(rule.name, rule.read))
    return rule


def _typed(kind: str, read: JsonObject, element: Element) -> JsonObject:
    """Return the attributes of a node, those of a wrong type set right."""
    types, given = NODE_TYPES[kind], element.attributes
    fixed: JsonObject = {
        name: _DEFAULTS.get(name, given.get(name))
        for name in types
        if not types[name][0](read[name])
    }
    if "level" in fixed:
        fixed["level"] = int(element.tag[1])
    if "order" in types:
        number = integer(given.get("start") or given.get("data-order", ""))
        fixed["order"] = 1 if number is None else number
    for name in ("colspan", "rowspan"):
        if name in types and name in given:
            fixed[name] = span(given, name) or 1
    if "colwidth" in types and given.get("colwidth"):
        fixed["colwidth"] = _widths(given["colwidth"], fixed.get("colspan", 1))
    return {**read, **fixed} if fixed else read


def _widths(text: str, columns: Json) -> Json:
    """Return the widths of a cell's columns, no more than it has."""
    numbers = (integer(piece) for piece in text.split(","))
    widths: list[Json] = [each for each in numbers if each is not None]
    return (widths[:columns] if isinstance(columns, int) else widths) or None


def _typed_reader(kind: str, official: Reader) -> Reader:
    def read(element: Element) -> JsonObject | None:
        found = official(element)
        if found is None or not element.attributes:
            return found
        return _typed(kind, found, element)

    return read


def _undone_reader(rule: Rule) -> Reader:
    """Read a mark, unless the element's own style takes it away."""

    def read(element: Element) -> JsonObject | None:
        style = element.attributes.get("style")
        return None if style and undoes(style, rule.name) else rule.read(element)

    return read


def _image_reader(official: Reader, on: frozenset[Deviation]) -> Reader:
    """Read a picture with what the stage knows of it: address, asset, alt text."""
    values = Deviation.VALUES in on

    def read(element: Element) -> JsonObject | None:
        found = official(element)
        known = element.payload or {}
        if found is None:
            given = element.attributes
            source = given.get("src")
            if Deviation.IMAGE_SOURCE not in on or not source:
                return None
            found = {name: given.get(name) for name in ATTRIBUTES["image"]}
            found["src"] = source
        if values:
            found = _typed("image", found, element)
        return {**found, **known} if known else found

    return read


def _link_reader(official: Reader, on: frozenset[Deviation]) -> Reader:
    values, mail = Deviation.VALUES in on, Deviation.MAIL_LINK in on
    attributes = Deviation.LINK_ATTRIBUTES in on
    ids, windows = Deviation.EMPTY_ID in on, Deviation.LINK_TARGET in on

    def keeps(name: str, value: str) -> bool:
        if attributes and not link_keeps(name):
            return False
        return not (ids and name == "id" and not value.strip())

    def read(element: Element) -> JsonObject | None:
        found = official(element)
        if found is None:
            return None
        kind = found["linktype"]
        if values and (
            kind not in LINK_TYPES or (kind == "story" and not found["uuid"])
        ):
            found = {**found, "linktype": "url"}
        custom = found["custom"]
        if custom and isinstance(custom, dict):
            kept = {
                name: value for name, value in custom.items() if keeps(name, str(value))
            }
            found = {**found, "custom": kept}
        if windows and isinstance(target := found["target"], str):
            found = {**found, "target": window_of(target) or None}
        if mail and (address := mail_address(found["href"])):
            found = {**found, "href": address, "linktype": "email"}
        return found

    return read
