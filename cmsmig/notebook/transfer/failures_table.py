"""What failed, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cmsmig.display.safe_html import NOTHING, more, table
from cmsmig.evidence.failures import Failure

_SHOWN = 30


def failures_table(failed: Sequence[Failure], total: int = 0) -> Markup:
    """Return what failed, at which step, why and what to do; empty if nothing did.

    `total` is how many there are, where `failed` are the last of them alone.
    """
    if not failed:
        return NOTHING
    count = max(total, len(failed))
    shown = table(
        ("What", "Step", "Why", "What to do"),
        [
            (each.name or each.subject, each.step, each.explanation, each.next_action)
            for each in failed[:_SHOWN]
        ],
        caption=f"Failed ({count:,})",
    )
    return shown + more(count, _SHOWN, " in report.json")
