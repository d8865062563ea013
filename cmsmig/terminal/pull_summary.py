"""What a pull brought, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from cmsmig.canonical import JsonObject
from cmsmig.steps.pull.pull import PullReport
from cmsmig.terminal.exit_codes import Ending
from cmsmig.ui.doc import Part, Table, Text, table
from cmsmig.ui.format import moment

_LACKING = ("not_found", "empty")
"""Errors of files that the site shows nobody either."""


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
    at = moment(datetime.fromtimestamp(report.read_at, UTC).isoformat())
    yield Text(f"Read on {at}; `cmsmig pull --refresh` reads it again.")


def shortfall(report: PullReport) -> Ending | None:
    """Return what is to be said when files or items are missing, and how the pull
    ends.

    What the origin itself lacks is no failure; what it has and we lack is one.
    """
    if report.left_out:
        said = " ".join(report.left_out)
        return Ending(1, f"Items are left out, each is too large to be read. {said}")
    failed = report.files.failed
    if not failed:
        return None
    verb, rest = ("is", "it") if len(failed) == 1 else ("are", "them")
    sentence = (
        f"{len(failed)} of {report.files.found} files could not be taken over and "
        f"{verb} listed with the reason; the next pull tries {rest} again."
    )
    ours = [row for row in failed if row.error not in _LACKING]
    return Ending(1 if ours else 0, sentence)


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
    }
