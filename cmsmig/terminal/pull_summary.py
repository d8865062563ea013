"""What a pull brought, for a person and as JSON."""

from __future__ import annotations

from datetime import UTC, datetime

from cmsmig.canonical import JsonObject
from cmsmig.counting import and_more
from cmsmig.steps.pull.pull import PullReport
from cmsmig.terminal.exit_codes import Ending
from cmsmig.terminal.text import table_lines

_SHOWN = 10
_LACKING = ("not_found", "empty")
"""Errors of files that the site shows nobody either."""


def pull_lines(report: PullReport) -> list[str]:
    """Return a table of the collections and what became of the files."""
    rows = [
        (row.name, str(row.staged), str(row.live), str(row.drafts), str(row.archived))
        for row in report.collections
    ]
    files = report.files
    lines = table_lines([("collection", "staged", "live", "draft", "archived"), *rows])
    lines.append(
        f"files: {files.found} found, {files.downloaded} downloaded, {files.reused} "
        f"there already, {len(files.failed)} failed"
    )
    lines += [f"  {row.address}: {row.detail}" for row in files.failed[:_SHOWN]]
    more = and_more(len(files.failed), _SHOWN, "  ... and ", "; --json lists all")
    at = datetime.fromtimestamp(report.read_at, UTC)
    lines += filter(None, (more,))
    lines.append(
        f"what is here was read at {at:%Y-%m-%d %H:%M} UTC; `cmsmig pull --refresh` "
        "reads it again"
    )
    return lines


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
