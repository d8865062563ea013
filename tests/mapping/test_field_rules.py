"""Rules about values: carried where all values keep them, else told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.component_payloads import field_body
from cmsmig.mapping.propose.design_checks import design_problems
from cmsmig.mapping.propose.field_facts import field_facts
from cmsmig.mapping.propose.field_map import FieldContext, propose_field
from tests.support.mapping.design_builders import (
    make_collection,
    make_design,
    make_field,
    make_item,
    make_type,
)


def proposed(kind: str, validations: JsonObject, *values: Json) -> tuple[dict, str]:
    """Return the rules that a field with these values is proposed to get, and what
    the reviewer is told."""
    field = make_field("one", kind, validations=validations)
    items = [make_item(f"i{n}", data={"one": each}) for n, each in enumerate(values)]
    facts = field_facts(items, {"one": frozenset()}, "UTC")["one"]
    (design,) = propose_field(field, facts, FieldContext())
    body = field_body(make_design(), design)
    own = {name: body[name] for name in body if name in _RULES}
    return own, design.note


_RULES = ("max_length", "minlength", "regex", "min_value", "max_value", "decimals")
LENGTHS: JsonObject = {"singleLine": True, "maxLength": 5, "minLength": 2}
RANGE: JsonObject = {"minValue": 1, "maxValue": 10, "format": "integer"}


@pytest.mark.parametrize(
    ("kind", "validations", "values", "rules"),
    [
        ("PlainText", LENGTHS, ["abc", "abcde"], {"max_length": 5, "minlength": 2}),
        ("PlainText", LENGTHS, ["abc", "abcdef"], {"minlength": 2}),
        ("PlainText", LENGTHS, ["a", "abc"], {"max_length": 5}),
        ("PlainText", LENGTHS, [None, ""], {"max_length": 5, "minlength": 2}),
        ("PlainText", {"maxLength": None, "minLength": "2"}, ["abc"], {}),
        (
            "Number",
            RANGE,
            [1, 10],
            {"min_value": 1, "max_value": 10, "decimals": 0},
        ),
        ("Number", RANGE, [1.5, 11], {"min_value": 1}),
        ("Number", {"allowNegative": False}, [0, 7], {"min_value": 0}),
        ("Number", {"allowNegative": False}, [-1], {}),
        ("Number", {"minValue": True}, [3], {}),
        ("RichText", {"maxLength": 5}, ["<p>a</p>"], {}),
    ],
)
def test_a_rule_is_carried_where_every_value_keeps_it(
    kind: str, validations: JsonObject, values: list[Json], rules: JsonObject
) -> None:
    """One that a value breaks would keep its story from being saved."""
    assert proposed(kind, validations, *values)[0] == rules


def test_a_rule_that_is_not_carried_is_told() -> None:
    """With what it is, for whoever builds the frontend's checks."""
    asked: JsonObject = {**LENGTHS, "pattern": "[a-z]+"}
    note = proposed("PlainText", asked, "abcdef")[1]
    assert "max_length 5, which a value to import breaks" in note
    assert "pattern [a-z]+" in note


def test_a_rule_that_the_field_type_lacks_is_refused() -> None:
    """In a design that somebody edited."""
    field = make_field("one", "Switch")
    collection = make_collection("c1", field)
    (design,) = propose_field(
        field, field_facts([], {"one": frozenset()}, "UTC")["one"], FieldContext()
    )
    assert design.encoding is Encoding.BOOLEAN
    edited = make_type("c1", replace(design, rules={"max": 1}))
    found = [*design_problems(make_design(edited), {"c1": collection})]
    assert "has no rule `max`; it can have none" in "".join(found)
