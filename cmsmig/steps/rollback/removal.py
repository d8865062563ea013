"""The removal: one kind after the other, each object after its intent was written.

What stands on others goes before them. Before anything is deleted, its state is
listed once more: what somebody changed since the plan stays.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from cmsmig.errors import (
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import StepAdvanced, StepFinished, StepStarted
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import Intent
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.plan.drafts.foreseen_links import LISTED_TOGETHER
from cmsmig.steps.rollback.comparison import compare
from cmsmig.steps.rollback.deletions import delete
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import TRASHED, Left, Piece, Reason, forget
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.rollback.staying import deepest_first, holds_sentence
from cmsmig.steps.rollback.story_standing import story_stamp
from cmsmig.steps.snapshot import Lists, read_lists
from cmsmig.steps.worker_pool import Work, WorkerPool, batches
from cmsmig.steps.write.write_ahead import write_ahead

_LISTED = (Kind.STORY, Kind.FOLDER)


@dataclass(slots=True)
class Removal:
    """What a rollback has removed so far, and what stayed against its plan."""

    job: RollbackJob
    removed: list[Piece] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def done(self, piece: Piece) -> None:
        """Write that something is gone."""
        forget(self.job.ledger, piece)
        self.removed.append(piece)

    def keep(self, piece: Piece, reason: Reason, text: str) -> None:
        """Note that something stays."""
        self.left.append(Left(piece, reason, text))


async def remove(job: RollbackJob, plan: RollbackPlan) -> Removal:
    """Remove what the plan says; what cannot go is listed, and the rest goes on.

    Where a story stays against the plan, nothing that it may stand on is touched.
    """
    removal = Removal(job)
    going = {kind: [p for p in plan.going if p.kind is kind] for kind in Kind}
    await _remove_stories(removal, going[Kind.STORY])
    await _remove_folders(removal, going[Kind.FOLDER])
    kinds = set(Kind) - {Kind.STORY, Kind.FOLDER}
    if removal.left:
        for piece in (each for kind in Kind if kind in kinds for each in going[kind]):
            removal.keep(piece, Reason.WAITS, _waits(piece))
        return removal
    await _remove_kind(removal, Kind.ASSET, going[Kind.ASSET])
    await _remove_kind(removal, Kind.ASSET_FOLDER, going[Kind.ASSET_FOLDER])
    for kind in (Kind.DATASOURCE, Kind.COMPONENT):
        unmoved = await _unmoved(removal, plan, kind, going[kind])
        await _remove_kind(removal, kind, unmoved)
    return removal


async def _remove_stories(removal: Removal, pieces: Sequence[Piece]) -> None:
    removing = _removing(removal, partial(_remove, removal))
    async with _pool(removal, Kind.STORY, pieces) as pool:
        for start in range(0, len(pieces), LISTED_TOGETHER):
            if pool.ending:
                break
            due = pieces[start : start + LISTED_TOGETHER]
            for batch in batches(await _as_planned(removal, due)):
                await pool.take(removing, batch)


async def _as_planned(removal: Removal, due: Sequence[Piece]) -> list[Piece]:
    """Return the stories that are as the plan found them; the others stay."""
    client = removal.job.client
    listed = await client.stories(by_ids=",".join(str(each.own) for each in due))
    rows = {row.story_id: row for row in listed}
    found: list[Piece] = []
    for piece in due:
        row = rows.get(piece.own)
        try:
            row = row or (await client.story(piece.own)).row
        except NotFoundError:
            removal.done(piece)
            continue
        if story_stamp(row) == piece.stamp:
            found.append(piece)
        else:
            removal.keep(piece, Reason.EDITED, _moved(piece))
    return found


async def _remove_folders(removal: Removal, pieces: Sequence[Piece]) -> None:
    """Remove folders that are empty, the deepest first: with one goes what is in it."""
    removing = _removing(removal, partial(_remove_folder, removal))
    ordered = deepest_first(pieces)
    async with _pool(removal, Kind.FOLDER, pieces) as pool:
        for _, level in groupby(ordered, key=lambda each: each.name.count("/")):
            for batch in batches(level):
                await pool.take(removing, batch)
            await pool.done()


async def _remove_folder(removal: Removal, piece: Piece) -> None:
    held = await _held(removal, piece)
    if not held:
        await _remove(removal, piece)
        return
    removal.keep(piece, Reason.HOLDS, holds_sentence(piece, held))
    removal.job.ledger.intents.settle(DELETE, piece.subject, "not_sent")


async def _held(removal: Removal, piece: Piece) -> str:
    """Return the path of something in a folder, as it stands; empty without any."""
    client = removal.job.client
    removed = {each.own for each in removal.removed if each.kind in _LISTED}
    for row in await client.stories(with_parent=piece.own):
        if row.story_id in removed:
            continue
        # A list may lag behind what an earlier run deleted.
        with suppress(NotFoundError):
            return (await client.story(row.story_id)).row.full_slug
    return ""


async def _remove_kind(removal: Removal, kind: Kind, pieces: Sequence[Piece]) -> None:
    removing = _removing(removal, partial(_remove, removal))
    async with _pool(removal, kind, pieces) as pool:
        for batch in batches(pieces):
            await pool.take(removing, batch)


async def _remove(removal: Removal, piece: Piece) -> None:
    """Delete one thing; a refusal is listed with the service's reason."""
    job = removal.job
    try:
        await delete(job.client, piece)
    except RejectedError as error:
        removal.keep(piece, Reason.REFUSED, str(error))
        job.ledger.intents.settle(DELETE, piece.subject, "refused")
    except (OutcomeUnknownError, MalformedAnswerError) as error:
        # The intent stays open: the next run looks before it sends.
        removal.keep(piece, Reason.NOT_CONFIRMED, str(error))
    else:
        removal.done(piece)
    job.observer(StepAdvanced(_step(piece.kind), piece.name))


async def _unmoved(
    removal: Removal, plan: RollbackPlan, kind: Kind, pieces: Sequence[Piece]
) -> list[Piece]:
    """Return what is as the plan found it, of what goes for good; the rest stays."""
    if not pieces:
        return []
    wanted = Lists(
        stories=False,
        components=kind is Kind.COMPONENT,
        slugs=frozenset(each.name for each in pieces if kind is Kind.DATASOURCE),
    )
    lists = await read_lists(removal.job.client, replace(plan.before, wanted=wanted))
    compared = await compare(removal.job, lists, pieces)
    for piece in compared.gone:
        removal.done(piece)
    stamps = {each.own: each.stamp for each in pieces}
    found: list[Piece] = []
    for standing in compared.there:
        if standing.piece.stamp == stamps[standing.piece.own]:
            found.append(standing.piece)
        else:
            removal.keep(standing.piece, Reason.EDITED, _moved(standing.piece))
    return found


def _removing(
    removal: Removal, perform: Callable[[Piece], Awaitable[None]]
) -> Work[Piece]:
    return write_ahead(removal.job.ledger.intents, _intent, perform)


def _intent(piece: Piece) -> Intent:
    return Intent(DELETE, piece.subject, piece.stamp)


@asynccontextmanager
async def _pool(
    removal: Removal, kind: Kind, pieces: Sequence[Piece]
) -> AsyncIterator[WorkerPool]:
    """Give a pool for one kind, and tell how far it is; without any, an idle one."""
    job, before = removal.job, len(removal.removed)
    if pieces:
        job.observer(StepStarted(_step(kind), len(pieces)))
    async with WorkerPool(job.settings.in_flight, job.stop) as pool:
        yield pool
    if pieces:
        number = len(removal.removed) - before
        said = f"{number} of {len(pieces)} {_place(kind)}"
        job.observer(StepFinished(_step(kind), said))


def _step(kind: Kind) -> str:
    return f"remove {kind.noun(2)}"


def _place(kind: Kind) -> str:
    return "in the trash" if kind in TRASHED else "deleted"


def _moved(piece: Piece) -> str:
    return (
        f"The {piece.kind.noun()} `{piece.name}` was changed in the space while this "
        "rollback ran, so it stays; run it again to see what it would do now."
    )


def _waits(piece: Piece) -> str:
    return (
        f"The {piece.kind.noun()} `{piece.name}` stays for now: something stayed that "
        "may use it; run the rollback again."
    )
