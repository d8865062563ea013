"""What each encoding is at the destination, which ones an origin type may take, and
which of the origin's rules about values it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import Encoding, FieldDesign
from cmsmig.mapping.propose.field_facts import FieldFacts
from cmsmig.mapping.propose.text_marks import TEXT_RULES
from cmsmig.origin.schema import Field

COLOR_PLUGIN = "storyblok-colorpicker"
"""The service's own colour field plugin. Source: destination, colour picker."""

RELATION_ENCODINGS = frozenset((Encoding.RELATION, Encoding.RELATIONS))

OPTION_ENCODINGS = frozenset((Encoding.OPTION, Encoding.OPTION_DATASOURCE))

LINK_FIELD: JsonObject = {
    "type": "multilink",
    "email_link_type": True,
    "asset_link_type": True,
    "show_anchor": True,
    "allow_target_blank": True,
}
"""A link field that takes every kind of link an import writes."""

RICHTEXT_FIELD: JsonObject = {"type": "richtext", "allow_target_blank": True}
"""A field of rich text, in whose links an import keeps `_blank`."""

_ONE_STORY: JsonObject = {
    "type": "option",
    "source": "internal_stories",
    "use_uuid": True,
}
_MANY_STORIES: JsonObject = {
    "type": "options",
    "source": "internal_stories",
    "use_uuid": True,
    "is_reference_type": True,
    "entry_appearance": "card",
    "allow_advanced_search": True,
}

FIELD_BODIES: Mapping[Encoding, JsonObject] = {
    Encoding.TEXT: {"type": "text"},
    Encoding.TEXTAREA: {"type": "textarea"},
    Encoding.MARKDOWN: {"type": "markdown"},
    Encoding.MARKDOWN_AS_RICHTEXT: RICHTEXT_FIELD,
    Encoding.RICHTEXT: RICHTEXT_FIELD,
    Encoding.ASSET: {"type": "asset"},
    Encoding.MULTIASSET: {"type": "multiasset"},
    Encoding.MULTILINK: LINK_FIELD,
    Encoding.NUMBER: {"type": "number"},
    Encoding.DATETIME: {"type": "datetime"},
    Encoding.DATE: {"type": "datetime", "disable_time": True},
    Encoding.BOOLEAN: {"type": "boolean"},
    Encoding.OPTION: {"type": "option"},
    Encoding.OPTION_DATASOURCE: {"type": "option", "source": "internal"},
    Encoding.RELATION: _ONE_STORY,
    Encoding.RELATIONS: _MANY_STORIES,
    Encoding.VIDEO_MULTILINK: LINK_FIELD,
    Encoding.VIDEO_TEXT: {"type": "text"},
    Encoding.VIDEO_BLOCK: {"type": "bloks", "maximum": 1},
    Encoding.COLOR_TEXT: {"type": "text"},
    Encoding.COLOR_PLUGIN: {"type": "custom", "field_type": COLOR_PLUGIN},
    Encoding.PRICE_AMOUNT: {"type": "number"},
    Encoding.PRICE_CURRENCY: {"type": "text"},
    Encoding.JSON_TEXT: {"type": "textarea"},
    Encoding.BLOCKS: {"type": "bloks"},
    Encoding.ENVELOPE: {"type": "text"},
}
"""The field definition each encoding gets, before names and targets."""


RULES: Mapping[str, tuple[str, ...]] = {
    "text": ("max_length", "minlength", "regex", "rtl"),
    "textarea": ("max_length", "minlength", "regex", "rtl"),
    "markdown": ("max_length", "rtl"),
    "number": ("min_value", "max_value", "decimals", "steps"),
    "multiasset": ("minimum_entries", "maximum_entries"),
    "asset": ("filetypes",),
    "richtext": TEXT_RULES,
}
"""The rules that a field type of the destination can have.

Source: origin, validations seen; destination, field definitions.
"""
_IN_WORDS = {
    "max_length": "at most {} characters",
    "minlength": "at least {} characters",
    "min_value": "not below {}",
    "max_value": "not above {}",
    "decimals": "{} decimals",
}


@dataclass(frozen=True, slots=True)
class KeptRules:
    """How a field's validations are kept."""

    rules: JsonObject
    """Of the destination's definition."""
    note: str
    """What is not carried, and why; empty when all is."""


def rules_of(origin: Field, encoding: Encoding, facts: FieldFacts) -> KeptRules:
    """Return the rules that all values to import keep, and what is left of the others.

    A rule that a value breaks would keep its story from being saved.
    """
    known = RULES.get(str(FIELD_BODIES[encoding].get("type")), ())
    rules: JsonObject = {}
    left: list[str] = []
    for name, limit, fits in _wanted(origin.validations, facts):
        if name in known and fits:
            rules[name] = limit
        elif name in known:
            rule = _IN_WORDS[name].format(limit)
            left.append(f"{rule}, which a value to import breaks")
    # No field type has these in the same sense.
    if pattern := origin.validations.get("pattern"):
        left.append(f"the pattern {pattern}")
    if isinstance(endings := origin.validations.get("acceptedExtensions"), list):
        left.append(f"accepts only {', '.join(map(str, endings))}")
    note = f"Asked for at the origin, but not here: {'; '.join(left)}." if left else ""
    return KeptRules(rules, note)


def known_rules(field: FieldDesign) -> JsonObject:
    """Return those of a field's rules that its type at the destination can have."""
    known = RULES.get(str(FIELD_BODIES[field.encoding].get("type")), ())
    return {name: rule for name, rule in field.rules.items() if name in known}


def _wanted(
    validations: JsonObject, facts: FieldFacts
) -> Iterator[tuple[str, Json, bool]]:
    """Yield each rule by the destination's name, and whether all values keep it."""
    if (most := _count(validations.get("maxLength"))) is not None:
        yield "max_length", most, facts.longest <= most
    if least := _count(validations.get("minLength")):
        yield "minlength", least, facts.shortest is None or facts.shortest >= least
    lowest = _number(validations.get("minValue"))
    if validations.get("allowNegative") is False:
        lowest = max(lowest or 0, 0)
    if lowest is not None:
        yield "min_value", lowest, facts.lowest is None or facts.lowest >= lowest
    highest = _number(validations.get("maxValue"))
    if highest is not None:
        yield "max_value", highest, facts.highest is None or facts.highest <= highest
    if validations.get("format") == "integer":
        yield "decimals", 0, not facts.fractions


def _count(value: Json) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count and isinstance(value, int) else None


def _number(value: Json) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < float("inf") else None
