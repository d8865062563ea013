"""Findings one by one: what was found in which item, and what to do about it.

A finding is a loss, a link that stays, an item that failed, a file that is missing:
whatever an editor goes through one at a time. Each kind is explained once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.ui.csv_text import csv_lines
from cmsmig.ui.html.html_templates import breakable
from cmsmig.ui.html.safe_html import coded, escape, joined, more, note, site_link, table

SHOWN = 100
"""Findings that a list without controls shows."""
_LONGEST = 200
"""Characters of what was found that a table shows; the CSV has all of it."""
_CSV_HEAD = ("Kind", "Item", "Page at the origin", "Field", "What", "Why", "What to do")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that somebody should know of, or do something about."""

    kind: str
    """What it is in an editor's words, the same for all of its kind."""
    item: str
    """The item's name."""
    page: str
    """The path of its page at the origin; empty where it has none."""
    field: str
    """Empty for what is said of the item as a whole."""
    what: str
    """The text, the address or the file that it is about."""
    why: str
    """One sentence."""
    todo: str
    """One sentence; empty where nothing has to be done."""


def findings_html(
    findings: Iterable[Finding],
    caption: str,
    *,
    none: str,
    shown: int = SHOWN,
    after: str = "",
    site: str = "",
) -> Markup:
    """Return a list without controls: each kind explained once, then the findings.

    They are gone through once, and only the first `shown` are kept. `none` is said
    where there is nothing; `after` says where those are that are left out; `site`
    is the address that pages are below.
    """
    kept: list[Finding] = []
    kinds: dict[str, tuple[Finding, int]] = {}
    for each in findings:
        first, count = kinds.get(each.kind, (each, 0))
        kinds[each.kind] = (first, count + 1)
        if len(kept) < shown:
            kept.append(each)
    if not kinds:
        return note(none, "good")
    usual = {kind: first.why for kind, (first, _) in kinds.items()}
    total = sum(count for _, count in kinds.values())
    explained = [
        (kind, count, coded(first.why), coded(first.todo))
        for kind, (first, count) in kinds.items()
    ]
    rows = [
        (
            each.item,
            site_link(site, each.page),
            each.field,
            each.kind,
            _told(each, usual[each.kind]),
        )
        for each in kept
    ]
    return joined(
        (
            table(
                ("Kind", "Times", "Why", "What to do"),
                explained,
                caption=f"{caption}: {counted(total, 'finding')} by kind",
            ),
            table(
                ("Item", "Page at the origin", "Field", "Kind", "What"),
                rows,
                caption=f"{caption}, one by one",
            ),
            more(total, shown, after),
        )
    )


def findings_csv(findings: Iterable[Finding]) -> str:
    """Return all findings as CSV; no cell is a formula."""
    return "".join(findings_csv_lines(findings))


def findings_csv_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the lines of `findings_csv` one by one."""
    return csv_lines(
        _CSV_HEAD,
        (
            (
                each.kind,
                each.item,
                each.page,
                each.field,
                each.what,
                each.why,
                each.todo,
            )
            for each in findings
        ),
    )


def _told(finding: Finding, usual: str) -> Markup:
    """Return what was found, and why where that is not what its kind says."""
    what = finding.what
    short = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"
    if finding.why == usual:
        return breakable(short)
    why = coded(finding.why)
    return joined((breakable(short), escape(": "), why)) if short else why
