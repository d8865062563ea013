"""What failed, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cmsmig.evidence.failures import Failure
from cmsmig.evidence.origin_pages import OriginPages
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    more,
    site_link,
    stacked,
    table,
)

_SHOWN = 30
_PAGES = 3
"""Pages that are named of one file."""


def failures_table(
    failed: Sequence[Failure], pages: OriginPages, total: int = 0
) -> Markup:
    """Return what failed, its page, at which step, why and what to do; empty if
    nothing did.

    `total` is how many there are, where `failed` are the last of them alone.
    """
    if not failed:
        return NOTHING
    count = max(total, len(failed))
    rows: list[Sequence[Cell]] = [
        (
            each.name or each.subject,
            stacked(_linked(each, pages)),
            each.step,
            each.explanation,
            each.next_action,
        )
        for each in failed[:_SHOWN]
    ]
    shown = table(
        ("What", "Page at the origin", "Step", "Why", "What to do"),
        rows,
        caption=f"Failed ({count:,})",
    )
    return shown + more(count, _SHOWN, " in report.json")


def _linked(failure: Failure, pages: OriginPages) -> Iterator[Markup]:
    paths = dict.fromkeys(pages.path(key) for key, _ in failure.places)
    paths.pop("", None)
    for path in [*paths][:_PAGES]:
        yield site_link(pages.site, path)
