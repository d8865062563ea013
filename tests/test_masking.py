"""Masking: no token stays readable in any form, and no other text changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig.errors import CmsmigError, ServiceError
from cmsmig.masking import HIDDEN, hide, masked, masked_bytes
from tests.support.token_encodings import ENCODINGS, reveals

TOKEN = "wf-3c7E/9a+Xk_21.Zq~4f-hush=="


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_an_encoded_token_is_masked(encoding: str) -> None:
    """The search finds it before, and neither the search nor a reader after."""
    hide(TOKEN)
    text = f'{{"message": "before {ENCODINGS[encoding](TOKEN)} after"}}'
    assert reveals(text.encode(), TOKEN)
    shown = masked(text)
    assert not reveals(shown.encode(), TOKEN)
    assert HIDDEN in shown
    assert shown.startswith('{"message": "before ')
    assert shown.endswith(' after"}')
    assert masked_bytes(text.encode()) == shown.encode()


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=40),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.text(max_size=9), inner, max_size=3)
        ),
        max_leaves=9,
    )
)
def test_what_holds_no_token_stays_as_it_is(value: object) -> None:
    """Byte for byte, whatever escapes it has."""
    hide(TOKEN)
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        data = text.encode("utf-8", "surrogatepass")
        assert masked_bytes(data) == data
        assert masked(text) == text


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["\\n", "\\\\", '\\"', "é", "x", TOKEN]), max_size=8),
    st.sampled_from(list(ENCODINGS)),
)
def test_json_stays_json(parts: list[str], name: str) -> None:
    """What is masked within a string leaves the document whole."""
    hide(TOKEN)
    said = "".join(parts) + ENCODINGS[name](TOKEN)
    for text in (
        json.dumps({"a": said, "b": [said, 1]}),
        f'{{"a": "{"".join(parts)}"}}',
    ):
        json.loads(masked(text))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TOKEN} " * 50_000, id="tokens"),
        pytest.param(TOKEN[:-1] * 50_000, id="beginnings of tokens"),
    ],
)
def test_no_text_holds_the_work_up(text: str) -> None:
    """A hostile service chooses it: the time grows as its size does, no faster."""
    hide(TOKEN)
    shown = masked(text)
    assert TOKEN not in shown
    assert len(shown) <= len(text)


def test_a_word_is_no_token() -> None:
    """A text shorter than any real token is not masked."""
    for word in ("short", "00000000", "--------------"):
        hide(word)
        assert masked(f"a {word} sentence") == f"a {word} sentence"


def test_every_error_is_masked_when_it_is_made() -> None:
    """Wherever it is shown or kept later, its sentence holds no token."""
    hide(f"Bearer {TOKEN}")
    sentence = f"GET /v2/{ENCODINGS['address'](TOKEN)} was refused ({TOKEN})."
    expected = f"GET /v2/%2F{HIDDEN}%2F was refused ({HIDDEN})."
    assert str(CmsmigError(sentence)) == expected
    assert str(ServiceError(sentence, service="origin")) == expected
    assert expected in repr(CmsmigError(sentence))
