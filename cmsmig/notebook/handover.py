"""Where notebook 07 starts: the migration, its folder and what was read back, which all
its panels share.

Names in here never move: projects keep their notebooks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import CmsmigError, UsageError
from cmsmig.evidence.checklist import checklist
from cmsmig.evidence.checks import Check
from cmsmig.evidence.evidence import Evidence, gather
from cmsmig.evidence.old_addresses import (
    OriginPages,
    address_map,
    current_addresses,
    write_redirects,
)
from cmsmig.evidence.report import write_report
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.notebook.kit.cell import facts_bundle
from cmsmig.notebook.kit.decision_files import decided_migration
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.parameters import takes_parameters
from cmsmig.notebook.kit.project_news import RUNS
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.verify.differences import Verification

__all__ = ["open_handover"]


@dataclass(slots=True)
class Handover:
    """A migration that is being checked and handed over. Shows itself."""

    workspace: Workspace
    migration: Migration
    folder: Path
    """Where the report and the redirects go."""
    place: str
    """The same in words that are the same in each run."""
    missing: str
    """Why there is nothing to check yet; empty when there is."""
    found: Verification | None = None
    """What was read back last in this notebook."""
    _listeners: list[Callable[[], None]] = field(default_factory=list)

    def checked(self, found: Verification) -> None:
        """Keep what was read back, and let every panel know."""
        self.found = found
        for listener in self._listeners:
            listener()

    def renew(self) -> None:
        """Let every panel show what an import did; what was read back before it no
        longer holds."""
        news = self.workspace.news
        self.found, news.is_verified, news.is_reported = None, False, False
        with suppress(CmsmigError):
            self.migration = decided_migration(self.workspace)
        for listener in self._listeners:
            listener()

    def on_checked(self, listener: Callable[[], None]) -> None:
        """Call `listener` when something was read back, and when an import ended."""
        self._listeners.append(listener)

    def evidence(self) -> Evidence:
        """Return the evidence as of now. Reads the ledger, asks no service."""
        workspace = self.workspace
        settings, shown = workspace.destination_settings, workspace.changes_shown
        return gather(
            workspace.project,
            self.migration,
            settings.space_id,
            self.found,
            base_url=settings.destination_base_url,
            changes=shown[-1].found if shown else None,
        )

    @property
    def pages(self) -> OriginPages:
        """Return where visitors find the items at the origin."""
        return OriginPages(self.migration)

    def checks(self) -> tuple[Check, ...]:
        """Return the checklist as of now."""
        return checklist(self.evidence())

    def redirects(self) -> AddressMap:
        """Return the redirect map: as planned while nothing is imported."""
        if self.missing:
            return address_map(self.workspace.project, self.migration)
        return current_addresses(self.workspace.project, self.migration)

    def write_redirects(self) -> tuple[Path, ...]:
        """Write the redirect map. Raises `StorageError`."""
        return write_redirects(self.folder, self.redirects())

    def write_evidence(self) -> tuple[Path, ...]:
        """Write report.html and report.json. Raises `StorageError`."""
        evidence = self.evidence()
        return write_report(self.folder, evidence, checklist(evidence))

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        rows = [
            ("Site", self.migration.origin.site.display_name),
            ("Report and redirects go to", self.place),
        ]
        if self.missing:
            rows.append(("Missing", self.missing))
        return facts_bundle(rows)


@takes_parameters()
def open_handover(workspace: Workspace, reports: str = "") -> Handover:
    """Return what is to be checked and handed over. Reads only.

    `reports` is the folder of this run's report; empty: one of its own below
    `reports` in the project folder. Raises `UsageError` when nothing was pulled or
    imported yet (in a dry run only the former), `UndecidedError` naming a decision
    that is missing.
    """
    migration = decided_migration(workspace)
    missing = _nothing_imported(workspace)
    if missing and not workspace.dry_run:
        raise UsageError(missing)
    folder = (Path(reports) if reports else _own_folder(workspace)).absolute()
    place = f"{folder}" if reports else f"a folder of this run in {folder.parent}"
    handover = Handover(workspace, migration, folder, place, missing)
    workspace.news.follow("handover", handover.renew, RUNS)
    return handover


def _own_folder(workspace: Workspace) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    who = "by-hand" if workspace.interactive else "unattended"
    return workspace.project.state_folder / "reports" / f"{stamp}-{who}"


def _nothing_imported(workspace: Workspace) -> str:
    """Return that nothing was imported yet, in one sentence; or empty."""
    ledger = workspace.project.ledger
    if ledger.is_file():
        with Ledger.open_existing(ledger) as opened:
            if opened.items.accounting().items:
                return ""
    return (
        "Nothing was imported yet, so there is nothing to read back; do that in the "
        "notebooks 04, 05 and 06 first."
    )
