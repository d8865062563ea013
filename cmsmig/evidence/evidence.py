"""The evidence: what came in, the outcome, who decided, and how that was checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.canonical import JsonObject, text_of
from cmsmig.counting import counted
from cmsmig.evidence.import_failures import Failure, file_failures, item_failures
from cmsmig.evidence.new_items import new_items
from cmsmig.evidence.old_addresses import (
    HostUse,
    count_hosts,
    decided_redirects,
    find_old_addresses,
    imported_addresses,
    site_address,
    space_address,
)
from cmsmig.evidence.report_findings import (
    FindingSet,
    old_address_findings,
    report_findings,
)
from cmsmig.evidence.summary import (
    CollectionOutcome,
    FileCount,
    Headline,
    LossCount,
    PublicationCount,
    count_collections,
    count_files,
    headline,
    losses_by_severity,
    sum_publication,
)
from cmsmig.item_key import ItemKey
from cmsmig.ledger.connection import connect_reading, translated
from cmsmig.ledger.rows import DELETED_THERE, Accounting, ItemRow
from cmsmig.ledger.run_history import PastRun, read_history
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.mapping.draft import ExistingStory
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.richtext.losses import Severity
from cmsmig.settings import Project
from cmsmig.steps.baseline.compare_sites import SwitchReport, read_comparison
from cmsmig.steps.changes.changes import Change
from cmsmig.steps.decide.decision_store import Decisions
from cmsmig.steps.decide.migration import Migration, as_begun
from cmsmig.steps.decide.pulled_origin import unread_sentences
from cmsmig.steps.plan.gone.gone_at_origin import gone_json
from cmsmig.steps.plan.plan import PlanDetails
from cmsmig.steps.plan.plan_notes import hidden_sentences
from cmsmig.steps.verify.accounting import accounting_json, gone_counts_json
from cmsmig.steps.verify.differences import Verification
from cmsmig.ui.documents.plan_steps import is_write

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
PAGE = "report.html"
DOCUMENT = "report.json"
LISTS = "lists"
"""Below a run's folder: what the page lists, as CSV files."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a report says."""

    made_at: str
    """ISO 8601 in UTC."""
    site: str
    space_id: str
    accounting: Accounting
    collections: tuple[CollectionOutcome, ...]
    skipped: Mapping[str, int]
    """By reason."""
    links: Mapping[str, int]
    """Stories by the state of phase two."""
    files: FileCount
    failures: tuple[Failure, ...]
    losses: tuple[LossCount, ...]
    plan: JsonObject | None
    """The plan that was made last; None before the first."""
    is_carried_out: bool
    """Whether a run of that plan, of all items, came to its end, and no item failed or
    is open."""
    redirects: AddressMap
    verification: Verification | None
    """None when nothing was read back in this run."""
    unread: tuple[str, ...] = ()
    """A sentence for each collection that could not be read from the origin."""
    hidden: tuple[str, ...] = ()
    """Which pages are live in a language at the origin and are not to be."""
    gone: tuple[ItemRow, ...] = ()
    """Items that have a story and that the origin no longer gives one."""
    details: PlanDetails | None = None
    """Losses and links one by one."""
    target: str = ""
    """The destination's name, where the project names several."""
    findings: tuple[FindingSet, ...] = ()
    kept_by_decision: int = 0
    """Decisions to keep what an editor has."""
    decided: tuple[tuple[str, Reviewed], ...] = ()
    """What was decided, and by whom."""
    site_address: str = ""
    space_address: str = ""
    """Where the space is opened in a browser; empty for a sandbox."""
    old_hosts: tuple[HostUse, ...] = ()
    """Hosts of the old site that written stories name."""
    switched: SwitchReport | None = None
    """The last comparison of the new site with the baseline."""
    changes: Sequence[Change] | None = None
    """What changed since the last import; None where it was not read."""
    runs: tuple[tuple[PastRun, Mapping[str, int]], ...] = ()
    """Every run, the first first, and the requests that it noted, by kind."""

    @property
    def new_site(self) -> str:
        """Return the address of the new site as far as it is known, with a slash."""
        compared = self.switched.new if self.switched else ""
        known = self.redirects.host or compared
        return f"{known.rstrip('/')}/" if known.startswith("https://") else ""

    @property
    def publication(self) -> PublicationCount:
        """Return what is published of all stories."""
        return sum_publication(self.collections)

    @property
    def headline(self) -> Headline:
        """Return what a client asks first."""
        return headline(
            self.accounting,
            self.publication,
            self.verification,
            failures=self.accounting.failed + self.files.failed,
            undone=self.accounting.open + self.files.open + self.unsettled,
            undecided=self.unsettled,
            lost=losses_by_severity(self.losses)[Severity.CONTENT],
            decided=self.kept_by_decision,
        )

    @property
    def exit_code(self) -> int:
        """Return 4 for differences and for what could not be compared, 1 for what
        failed or is open, else 0.

        A file that the origin does not give is listed, and no failure of the
        import.
        """
        if self.verification is not None and not self.verification.is_as_decided:
            return 4
        items, files = self.accounting, self.files
        wrong = items.failed + items.open + files.failed + files.open + self.unsettled
        return int(wrong > 0)

    @property
    def unsettled(self) -> int:
        """Return of how many items that are gone the story is not as decided."""
        return sum(row.gone.is_pending for row in self.gone if row.gone)


def gather(
    project: Project,
    migration: Migration,
    space_id: str,
    verification: Verification | None,
    *,
    base_url: str = "",
    changes: Sequence[Change] | None = None,
) -> Evidence:
    """Return the evidence of a project. Reads the ledger, asks no service.

    `base_url` is the destination's, for the link to the space. Raises `LedgerError`
    when there is no ledger yet.
    """
    with Ledger.open_existing(project.ledger) as ledger:
        migration = as_begun(migration, ledger)
        rows = ledger.items.all()
        assets = ledger.inventory.assets()
        accounting = ledger.items.accounting()
        plan = ledger.plan("")
        plan_hash = text_of(plan["hash"]) if plan else ""
        is_pilot = bool(plan and plan.get("pilot"))
        is_whole = not (is_pilot or accounting.failed or accounting.open)
        is_carried_out = is_whole and ledger.was_run(plan_hash, "import", "publish")
        losing = ledger.findings.losing()
        redirects = imported_addresses(project, migration, ledger, rows)
        old_hosts = count_hosts(find_old_addresses(migration, ledger, rows), migration)
    public = verification.public_keys if verification else None
    details = _details_of(migration, rows, losing)
    failures = (*item_failures(rows.values()), *file_failures(migration, assets))
    new = new_items(project, lambda: migration)
    return Evidence(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        site=migration.origin.site.display_name,
        space_id=space_id,
        accounting=accounting,
        collections=count_collections(migration, rows, public),
        skipped=_counted(
            row.reason for row in _at_origin(rows) if row.status == "skipped"
        ),
        links=_counted(
            row.link_state for row in _at_origin(rows) if row.current_record
        ),
        files=count_files(migration, assets),
        failures=failures,
        losses=_losses(project.ledger),
        plan=plan,
        is_carried_out=is_carried_out,
        redirects=redirects,
        verification=verification,
        unread=unread_sentences(
            migration.origin.unread, migration.decisions.collections.left_out
        ),
        hidden=tuple(hidden_sentences(migration)),
        gone=tuple(row for row in rows.values() if row.gone is not None),
        details=details,
        target=project.target,
        findings=(
            *report_findings(migration, rows, failures, plan, details, new),
            old_address_findings(project.ledger, migration, rows, new),
        ),
        kept_by_decision=sum(
            each.take is Side.THEIRS for each in migration.decisions.conflicts.edits
        ),
        decided=tuple(_who_decided(migration.decisions, decided_redirects(project))),
        site_address=site_address(migration.origin.site),
        space_address=space_address(space_id, base_url),
        old_hosts=old_hosts,
        changes=changes,
        runs=read_history(project.ledger),
        switched=read_comparison(project),
    )


def evidence_json(evidence: Evidence, checks: Iterable[JsonObject] = ()) -> JsonObject:
    """Return the document that report.json holds."""
    found = evidence.verification
    return {
        "made_at": evidence.made_at,
        "site": evidence.site,
        **({"target": evidence.target} if evidence.target else {}),
        "site_address": evidence.site_address,
        "space_id": evidence.space_id,
        "space_address": evidence.space_address,
        "decided": [{"what": what, **asdict(by)} for what, by in evidence.decided],
        "exit_code": evidence.exit_code,
        "headline": evidence.headline.as_json(),
        "publication": [
            {"name": each.name, **each.publication.as_json()}
            for each in evidence.collections
            if each.publication.stories
        ],
        "accounting": accounting_json(evidence.accounting),
        "gone": gone_counts_json(evidence.accounting),
        "collections": [
            {"name": each.name, **accounting_json(each.accounting)}
            for each in evidence.collections
        ],
        "collections_unread": [*evidence.unread],
        "hidden_languages": [*evidence.hidden],
        "skipped": dict(evidence.skipped),
        "gone_at_origin": [gone_json(row) for row in evidence.gone],
        "links": dict(evidence.links),
        "files": {
            "in": evidence.files.files,
            "uploaded": evidence.files.uploaded,
            "failed": evidence.files.failed,
            "not_downloaded": evidence.files.not_downloaded,
            "open": evidence.files.open,
        },
        "failures": [each.as_json() for each in evidence.failures],
        "losses": [asdict(each) for each in evidence.losses],
        "plan": evidence.plan,
        "redirects": evidence.redirects.as_json(),
        "runs": [
            {
                "command": run.command,
                "started_at": run.started_at,
                "outcome": run.outcome,
                "planned": {**planned_writes({"calls": dict(run.planned)})},
                "requests": dict(handled),
            }
            for run, handled in evidence.runs
        ],
        "verification": None if found is None else found.as_json(),
        "changes": None
        if evidence.changes is None
        else [each.in_words() for each in evidence.changes],
        "pages_compared": evidence.switched.as_json() if evidence.switched else None,
        "checklist": list(checks),
    }


def planned_writes(plan: JsonObject) -> dict[str, int]:
    """Return the calls of a plan that change the destination, by name."""
    calls = plan.get("calls")
    return {
        name: count
        for name, count in (calls if isinstance(calls, dict) else {}).items()
        if isinstance(count, int) and count and name != "total" and is_write(name)
    }


def _at_origin(rows: Mapping[ItemKey, ItemRow]) -> Iterator[ItemRow]:
    """Yield the rows of what the origin has now."""
    for row in rows.values():
        if row.gone is None or row.gone.reason != DELETED_THERE:
            yield row


def _losses(ledger: Path) -> tuple[LossCount, ...]:
    query = """SELECT kind, severity, losses, items FROM losses_by_kind
               ORDER BY severity = 'layout', severity = 'meaning', kind"""
    with closing(connect_reading(ledger)) as db, translated(ledger):
        return tuple(
            LossCount(kind, Severity(severity), losses, items)
            for kind, severity, losses, items in db.execute(query)
        )


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _details_of(
    migration: Migration, rows: Mapping[ItemKey, ItemRow], losing: Iterable[ItemKey]
) -> PlanDetails:
    """Return what the stories that are there lost, and the links that stay in them.

    `losing` are the items of which the ledger knows losses.
    """
    existing = {
        key: ExistingStory(row.story_record.uuid, row.story_record.full_slug)
        for key, row in rows.items()
        if row.story_record is not None
    }
    return PlanDetails(
        migration,
        migration.context(migration.files.planned_assets({}), migration.files.missing),
        existing,
        losing=[key for key in losing if key in existing],
        leaving=[key for key in migration.items if key in existing],
    )


def _signed(note: str) -> Reviewed:
    """Return who took a decision by its note, which a list of changes writes: a name,
    a day, and whether in bulk. Any other note is given as it is."""
    *by, day = note.removesuffix(f", {IN_BULK}").split(", ")
    if not _DAY.fullmatch(day):
        return Reviewed(note, "", "")
    return Reviewed(
        ", ".join(by), day, IN_BULK if note.endswith(IN_BULK) else INDIVIDUALLY
    )


def _who_decided(
    decisions: Decisions, redirects: RedirectsDecision
) -> Iterator[tuple[str, Reviewed]]:
    """Yield who took which decision; one that is not accepted is left out."""
    for what, reviewed in (
        ("Which items are imported, and what is published", decisions.collections),
        ("Content types, fields and folders", decisions.design),
        ("Which texts become blocks", decisions.blocks),
        ("How embeds are imported", decisions.embeds),
        ("What is in the way at the destination", decisions.conflicts),
        ("Where old addresses lead", redirects),
    ):
        found: Reviewed | None = reviewed.reviewed
        if found is not None:
            yield what, found
    conflicts = decisions.conflicts
    parts = (conflicts.edits, conflicts.gone, conflicts.conflicts)
    notes = Counter(each.note for part in parts for each in part if each.note)
    for note, count in notes.items():
        what = f"{counted(count, 'decision')} about what changed"
        yield what, _signed(note)
    bodies: dict[tuple[str, str], list[str]] = {}
    for each in decisions.blocks.reviews.values():
        if each.by:
            bodies.setdefault((each.by, each.how), []).append(each.at)
    for (by, how), times in sorted(bodies.items()):
        text = counted(len(times), "text", "texts")
        yield f"The blocks of {text}", Reviewed(by, max(times), how)
