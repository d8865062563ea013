"""Alternative texts that changed at the origin since their files were brought."""

from __future__ import annotations

from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.ledger.rows import TEXT_NOT_WRITTEN, AssetRow
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.steps.plan.edits.asset_texts import (
    ALT,
    AssetText,
    asset_text,
    listed_text,
    texts_of,
)
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.import_job import ImportJob

_OF_ONE_FILE = (RejectedError, OutcomeUnknownError, MalformedAnswerError)
"""Errors that end no run: the file is listed with its reason."""


async def renew_texts(job: ImportJob) -> None:
    """Write the texts that we alone changed, and note those that were changed there to
    what they are to be.

    An asset is read and compared once more right before it is written. The same text
    again changes nothing, so a lost reply is no harm and needs no intent. A text that
    cannot be written is listed with its reason, and the next run tries again.
    """

    async def renew(listed: AssetText) -> None:
        try:
            await _renew(job, listed)
        except NotFoundError:
            # One that is gone meanwhile is told by the next run.
            return
        except _OF_ONE_FILE as error:
            why = (
                f"The alternative text of {listed.upload.name} was not written: {error}"
            )
            job.ledger.inventory.save_asset(
                replace(listed.row, reason=TEXT_NOT_WRITTEN, explanation=why)
            )

    await work_through(
        [*texts_of(job.migration, job.ledger, job.survey)],
        Work(lambda batch: None, renew, lambda piece: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )


async def _renew(job: ImportJob, listed: AssetText) -> None:
    text = listed
    if listed.is_written:
        there = await job.client.asset(listed.there.asset_id)
        decided = job.migration.decisions.conflicts
        text = asset_text(listed.upload, listed.row, there, decided)
    if text.is_written:
        body: JsonObject = {ALT: text.stands}
        if ALT in text.there.meta_data:
            # A copy with the old text would look like an edit.
            body["meta_data"] = {**text.there.meta_data, ALT: text.stands}
        await job.client.update_asset(text.there.asset_id, body)
    elif text.conflict is not None:
        job.edit_conflicts.append(text.conflict)
    settled = replace(_recovered(text.row), body=text.body)
    if settled != text.row:
        job.ledger.inventory.save_asset(settled)


def _recovered(row: AssetRow) -> AssetRow:
    if row.reason != TEXT_NOT_WRITTEN:
        return row
    return replace(row, reason="", explanation="")


def text_to_sign(job: ImportJob, upload: UploadPlan) -> tuple[UploadPlan, str]:
    """Return a file with the text to sign it with, and what counts as ours of it.

    Over a record that is there, signing would write its text: an editor's stays.
    """
    row = job.ledger.inventory.asset(upload.sha256)
    decided = job.migration.decisions.conflicts
    text = listed_text(upload, row, job.survey, decided) if row is not None else None
    if text is None:
        return upload, upload.alt
    return replace(upload, alt=text.stands), str(text.body.get(ALT, ""))
