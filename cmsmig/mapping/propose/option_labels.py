"""Options: their labels are their values at the destination."""

from __future__ import annotations

from collections.abc import Collection

from cmsmig.mapping.decisions.design import Option
from cmsmig.mapping.naming import claims


def option_labels(options: tuple[tuple[str, str], ...]) -> tuple[Option, ...]:
    """Return the options in schema order, no two labels alike and none blank.

    The first of several equal labels stays as it is, the others get ` (2)`, and
    so on; a blank label is replaced by the option's id.
    """
    once = dict(options)
    labels = claims(
        [label if label.strip() else option_id for option_id, label in once.items()],
        _numbered,
    )
    return tuple(map(Option, once, labels))


def label_beside(taken: Collection[str], label: str, option_id: str) -> str:
    """Return the label of an option that came later than those of `taken`."""
    return claims([label if label.strip() else option_id], _numbered, taken)[0]


def _numbered(label: str, number: int) -> str:
    return f"{label} ({number})"
