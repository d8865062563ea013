"""Folders: one per collection, below one per locale when there are several."""

from __future__ import annotations

from functools import partial
from itertools import groupby

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.counting import counted
from cmsmig.destination.schema import StoryRow
from cmsmig.errors import PreflightError
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import Intent, MadeRow
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.steps.plan.destination_survey import folder_at
from cmsmig.steps.worker_pool import WorkerPool, batches
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob
from cmsmig.steps.write.write_ahead import write_ahead

STEP = "folders"


async def enqueue_folders(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` the folders that are not there, parents first; reuse the others."""
    plans = job.migration.folders
    job.observer(StepStarted(STEP, len(plans)))
    making = write_ahead(
        job.ledger.intents, partial(_intent, job), partial(_make_folder, job)
    )
    for _, level in groupby(sorted(plans, key=_depth), key=_depth):
        for batch in batches(level):
            await pool.take(making, batch)
        # What is below needs the numbers of what is above.
        await pool.done()


def report_folders(job: ImportJob) -> None:
    """Tell that all of them are there."""
    made = len(job.migration.folders)
    job.observer(StepFinished(STEP, f"{counted(made, 'folder')} there"))


def _depth(plan: FolderPlan) -> int:
    return plan.path.count("/")


def check_folder_places(job: ImportJob) -> None:
    """Raise `PreflightError` when a story stands where a folder has to be."""
    for plan in job.migration.folders:
        if folder_at(job.survey.stories, plan.path) is not None:
            continue
        if job.survey.story_at(plan.path) is not None:
            raise PreflightError(
                f"A story stands at `{plan.path}`, where the folder of a collection "
                "has to be; move or rename that story at the destination."
            )


def _intent(job: ImportJob, plan: FolderPlan) -> Intent | None:
    if folder_at(job.survey.stories, plan.path) is not None:
        return None
    return Intent("folder", plan.path, fingerprint(_body(job, plan)))


async def _make_folder(job: ImportJob, plan: FolderPlan) -> None:
    found = folder_at(job.survey.stories, plan.path)
    if found is not None:
        _keep(job, plan, found, job.ledger.inventory.made("folder").get(plan.path))
    else:
        row = await apply_once(
            partial(_create, job, _body(job, plan)), partial(_look, job, plan.path)
        )
        _record(job, plan, row, made_by_us=True)
    job.observer(StepAdvanced(STEP, plan.path))


def _keep(
    job: ImportJob, plan: FolderPlan, found: StoryRow, known: MadeRow | None
) -> None:
    if known is not None and known.destination_id == found.story_id:
        return
    intended = any(
        intent.subject == plan.path for intent in job.ledger.intents.open("folder")
    )
    _record(job, plan, found, made_by_us=intended)


def _record(
    job: ImportJob, plan: FolderPlan, row: StoryRow, *, made_by_us: bool
) -> None:
    body = _body(job, plan) if made_by_us else {}
    job.ledger.inventory.save_made(
        MadeRow("folder", plan.path, row.story_id, row.uuid, made_by_us, "", body),
        intent="folder",
    )


def _body(job: ImportJob, plan: FolderPlan) -> JsonObject:
    body: JsonObject = {
        "name": plan.name,
        "slug": plan.slug,
        "is_folder": True,
        "parent_id": parent_id(job, plan.parent),
    }
    if plan.default_root:
        body["default_root"] = plan.default_root
    return body


async def _create(job: ImportJob, body: JsonObject) -> StoryRow:
    return (await job.client.create_story(body)).row


async def _look(job: ImportJob, path: str) -> StoryRow | None:
    rows = await job.client.stories(with_slug=path)
    return folder_at(tuple(rows), path)


def parent_id(job: ImportJob, path: str) -> int:
    """Return the id of the folder at `path`; 0 is the root of the space.

    Raises `PreflightError` when the folder was not made.
    """
    if not path:
        return 0
    row = job.ledger.inventory.made("folder").get(path)
    if row is None:
        raise PreflightError(
            f"The folder `{path}` has not been made; run `cmsmig prepare` first."
        )
    return row.destination_id


async def recover_folders(job: ImportJob) -> None:
    """Close the open folder intents that the space shows were not applied."""
    for intent in job.ledger.intents.open("folder"):
        if folder_at(job.survey.stories, intent.subject) is None:
            job.ledger.intents.settle("folder", intent.subject, "absent")
