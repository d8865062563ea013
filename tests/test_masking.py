"""Masking: no token stays readable in any encoding, and no other text changes."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cmsmig import masking
from cmsmig.errors import CmsmigError, ServiceError
from cmsmig.masking import FEWEST, HIDDEN, SHORTEST, hide, masked, masked_bytes
from tests.support.token_encodings import ENCODINGS, reveals

TOKEN = "wf-3c7E/9a+Xk_21.Zq~4f-hush=="
PLAIN = "".join(each for each in string.printable if each not in "\\%&")
TOKENS = st.text("abcdefXYZ0189-_./+=~", min_size=12, max_size=48).filter(
    lambda token: len(set(token)) >= FEWEST
)


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
    token=TOKENS,
    name=st.sampled_from(list(ENCODINGS)),
    around=st.sampled_from(["json", "address", "html", "none"]),
    before=st.text(PLAIN, max_size=30),
    after=st.text(PLAIN, max_size=30),
)
def test_a_token_that_is_encoded_twice_is_masked(
    token: str, name: str, around: str, before: str, after: str
) -> None:
    """Of any token, with any text before and after it."""
    masking._known = masking._Known()  # Not those of earlier examples.
    hide(token)
    inner = f"{before} {ENCODINGS[name](token)} {after}"
    text = {
        "json": json.dumps({"said": inner}),
        "address": ENCODINGS["address"](inner) if inner.isascii() else inner,
        "html": ENCODINGS["html"](inner),
        "none": inner,
    }[around]
    assert not reveals(masked(text).encode(), token)


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


@pytest.mark.parametrize("name", ["plain", "address", "base64", "hexadecimal"])
def test_a_token_that_is_cut_off_is_masked_too(name: str) -> None:
    """A message that ends in the middle of a token reveals most of it."""
    hide(TOKEN)
    encoded = ENCODINGS[name](TOKEN)
    for length in range(SHORTEST * 3, len(encoded)):
        assert masked(f"said: {encoded[:length]}").startswith(f"said: {HIDDEN}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\\" * 2_000_000, id="backslashes"),
        pytest.param(r"\\u" * 500_000, id="half escapes"),
        pytest.param("&#x" + "0" * 2_000_000, id="zeros"),
        pytest.param("%25" * 500_000, id="escapes of escapes"),
        pytest.param(f"{TOKEN} " * 50_000, id="tokens"),
        pytest.param("\\" * 99 + f"{TOKEN} " * 50_000, id="tokens after backslashes"),
        pytest.param(ENCODINGS["base64"](TOKEN) * 30_000, id="one run of base64"),
        pytest.param("A" * 2_000_000 + "=", id="base64 without end"),
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
    expected = f"GET /v2/{HIDDEN} was refused ({HIDDEN})."
    assert str(CmsmigError(sentence)) == expected
    assert str(ServiceError(sentence, service="origin")) == expected
    assert expected in repr(CmsmigError(sentence))
