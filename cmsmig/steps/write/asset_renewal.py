"""Alternative texts that changed at the origin since their files were brought."""

from __future__ import annotations

from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.schema import Asset
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.ledger.rows import TEXT_NOT_WRITTEN, AssetRow
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.reconcile.resource import Verb, again, compare
from cmsmig.reconcile.rules.asset import ALT, asset_resource
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

    async def renew(piece: tuple[UploadPlan, AssetRow, Asset]) -> None:
        upload, row, listed = piece
        try:
            await _renew(job, upload, row, listed)
        except NotFoundError:
            # One that is gone meanwhile is reported by the next run.
            return
        except _OF_ONE_FILE as error:
            why = f"The alternative text of {upload.name} was not written: {error}"
            job.ledger.inventory.save_asset(
                replace(row, reason=TEXT_NOT_WRITTEN, explanation=why)
            )

    await work_through(
        [*job.resources().files_there()],
        Work(lambda batch: None, renew, lambda piece: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )


async def _renew(
    job: ImportJob, upload: UploadPlan, row: AssetRow, there: Asset
) -> None:
    decided = job.migration.decisions.conflicts
    text = compare(asset_resource(row, there, upload), decided)
    if text.verb is Verb.UPDATE:
        there = await job.client.asset(there.asset_id)
        text = again(text, there, decided)
    if text.verb is Verb.UPDATE:
        sent: JsonObject = {ALT: text.diff.values[ALT]}
        if ALT in there.meta_data:
            # A copy with the old text would look like an edit.
            sent["meta_data"] = {**there.meta_data, **sent}
        await job.client.update_asset(there.asset_id, sent)
    job.edit_conflicts += text.diff.conflicts
    body = {**row.body, **text.diff.base_after()}
    settled = replace(_recovered(row), body=body)
    if settled != row:
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
    there = job.snapshot.assets.get(row.asset_id or 0) if row is not None else None
    if row is None or there is None or there.ext_id != row.ext_id:
        return upload, upload.alt
    decided = job.migration.decisions.conflicts
    text = compare(asset_resource(row, there, upload), decided)
    value, base = text.diff.values[ALT], text.diff.base_after()
    return replace(upload, alt=str(value)), str(base.get(ALT, ""))
