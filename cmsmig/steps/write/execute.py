"""The objects that stories need, the same for every kind: the write loop, and the open
intents of a killed run, looked up.

Each object is compared again right before it is written, after its intent was recorded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Final, Protocol, TypeVar

from cmsmig.counting import first_of
from cmsmig.destination.typed_records import StoryRow
from cmsmig.errors import (
    CmsmigError,
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.events import Noticed, StepAdvanced
from cmsmig.ledger.intents import Intents
from cmsmig.ledger.rows import Intent
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.diff import Diff
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import (
    Comparison,
    Owner,
    Resource,
    Rules,
    Verb,
    compare,
    made_row,
)
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import Work, write_ahead
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob

OF_ONE_OBJECT: Final = (
    NotFoundError,
    RejectedError,
    OutcomeUnknownError,
    MalformedAnswerError,
)
"""Errors that end no run: they are about one object."""

_SHOWN = 3

D = TypeVar("D")
A = TypeVar("A")
T = TypeVar("T")


class Calls(Protocol[D, A]):
    """The client calls of a kind."""

    @property
    def step(self) -> str:
        """Return the name of the step in progress events; empty for none."""
        return ""

    def why_not(self, resource: Resource[D, A]) -> str:
        """Return why an object cannot be written, a sentence; empty if it can."""
        return ""

    async def create(self, desired: D) -> A:
        """Make an object. Raises what the client raises."""

    async def look(self, desired: D) -> A | None:
        """Return the object of a create whose answer was lost, if there is one."""

    async def read(self, actual: A) -> A:
        """Return an object as it is now."""

    async def update(self, compared: Comparison[D, A], actual: A) -> A:
        """Write what is ours of an object, and return its state after that."""


def executing(job: ImportJob, calls: Calls[D, A]) -> Work[Resource[D, A]]:
    """Return the work that creates objects and updates ours.

    A refusal of one is listed by name, and what depends on it fails with a reason; the
    run continues. Refused credentials and lost connections end the run.
    """

    def refuse(resource: Resource[D, A], error: CmsmigError) -> None:
        job.refuse(resource.ref.kind.noun(), resource.ref.key, str(error))

    intent, perform = partial(_intent, job, calls), partial(_execute, job, calls)
    return attempting(job.ledger.intents, intent, perform, refuse)


def attempting(
    intents: Intents,
    intent_of: Callable[[T], Intent | None],
    perform: Callable[[T], Awaitable[None]],
    refuse: Callable[[T, CmsmigError], None],
) -> Work[T]:
    """Return work whose intents are recorded before; `refuse` gets each object that
    fails with an error of its own. See `write_ahead`."""

    async def attempt(piece: T) -> None:
        try:
            await perform(piece)
        except OF_ONE_OBJECT as error:
            refuse(piece, error)
            intent = intent_of(piece) if isinstance(error, RejectedError) else None
            if intent is not None:
                # Without an answer it stays open: the next run looks before it sends.
                intents.settle(intent.kind, intent.subject, "refused")

    return write_ahead(intents, intent_of, attempt)


def _compare(job: ImportJob, resource: Resource[D, A]) -> Comparison[D, A]:
    return compare(resource, job.migration.decisions.conflicts)


def _intent(
    job: ImportJob, calls: Calls[D, A], resource: Resource[D, A]
) -> Intent | None:
    if calls.why_not(resource):
        return None
    return _compare(job, resource).intent


async def _execute(
    job: ImportJob, calls: Calls[D, A], resource: Resource[D, A]
) -> None:
    compared, ref = _compare(job, resource), resource.ref
    desired, actual = resource.desired, resource.actual
    if desired is None:
        return
    if compared.verb is not None and (why := calls.why_not(resource)):
        job.refuse(ref.kind.noun(), ref.key, why)
    elif actual is None:
        actual = await apply_once(
            partial(calls.create, desired), partial(calls.look, desired)
        )
        own = resource.rules.own(actual)
        made = made_row(ref, own, resource.rules.created(desired, actual))
        made_now = replace(resource, actual=actual, recorded=made, intent=None)
        await _write(job, calls, compared, made_now)
    elif compared.owner is Owner.OTHERS:
        row = made_row(ref, resource.rules.own(actual), None)
        if row != resource.recorded:
            job.ledger.inventory.save_made(row, intent=ref.kind)
    elif compared.owner is Owner.OURS:
        await _update(job, calls, compared, actual)
    if calls.step:
        job.observer(StepAdvanced(calls.step, ref.key))


async def _update(
    job: ImportJob, calls: Calls[D, A], listed: Comparison[D, A], actual: A
) -> None:
    """Write what is ours, and report what is theirs.

    Only an edit that is saved between that last read and the write is overwritten.
    """
    resource = listed.resource
    if listed.verb is Verb.UPDATE:
        resource = replace(resource, actual=await calls.read(actual))
        intent = _compare(job, resource).intent
        if intent is not None and intent != listed.intent:
            job.ledger.intents.write([intent])
    await _write(job, calls, listed, resource)


async def _write(
    job: ImportJob,
    calls: Calls[D, A],
    listed: Comparison[D, A],
    resource: Resource[D, A],
) -> None:
    compared = _compare(job, resource)
    actual = compared.resource.actual
    if compared.owner is not Owner.OURS or actual is None:
        return
    if compared.verb is Verb.UPDATE:
        actual = await calls.update(compared, actual)
    body = resource.rules.written(compared, actual)
    row = made_row(resource.ref, resource.rules.own(actual), body)
    if row != listed.resource.recorded or listed.verb is not None:
        job.ledger.inventory.save_made(row, intent=resource.ref.kind)
    _report(job, resource.ref.key, compared.diff)


def _report(job: ImportJob, what: str, fields: Diff) -> None:
    """Report what is left as it is, and note what needs a decision."""
    job.edit_conflicts += fields.conflicts
    left = [*fields.conflicts, *fields.of(Outcome.KEEP), *fields.of(Outcome.HOLD)]
    if left:
        text = first_of([each.text for each in left], _SHOWN, "; and ", "; ")
        job.observer(Noticed(what, text))


def settle_objects(
    ledger: Ledger, snapshot: Snapshot, plans: Iterable[FolderPlan] = ()
) -> None:
    """Record the outcome of each intended write, as a snapshot that is younger than
    those requests shows it.

    Datasources whose entries were not read keep their intents.
    """
    components = {each.name: each for each in snapshot.components}
    folders = {each.name: each for each in snapshot.asset_folders}
    wanted = {each.path: each for each in plans}
    known = ledger.inventory.made(Kind.FOLDER)

    def folder(path: str) -> StoryRow | None:
        return snapshot.folder(path, known.get(path))

    opened = {kind: ledger.intents.open(kind) for kind in Kind}
    slugs = snapshot.wanted.slugs
    listed = [each for each in opened[Kind.DATASOURCE] if each.subject in slugs]
    _settle(ledger, opened[Kind.COMPONENT], ComponentRules(), components.get)
    _settle(ledger, listed, DATASOURCES, snapshot.stored_datasource)
    _settle(ledger, opened[Kind.FOLDER], FOLDERS, folder, wanted.get)
    _settle(ledger, opened[Kind.ASSET_FOLDER], ASSET_FOLDERS, folders.get)


def _settle(
    ledger: Ledger,
    intents: Iterable[Intent],
    rules: Rules[D, A],
    actual: Callable[[str], A | None],
    desired: Callable[[str], D | None] = lambda name: None,
) -> None:
    for intent in intents:
        ref = Ref(Kind(intent.kind), intent.subject)
        row, there = ledger.inventory.made_one(*ref), actual(ref.key)
        resource = Resource(ref, desired(ref.key), row, there, rules, intent)
        found = rules.settled(resource)
        if found is None or there is None or found is row:
            outcome = "absent" if there is None else "not_applied"
            ledger.intents.settle(ref.kind, ref.key, outcome)
        else:
            ledger.inventory.save_made(found, intent=ref.kind)
