"""What pull, decide, import and rebuild brought, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cmsmig.canonical import JsonObject
from cmsmig.cli.console import Ending
from cmsmig.counting import and_more, counted, first_of, noun_for
from cmsmig.origin.unread import unread_sentence
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.steps.decide.accept_proposals import Accepted
from cmsmig.steps.plan.gone.gone_at_origin import gone_json, gone_sentence_of
from cmsmig.steps.verify.accounting import accounting_json, gone_counts_json
from cmsmig.steps.write.import_steps import ImportOutcome
from cmsmig.ui.doc import Note, Part, Table, Text, applicable, table
from cmsmig.ui.documents.plan import PUBLICATIONS, gone_tables
from cmsmig.ui.format import moment

if TYPE_CHECKING:
    # A pull reads pictures, whose libraries take long to load.
    from cmsmig.steps.pull.pull import PullReport
    from cmsmig.steps.rebuild.recovery import Rebuilt

_PLAN = "`cmsmig plan --json` lists all"
_LACKING = ("not_found", "empty")
"""Errors of files that the site itself does not show either."""


def pull_doc(report: PullReport) -> Iterator[Part]:
    """Yield a table of the collections, and the outcome for the files."""
    rows = [
        (row.name, row.staged, row.live, row.drafts, row.archived)
        for row in report.collections
    ]
    head = ("Collection", "Staged", "Live", "Draft", "Archived")
    yield Table(head, rows, shown=len(rows))
    files = report.files
    yield Text(
        f"files: {files.found} found, {files.downloaded} downloaded, {files.reused} "
        f"there already, {len(files.failed)} failed"
    )
    failed = [(row.address, row.detail) for row in files.failed]
    yield from table((), failed, "Files that failed", "--json lists all", shown=10)
    for each in report.not_migrated:
        yield Text(f"left out, as decided, and not read: {each.display_name}")
    at = moment(datetime.fromtimestamp(report.read_at, UTC).isoformat())
    yield Text(f"Read on {at}; `cmsmig pull --refresh` reads it again.")


def shortfall(report: PullReport) -> Ending | None:
    """Return what is to be said when collections, files or items are missing, and how
    the pull ends.

    What the origin itself lacks is no failure; what it has and we lack is one.
    """
    waiting = [unread_sentence(each) for each in report.unread]
    if waiting:
        return 1, " ".join(waiting)
    if report.left_out:
        said = " ".join(report.left_out)
        return 1, f"Items are left out, each is too large to be read. {said}"
    failed = report.files.failed
    if not failed:
        return None
    verb, rest = ("is", "it") if len(failed) == 1 else ("are", "them")
    sentence = (
        f"{len(failed)} of {report.files.found} files could not be downloaded and "
        f"{verb} listed with the reason; the next pull tries {rest} again."
    )
    ours = [row for row in failed if row.error not in _LACKING]
    return (1 if ours else 0), sentence


def pull_json(report: PullReport) -> JsonObject:
    """Return the document that `pull --json` prints."""
    return {
        "site": {"id": report.site.site_id, "name": report.site.display_name},
        "collections": [
            {
                "id": row.collection_id,
                "name": row.name,
                "staged": row.staged,
                "live": row.live,
                "drafts": row.drafts,
                "archived": row.archived,
            }
            for row in report.collections
        ],
        "files": {
            "found": report.files.found,
            "downloaded": report.files.downloaded,
            "reused": report.files.reused,
            "failed": [row.record() for row in report.files.failed],
        },
        "left_out": list(report.left_out),
        "unread": [
            {"id": each.collection_id, "name": each.display_name, "why": each.unread}
            for each in (*report.unread, *report.not_migrated)
        ],
    }


SHOWN = 10
"""Paths named before the rest is counted."""


def rebuilt_doc(found: Rebuilt) -> Iterator[Part]:
    """Yield what was found again, and what a person has to look at."""
    late = f", {found.unproven} of them not at their addresses yet"
    yield from applicable(
        (found.aside, Text(f"The old ledger was put aside as {found.aside}.")),
        (True, Text(f"stories: {found.stories} of {found.items} items")),
        (True, Text(f"files: {found.assets}{late if found.unproven else ''}")),
        (True, Text(f"components: {found.components}, folders: {found.folders}")),
        *(
            (names, Text(f"{what}: {first_of(names, SHOWN)}"))
            for what, names in (
                ("not as designed, so not taken for ours", found.differing),
                ("edited since, so never written over", found.edited),
            )
        ),
    )


def outcome_doc(outcome: ImportOutcome) -> Iterator[Part]:
    """Yield what closes a run; the accounting is the last."""
    yield Text(f"writes: {outcome.writes}")
    for each in outcome.refused:
        yield Note(f"The {each.kind} `{each.what}` was refused: {each.text}", "bad")
    if outcome.failed_assets:
        failed = counted(outcome.failed_assets, "file")
        yield Note(f"{failed} failed; `cmsmig status --json` lists them", "bad")
    yield from gone_tables(outcome.gone)
    waiting = [(e.what, Text(e.why)) for e in outcome.publications_waiting]
    yield from table(("Story", "What to decide"), waiting, PUBLICATIONS, _PLAN)
    yield from map(Text, outcome.accounting.lines)


def failures(outcome: ImportOutcome) -> str:
    """Return what failed as one sentence, empty when nothing did."""
    named = [
        f"{count} {noun_for(count, name)}"
        for name, count in (
            ("item", outcome.accounting.failed),
            ("file", outcome.failed_assets),
        )
        if count
    ]
    if outcome.refused:
        first = outcome.refused[0]
        more = and_more(len(outcome.refused), 1, " (", " refused)")
        failed = f", and {' and '.join(named)} failed with it" if named else ""
        return (
            f"The {first.kind} `{first.what}` was not written{more}{failed}: "
            f"{first.text}"
        )
    if named:
        return (
            f"{' and '.join(named)} failed, listed with the reason by `cmsmig status "
            "--json`; correct what it names and run this again."
        )
    if outcome.gone_undone:
        return gone_sentence_of(outcome.gone_undone[0]) + and_more(
            len(outcome.gone_undone), 1, " (", " like this.)"
        )
    return ""


def undecided_summary(undecided: Sequence[FieldDiff]) -> str:
    """Return what is left to decide as one sentence; the plan lists each."""
    count = len(undecided)
    more = and_more(count, 1, "; and ", ", which `cmsmig plan` lists")
    return (
        f"{count} {noun_for(count, 'field waits', 'fields wait')} for a decision, and "
        f"nothing of that was written: {undecided[0].line}{more}."
    )


def outcome_json(outcome: ImportOutcome) -> JsonObject:
    """Return the document that `import --json` prints."""
    return {
        "plan": outcome.plan.full_json(),
        "writes": outcome.writes,
        "failed_assets": outcome.failed_assets,
        "refused": [each.as_json() for each in outcome.refused],
        "undecided": [each.as_json() for each in outcome.undecided],
        "accounting": accounting_json(outcome.accounting),
        "gone": gone_counts_json(outcome.accounting),
        "gone_at_origin": [gone_json(row) for row in outcome.gone],
    }


def accepted_json(done: Accepted) -> JsonObject:
    """Return the document that `decide --json` prints."""
    return {
        "written": [str(path) for path in done.written],
        "bodies_accepted": done.bodies,
        "added": [each.as_json() for each in done.added],
        "to_decide": list(done.to_decide),
    }


def accepted_lines(done: Accepted) -> list[str]:
    """Return the files that were written, what is new in those that were there, and
    how many bodies were accepted."""
    lines = [f"{path} written" for path in done.written]
    if done.added:
        lines.append(f"added: {'; '.join(map(str, done.added))}")
    elif not done.written:
        lines.append("nothing is missing: everything that was pulled is decided")
    lines += [f"to decide: {sentence}" for sentence in done.to_decide]
    if done.bodies:
        noun = noun_for(done.bodies, "body", "bodies")
        lines.append(f"blocks of {done.bodies} {noun} accepted in bulk")
    return lines
