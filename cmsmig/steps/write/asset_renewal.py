"""Alternative texts that changed at the origin since their files were brought."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from cmsmig.errors import NotFoundError
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.steps.plan.asset_texts import (
    ALT,
    AssetText,
    asset_text,
    asset_texts,
    texts_of,
)
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.import_job import ImportJob


async def renew_texts(job: ImportJob) -> None:
    """Write the texts that we alone changed, and note those that were changed there to
    what they are to be.

    An asset is read and compared once more right before it is written. The same text
    again changes nothing, so a lost reply is no harm and needs no intent.
    """

    async def renew(listed: AssetText) -> None:
        # One that is gone meanwhile is told by the next run.
        with suppress(NotFoundError):
            await _renew(job, listed)

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
        await job.client.update_asset(text.there.asset_id, {ALT: text.stands})
    elif text.conflict is not None:
        job.edit_conflicts.append(text.conflict)
    if text.body != text.row.body:
        job.ledger.inventory.save_asset(replace(text.row, body=text.body))


def text_to_sign(job: ImportJob, upload: UploadPlan) -> tuple[UploadPlan, str]:
    """Return a file with the text to sign it with, and what counts as ours of it.

    Over a record that is there, signing would write its text: an editor's stays.
    """
    found = asset_texts(
        [upload],
        job.ledger.inventory.assets(),
        job.survey.assets,
        job.migration.decisions.conflicts,
    )
    for each in found:
        return replace(upload, alt=each.stands), str(each.body.get(ALT, ""))
    return upload, upload.alt
