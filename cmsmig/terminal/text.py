"""What commands print for a person, as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cmsmig.canonical import Json
from cmsmig.configuration.plans import Counted
from cmsmig.counting import and_more
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.reference_targets import EXPLAINED, fields_replaced
from cmsmig.printable import printable
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.steps.plan.gone.gone_at_origin import gone_sentence_of
from cmsmig.steps.plan.gone.missing_objects import Gone
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.preflights.findings import LIMITS
from cmsmig.steps.verify.differences import Verification

_SHOWN = 20


def plan_lines(plan: Plan) -> list[str]:
    """Return a plan for a person to read before anything is written."""
    items = plan.items
    lines = [
        f"plan {plan.plan_hash[:16]}"
        + ("" if plan.pilot.is_whole else f" of a pilot: {plan.pilot}"),
        f"items: in {items['in']}, to create {items['to_create']}, already there "
        f"{items['already_there']}, skipped {items['skipped']}, failed "
        f"{items['failed']}" + (f", gone {items['gone']}" if items["gone"] else ""),
        *_gone(plan),
        *gone_lines(plan.gone_at_origin),
        *_counts("skipped because", plan.skipped),
        "calls that draw on the budget:",
        *(f"  {name.replace('_', ' '):28}{count:7}" for name, count in _named(plan)),
        f"time: {_clock(plan.seconds(plan.rate))} at {plan.rate:g} a second "
        f"({_clock(plan.seconds(3))} at 3, {_clock(plan.seconds(6))} at 6)",
        *_requests(plan),
        *_counts("calls saved", plan.saved),
        *_counts("dangling references", _by_cause(plan)),
        *_counts("translated references", {_REPLACED: fields_replaced(plan.dangling)}),
        *_counts("references", {"not in this pilot": len(plan.not_in_pilot)}),
        *_counts("references", {"to the primary language": len(plan.borrowed)}),
        *_counts("links that stay", plan.links_left),
        *_counts("losses", plan.losses),
    ]
    lines += [f"limit: {sentence}" for sentence in plan.checks.limits]
    lines += [f"note: {sentence}" for sentence in plan.notes]
    lines += some_lines(
        [
            f"{'fails' if each.fails else 'note'}: {each.text}"
            for each in plan.checks.findings
            if each.kind not in LIMITS
        ]
    )
    lines += some_lines([f"published: {each.line}" for each in plan.publications])
    lines += some_lines(
        [f"conflict: {each.row.full_slug} is taken" for each in plan.conflicts]
    )
    lines += some_lines([f"in the way: {each.text}" for each in plan.in_the_way])
    lines += some_lines([f"both changed: {each.line}" for each in plan.edit_conflicts])
    lines += some_lines(
        [
            f"{each.outcome}: {each.line}"
            for each in plan.schema_changes
            if each.outcome is not Outcome.ACCEPT
        ]
    )
    lines += some_lines(
        [f"file: {address}: {why}" for address, why in plan.missing_files.items()]
    )
    return lines


def _requests(plan: Plan) -> list[str]:
    """Return what the import and one verification take of a month's requests."""
    return [
        f"{each.what}: {each.added:,} with one verification; {each.limit}"
        for each in plan.checks.counts
        if each.what == Counted.REQUESTS
    ]


def _gone(plan: Plan) -> list[str]:
    return [
        *_gone_lines("gone from the destination", plan.gone.undecided),
        *_gone_lines("made again", plan.gone.recreated),
    ]


def _gone_lines(said: str, gone: Gone) -> list[str]:
    names = [
        f"  {kind.noun()} {name}"
        for kind, listed in gone.names().items()
        for name in listed
    ]
    return [*_counts(said, gone.counts()), *some_lines(names)]


def gone_lines(rows: Sequence[ItemRow]) -> list[str]:
    """Return what is gone at the origin, and what becomes of the stories."""
    if not rows:
        return []
    named = some_lines([f"  {gone_sentence_of(row)}" for row in rows])
    return [f"gone at the origin: {len(rows)}", *named]


def verification_lines(found: Verification) -> list[str]:
    """Return what a verification compared and what differs."""
    lines = [
        f"read back: {found.stories} stories, {found.relations} relations, "
        f"{found.documents} documents, {found.assets} assets, {found.components} "
        f"components, {found.folders} folders; what visitors get: {found.public}",
        f"differences: {len(found.differences)}{_of_them_failed(found)}",
    ]
    if found.public_unread:
        lines.append(found.public_unread)
    if found.not_in_yet:
        lines.append(
            f"not in yet: {found.not_in_yet:,} selected items, since only pilots were "
            "imported"
        )
    return lines + some_lines(
        [
            f"  {each.code}: {each.subject} {each.where}: {each.text}"
            for each in found.differences
        ]
    )


def _of_them_failed(found: Verification) -> str:
    if not found.failed:
        return ""
    return f", of them items that failed: {found.failed}"


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as aligned columns; the first row is the head."""
    if not rows:
        return []
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in shown) for index in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in shown
    ]


def _named(plan: Plan) -> Iterable[tuple[str, int]]:
    yield from plan.calls.items()
    yield "total", plan.total_calls


_REPLACED = "left empty, so that visitors get the primary language's"


def _by_cause(plan: Plan) -> dict[str, int]:
    counted: dict[str, int] = {}
    for each in plan.dangling:
        cause = EXPLAINED[each.cause]
        counted[cause] = counted.get(cause, 0) + 1
    return counted


def _counts(title: str, counts: Mapping[str, int] | Mapping[str, Json]) -> list[str]:
    shown = ", ".join(
        f"{name.replace('_', ' ')} {count}" for name, count in counts.items() if count
    )
    return [f"{title}: {shown}"] if shown else []


def some_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    more = and_more(len(lines), _SHOWN, "... and ", "; --json lists all")
    return [*lines[:_SHOWN], *filter(None, (more,))]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
