"""Numbers in sentences: `1 story`, `2 stories`, `a, b and 3 more`."""

from __future__ import annotations

from collections.abc import Sequence


def noun_for(count: int, one: str, many: str = "") -> str:
    """Return the noun that fits a number; without `many` it is `one` with an s."""
    return one if count == 1 else many or f"{one}s"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun, thousands set apart: `1,200 items`."""
    return f"{count:,} {noun_for(count, one, many)}"


def and_more(
    count: int, shown: int, before: str = " and ", after: str = "", *, form: str = ""
) -> str:
    """Return how many of `count` are not among the `shown`; empty if all are.

    `form` is how Python writes the number: `,` sets thousands apart.
    """
    left = count - shown
    return f"{before}{left:{form}} more{after}" if left > 0 else ""


def first_of(
    names: Sequence[str], shown: int, before: str = " and ", between: str = ", "
) -> str:
    """Return the first names, and how many more there are."""
    return between.join(names[:shown]) + and_more(len(names), shown, before)
