"""Classes of text and attributes of links in bodies. Editors can choose them only
where a rich text field allows it.

Source: destination, field definitions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import BlockDesign, Design
from cmsmig.richtext.native import NativeEngine

_STYLES, _ATTRIBUTES = "style_options", "allow_custom_attributes"
TEXT_RULES = (_STYLES, _ATTRIBUTES)
"""The names of the rules that a rich text field can have."""
_TAGS = tuple(
    (re.compile(tag, re.IGNORECASE), re.compile(attribute, re.IGNORECASE))
    for tag, attribute in (
        (r"<span\b", r"\sclass"),
        (r"<a\b", r"\s(?!(?:href|target)\s*=)[\w:-]"),
    )
)
"""The beginnings of tags, and the attributes that make marks of them."""


@dataclass(slots=True)
class BodyMarks:
    """The marks that bodies of a field hold, as they are read."""

    styles: set[str] = field(default_factory=set)
    has_attributes: bool = False

    def add(self, body: str) -> None:
        """Add those of one body."""
        if not _may_hold(body):
            return
        for kind, attrs in _marks(NativeEngine().from_html(body).document):
            if kind == "styled":
                self.styles.add(str(attrs["class"]))
            self.has_attributes |= kind == "link" and bool(attrs["custom"])

    def rules(self) -> JsonObject:
        """Return the rules with which the field offers them."""
        return _rules(self.styles, has_attributes=self.has_attributes)


def _may_hold(body: str) -> bool:
    """Return whether a body may hold such marks: most hold none, and converting one
    takes a few milliseconds."""
    ended = f"{body}>"
    for tag, attribute in _TAGS:
        end = 0
        while found := tag.search(ended, end):
            # A tag that never ends holds those after it: searched once, time is linear.
            end = ended.index(">", found.end())
            if attribute.search(ended, found.end(), end):
                return True
    return False


def with_text_rules(block: BlockDesign, design: Design) -> BlockDesign:
    """Return a block whose texts offer what the fields of a design do: any body may
    hold it."""
    rules = _together(design)
    schema = {
        key: {**definition, **rules}
        if isinstance(definition, dict) and definition.get("type") == "richtext"
        else definition
        for key, definition in block.schema.items()
    }
    return replace(block, schema=schema)


def _together(design: Design) -> JsonObject:
    rules = [each.rules for one in design.content_types for each in one.fields]
    styles = {
        str(option["value"])
        for each in rules
        if isinstance(options := each.get(_STYLES), list)
        for option in options
        if isinstance(option, dict)
    }
    return _rules(styles, has_attributes=any(each.get(_ATTRIBUTES) for each in rules))


def _rules(styles: Iterable[str], *, has_attributes: bool) -> JsonObject:
    options: list[Json] = [{"name": each, "value": each} for each in sorted(styles)]
    rules: JsonObject = {_STYLES: options} if options else {}
    return {**rules, _ATTRIBUTES: True} if has_attributes else rules


def _marks(value: Json) -> Iterator[tuple[str, JsonObject]]:
    """Yield the type and the attributes of each mark, in captions of blocks too."""
    if isinstance(value, list):
        for each in value:
            yield from _marks(each)
    elif isinstance(value, dict):
        kind, attrs = value.get("type"), value.get("attrs")
        if isinstance(kind, str) and isinstance(attrs, dict):
            yield kind, attrs
        for each in value.values():
            yield from _marks(each)
