"""The order of things that two sides have in part."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def merged_order(
    values: Collection[str], leading: Sequence[str], other: Sequence[str]
) -> list[str]:
    """Return `values` in the order of `leading`.

    Each that only `other` has comes after the one that it comes after there. All
    values are in one of the two.
    """
    order = [each for each in leading if each in values]
    for index, value in enumerate(other):
        if value in values and value not in order:
            before = [each for each in other[:index] if each in order]
            order.insert(order.index(before[-1]) + 1 if before else 0, value)
    return order
