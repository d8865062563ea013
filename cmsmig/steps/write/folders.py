"""Folders: one per collection, below one per locale when there are several."""

from __future__ import annotations

from dataclasses import replace
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
from cmsmig.steps.plan.folder_state import FolderState, folder_states
from cmsmig.steps.worker_pool import WorkerPool, batches
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob, RefusedObject
from cmsmig.steps.write.refusals import contained, refuse

STEP = "folders"


async def enqueue_folders(job: ImportJob, pool: WorkerPool) -> None:
    """Give `pool` the folders that are not there, parents first; reuse the others."""
    states = states_of(job)
    job.observer(StepStarted(STEP, len(states)))
    making = contained(
        job,
        lambda state: ("folder", state.plan.path),
        partial(_intent, job),
        partial(_make_folder, job),
    )
    for _, level in groupby(sorted(states, key=_depth), key=_depth):
        for batch in batches(level):
            await pool.take(making, batch)
        # What is below needs the numbers of what is above.
        await pool.done()


def report_folders(job: ImportJob) -> None:
    """Report how many of them are there."""
    made = len(job.migration.folders)
    made -= sum(kind == "folder" for kind, _ in job.refused)
    job.observer(StepFinished(STEP, f"{counted(made, 'folder')} there"))


def _depth(state: FolderState) -> int:
    return state.plan.path.count("/")


def check_folder_places(job: ImportJob) -> None:
    """Raise `PreflightError` when a story stands where a folder has to be."""
    for each in states_of(job):
        if each.is_missing and job.survey.story_at(each.plan.path) is not None:
            raise PreflightError(
                f"A story stands at `{each.plan.path}`, where the folder of a "
                "collection has to be; move or rename that story at the destination."
            )


def states_of(job: ImportJob) -> tuple[FolderState, ...]:
    """Return the folders of the design beside those that were surveyed."""
    made = job.ledger.inventory.made("folder")
    decided = job.migration.decisions.conflicts
    return folder_states(job.migration.folders, made, job.survey, decided)


def _intent(job: ImportJob, state: FolderState) -> Intent | None:
    if state.is_renamed:
        return Intent("folder_name", state.plan.path, fingerprint(state.plan.name))
    if not state.is_missing or _refused_parent(job, state):
        return None
    return Intent("folder", state.plan.path, fingerprint(_body(job, state.plan)))


async def _make_folder(job: ImportJob, state: FolderState) -> None:
    plan, found = state.plan, state.row
    if (parent := _refused_parent(job, state)) is not None:
        why = f"The folder `{plan.path}` was not made, because it is in a folder that "
        refuse(job, "folder", plan.path, f"{why}was not made. {parent.text}")
    elif found is None:
        row = await apply_once(
            partial(_create, job, _body(job, plan)), partial(_look, job, plan.path)
        )
        _record(job, plan, row, made_by_us=True)
    elif state.is_renamed and state.made is not None:
        await _rename(job, state.made, found, plan.name)
    else:
        _keep(job, plan, found, state.made)
    job.observer(StepAdvanced(STEP, plan.path))


def _refused_parent(job: ImportJob, state: FolderState) -> RefusedObject | None:
    """Return the refused folder that a missing folder is in, if there is one."""
    refused = job.refused.get(("folder", state.plan.parent))
    return refused if state.is_missing else None


async def _rename(job: ImportJob, made: MadeRow, row: StoryRow, name: str) -> None:
    """Give a folder of ours the name that the design has now."""
    body: JsonObject = {
        "name": name,
        "slug": row.slug,
        "parent_id": row.parent_id,
        "is_folder": True,
    }
    # The same name again changes nothing, so a lost reply is no harm.
    await job.client.update_story(row.story_id, body)
    renamed = replace(made, body={**made.body, "name": name})
    job.ledger.inventory.save_made(renamed, intent="folder_name")


def _keep(
    job: ImportJob, plan: FolderPlan, found: StoryRow, known: MadeRow | None
) -> None:
    if known is not None and known.destination_id == found.story_id:
        if found.name == plan.name != known.body.get("name") and known.body:
            named = replace(known, body={**known.body, "name": plan.name})
            job.ledger.inventory.save_made(named, intent="folder_name")
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
    row = job.ledger.inventory.made_one("folder", path)
    if row is None:
        refused = job.refused.get(("folder", path))
        why = refused.text if refused else "Run `cmsmig prepare` first."
        raise PreflightError(f"The folder `{path}` has not been made. {why}")
    return row.destination_id


async def recover_folders(job: ImportJob) -> None:
    """Close the open folder intents that the space shows were not applied."""
    for intent in job.ledger.intents.open("folder"):
        if folder_at(job.survey.stories, intent.subject) is None:
            job.ledger.intents.settle("folder", intent.subject, "absent")
