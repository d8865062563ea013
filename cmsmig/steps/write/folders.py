"""Folders: one per collection, below one per locale when there are several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.destination.typed_records import StoryRow
from cmsmig.errors import PreflightError
from cmsmig.events import StepFinished, StepStarted
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Comparison, Resource
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.worker_pool import WorkerPool
from cmsmig.steps.write.execute import executing
from cmsmig.steps.write.import_job import ImportJob

STEP = "folders"


@dataclass(frozen=True, slots=True)
class FolderCalls:
    """The client calls of folders."""

    job: ImportJob
    step = STEP

    def why_not(self, resource: Resource[FolderPlan, StoryRow]) -> str:
        """Return that the folder above a missing one was refused, if so."""
        path, _, _ = resource.ref.key.rpartition("/")
        refused = self.job.refused.get((Kind.FOLDER, path))
        if refused is None or resource.actual is not None:
            return ""
        return (
            f"The folder `{resource.ref.key}` was not made, because it is in a folder "
            f"that was not made. {refused.text}"
        )

    async def create(self, desired: FolderPlan) -> StoryRow:
        """Make a folder below the one that it belongs in."""
        body: JsonObject = {
            "name": desired.name,
            "slug": desired.slug,
            "is_folder": True,
            "parent_id": parent_id(self.job, desired.parent),
            **FOLDERS.body(desired),
        }
        return (await self.job.client.create_story(body)).row

    async def look(self, desired: FolderPlan) -> StoryRow | None:
        """Return the folder at a path."""
        rows = await self.job.client.stories(with_slug=desired.path)
        found = (row for row in rows if row.full_slug.strip("/") == desired.path)
        return next((row for row in found if row.is_folder), None)

    async def read(self, actual: StoryRow) -> StoryRow:
        """Return a folder as it is now."""
        return (await self.job.client.story(actual.story_id)).row

    async def update(
        self, compared: Comparison[FolderPlan, StoryRow], actual: StoryRow
    ) -> StoryRow:
        """Give a folder of ours what the design has now; where it is stays.

        The same again changes nothing, so a lost reply is no harm.
        """
        ours, written = compared.diff.sides.ours, compared.diff.written
        body: JsonObject = {
            "name": actual.name,
            "slug": actual.slug,
            "parent_id": actual.parent_id,
            "is_folder": True,
            **{name: ours[name] for name in written},
        }
        return (await self.job.client.update_story(actual.story_id, body)).row


async def enqueue_folders(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` the folders that are not there, parents first; reuse the others."""
    folders = sorted(job.resources().folders(), key=_depth)
    job.observer(StepStarted(STEP, len(folders)))
    making = executing(job, FolderCalls(job))
    for _, level in groupby(folders, key=_depth):
        await pool.take(making, level)
        # What is below needs the numbers of what is above.
        await pool.done()


def report_folders(job: ImportJob) -> None:
    """Report how many of them are there."""
    made = sum(1 for _ in job.resources().folders())
    made -= sum(kind == Kind.FOLDER for kind, _ in job.refused)
    job.observer(StepFinished(STEP, f"{counted(made, 'folder')} there"))


def _depth(folder: Resource[FolderPlan, StoryRow]) -> int:
    return folder.ref.key.count("/")


def parent_id(job: ImportJob, path: str) -> int:
    """Return the id of the folder at `path`; 0 is the root of the space.

    Raises `PreflightError` when the folder was not made.
    """
    if not path:
        return 0
    row = job.ledger.inventory.made_one("folder", path)
    if row is None:
        refused = job.refused.get(("folder", path))
        taken = job.resources().taken_folders.get(path)
        why = refused.text if refused else "Run `cmsmig prepare` first."
        why = taken.sentence if taken else why
        raise PreflightError(f"The folder `{path}` has not been made. {why}")
    return row.destination_id
