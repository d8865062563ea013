"""The official's rules, amended by the deviations that are on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import has_empty_id, link_keeps, window_of
from cmsmig.richtext.build.callbacks import Repairs
from cmsmig.richtext.build.element_rules import RULES, Reader, Rule, Rules
from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.schema.content_model import ATTRIBUTES

_LINK_TYPES = frozenset(("url", "story", "email", "asset"))
_TEXTS = ("src", "alt", "title", "source", "copyright")


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


@cache
def repairs_for(on: frozenset[Deviation]) -> Repairs:
    """Return what the fitting repairs when these deviations are on."""
    return Repairs(
        inside=Deviation.BLOCKS_INSIDE in on,
        apart=Deviation.BLOCKS_APART in on,
        items=Deviation.LIST_BLANKS in on,
        blanks=Deviation.BLANKS in on,
    )


def typed(kind: str, read: JsonObject, element: Element) -> JsonObject:
    """Return attributes as read, those of a wrong type set right.

    What should be a text is the source's text; what should be a number and is
    none, or isn't one that the document can hold, is the default.
    """
    if kind == "image":
        return _typed_image(read, element)
    if kind == "heading":
        level = read.get("level")
        if type(level) is not int or not 1 <= level <= 6:
            return {**read, "level": int(element.tag[1])}
    elif kind == "ordered_list":
        return read if _is_number(read.get("order")) else {**read, "order": 1}
    elif kind in ("tableCell", "tableHeader"):
        return _typed_cell(read)
    elif kind == "link":
        return _typed_link(read)
    return read


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
    if Deviation.VALUES in on and rule.name in _TYPED:
        return Rule(rule.name, _typed_reader(rule.name, rule.read))
    return rule


_TYPED = frozenset(("heading", "ordered_list", "tableCell", "tableHeader"))


def _typed_reader(kind: str, official: Reader) -> Reader:
    def read(element: Element) -> JsonObject | None:
        found = official(element)
        if found is None or not element.attributes:
            return found
        return typed(kind, found, element)

    return read


def _image_reader(official: Reader, on: frozenset[Deviation]) -> Reader:
    """Read a picture with what the stage knows of it: address, asset, alt text."""
    values = Deviation.VALUES in on

    def read(element: Element) -> JsonObject | None:
        found = official(element)
        known = element.payload or {}
        if found is None:
            if Deviation.IMAGE_SOURCE not in on or not _source_of(element):
                return None
            names = ATTRIBUTES["image"]
            found = {name: element.attributes.get(name) for name in names}
            found["src"] = _source_of(element)
        if values:
            found = typed("image", found, element)
        return {**found, **known} if known else found

    return read


def _source_of(element: Element) -> str:
    return element.attributes.get("src") or element.attributes.get("data-src", "")


def _link_reader(official: Reader, on: frozenset[Deviation]) -> Reader:
    values, mail = Deviation.VALUES in on, Deviation.MAIL_LINK in on
    attributes = Deviation.LINK_ATTRIBUTES in on
    ids, windows = Deviation.EMPTY_ID in on, Deviation.LINK_TARGET in on

    def keeps(name: str, element: Element) -> bool:
        if attributes and not link_keeps(name):
            return False
        return not (ids and name == "id" and has_empty_id(element))

    def read(element: Element) -> JsonObject | None:
        found = official(element)
        if found is None:
            return None
        if values and found["linktype"] != "url":
            found = _typed_link(found)
        custom = found["custom"]
        if custom and isinstance(custom, dict):
            kept = {name: custom[name] for name in custom if keeps(name, element)}
            found = {**found, "custom": kept}
        if windows and isinstance(target := found["target"], str):
            found = {**found, "target": window_of(target) or None}
        if mail and (address := mail_address(found["href"])):
            found = {**found, "href": address, "linktype": "email"}
        return found

    return read


def mail_address(href: Json) -> str:
    """Return what a `mailto:` link leads to, or empty for other links."""
    if not isinstance(href, str) or href[:7].lower() != "mailto:":
        return ""
    return href[7:].strip()


def _typed_image(read: JsonObject, element: Element) -> JsonObject:
    fixed: JsonObject = {
        name: element.attributes.get(name)
        for name in _TEXTS
        if not isinstance(read.get(name), str | None)
    }
    if not isinstance(read.get("id"), str | int | None) or read["id"] in (True, False):
        fixed["id"] = element.attributes.get("id")
    if not isinstance(read.get("meta_data"), Mapping | None):
        fixed["meta_data"] = None
    return {**read, **fixed} if fixed else read


def _typed_cell(read: JsonObject) -> JsonObject:
    fixed: JsonObject = {}
    for name in ("colspan", "rowspan"):
        value = read.get(name)
        if type(value) is not int or value < 0:
            fixed[name] = 1
    widths = read.get("colwidth")
    if widths is not None and not (
        isinstance(widths, list) and all(map(_is_number, widths))
    ):
        fixed["colwidth"] = None
    return {**read, **fixed} if fixed else read


def _typed_link(read: JsonObject) -> JsonObject:
    kind = read["linktype"]
    if kind in _LINK_TYPES and (kind != "story" or read["uuid"]):
        return read
    return {**read, "linktype": "url"}


def _is_number(value: Json) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))
