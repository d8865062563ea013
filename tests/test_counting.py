"""Numbers in sentences, as everything that speaks of several things puts them."""

from __future__ import annotations

import pytest

from cmsmig.counting import and_more, counted, first_of, noun_for


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 bodies"), (1, "1 body"), (1200, "1,200 bodies")]
)
def test_a_number_has_the_noun_that_fits(count: int, said: str) -> None:
    """One is one; none and several are many."""
    assert counted(count, "body", "bodies") == said


def test_a_noun_without_its_many_takes_an_s() -> None:
    """Most nouns need only be said once."""
    assert (noun_for(1, "item"), noun_for(2, "item")) == ("item", "items")


def test_what_is_left_out_is_counted() -> None:
    """Names beyond the last that is shown are a number; all shown, nothing is."""
    names = ["a", "b", "c"]
    assert first_of(names, 1) == "a and 2 more"
    assert first_of(names, 2, "; and ", "; ") == "a; b; and 1 more"
    assert first_of(names, 3) == "a, b, c"
    assert first_of([], 3) == ""
    assert and_more(3, 1, "... and ", "; see the report") == (
        "... and 2 more; see the report"
    )
