"""A pulled and decided project beside a sandbox, worked in through panels."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.events import Observer, unobserved
from cmsmig.notebook.kit.workspace import Workspace, open_workspace
from cmsmig.notebook.transfer.importing import run_step, show_plan
from tests.support.rehearsal import Rehearsal


@dataclass(frozen=True)
class Staged:
    """One project, one space."""

    rehearsal: Rehearsal

    def workspace(
        self,
        *,
        interactive: bool = False,
        dry_run: bool = False,
        observer: Observer = unobserved,
    ) -> Workspace:
        """Return the project as a notebook opens it."""
        opened = open_workspace(
            str(self.rehearsal.folder), dry_run=dry_run, interactive=interactive
        )
        return opened.observed(observer)

    async def imported(self) -> None:
        """Do what the notebooks 04 to 06 do, unattended."""
        for step in ("prepare", "create", "link", "publish"):
            workspace = self.workspace()
            await run_step(workspace, step, await show_plan(workspace))

    def titles(self) -> list[str]:
        """Return the paths of all stories in the space."""
        space = self.rehearsal.handle.state.space
        return sorted(
            space.full_slug(each)
            for each in space.stories.values()
            if each.deleted_at is None and not each.is_folder
        )

    def writes(self) -> int:
        """Return how many requests the space took that were no reads."""
        entries = self.rehearsal.handle.state.recorder.entries
        return sum(each.method not in ("GET", "HEAD") for each in entries)

    def comparable(self) -> dict:
        """Return what is in the space without ids, addresses and times."""
        return self.rehearsal.comparable()

    def api(self, method: str, path: str, body: object = None) -> dict:
        """Ask the management API as an editor's browser would."""
        return self.rehearsal.api(method, path, body)

    def story_at(self, full_slug: str) -> int:
        """Return the id of the story at a path."""
        space = self.rehearsal.handle.state.space
        return next(
            each.story_id
            for each in space.stories.values()
            if space.full_slug(each) == full_slug
        )
