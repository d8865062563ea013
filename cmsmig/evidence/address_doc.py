"""The old addresses and what hosts will not do, as a document."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import counted
from cmsmig.evidence.host_files import host_limits
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressOutcome,
    Source,
)
from cmsmig.ui.doc import Cell, Link, Note, Part, Table, Text, table


def redirects_doc(found: AddressMap, site: str) -> Iterator[Part]:
    """Yield where each old address of `site` leads, and what waits for a decision."""
    moves = counted(found.moved, "address moves", "addresses move")
    waiting, gone = found.waiting, len(found.of(AddressOutcome.GONE))
    rest = f", {counted(gone, 'is gone', 'are gone')} ({GONE_STATUS})" if gone else ""
    if waiting:
        rest += f", {counted(len(waiting), 'waits', 'wait')} for a decision"
    yield Text(
        f"{moves} ({MOVED_STATUS}), {found.kept:,} stay as they are{rest}. All are in "
        "`redirects/address-map.csv`, and in a file for each host."
    )
    by_source = found.counts()
    counts: list[list[Cell]] = [
        [source, *(by_source[source].get(outcome, 0) for outcome in AddressOutcome)]
        for source in Source
        if source in by_source
    ]
    yield Table(
        ("Known from", *map(str.capitalize, AddressOutcome)), counts, "Old addresses"
    )
    head = ("Old address", "Why", "Item")
    named = [(Link(row.old, site), Text(row.why), row.name) for row in waiting]
    rest = "all are in redirects/address-map.csv"
    yield from table(head, named, "Addresses that wait for a decision", rest, shown=50)
    rows = [
        (
            Link(row.old, site),
            Link(row.new + row.tail, found.host if row.new.startswith("/") else ""),
        )
        for row in found.of(AddressOutcome.MOVED)
    ]
    yield from table(("Old address", "New address"), rows, "Moved", shown=50)
    unused = [(str(each.line), each.row, each.why) for each in found.unused]
    yield from table(
        ("Line", "Rule", "Why"),
        unused,
        "Rules of the origin that are not used",
        shown=50,
    )
    rest = "all are in redirects/notes.txt"
    limits = [(host, Text(said)) for host, said in host_limits(found)]
    yield from table(
        ("Host", "It will not"), limits, "What hosts will not do", rest, shown=50
    )
    if clashes := [*found.shared, *found.shadowed]:
        listed = ", ".join(f"`{each}`" for each in clashes[:50])
        yield Note(f"Several pages claim one address: {listed}.", "warning")
