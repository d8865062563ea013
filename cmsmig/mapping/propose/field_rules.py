"""The origin's rules about values, as far as the destination's field types have them.

Source: origin, validations seen; destination, field definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.mapping.propose.field_facts import FieldFacts
from cmsmig.origin.schema import Field

RULES: Mapping[str, tuple[str, ...]] = {
    "text": ("max_length", "minlength", "regex"),
    "textarea": ("max_length", "minlength", "regex"),
    "markdown": ("max_length",),
    "number": ("min_value", "max_value", "decimals", "steps"),
    "multiasset": ("minimum_entries", "maximum_entries"),
    "asset": ("filetypes",),
}
"""The rules that a field type of the destination can have."""
_NOT_CARRIED = ("pattern", "acceptedExtensions")
"""Validations that no field type has in the same sense."""


@dataclass(frozen=True, slots=True)
class FieldRules:
    """What becomes of a field's validations."""

    rules: JsonObject
    """Of the destination's definition."""
    note: str
    """What is not carried, and why; empty when all is."""


def rules_of(origin: Field, encoding: Encoding, facts: FieldFacts) -> FieldRules:
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
            left.append(f"{name} {limit}, which a value to import breaks")
    left += [
        f"{name} {origin.validations[name]}"
        for name in _NOT_CARRIED
        if origin.validations.get(name)
    ]
    note = f"Asked for at the origin, but not here: {'; '.join(left)}." if left else ""
    return FieldRules(rules, note)


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
