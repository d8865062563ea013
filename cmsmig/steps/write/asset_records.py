"""The records of files: signed, which alone draws on the quota of an upload, and given
the origin's alternative text.

A lost reply may leave an asset without bytes; it is found by its external id and
signed again, so that none stays behind.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Asset, SignedUpload
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.ledger.rows import TEXT_NOT_WRITTEN, AssetRow, Intent
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.reconcile.resource import Verb, again, compare
from cmsmig.reconcile.rules.asset import ALT, asset_resource, signed_row
from cmsmig.steps.worker_pool import Work, work_through
from cmsmig.steps.write.idempotent_write import ATTEMPTS, ONCE_MORE, poll_until_visible
from cmsmig.steps.write.import_job import ImportJob


def signing_intent(job: ImportJob, upload: UploadPlan) -> Intent | None:
    """Return the intent to sign a file, or None if it has an asset already."""
    if signed_id(job.ledger.inventory.asset(upload.sha256)) is not None:
        return None
    return Intent("sign", upload.sha256, upload.ext_id)


def signed_id(row: AssetRow | None) -> int | None:
    """Return the asset that a file has at the destination, if any."""
    return None if row is None else row.asset_id


async def sign(
    job: ImportJob, folder_id: int | None, upload: UploadPlan, replace: int | None
) -> SignedUpload:
    """Sign one file, over the asset `replace` if it has one.

    Raises what the client raises, `OutcomeUnknownError` when every reply is lost.
    """
    attempt = 1
    while True:
        try:
            return await _send(job, folder_id, upload, replace)
        except (OutcomeUnknownError, MalformedAnswerError):
            if attempt == ATTEMPTS:
                raise
            attempt += 1
            look = partial(_look, job, upload.ext_id)
            orphan = await poll_until_visible(look, job.sleep, ONCE_MORE)
            replace = orphan.asset_id if orphan else replace
        except NotFoundError:
            if replace is None:
                raise
            # An editor deleted the asset that was to be signed again.
            again = Intent("sign", upload.sha256, upload.ext_id)
            job.ledger.intents.write([again])
            replace = None


async def _send(
    job: ImportJob, folder_id: int | None, upload: UploadPlan, replace: int | None
) -> SignedUpload:
    return await job.client.sign_upload(
        upload.name,
        size=upload.size,
        ext_id=upload.ext_id,
        asset_folder_id=folder_id,
        alt=upload.alt,
        replace=replace,
        validate=job.settings.finish_uploads,
    )


async def _look(job: ImportJob, ext_id: str) -> Asset | None:
    found = await job.client.assets(ext_id=ext_id)
    return min(found, key=lambda asset: asset.asset_id, default=None)


async def settle_signings(job: ImportJob) -> None:
    """Look up each signing whose reply a killed run lost.

    An asset found keeps its id, so that it is signed again and no orphan stays;
    one that nothing needs any more is listed as failed.
    """
    uploads = {upload.sha256: upload for upload in job.migration.files.uploads}
    intents = job.ledger.intents.open("sign")
    if intents:
        # The killed run may have sent one a moment ago, and a list may lag behind.
        await job.sleep(max(ONCE_MORE))
    for intent in intents:
        listed = await job.client.assets(ext_id=intent.request_hash)
        known = job.ledger.inventory.asset(intent.subject)
        row, upload = signed_row(intent, listed, known), uploads.get(intent.subject)
        if row is None:
            job.ledger.intents.settle("sign", intent.subject, "absent")
            continue
        why = (
            "It was signed and is no longer needed; delete the asset "
            f"{row.asset_id} at the destination."
        )
        settled = (
            dataclasses.replace(
                row, status="failed", reason="not_needed", explanation=why
            )
            if upload is None
            else dataclasses.replace(row, name=upload.name)
        )
        job.ledger.inventory.save_asset(settled, intent_outcome="done")


def save_asset(
    job: ImportJob,
    upload: UploadPlan,
    status: str,
    asset_id: int | None,
    content_url: str,
    *,
    closing: bool = False,
    record: JsonObject | None = None,
) -> None:
    """Write a file's state, and with `closing` that its signing is done.

    `record` is what its record was given; without it, that is what it was before.
    """
    known = job.ledger.inventory.asset(upload.sha256) if record is None else None
    row = AssetRow(
        sha256=upload.sha256,
        ext_id=upload.ext_id,
        name=upload.name,
        status=status,
        reason="",
        explanation="",
        asset_id=asset_id,
        content_url=content_url,
        body=record or (known.body if known else {}),
    )
    job.ledger.inventory.save_asset(row, intent_outcome="done" if closing else "")


def fail_asset(
    job: ImportJob,
    upload: UploadPlan,
    reason: str,
    explanation: str,
    *,
    intent_outcome: str = "refused",
) -> None:
    """Write why a file failed; an asset that it has keeps its id.

    With an empty `intent_outcome` the signing stays open for the next run.
    """
    known = job.ledger.inventory.asset(upload.sha256)
    row = AssetRow(
        sha256=upload.sha256,
        ext_id=upload.ext_id,
        name=upload.name,
        status="failed",
        reason=reason,
        explanation=explanation,
        asset_id=signed_id(known),
        content_url=known.content_url if known else "",
        body=known.body if known else {},
    )
    job.ledger.inventory.save_asset(row, intent_outcome=intent_outcome)


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
        Work(renew),
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
