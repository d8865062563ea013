"""What may be cleaned: findings in values, spellings, nearly equal texts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.mapping.cleaning.cleaner import is_name
from cmsmig.mapping.cleaning.findings import FINDINGS, findings_in
from cmsmig.mapping.cleaning.likeness import NEAR, near_pairs, sketch, spellings
from cmsmig.origin.schema import Field
from tests.support.richtext.bodies import SEARCH, mutated
from tests.support.timelimit import at_most

FILE = "62e10f0cd9a1b2c3d4e5f601"
LONG = " ".join(f"word{number}" for number in range(60))
OLD = frozenset(("acme.webflow.io",))


def found(kind: str, value: object) -> dict[str, list[str]]:
    given_: Any = value
    return dict(findings_in(Field("f", "f", "F", kind, False, "", {}), given_, OLD))


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("RichText", f"<h1>A</h1><h3>B</h3><p>{LONG}</p>",
         {"top-heading": ["A"], "jump": ["B"]}),
        ("RichText", f"<h2>\u200d</h2><h3 id='x'></h3><p>{LONG}</p>",
         {"empty-heading": ["h2"]}),
        ("RichText", f"<p>two&nbsp;words </p><p>{LONG}</p>",
         {"blanks": ["two\xa0words "]}),
        ("RichText", f'<p>{LONG}<a href="/a">Lire la <b>suite</b> »</a></p>',
         {"vague-link": ["Lire la suite » → /a"]}),
        ("RichText", f'<p>{LONG}<a href="https://acme.webflow.io/b">Prices</a></p>',
         {"test-domain": ["https://acme.webflow.io/b"]}),
        ("RichText", f'<p>{LONG}</p><img src="/c/map.png" alt="IMG_2041">',
         {"name-alt": ["IMG_2041"]}),
        ("RichText", "<p>Soon.</p>", {"short": ["Soon."]}),
        ("RichText", f"<pre>  {LONG}  a </pre><div class=w-embed><h1>A</h1></div>", {}),
        ("RichText", "", {}),
        ("PlainText", "a  b", {"blanks": ["a  b"]}),
        ("PlainText", "a b", {}),
        ("Link", "//acme.webflow.io", {"test-domain": ["//acme.webflow.io"]}),
        ("Image", {"url": f"/x/{FILE}_a-map.png", "alt": "a-map"},
         {"name-alt": ["a-map"]}),
        ("Number", 3, {}),
    ],
)  # fmt: skip
def test_a_finding_in_a_value(
    kind: str, value: object, expected: dict[str, list[str]]
) -> None:
    """With what was found; each is called something."""
    assert found(kind, value) == expected
    assert expected.keys() <= FINDINGS.keys()


@SEARCH
@given(mutated)
def test_any_body_can_be_looked_through(html: str) -> None:
    """Whatever it holds."""
    assert all(places for places in found("RichText", html).values())


@pytest.mark.parametrize(
    ("alt", "is_one"),
    [("photo.JPG", True), ("DSC 0031", True), ("the-harbour", True), ("", False),
     ("A harbour", False), ("__wf_reserved_inherit", False), ("harbour", False)],
)  # fmt: skip
def test_a_file_name_describes_nothing(alt: str, is_one: bool) -> None:
    """Its extension, a camera's number, or the name of the file itself."""
    assert is_name(alt, f"https://files.example/{FILE}_the-harbour.png") is is_one
    assert not is_name("harbour", f"https://files.example/{FILE}_harbour.png")


@pytest.mark.parametrize(
    ("counts", "groups"),
    [
        ({"E-Bike": 9, "e bike": 2, "EBIKE": 1}, [["E-Bike", "e bike", "EBIKE"]]),
        ({"Café Crème": 1, "creme cafe": 3}, [["creme cafe", "Café Crème"]]),
        ({"Accessibility": 6, "Accesibility": 2}, [["Accessibility", "Accesibility"]]),
        ({"Accessibility": 3, "Accesibility": 2}, []),
        ({"Region A": 9, "Region B": 1, "Note 1": 9, "Note 2": 1}, []),
        ({"Jan": 9, "Jon": 1, "塩": 2, "潮": 1}, []),
    ],
)
def test_spellings_of_one_value(
    counts: dict[str, int], groups: list[list[str]]
) -> None:
    """The commonest is first; what may be another word is no spelling."""
    assert spellings(counts) == groups


@given(st.dictionaries(st.text("aAbB -é", max_size=12), st.integers(1, 9)))
def test_a_value_is_in_one_group(counts: dict[str, int]) -> None:
    """Whatever the values are; the order in which they come does not matter."""
    groups = spellings(counts)
    listed = [each for group in groups for each in group]
    assert len(listed) == len({*listed})
    assert {*listed} <= counts.keys()
    assert spellings(dict(reversed([*counts.items()]))) == groups


def test_nearly_equal_texts() -> None:
    """One word changed among two hundred is near; shuffled words and short texts are
    not; equal ones are near the first, however many there are."""
    words = [f"w{number}" for number in range(200)]
    changed = [*words[:100], "other", *words[101:]]
    shuffled = random.Random(1).sample(words, 200)
    texts = [words, changed, shuffled, words[:10], words[:10], words, words]
    sketches = {at: sketch(" ".join(each)) for at, each in enumerate(texts)}
    pairs = {(one, other): share for one, other, share in near_pairs(sketches)}
    assert pairs.keys() == {(0, 1), (0, 5), (0, 6)}
    assert pairs[0, 5] == 1
    assert 0.8 < pairs[0, 1] < 1


def test_many_texts_are_compared_in_linear_time() -> None:
    """Thousands that share their words, and a long one."""
    with at_most(20):
        texts = {n: sketch(f"{LONG} {n} {LONG}") for n in range(5_000)}
        assert all(share >= NEAR for _, _, share in near_pairs(texts))
        sketch(LONG * 20_000)
        spellings({f"value number {n}": 1 for n in range(20_000)})
