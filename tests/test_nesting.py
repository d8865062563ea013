"""JSON is read to a depth that everything can walk, and refused beyond it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.nesting import DEEPEST, DeepJsonError, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_usual_values_are_read_as_ever(value: object) -> None:
    """As text and as bytes."""
    text = json.dumps(value)
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("levels", [DEEPEST + 1, 900, 5000, 50_000])
def test_what_nests_too_deep_is_refused(opening: str, levels: int) -> None:
    """One level less is read."""
    closing = "]" if opening == "[" else "}"

    def nested(count: int) -> str:
        return opening * (count - 1) + "[]" + closing * (count - 1)

    assert json.dumps(parse_json(nested(DEEPEST))).count("[]") == 1
    for text in (nested(levels), nested(levels).encode()):
        with pytest.raises(DeepJsonError, match="deeper than 200 levels"):
            parse_json(text)


@pytest.mark.parametrize(
    "text", ["[" * 300, '{"a":' * 90_000, "[" * 300 + "]" * 299, "]" * 300, "", "[1"]
)
def test_half_a_value_is_none(text: str) -> None:
    """However deep it begins."""
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)
