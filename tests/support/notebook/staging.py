"""A pulled and decided project with its sandbox, for work through panels."""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.events import Observer, unobserved
from cmsmig.notebook.importing import run_step, show_plan
from cmsmig.notebook.kit.opened_project import Workspace, open_workspace
from tests.support.steps.staged_project import StagedProject


@dataclass(frozen=True)
class Staged(StagedProject):
    """One project, one space, and the project's notebooks."""

    def workspace(
        self,
        *,
        interactive: bool = False,
        dry_run: bool = False,
        observer: Observer = unobserved,
    ) -> Workspace:
        """Return the project as a notebook opens it."""
        opened = open_workspace(
            str(self.folder), dry_run=dry_run, interactive=interactive
        )
        return opened.observed(observer)

    async def imported(self) -> None:
        """Do what the notebooks 04 to 06 do, unattended."""
        for step in ("prepare", "create", "link", "publish"):
            workspace = self.workspace()
            await run_step(workspace, step, await show_plan(workspace))

    def writes(self) -> int:
        """Return how many requests the space took that were no reads."""
        return sum(each.method not in ("GET", "HEAD") for each in self.since())

    def story_at(self, full_slug: str) -> int:
        """Return the id of the story at a path."""
        return next(
            each.story_id
            for each in self.space.stories.values()
            if self.space.full_slug(each) == full_slug
        )
