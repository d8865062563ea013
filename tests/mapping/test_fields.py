"""Fields of the origin: what is proposed for each, and that no value is too odd."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.decision_records import record_body
from cmsmig.mapping.decisions.design import FieldDesign
from cmsmig.mapping.propose.component_payloads import field_body
from cmsmig.mapping.propose.design_checks import design_problems
from cmsmig.mapping.propose.field_facts import FieldFacts, count_values
from cmsmig.mapping.propose.field_keys import option_labels
from cmsmig.mapping.propose.field_map import (
    FieldContext,
    Proposal,
    propose_field,
    propose_unlisted,
)
from cmsmig.origin.schema import Field
from tests.support.cases import cases, part
from tests.support.mapping.design_builders import (
    make_collection,
    make_design,
    make_field,
    make_item,
    make_type,
)

RULES = ("max_length", "minlength", "regex", "min_value", "max_value", "decimals")


def propose(
    field: Field, values: list[Json], *, zone: str = "UTC", plugin: bool = False
) -> Proposal:
    """Return the proposal for a field over items with these values; one without a type
    is not listed in the schema."""
    items = [
        make_item(f"i{index}", data={field.slug: value})
        for index, value in enumerate(values)
    ]
    facts = FieldFacts.of(field)
    count_values(items, {field.slug: facts}, zone)
    context = FieldContext(
        listed={"c1": "Posts", "c2": "People"},
        migrated=frozenset(("c1",)),
        has_color_plugin=plugin,
    )
    if field.type == "unlisted":
        return propose_unlisted(field.slug, facts)
    return propose_field(field, facts, context)


@cases(__file__, "fields.yaml")
def test_what_a_field_becomes(case: dict[str, Any]) -> None:
    field = make_field(
        case.get("unlisted", "f"),
        case.get("kind", "unlisted"),
        required=case.get("required", False),
        validations=case.get("validations"),
    )
    values, zone = case["values"], case.get("zone", "UTC")
    found = propose(field, values, zone=zone, plugin=case.get("plugin", False))
    fields = found if isinstance(found, tuple) else (found,)
    wanted = case["becomes"] if isinstance(case["becomes"], list) else [case["becomes"]]
    proposed = [record_body(each) for each in fields]
    assert part(proposed, wanted) == wanted
    assert case.get("and", "") in str(proposed)
    sent: JsonObject = {}
    for each in fields:
        if isinstance(each, FieldDesign):
            sent |= field_body(make_design(), each)
    rules = {name: sent[name] for name in RULES if name in sent}
    assert rules == case.get("sent", {})


LABELS = st.sampled_from(["A", "A (2)", "A (3)", "", " ", "B"]) | st.text(max_size=4)


@given(st.lists(LABELS, max_size=10))
def test_option_labels_are_unique_in_schema_order(labels: list[str]) -> None:
    """Labels are the values at the destination, so none can be there twice."""
    options = tuple((f"id{index}", label) for index, label in enumerate(labels))
    found = option_labels(options)
    assert [option_id for option_id, _ in found] == [one for one, _ in options]
    assert len({label for _, label in found}) == len(options)
    assert all(label.strip() for _, label in found)


def test_a_rule_that_the_field_type_lacks_is_refused() -> None:
    """In a design that was edited."""
    field = make_field("one", "Switch")
    (design,) = propose(field, [])
    edited = make_type("c1", replace(design, rules={"max": 1}))
    collections = {"c1": make_collection("c1", field)}
    found = "".join(design_problems(make_design(edited), collections))
    assert "has no rule `max`; it can have none" in found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["value", "unit", "url", "fileId", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
KINDS = st.sampled_from(
    [
        "PlainText",
        "RichText",
        "Image",
        "MultiImage",
        "File",
        "Link",
        "VideoLink",
        "Email",
        "Phone",
        "Color",
        "Number",
        "DateTime",
        "Switch",
        "Option",
        "Reference",
        "MultiReference",
        "Price",
        "TextOption",
        "",
    ]
)


@given(KINDS, st.lists(JSON, max_size=4))
def test_no_value_is_too_odd_for_a_proposal(kind: str, values: list[Json]) -> None:
    """The field's values may be anything; a field or a reason comes out."""
    assert propose(make_field("f", kind, required=True), values)
