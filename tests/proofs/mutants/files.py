"""Mutants of files, of phases and of the lease."""

from __future__ import annotations

from tests.proofs.mutants.mutant import Edit, Mutant
from tests.proofs.mutants.steps import ASSETS, SIGN, SIGNING, STORY

UPLOAD = "* POST upload note-20.jpg #1"

FILES = (
    Mutant(
        "orphan is left",
        "after a lost reply a file is signed anew beside its first asset",
        (f"drop_after | {SIGN}",),
        (
            Edit(
                SIGNING,
                "replace = orphan.asset_id if orphan else replace",
                "replace = replace",
            ),
        ),
    ),
    Mutant(
        "a failed file forgets its asset",
        "a file that failed is signed anew beside its first asset",
        (f"silent x 6 | {UPLOAD}",),
        (Edit(SIGNING, "asset_id=signed_id(known),", "asset_id=None,"),),
    ),
    Mutant(
        "an expired policy is final",
        "a file whose policy expired is not signed again",
        (f"expired | {UPLOAD}",),
        (Edit(ASSETS, "UPLOAD_ATTEMPTS = 4", "UPLOAD_ATTEMPTS = 1"),),
    ),
    Mutant(
        "silent upload is believed",
        "an upload counts as arrived because it was answered",
        (f"silent | {UPLOAD}",),
        (
            Edit(
                ASSETS,
                "await _is_there(job.client, signed.content_url, upload.sha256):",
                "await _is_there(job.client, signed.content_url, upload.sha256) or 1:",
            ),
        ),
    ),
    Mutant(
        "signed is proven",
        "a file counts as arrived when it is signed",
        (f"kill before | {UPLOAD}",),
        (
            Edit(
                ASSETS,
                'save_asset(job, upload, "signed", asset_id',
                'save_asset(job, upload, "proven", asset_id',
            ),
        ),
    ),
    Mutant(
        "what arrived is sent again",
        "a file that arrived before a kill is signed and uploaded again",
        ("kill before | * GET public asset note-20.jpg #1",),
        (
            Edit(
                ASSETS,
                "        return await _is_there(client, known.content_url, ",
                "        return False and await _is_there(client, known.content_url, ",
            ),
        ),
    ),
)

PHASES = (
    Mutant(
        "filled after publication",
        "a published story that is filled later is not published again",
        (f"drop_before x 6 | {STORY}",),
        (
            Edit(
                "ledger/items.py",
                'hidden = {} if still_public else {"published": ""}',
                "hidden: dict[str, str] = {}",
            ),
        ),
    ),
    Mutant(
        "lease ignored",
        "a second import works on the same ledger",
        ("two imports at once | 03*",),
        (
            Edit(
                "ledger/lease.py",
                "fcntl.LOCK_EX | fcntl.LOCK_NB",
                "fcntl.LOCK_SH | fcntl.LOCK_NB",
            ),
        ),
    ),
)
