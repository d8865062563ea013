"""Findings one by one: what was found in which item, and what to do about it.

A finding is a loss, a link that stays, an item that failed, a file that is missing:
whatever an editor goes through one at a time. Each kind is explained once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from typing import Final

from cmsmig.counting import counted
from cmsmig.richtext.losses import Severity
from cmsmig.ui.csv_text import csv_lines
from cmsmig.ui.doc import Doc, Fold, Link, Note, Part, Table, Text

_LONGEST = 200
"""Characters of what was found that a table shows; the CSV has all of it."""
DECIDED: Final = "decided"
"""The severity of what the operator left out."""
SEVERITIES: Mapping[str, str] = {
    Severity.CONTENT: "Content that readers saw or could click",
    Severity.MEANING: "Meaning: a property of content that is kept",
    Severity.LAYOUT: "Layout: how it looks",
    DECIDED: "Left out, as decided",
}
"""The severities of losses with their titles, what matters most first."""
_CSV_HEAD = ("Kind", "Item", "Page at the origin", "Field", "What", "Why", "What to do")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an editor should know, or do something about."""

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
    severity: str = ""
    """Of a loss: one of `SEVERITIES`."""
    new_page: str = ""
    """The path of its page at the new site; empty where none is known."""

    @property
    def rank(self) -> int:
        """Return its place in a list: what matters most is first."""
        return ["", *SEVERITIES].index(self.severity)


@dataclass(slots=True)
class _Group:
    """The findings of one severity."""

    kinds: dict[str, tuple[Finding, int]] = field(default_factory=dict)
    """By kind: the first of it, and how many."""
    first: list[Finding] = field(default_factory=list)


def findings_doc(
    findings: Iterable[Finding],
    caption: str,
    *,
    none: str,
    shown: int = 100,
    rest: str = "",
    site: str = "",
    new_site: str = "",
) -> Doc:
    """Return findings by severity: each kind explained once, then the first `shown` of
    each severity, folded.

    They are gone through once. `caption` is for what has no severity; `none` is said
    where there is nothing; `rest` says where the others are; `site` is the address that
    old pages are below, `new_site` that of new ones, which are not linked without it.
    What is layout alone is folded; of what was decided, only the kinds are counted.
    """
    groups = {name: _Group() for name in ("", *SEVERITIES)}
    for each in findings:
        group = groups[each.severity]
        first, count = group.kinds.get(each.kind, (each, 0))
        group.kinds[each.kind] = (first, count + 1)
        if len(group.first) < shown:
            group.first.append(each)
    parts = [
        part
        for name, group in groups.items()
        if group.kinds
        for part in _parts(
            name, group, SEVERITIES.get(name, caption), (site, new_site), rest
        )
    ]
    return parts or [Note(none, "good")]


def _parts(
    name: str, group: _Group, title: str, sites: tuple[str, str], rest: str
) -> Iterator[Part]:
    count = sum(count for _, count in group.kinds.values())
    if name == DECIDED:
        named = (f"{kind} {many:,}" for kind, (_, many) in group.kinds.items())
        yield Text(f"{title}: {', '.join(named)}.")
        return
    kinds = Table(
        ("Kind", "Times", "Why", "What to do"),
        [
            (kind, many, Text(first.why), Text(first.todo))
            for kind, (first, many) in group.kinds.items()
        ],
        f"{title} ({count:,})" if title and name != Severity.LAYOUT else "",
        shown=len(group.kinds),
    )
    rows = [
        (
            each.item,
            _pages(each, *sites),
            each.field,
            each.kind,
            _found(each, group.kinds[each.kind][0].why),
        )
        for each in group.first
    ]
    pages = "Old and new page" if sites[1] else "Page at the origin"
    head = ("Item", pages, "Field", "Kind", "What")
    listed = Table(head, rows, shown=len(rows), total=count, rest=rest)
    each_one = Fold(f"{counted(count, 'finding')}, one by one", (listed,))
    if name == Severity.LAYOUT:
        yield Fold(f"{title} ({count:,})", (kinds, each_one))
    else:
        yield kinds
        yield each_one


def findings_csv_lines(
    findings: Iterable[Finding], to_fill_in: str = ""
) -> Iterator[str]:
    """Yield findings as the lines of a CSV file; no cell is a formula.

    `to_fill_in` is the name of a last column, which is empty.
    """
    width, empty = len(_CSV_HEAD), [to_fill_in] if to_fill_in else []
    rows = ([*astuple(each)[:width], *("" for _ in empty)] for each in findings)
    return csv_lines([*_CSV_HEAD, *empty], rows)


def _pages(finding: Finding, site: str, new_site: str) -> Link | tuple[Link, ...]:
    old, new = Link(finding.page, site), Link(finding.new_page, new_site)
    return (old, new) if new_site and finding.new_page else old


def _found(finding: Finding, usual: str) -> str | Text:
    """Return what was found, and why where that is not what its kind says."""
    what = finding.what
    short = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"
    if finding.why == usual:
        return short
    return Text(f"{short}: {finding.why}" if short else finding.why)
