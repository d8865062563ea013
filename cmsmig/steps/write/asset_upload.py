"""Assets: each file once, signed, uploaded and proven to be there.

Spec: import rule 5 and the asset upload rules. Only signing draws on the quota.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.counting import counted
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import AssetFolder, SignedUpload
from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.rows import FOLDER_MISSING, AssetRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.convert.asset_uploads import UploadPlan
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Comparison
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.worker_pool import (
    StopSignal,
    Work,
    WorkerPool,
    work_through,
    write_ahead,
)
from cmsmig.steps.write.asset_records import (
    fail_asset,
    renew_texts,
    save_asset,
    settle_signings,
    sign,
    signed_id,
    signing_intent,
    text_to_sign,
)
from cmsmig.steps.write.execute import Calls, executing
from cmsmig.steps.write.import_job import ImportJob

STEP = "assets"
_FOLDER = Kind.ASSET_FOLDER.noun()
UPLOAD_ATTEMPTS = 4
"""Signings of one file before it is listed as failed."""
PROOF_DELAYS = (0.0, 0.2, 1.0)
"""Seconds before each look: a delivery network may be a moment behind."""


NOTHING = (403, 404, 410)
"""What a file host answers where no file is; 403 where listing is forbidden."""


class Proof(Enum):
    """Whether the file of an upload is at its public address."""

    THERE = "there"
    ABSENT = "absent"
    UNSEEN = "unseen"
    """It could not be read."""


async def upload_assets(
    job: ImportJob, meanwhile: Callable[[], Awaitable[None]] | None = None
) -> None:
    """Bring every file to the destination that is not proven to be there.

    A file that fails is a ledger row with its reason, and the others continue; so is
    each file whose folder is refused. `meanwhile` is done while the last of them are
    in flight and the budget is free.
    """
    await settle_signings(job)
    known = job.ledger.inventory.assets()
    todo = [
        upload
        for upload in job.migration.files.uploads
        if (row := known.get(upload.sha256)) is None or not row.is_uploaded
    ]
    job.observer(StepStarted(STEP, len(todo)))
    folders = await _make_folders(job)
    refused = {e.what: e.text for e in job.refused.values() if e.kind == _FOLDER}
    for upload in todo:
        if (name := _folder_of(job, upload)) in refused:
            why = f"The asset folder `{name}` that it belongs in was not made. "
            explanation = why + refused[name]
            fail_asset(
                job, upload, FOLDER_MISSING, explanation, intent_outcome="not_sent"
            )
    todo = [each for each in todo if _folder_of(job, each) not in refused]
    work = write_ahead(
        job.ledger.intents,
        partial(signing_intent, job),
        partial(_upload, job, folders),
    )
    async with WorkerPool(job.settings.in_flight, job.stop) as pool:
        await pool.take(work, todo)
        await pool.idle()
        if meanwhile is not None and not pool.ending:
            await meanwhile()
    await renew_texts(job)
    settled = len(job.migration.files.uploads)
    job.observer(StepFinished(STEP, f"{counted(settled, 'file')} there"))


def _folder_of(job: ImportJob, upload: UploadPlan) -> str:
    return job.migration.design.folder_of_files(upload.collection_id)


async def _upload(
    job: ImportJob, folders: Mapping[str, int], upload: UploadPlan
) -> None:
    data = _read(job.migration.files.path(upload.sha256), upload.sha256)
    if data is None:
        explanation = _explain_damage(upload, job.migration.files.path(upload.sha256))
        fail_asset(job, upload, "file_damaged", explanation, intent_outcome="not_sent")
        job.observer(StepAdvanced(STEP, upload.name))
        return
    known = job.ledger.inventory.asset(upload.sha256)
    try:
        if known is not None and await _arrived_before(job.client, known):
            await _proven(job, upload, known.asset_id, known.content_url)
        else:
            folder_id = folders.get(_folder_of(job, upload))
            await _sign_and_send(job, folder_id, upload, data, signed_id(known))
    except (RejectedError, NotFoundError) as error:
        fail_asset(job, upload, "refused", str(error))
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks for an asset without bytes.
        fail_asset(job, upload, "not_confirmed", str(error), intent_outcome="")
    job.observer(StepAdvanced(STEP, upload.name))


async def _arrived_before(client: DestinationClient, known: AssetRow) -> bool:
    """Return whether what an earlier run signed is there already."""
    url = known.content_url
    return bool(url) and await client.public_hash(url) == known.sha256


async def arrived_uploads(
    client: DestinationClient,
    migration: Migration,
    ledger: Ledger,
    *,
    workers: int,
    stop: StopSignal,
) -> frozenset[str]:
    """Return the files that were signed, not confirmed, and arrived nevertheless.

    By hash. Reads public addresses only, which costs no quota.
    """
    rows = ledger.inventory.assets()
    arrived: set[str] = set()

    async def look(row: AssetRow) -> None:
        if await _arrived_before(client, row):
            arrived.add(row.sha256)

    doubtful = [
        row
        for upload in migration.files.uploads
        if (row := rows.get(upload.sha256)) is not None and not row.is_uploaded
    ]
    await work_through(doubtful, Work(look), workers=workers, stop=stop)
    return frozenset(arrived)


async def lost_bytes(
    client: DestinationClient,
    rows: Iterable[AssetRow],
    *,
    workers: int,
    stop: StopSignal,
) -> tuple[AssetRow, ...]:
    """Return the files whose addresses have nothing, though they were proven once.

    Reads public addresses only, which costs no quota.
    """
    lost: list[AssetRow] = []

    async def look(row: AssetRow) -> None:
        for delay in PROOF_DELAYS:
            await asyncio.sleep(delay)
            if not await _has_nothing(client, row.content_url):
                return
        lost.append(row)

    await work_through(rows, Work(look), workers=workers, stop=stop)
    return tuple(sorted(lost, key=lambda row: row.sha256))


async def _has_nothing(client: DestinationClient, url: str) -> bool:
    """Return whether there is surely no file at an address."""
    with suppress(RejectedError, UnreachableError):
        return (await client.public(url)).status in NOTHING
    return False


async def _sign_and_send(
    job: ImportJob,
    folder_id: int | None,
    upload: UploadPlan,
    data: bytes,
    replace: int | None,
) -> None:
    asset_id = replace
    upload, written = text_to_sign(job, upload)
    for _ in range(UPLOAD_ATTEMPTS):
        signed = await sign(job, folder_id, upload, asset_id)
        if asset_id not in (None, signed.asset_id):
            # The service made a new record instead: the old one has no file.
            with suppress(NotFoundError):
                await job.client.delete_asset(asset_id)
        asset_id = signed.asset_id
        url = signed.content_url
        sent: JsonObject = {"alt": written, "asset_folder_id": folder_id}
        save_asset(job, upload, "signed", asset_id, url, closing=True, record=sent)
        # Whether it is there is seen below; a policy may have expired.
        with suppress(OutcomeUnknownError, RejectedError, UnreachableError):
            await job.client.upload(
                signed, data, job.migration.files.content_type(upload.sha256)
            )
        proof = await _prove(job, upload, signed, len(data))
        if proof is Proof.UNSEEN:
            fail_asset(job, upload, "not_proven", _unseen(upload))
            return
        if proof is Proof.THERE:
            await _proven(job, upload, asset_id, signed.content_url)
            return
    fail_asset(
        job,
        upload,
        "not_stored",
        f"{upload.name} was uploaded {UPLOAD_ATTEMPTS} times and its bytes are still "
        "not at its public address; upload it by hand, or run this again.",
    )


async def _proven(
    job: ImportJob, upload: UploadPlan, asset_id: int | None, content_url: str
) -> None:
    if job.settings.finish_uploads and asset_id is not None:
        await job.client.finish_upload(asset_id)
    save_asset(job, upload, "proven", asset_id, content_url)


async def _prove(
    job: ImportJob, upload: UploadPlan, signed: SignedUpload, size: int
) -> Proof:
    """Look for the bytes at the public address, a little later again if need be.

    Where that address cannot be reached at all, the asset's own record has the size,
    at the cost of one quota call.
    """
    for delay in PROOF_DELAYS:
        await job.sleep(delay)
        there = await job.client.public_hash(signed.content_url)
        if there == upload.sha256:
            return Proof.THERE
        if there is None:
            asset = await job.client.asset(signed.asset_id)
            return Proof.THERE if asset.content_length == size else Proof.UNSEEN
    return Proof.ABSENT


def _unseen(upload: UploadPlan) -> str:
    return (
        f"{upload.name} was uploaded, but its public address cannot be reached from "
        "here, so nothing proves that it is there; correct the network and run this "
        "again."
    )


@dataclass(frozen=True, slots=True)
class AssetFolderCalls(Calls[str, AssetFolder]):
    """The client calls of asset folders; one that is there is never written to."""

    job: ImportJob

    async def create(self, desired: str) -> AssetFolder:
        """Make an asset folder at the root."""
        return await self.job.client.create_asset_folder(desired, None)

    async def look(self, desired: str) -> AssetFolder | None:
        """Return the asset folder of a name."""
        listed = await self.job.client.asset_folders()
        return next((each for each in listed if each.name == desired), None)

    async def read(self, actual: AssetFolder) -> AssetFolder:
        """Return it as it was listed."""
        return actual

    async def update(
        self, compared: Comparison[str, AssetFolder], actual: AssetFolder
    ) -> AssetFolder:
        """Change nothing: it is found by all that is wanted of it."""
        raise AssertionError("unreachable: a name that was found is the one wanted")


async def _make_folders(job: ImportJob) -> dict[str, int]:
    """Make the asset folders; return their numbers by name."""
    folders = [*job.resources().asset_folders()]
    async with WorkerPool(job.settings.in_flight, job.stop) as pool:
        await pool.take(executing(job, AssetFolderCalls(job)), folders)
    made = (job.ledger.inventory.made_one(*each.ref) for each in folders)
    return {row.name: row.destination_id for row in made if row}


def _read(path: Path, sha256: str) -> bytes | None:
    """Return a downloaded file's bytes, or None when they are not what was pulled."""
    try:
        with path.open("rb") as file:
            data = file.read()
    except OSError:
        return None
    return data if hashlib.sha256(data).hexdigest() == sha256 else None


def _explain_damage(upload: UploadPlan, path: Path) -> str:
    return (
        f"The downloaded file {path.name} of {upload.name} is gone or damaged; delete "
        "what is left of it, fetch it with `cmsmig pull`, then run this again."
    )
