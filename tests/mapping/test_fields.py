"""The field map, row by row, and what the proposals say about each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.mapping.decisions.design import Encoding, FieldDesign, LeftOutField
from cmsmig.mapping.propose.field_facts import field_facts, reads_as_markdown
from cmsmig.mapping.propose.field_keys import option_labels
from cmsmig.mapping.propose.field_map import (
    FieldContext,
    propose_field,
    propose_unlisted,
)
from cmsmig.origin.schema import Field
from tests.support.mapping.design_builders import make_field, make_item

CONTEXT = FieldContext(
    listed={"c1": "Posts", "c2": "People"}, migrated=frozenset(("c1",))
)
FILE: Json = {"fileId": "f", "url": "https://files.example.org/f_a.png", "alt": None}


def propose(
    field: Field,
    *values: Json,
    zone: str = "UTC",
    context: FieldContext = CONTEXT,
) -> tuple[FieldDesign, ...] | LeftOutField:
    """Return the proposal for a field over items with these values."""
    items = [
        make_item(f"i{index}", data={field.slug: value})
        for index, value in enumerate(values)
    ]
    known = frozenset(text for option in field.options for text in option)
    return propose_field(
        field, field_facts(items, {field.slug: known}, zone)[field.slug], context
    )


def single(field: Field, *values: Json, **more: object) -> FieldDesign:
    """Return the one field that is proposed."""
    found = propose(field, *values, **more)  # type: ignore[arg-type]
    assert isinstance(found, tuple)
    (design,) = found
    return design


@pytest.mark.parametrize(
    ("kind", "value", "encoding"),
    [
        ("RichText", "<p>a</p>", Encoding.RICHTEXT),
        ("Image", FILE, Encoding.ASSET),
        ("MultiImage", [FILE], Encoding.MULTIASSET),
        ("File", FILE, Encoding.ASSET),
        ("Link", "/about", Encoding.MULTILINK),
        ("VideoLink", {"url": "https://vimeo.com/1"}, Encoding.VIDEO_BLOCK),
        ("Email", "a@example.org", Encoding.TEXT),
        ("Phone", "+1 2", Encoding.TEXT),
        ("Color", "transparent", Encoding.COLOR_TEXT),
        ("Number", 1.5, Encoding.NUMBER),
        ("DateTime", "2024-01-01T12:30:00.000Z", Encoding.DATETIME),
        ("Switch", False, Encoding.BOOLEAN),
        ("Option", "x", Encoding.OPTION),
        ("Reference", "i9", Encoding.RELATION),
        ("MultiReference", ["i9"], Encoding.RELATIONS),
    ],
)
def test_each_row_of_the_field_map(kind: str, value: Json, encoding: Encoding) -> None:
    """Every origin type has its encoding, filled or never filled."""
    assert single(make_field("field", kind), value).encoding is encoding
    assert single(make_field("field", kind), None).encoding in (
        encoding,
        Encoding.DATETIME,
    )


@pytest.mark.parametrize(
    ("single_line", "values", "encoding", "why"),
    [
        (True, ["a"], Encoding.TEXT, ""),
        (True, ["x" * 300], Encoding.TEXT, ""),
        (True, ["a\nb"], Encoding.TEXTAREA, "1 value has line breaks"),
        (False, ["a"], Encoding.TEXTAREA, ""),
        (None, ["a", None, ""], Encoding.TEXT, ""),
        (None, ["x" * 255], Encoding.TEXT, ""),
        (None, ["x" * 256], Encoding.TEXTAREA, "256 characters"),
        (None, ["a\r\nb", "c\nd"], Encoding.TEXTAREA, "2 values have line breaks"),
    ],
)
def test_plain_text_is_one_line_or_many(
    single_line: bool | None, values: list[Json], encoding: Encoding, why: str
) -> None:
    """Without the origin's word the values decide, and the note says so."""
    validations: dict[str, Json] = {}
    if single_line is not None:
        validations["singleLine"] = single_line
    found = single(make_field("t", "PlainText", validations=validations), *values)
    assert found.encoding is encoding
    assert (why in found.note) if why else not found.note


MARKDOWN: list[Json] = ["# Title\n\nText", "A [link](https://example.org)\nmore"]


def test_text_that_reads_as_markdown_stays_verbatim_until_somebody_decides() -> None:
    """The note counts and names what somebody may decide."""
    field = make_field("t", "PlainText", validations={"singleLine": False})
    found = single(field, *MARKDOWN)
    assert found.encoding is Encoding.TEXTAREA
    assert "2 of 2 values read as Markdown" in found.note
    plain: list[Json] = ["1 * 2 * 3\n- 240 cm\n- 110 cm", "**", "a_b_c #1"]
    assert not single(field, *plain).note


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## Heading", True),
        ("some **bold** words", True),
        ("```\ncode\n```", True),
        ("* one\n* two\n", True),
        ("1. one\n2. two", True),
        ("> said", True),
        ("- 240 cm\n- 110 cm", False),
        ("#1 in [brackets] (aside)", False),
        ("a ** b", False),
        ("", False),
    ],
)
def test_markdown_is_told_by_marks_that_nobody_types_by_chance(
    text: str, expected: bool
) -> None:
    """Hyphens at the start of lines are how people type lists."""
    assert reads_as_markdown(text) is expected


@pytest.mark.parametrize(
    ("zone", "values", "encoding"),
    [
        ("UTC", ["2024-01-05T00:00:00.000Z"], Encoding.DATE),
        ("America/Los_Angeles", ["2024-01-05T08:00:00.000Z"], Encoding.DATE),
        (
            "America/Los_Angeles",
            ["2024-01-05T08:00:00.000Z", "2024-07-05T07:00:00.000Z"],
            Encoding.DATE,
        ),
        ("Pacific/Auckland", ["2024-01-04T11:00:00.000Z"], Encoding.DATE),
        (
            "Pacific/Auckland",
            ["2024-01-04T11:00:00.000Z", "2024-01-05T00:00:00.000Z"],
            Encoding.DATE,
        ),
        ("Pacific/Auckland", ["2024-01-05T08:00:00.000Z"], Encoding.DATETIME),
        (
            "UTC",
            ["2024-01-05T00:00:00.000Z", "2024-01-05T09:30:00.000Z"],
            Encoding.DATETIME,
        ),
        ("Nowhere/Land", ["2024-01-05T00:00:00.000Z"], Encoding.DATE),
        ("UTC", ["2024-01-05T00:00:00.000Z", "someday"], Encoding.DATETIME),
        ("UTC", [], Encoding.DATETIME),
    ],
)
def test_a_date_without_a_time_is_told_by_midnight(
    zone: str, values: list[Json], encoding: Encoding
) -> None:
    """Midnight in UTC or in the site's zone, summer and winter, in every value."""
    assert single(make_field("d", "DateTime"), *values, zone=zone).encoding is encoding


LABELS = st.sampled_from(["A", "A (2)", "A (3)", "", " ", "B"]) | st.text(max_size=4)


@given(st.lists(LABELS, max_size=10))
def test_option_labels_are_unique_in_schema_order(labels: list[str]) -> None:
    """Labels are the values at the destination, so none can be there twice."""
    options = tuple((f"id{index}", label) for index, label in enumerate(labels))
    found = option_labels(options)
    assert [option_id for option_id, _ in found] == [one for one, _ in options]
    assert len({label for _, label in found}) == len(options)
    assert all(label.strip() for _, label in found)


def test_equal_option_labels_get_a_suffix_and_a_note() -> None:
    """A label that looks like a suffixed one keeps its own place."""
    options: list[Json] = [
        {"id": "1", "name": "A"},
        {"name": "A", "id": "2"},
        {"id": "3", "name": "A (2)"},
    ]
    found = single(make_field("o", "Option", validations={"options": options}), "9")
    assert found.options == (("1", "A"), ("2", "A (3)"), ("3", "A (2)"))
    assert "A (3)" in found.note
    assert "1 item holds a choice that is no longer in the list" in found.note


@pytest.mark.parametrize(
    ("target", "why"),
    [("c1", ""), ("c2", "People, which is not migrated"), ("c9", "does not list")],
)
def test_a_relation_says_when_nothing_can_be_in_it(target: str, why: str) -> None:
    """The field is made all the same, and keeps its target."""
    field = make_field("r", "Reference", validations={"collectionId": target})
    found = single(field, "i1")
    assert found.encoding is Encoding.RELATION
    assert found.target_collection == target
    assert (why in found.note) if why else not found.note


@pytest.mark.parametrize(
    ("kind", "values", "required", "why"),
    [
        ("PlainText", ["a", "b"], True, ""),
        ("PlainText", ["a", None], False, "1 of 2 items to import lacks it"),
        ("PlainText", ["a", " ", ""], False, "2 of 3 items to import lack it"),
        ("Reference", ["i1"], False, "relations are filled after creation"),
        ("MultiReference", [["i1"]], False, "relations are filled after creation"),
        ("Image", [FILE], False, "a missing file would stop items"),
        ("Switch", [True], False, ""),
        ("Number", [0], True, ""),
        ("Option", ["gone"], False, "1 of 1 item to import lacks it"),
    ],
)
def test_required_is_proposed_only_where_no_story_could_be_refused(
    kind: str, values: list[Json], required: bool, why: str
) -> None:
    """The destination enforces it on creation, when relations are still empty."""
    validations: dict[str, Json] = {"singleLine": True, "collectionId": "c1"}
    if kind == "Option":
        validations = {"options": [{"id": "1", "name": "One"}]}
    found = single(
        make_field("f", kind, required=True, validations=validations), *values
    )
    assert found.required is required
    assert why in found.note


def test_a_colour_is_offered_the_plugin_only_where_the_space_has_it() -> None:
    """Text in any case; a person takes the plugin."""
    field = make_field("c", "Color")
    plain = single(field, "#fff")
    assert (plain.encoding, plain.note) == (Encoding.COLOR_TEXT, "")
    offered = single(field, "#fff", context=FieldContext(has_color_plugin=True))
    assert offered.encoding is Encoding.COLOR_TEXT
    assert "color_plugin" in offered.note


def test_a_price_becomes_an_amount_and_a_currency() -> None:
    """Whatever its type is called."""
    for kind in ("Price", "Number", "CommercePrice"):
        found = propose(make_field("price", kind), {"value": 2500, "unit": "USD"})
        assert isinstance(found, tuple)
        assert [(one.key, one.encoding) for one in found] == [
            ("price", Encoding.PRICE_AMOUNT),
            ("price-currency", Encoding.PRICE_CURRENCY),
        ]


@pytest.mark.parametrize(
    ("values", "encoding"),
    [
        ([{"a": 1}], Encoding.JSON_TEXT),
        ([["i1", "i2"]], Encoding.JSON_TEXT),
        (["x", {"a": 1}], Encoding.JSON_TEXT),
        ([{"value": 1, "unit": "USD"}, {"value": "x"}], Encoding.JSON_TEXT),
        (["x"], Encoding.TEXT),
        (["x\ny"], Encoding.TEXTAREA),
        ([1, 2.5], Encoding.NUMBER),
        ([True], Encoding.BOOLEAN),
        ([FILE], Encoding.ASSET),
        ([[FILE]], Encoding.MULTIASSET),
    ],
)
def test_an_unknown_type_goes_by_its_values(
    values: list[Json], encoding: Encoding
) -> None:
    """Structures are kept as JSON text, and the note names the type."""
    found = single(make_field("x", "SkuValues"), *values)
    assert found.encoding is encoding
    assert "The type SkuValues" in found.note


@pytest.mark.parametrize("kind", ["", "MembershipPlan", "SkuSettings"])
def test_an_unknown_type_that_nobody_fills_is_left_out_with_a_note(kind: str) -> None:
    """It is listed, so that nothing is missing in silence."""
    found = propose(make_field("x", kind), None, [], {})
    assert isinstance(found, LeftOutField)
    assert "no item to import fills it" in found.note


def test_keys_that_the_schema_does_not_list_are_kept_or_listed() -> None:
    """Leftovers of the first API are no content."""
    items = [make_item(data={"tax-category": "std", "_cid": "x", "more": {"a": 1}})]
    facts = field_facts(items, dict.fromkeys(items[0].data, frozenset()), "UTC")
    kept = propose_unlisted("more", facts["more"])
    assert isinstance(kept, tuple)
    assert kept[0].encoding is Encoding.JSON_TEXT
    text = propose_unlisted("tax-category", facts["tax-category"])
    assert isinstance(text, tuple)
    assert (text[0].encoding, text[0].display_name) == (Encoding.TEXT, "Tax category")
    assert isinstance(propose_unlisted("_cid", facts["_cid"]), LeftOutField)


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
    found = propose(make_field("f", kind, required=True), *values)
    assert found
