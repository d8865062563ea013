"""The ledger held against the space: what is there of ours, and how. Reads only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from cmsmig.errors import (
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
    UnreachableError,
)
from cmsmig.ledger.rows import AssetRow, ItemRow
from cmsmig.reconcile.field_diff import seen_of
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.plan.gone.missing_objects import read_unlisted
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import Piece, created
from cmsmig.steps.rollback.standing import Records, Standing
from cmsmig.steps.rollback.story_standing import StoryStandings
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import Work, together, work_through

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is there of ours, and what is not there any more."""

    there: tuple[Standing, ...]
    gone: tuple[Piece, ...]


def meant(job: RollbackJob) -> Iterator[Piece]:
    """Yield what this ledger created and this rollback is about."""
    for piece in created(job.ledger):
        if isinstance(piece.row, ItemRow):
            if job.subset.holds(piece.row.key):
                yield piece
        elif job.subset.is_all:
            yield piece


async def complete(
    job: RollbackJob, lists: Snapshot, pieces: Iterable[Piece]
) -> Snapshot:
    """Return the lists with those of `pieces` that they lacked: a list may lag behind.

    Each is read singly.
    """
    listed = {
        Kind.STORY: {row.story_id for row in lists.stories},
        Kind.ASSET: lists.assets.keys(),
        Kind.COMPONENT: {each.component_id for each in lists.components},
    }
    lacking: dict[Kind, list[int]] = {kind: [] for kind in listed}
    for piece in pieces:
        kind = Kind.STORY if piece.kind is Kind.FOLDER else piece.kind
        if kind in listed and piece.own not in listed[kind]:
            lacking[kind].append(piece.own)
    stories = await _unlisted(lacking[Kind.STORY], job.client.story)
    assets = await _unlisted(lacking[Kind.ASSET], job.client.asset)
    components = await _unlisted(lacking[Kind.COMPONENT], job.client.component)
    return replace(
        lists,
        stories=(*lists.stories, *(each.row for each in stories)),
        assets={**lists.assets, **{each.asset_id: each for each in assets}},
        components=(*lists.components, *components),
    )


async def _unlisted(ids: Iterable[int], read: Callable[[int], Awaitable[T]]) -> list[T]:
    found, _ = await read_unlisted(dict.fromkeys(ids), read, lambda _, each: True)
    return found


async def _replaced_files(job: RollbackJob, pieces: Iterable[Piece]) -> dict[str, str]:
    """Return the files whose bytes an editor replaced: the hash of the new ones by
    that of ours. Reads public addresses only, which costs no quota.
    """
    found: dict[str, str] = {}

    async def look(row: AssetRow) -> None:
        with suppress(
            NotFoundError, UnreachableError, OutcomeUnknownError, RejectedError
        ):
            there = (await job.client.public(row.content_url)).sha256
            if there not in ("", row.sha256):
                found[row.sha256] = there

    rows = [row for each in pieces if isinstance(row := each.row, AssetRow)]
    await work_through(
        [row for row in rows if row.is_brought],
        Work(lambda batch: None, look, lambda row: None),
        workers=job.settings.in_flight,
        stop=job.stop,
    )
    return found


def _with_bytes(standing: Standing, replaced: Mapping[str, str]) -> Standing:
    row = standing.piece.row
    if not isinstance(row, AssetRow) or row.sha256 not in replaced:
        return standing
    seen = seen_of([standing.seen, replaced[row.sha256]])
    return replace(standing, fields=(*standing.fields, "file"), seen=seen)


async def compare(
    job: RollbackJob, lists: Snapshot, pieces: Iterable[Piece]
) -> Comparison:
    """Return how each piece stands; stories that changed are read."""
    records = Records.of(lists, job.ledger.inventory.made("folder").values())
    stories = StoryStandings.of(job, records)

    async def standing(piece: Piece) -> Standing | None:
        if isinstance(piece.row, ItemRow):
            return await stories.standing(piece, piece.row)
        return records.standing(piece)

    listed = list(pieces)
    replaced = await _replaced_files(job, listed)
    found = [
        each and _with_bytes(each, replaced)
        for each in await together(standing(piece) for piece in listed)
    ]
    return Comparison(
        tuple(each for each in found if each is not None),
        tuple(piece for piece, each in zip(listed, found, strict=True) if each is None),
    )
