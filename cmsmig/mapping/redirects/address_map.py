"""Where every address of the old site leads: one row each, no chain, no loop.

An old address is the text of an `Address`; `/above/(.*)` means every address below
`/above`. Each spelling has a row, as hosts compare letters; what is known of one holds
for all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.decisions.redirects import (
    BELOW,
    REST,
)
from cmsmig.mapping.select.address import Address

MOVED_STATUS, GONE_STATUS = 301, 410


class Source(StrEnum):
    """Where an address is known from. What comes first goes first: an existing page
    of the origin goes before a rule. Source: Webflow, 301 redirects."""

    ITEM = "item"
    COLLECTION = "collection page"
    PAGE = "static page"
    FILE = "file"
    RULE = "redirect rule"
    GONE_ITEM = "item that is gone"
    FORMER = "former path"
    EARLIER = "earlier address"
    LINK = "link"
    BASELINE = "baseline"
    DECISION = "decision"


class AddressOutcome(StrEnum):
    """The outcome of an old address."""

    UNCHANGED = "unchanged"
    """The new site has its page at the same address."""
    MOVED = "moved"
    GONE = "gone"
    WAITING = "waiting"
    """For a decision."""


@dataclass(frozen=True, slots=True)
class KnownAddress:
    """One address of the old site, as one source knows it."""

    old: str
    source: Source
    to: str = ""
    """Where it leads by what is known: the path of a story or folder, or the target of
    a rule; empty where nothing is known."""
    key: ItemKey | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An item that is not imported, at whose address the new site has no page."""

    key: ItemKey
    name: str
    why: str
    """What it is and what has to be done about its address, for an editor."""
    is_gone: bool
    """Whether editors took its page away on purpose."""


@dataclass(frozen=True, slots=True)
class AddressRow:
    """One old address and its outcome."""

    old: str
    outcome: AddressOutcome
    sources: tuple[Source, ...]
    new: str = ""
    """A path, or the address of another site; empty unless it is moved."""
    tail: str = ""
    """The query and the anchor of the target, percent-encoded."""
    why: str = ""
    """Why it waits for a decision, or why a pattern leads known addresses alone."""
    key: ItemKey | None = None
    name: str = ""
    decided: Reviewed | None = None
    """Who decided it, where that was decided for this address alone."""
    left_out: LeftOut | None = None
    """The item that it waits for, where that one is left out."""

    @property
    def address(self) -> Address:
        """Return the old address."""
        return Address.of(self.old)

    @property
    def is_pattern(self) -> bool:
        """Return whether it means every address below one."""
        return self.old.endswith(BELOW)

    @property
    def above(self) -> str:
        """Return the path that a pattern is below."""
        return self.old.removesuffix(BELOW)


@dataclass(frozen=True, slots=True)
class UnusedRule:
    """A row of the origin's rules that no redirect follows from."""

    line: int
    row: str
    why: str


@dataclass(frozen=True, slots=True)
class AddressMap:
    """The outcome of every old address."""

    rows: tuple[AddressRow, ...]
    """Sorted by old address; each occurs once."""
    patterns: tuple[AddressRow, ...] = ()
    """Moved patterns that hide no page, the longest first."""
    host: str = ""
    """Before each new path; may be empty."""
    shared: tuple[str, ...] = ()
    """Old addresses of several items; the first by key has it."""
    shadowed: tuple[str, ...] = ()
    """Old addresses at which the new site has the page of another item."""
    unused: tuple[UnusedRule, ...] = ()

    def of(
        self, outcome: AddressOutcome, source: Source | None = None
    ) -> list[AddressRow]:
        """Return the rows with an outcome, of one source or all; no patterns."""
        return [
            row
            for row in self.rows
            if row.outcome is outcome
            and not row.is_pattern
            and (source is None or row.sources[0] is source)
        ]

    @property
    def moved(self) -> int:
        """Return how many addresses move, without patterns."""
        return len(self.of(AddressOutcome.MOVED))

    @property
    def kept(self) -> int:
        """Return how many addresses stay as they are, without patterns."""
        return len(self.of(AddressOutcome.UNCHANGED))

    @property
    def waiting(self) -> list[AddressRow]:
        """Return the rows that wait for a decision, patterns too."""
        return [row for row in self.rows if row.outcome is AddressOutcome.WAITING]

    @property
    def rules(self) -> list[AddressRow]:
        """Return the rows that need a rule at the host: first single addresses, but
        for those that a pattern leads to the same place, then the patterns."""
        single = [
            row
            for row in (*self.of(AddressOutcome.MOVED), *self.of(AddressOutcome.GONE))
            if not any(_covers(pattern, row) for pattern in self._above(row))
        ]
        return [*single, *self.patterns]

    def _above(self, row: AddressRow) -> Iterator[AddressRow]:
        """Yield the longest pattern that matches an address."""
        for pattern in self.patterns:
            if row.address.below(pattern.above):
                yield pattern
                return

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of addresses by source and outcome; patterns only where
        they wait."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.rows:
            if row.is_pattern and row.outcome is not AddressOutcome.WAITING:
                continue
            found[row.sources[0]][row.outcome] += 1
        return {source: dict(sorted(each.items())) for source, each in found.items()}

    def as_json(self) -> JsonObject:
        """Return what report.json says of the redirects."""
        return {
            "status": MOVED_STATUS,
            "moved": self.moved,
            "kept": self.kept,
            "gone": len(self.of(AddressOutcome.GONE)),
            "without_a_new_page": _named(self.of(AddressOutcome.WAITING, Source.ITEM)),
            "needs_a_target": _named(self.of(AddressOutcome.WAITING, Source.GONE_ITEM)),
            "waiting": [{"old": row.old, "why": row.why} for row in self.waiting],
            "old_paths_of_several_stories": list(self.shared),
            "new_paths_hidden_by_a_redirect": list(self.shadowed),
            "addresses": {source: {**each} for source, each in self.counts().items()},
            "patterns": [{"old": row.old, "new": row.new} for row in self.patterns],
            "rules_not_used": [
                {"line": each.line, "rule": each.row, "why": each.why}
                for each in self.unused
            ],
        }


def _covers(pattern: AddressRow, row: AddressRow) -> bool:
    return row.outcome is AddressOutcome.MOVED and (row.new, row.tail) == (
        pattern.new.replace(REST, row.address.below(pattern.above)),
        pattern.tail,
    )


def _named(rows: Iterable[AddressRow]) -> list[Json]:
    return [
        {"old": row.old, "item": str(row.key), "name": row.name}
        for row in sorted(rows, key=lambda row: (row.old, str(row.key)))
    ]
