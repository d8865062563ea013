"""JSON of any depth comes back, the too deep as text in its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.nesting import DEEPEST, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def wrapped(text: str, kinds: str) -> str:
    """Return JSON text in as many lists (l) and objects (o) as are named."""
    before = "".join("[1, " if kind == "l" else '{"a[": ' for kind in kinds)
    after = "".join("]" if kind == "l" else ', "b": "}"}' for kind in reversed(kinds))
    return before + text + after


def depth(value: Json) -> int:
    """Return how many lists and objects are in each other, up to a thousand."""
    levels, level = 0, [value]
    while level := [each for each in level if isinstance(each, list | dict)]:
        levels += 1
        level = [
            held
            for each in level
            for held in (each.values() if isinstance(each, dict) else each)
        ]
    return levels


@given(VALUES)
def test_usual_values_are_read_as_ever(value: Json) -> None:
    """As text and as bytes."""
    text = json.dumps(value)
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value


@settings(deadline=None, max_examples=40)
@given(
    VALUES,
    st.text("lo", min_size=1, max_size=9),
    st.sampled_from([150, 199, 200, 201, 900, 5000, 50_000]),
)
def test_deep_values_are_read_and_nothing_of_them_is_lost(
    value: Json, kinds: str, levels: int
) -> None:
    """A value that is too deep is replaced by its JSON text."""
    inner = json.dumps(value)
    text = wrapped(inner, (kinds * levels)[:levels])
    read = parse_json(text.encode())
    assert depth(read) <= DEEPEST
    at: Json = read
    for _ in range(levels):
        if not isinstance(at, list | dict):
            break
        at = at[1] if isinstance(at, list) else at["a["]
    else:
        assert at == value or expanded(at) == value
        return
    assert isinstance(at, str)
    assert at in text
    assert inner in at


def expanded(value: Json) -> Json:
    """Return a value with the texts that are JSON of their own read, too."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        with suppress(ValueError):
            return json.loads(value)
    if isinstance(value, list):
        return [expanded(each) for each in value]
    if isinstance(value, dict):
        return {name: expanded(each) for name, each in value.items()}
    return value


@pytest.mark.parametrize(
    "text", ["[" * 300, '{"a":' * 90_000, "[" * 300 + "]" * 299, "]" * 300, "", "[1"]
)
def test_half_a_value_is_none(text: str) -> None:
    """However deep it begins."""
    with pytest.raises(ValueError, match=r".+"):
        parse_json(text)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("form", [str.encode, str])
def test_the_first_level_that_is_too_deep_is_text(
    opening: str, form: Callable[[str], str | bytes]
) -> None:
    """One list or object more than can be walked, and nothing else in the text."""
    closing = "]" if opening == "[" else "}"
    for levels in (DEEPEST, DEEPEST + 1):
        inner = opening * (levels - 1) + "[]" + closing * (levels - 1)
        found = parse_json(form(inner))
        assert json.dumps(found).count('"[]"') == levels - DEEPEST
        assert depth(found) == DEEPEST
