"""The report, and its parts as notebook 07 shows them, as documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from hashlib import sha256
from pathlib import Path
from platform import python_version
from typing import Final

from cmsmig import __version__
from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.evidence.address_doc import redirects_doc
from cmsmig.evidence.checks import Check, CheckState, Who
from cmsmig.evidence.evidence import (
    DOCUMENT,
    LISTS,
    PAGE,
    Evidence,
    evidence_json,
    planned_writes,
)
from cmsmig.evidence.import_failures import Failure
from cmsmig.evidence.old_addresses import OriginPages
from cmsmig.ui.doc import (
    Address,
    Cell,
    Doc,
    Facts,
    Fold,
    Folder,
    Heading,
    Link,
    Mark,
    Note,
    Part,
    Table,
    Text,
    applicable,
    table,
)
from cmsmig.ui.documents.comparisons import folded_changes, verification_doc
from cmsmig.ui.documents.findings import findings_csv_lines, findings_doc
from cmsmig.ui.documents.plan import gone_tables
from cmsmig.ui.format import moment
from cmsmig.ui.html.safe_html import doc_page
from cmsmig.ui.report_file import write_pieces, write_text

_VERSIONS: Mapping[str, str] = {"cmsmig": __version__, "Python": python_version()}
_NOTED: Mapping[str, str] = {
    **{name: f"{name} stories" for name in ("create", "update", "publish", "delete")},
    "sign": "sign uploads",
}
"""What kinds of requests are called as the ledger notes them: as in a plan."""
_FOLDER: Final = "Folder of this run, with all lists"
_LINE: Final = ("State", "What has to be so", "Found", "What to do")
"""The columns of the checklist."""
SHOWN = 200
"""Findings of one sort that the page shows; its CSV file has all of them."""
_PUBLISHED: Mapping[str, str] = {
    "stories": "Stories",
    "published": "Published",
    "withdrawn": "Unpublished by editors",
    "waiting": "Wait for an editor",
    "held": "Held back by decision",
    "due": "Still to publish",
    "drafts": "Not live at the old site",
}
"""The columns of what is published, by the name of the count."""
_PAGES: Final = 3
"""Pages that are named of one file."""
_STATES: Mapping[CheckState, Mark] = {
    CheckState.DONE: Mark("✓ done", "good"),
    CheckState.OPEN: Mark("✗ open", "bad"),
    CheckState.PERSON: Mark("? unchecked", "warning"),
}


def report_doc(evidence: Evidence, checks: Sequence[Check]) -> Doc:
    """Return the report: the verdict, what needs someone, then what they rest on."""
    found = evidence.verification
    no_reading = (Text("Nothing was read back in this run."),)
    return (
        *headline_doc(evidence),
        Heading("Before the DNS switch"),
        *checklist_doc(checks),
        Heading("Items"),
        *accounting_doc(evidence),
        Heading("Read back"),
        *(verification_doc(found, SHOWN) if found else no_reading),
        *_pages_compared(evidence),
        *_changes(evidence),
        *findings_parts(evidence, shown=SHOWN),
        Heading("Redirects"),
        *redirects_doc(evidence.redirects, evidence.site_address),
        Heading("What a further import would write"),
        Text(_further(evidence)),
        Heading("Who decided what"),
        _decided(evidence),
        Heading("Runs, against their plans"),
        *_runs(evidence),
    )


def report_page(evidence: Evidence, checks: Sequence[Check], folder: str = "") -> str:
    """Return the report as one HTML page that asks no other host for anything; `folder`
    is what that of the run is called."""
    into = f" into {evidence.target}" if evidence.target else ""
    old, space = evidence.site_address, evidence.space_address
    about: list[tuple[str, Cell]] = [
        ("As of", moment(evidence.made_at)),
        *([("Old site", Address(old))] if old else []),
        ("New space", Address(space) if space else f"number {evidence.space_id}"),
        *([(_FOLDER, Folder(folder))] if folder else []),
    ]
    title = f"Migration of {evidence.site}{into}"
    return doc_page(title, (Facts(about),), report_doc(evidence, checks))


def write_report(
    folder: Path, evidence: Evidence, checks: Sequence[Check] = ()
) -> tuple[Path, ...]:
    """Write report.html and report.json into a folder, and below `lists` what they
    list, as CSV. Raises `StorageError`."""
    document = evidence_json(evidence, [each.as_json() for each in checks])
    page = write_text(folder / PAGE, report_page(evidence, checks, folder.name))
    csv_files = [
        write_pieces(
            folder / LISTS / f"{each.name}.csv",
            findings_csv_lines(each.read(), each.to_fill_in),
        )
        for each in evidence.findings
        if next(each.read(), None) is not None
    ]
    document["made_by"] = {**_VERSIONS}
    document["sha256"] = {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in (page, *csv_files)
    }
    details = evidence.details
    lists: Mapping[str, Iterable[JsonObject]] = {}
    if details:
        lists = {
            "losses_listed": (each.as_json() for each in details.losses()),
            "links_left": (each.as_json() for each in details.links_left()),
        }
    report = write_pieces(folder / DOCUMENT, _document_pieces(document, lists))
    return page, report, *csv_files


def headline_doc(evidence: Evidence) -> Doc:
    """Return what is true now, in one sentence, and the facts below it."""
    verdict = evidence.headline
    return Note(verdict.sentence, verdict.kind), Facts(verdict.facts)


def accounting_doc(evidence: Evidence) -> Iterator[Part]:
    """Yield the outcome of every item, what is published, and the files; a column that
    counts nothing is left out."""
    head = ("At the old site", "Created", "Already there", "Left out", "Failed", "Open")
    total = zip(head, astuple(evidence.accounting), strict=False)
    columns = {number: name for number, (name, n) in enumerate(total) if n}
    named = [(each.name, each.accounting) for each in evidence.collections]
    rows = [
        (name, *(astuple(counts)[number] for number in columns))
        for name, counts in (*named, ("All", evidence.accounting))
    ]
    yield Table(("Collection", *columns.values()), rows, shown=len(rows))
    noted = (*evidence.unread, *evidence.hidden)
    yield from (Note(each, "warning") for each in noted)
    parts = [part for part in _PUBLISHED if getattr(evidence.publication, part)]
    published: list[tuple[Cell, ...]] = [
        (name, *(getattr(it, part) for part in parts))
        for name, it in (
            *((each.name, each.publication) for each in evidence.collections),
            ("All", evidence.publication),
        )
        if it.stories
    ]
    if published:
        yield Table(
            ("Collection", *(_PUBLISHED[part] for part in parts)),
            published,
            "Published",
            shown=len(published),
        )
    yield from gone_tables(evidence.gone)
    yield Text(evidence.files.sentence)


def failures_doc(failed: Sequence[Failure], pages: OriginPages) -> Iterator[Table]:
    """Yield what failed, its page, at which step, why and what to do; nothing if
    nothing did."""
    if not failed:
        return
    rows: list[tuple[Cell, ...]] = [
        (
            each.name or each.subject,
            _linked(each, pages),
            each.step,
            Text(each.explanation),
            Text(each.next_action),
        )
        for each in failed
    ]
    head = ("What", "Page at the origin", "Step", "Why", "What to do")
    caption = f"Failed ({len(failed):,})"
    yield Table(head, rows, caption, 30, len(failed), "all are in report.json")


def findings_parts(evidence: Evidence, *, shown: int) -> Iterator[Part]:
    """Yield every list of findings that has any, by severity, of each severity the
    first; then in a sentence each that the others have none."""
    some = {each.name: next(each.read(), None) for each in evidence.findings}
    for each in evidence.findings:
        if some[each.name] is not None:
            yield Heading(each.title)
            yield from findings_doc(
                each.read(),
                "",
                none=each.none,
                shown=shown,
                rest=f"all are in {LISTS}/{each.name}.csv",
                site=evidence.site_address,
                new_site=evidence.new_site,
            )
    none = " ".join(each.none for each in evidence.findings if some[each.name] is None)
    yield from applicable((none, Heading("Nothing to do")), (none, Note(none, "good")))


def checklist_doc(checks: Sequence[Check]) -> Iterator[Part]:
    """Yield the checklist: what needs someone, by who, then what is done."""
    todo = [each for each in checks if each.state is not CheckState.DONE]
    for who in Who:
        own = [each for each in todo if each.who is who]
        # Open ones first: they are known to be wrong.
        own.sort(key=lambda each: each.state is CheckState.PERSON)
        yield from _lines(own, f"{who[:1].upper()}{who[1:]}")
    yield Text("`unchecked`: it cannot be checked here; a person has to look.")
    is_so = [each for each in checks if each.state is CheckState.DONE]
    if is_so:
        yield Fold(f"Done ({len(is_so)})", (*_lines(is_so, "Done"),))


def _lines(checks: Sequence[Check], caption: str) -> Iterator[Part]:
    rows = [
        (
            _STATES[each.state],
            each.what,
            Text(f"{each.found} See {each.where}." if each.where else each.found),
            Text(each.todo),
        )
        for each in checks
    ]
    yield from table(_LINE, rows, caption, shown=len(rows))


def _further(evidence: Evidence) -> str:
    if evidence.plan is None:
        return "No plan was made yet."
    if evidence.is_carried_out:
        return "Nothing: the last plan was carried out."
    writes = planned_writes(evidence.plan)
    return f"By the last plan: {_named(writes)}." if writes else "Nothing."


def _decided(evidence: Evidence) -> Part:
    rows = [
        (what, found.by, moment(found.at), found.how)
        for what, found in evidence.decided
    ]
    listed = Table(("What", "Who", "When", "How"), rows, shown=len(rows))
    return listed if rows else Text("No decision is signed.")


def _pages_compared(evidence: Evidence) -> Iterator[Part]:
    """Yield what the last comparison found on the pages that visitors open."""
    if new := evidence.switched:
        asked = counted(new.pages, "old address", "old addresses")
        yield Text(
            f"Pages as visitors open them: {asked} asked at {new.new}, "
            f"{moment(new.finished)}: {_named(new.by_kind) or 'as before'}."
        )


def _changes(evidence: Evidence) -> Iterator[Part]:
    """Yield what changed on both sides since the last import, in the words of
    `cmsmig changes`."""
    if evidence.changes is not None:
        yield Heading("What changed since the last import")
        yield from folded_changes(evidence.changes, "all are in report.json")


def _runs(evidence: Evidence) -> Iterator[Part]:
    """Yield what each run planned to write and what it wrote."""
    rows = [
        (
            moment(run.started_at),
            run.command,
            run.outcome or "no end noted",
            _named(planned_writes({"calls": dict(run.planned)})),
            _named({_NOTED.get(name, f"{name}s"): n for name, n in handled.items()}),
        )
        for run, handled in evidence.runs
    ]
    head = ("Started", "Command", "Ended", "Planned writes", "Requests noted")
    rest = "all are in report.json"
    yield from table(head, rows[::-1], "Runs, the last first", rest)


def _named(counts: Mapping[str, int]) -> str:
    named = (f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())
    return ", ".join(named)


def _linked(failure: Failure, pages: OriginPages) -> tuple[Link, ...]:
    paths = Counter(pages.path(key) for key, _ in failure.places)
    return tuple(Link(path, pages.site) for path in paths if path)[:_PAGES]


def _document_pieces(
    document: JsonObject, lists: Mapping[str, Iterable[JsonObject]]
) -> Iterator[str]:
    """Yield the text of a JSON document to which long lists are added at its end."""
    yield json.dumps(document, ensure_ascii=False, indent=1).removesuffix("\n}")
    for name, rows in lists.items():
        yield f',\n "{name}": ['
        between = "\n  "
        for row in rows:
            yield between + json.dumps(row, ensure_ascii=False)
            between = ",\n  "
        yield "]"
    yield "\n}\n"
