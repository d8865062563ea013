"""What a rollback removes: the objects that this ledger created. And what of them
stays, and why: what was edited, what that uses, what holds it.

An edit may be decided: with `ours` for all that was edited it is removed all the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import first_of
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.content_places import block_places
from cmsmig.destination.typed_records import Component, StoryRow
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import AssetRow, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import WHOLE, ConflictsDecision, Side
from cmsmig.reconcile.kinds import Kind
from cmsmig.settings import Settings
from cmsmig.steps.connect import WriteCounter
from cmsmig.steps.plan.recorded import Recorded, Removal, forget, recorded
from cmsmig.steps.snapshot import Snapshot, story_kind
from cmsmig.steps.worker_pool import StopSignal, together

TRASHED: Final = frozenset((Kind.STORY, Kind.FOLDER, Kind.ASSET))
"""What a deletion moves to the trash; everything else is gone for good.

Source: destination, stories and assets (`deleted_at`); components: "no schema" then.
"""
_SHOWN = 3
_CREATED_BY = {Kind.STORY: "create", Kind.ASSET: "sign"}
"""The kind of the intents that create one, where it is not the kind's own name."""


class Reason(StrEnum):
    """Why something of ours stays."""

    EDITED = "edited"
    """An editor changed it since our last write."""
    HOLDS = "holds"
    """A folder in which something stays."""
    USED = "used"
    """Something that stays uses it."""
    REFUSED = "refused"
    """The service would not delete it."""
    NOT_CONFIRMED = "not_confirmed"
    """The outcome of the request is not known."""
    WAITS = "waits"
    """Something that was to go before it stayed."""
    STILL_THERE = "still_there"
    """The service answered that it deleted it."""


@dataclass(frozen=True, slots=True)
class RollbackJob:
    """A running rollback: ledger, client and decisions."""

    settings: Settings
    client: DestinationClient
    ledger: Ledger
    decided: ConflictsDecision
    namespace: str
    """What the `_uid` of our stories derive from."""
    observer: WriteCounter
    stop: StopSignal
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Reverse(Removal):
    """One object that this ledger created, and what keeps it from being deleted."""

    fields: tuple[str, ...] = ()
    """What was edited; empty where it is as we left it."""
    seen: str = ""
    """What names that edit, so that a decision does not hold for another one."""
    content: JsonObject = field(default_factory=dict)
    """Of a story that was read."""
    reason: Reason | None = None
    """Why it stays; None where it goes."""
    text: str = ""
    """One sentence: why, and what to do."""

    @property
    def called(self) -> str:
        """Return its kind and name within a sentence."""
        return f"{self.kind.noun()} `{self.name}`"

    @property
    def mentions(self) -> frozenset[str | int]:
        """Return every text and number in its content."""
        return frozenset(_scalars(self.content))

    @property
    def components(self) -> frozenset[str]:
        """Return every component in its content."""
        return frozenset(each.component for each in block_places(self.content))

    def kept(self, reason: Reason, text: str) -> Reverse:
        """Return it as it stays, for another reason than an edit."""
        return replace(self, reason=reason, text=text, fields=(), seen="")

    def as_json(self) -> JsonObject:
        """Return why it stays, as the JSON outputs list it."""
        return {
            "kind": str(self.kind),
            "what": self.name,
            "reason": str(self.reason),
            "text": self.text,
            "fields": [*self.fields],
            "seen": self.seen,
        }


def _scalars(content: Json) -> Iterator[str | int]:
    pending = [content]
    while pending:
        match pending.pop():
            case dict() as found:
                pending += found.values()
            case list() as found:
                pending += found
            case str() | int() as found:
                yield found


def counts(ours: Iterable[Recorded]) -> dict[Kind, int]:
    """Return how many there are of each kind that occurs, in the order of removal."""
    listed = [each.kind for each in ours]
    return {kind: listed.count(kind) for kind in Kind if kind in listed}


def created(ledger: Ledger) -> Iterator[Recorded]:
    """Yield everything that this ledger created and records. Reads only."""
    return (each for each in recorded(ledger) if each.made)


def intended_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds that a killed import may have created. Reads only."""
    return {k for k in Kind if ledger.intents.open(_CREATED_BY.get(k, k))}


def created_kinds(ledger: Ledger) -> Set[Kind]:
    """Return the kinds that this ledger created, or may have. Reads only."""
    return intended_kinds(ledger) | {each.kind for each in created(ledger)}


def forget_removed(ledger: Ledger, gone: Recorded) -> None:
    """Record that something does not exist any more: an import would create it, unless
    the origin no longer has its item."""
    forget(ledger, [gone])
    if isinstance(gone.row, ItemRow) and gone.row.gone is not None:
        ledger.gone.forget([gone.row.key])
    # Last: a run that is killed before this looks again, and finds nothing there.
    ledger.intents.settle(DELETE, gone.subject, "done")


async def sort_out(
    job: RollbackJob, lists: Snapshot, there: Iterable[Reverse]
) -> Stays:
    """Return which of the objects go, and which stay.

    Asks, for each component that others can nest, which stories hold it.
    """
    stays = Stays.edited(job.decided, there)
    users = await _component_users(job, lists, stays)
    stays.keep(Kind.COMPONENT, Reason.USED, "is used by", lambda e: users.get(e.name))
    sources = {
        slug: each.name
        for each in lists.components
        if not stays.goes(Kind.COMPONENT, each.component_id)
        for slug in _slugs(each)
    }
    stays.keep(
        *(Kind.DATASOURCE, Reason.USED, "is used by the component"),
        lambda each: sources.get(each.name),
    )
    shown = {
        mention: each.name
        for each in stays.of_kind(Kind.STORY)
        for mention in each.mentions
    }

    def shown_by(file: Reverse) -> str | None:
        url = file.row.content_url if isinstance(file.row, AssetRow) else ""
        return shown.get(file.number) or shown.get(url)

    stays.keep(Kind.ASSET, Reason.USED, "is shown by", shown_by)
    holding = {
        each.asset_folder_id: each.content_url.rpartition("/")[2]
        for each in lists.assets.values()
        if not stays.goes(Kind.ASSET, each.asset_id)
    }
    holding |= {
        each.parent_id: each.name
        for each in lists.asset_folders
        if not stays.goes(Kind.ASSET_FOLDER, each.folder_id)
    }
    stays.keep(
        Kind.ASSET_FOLDER, Reason.HOLDS, "holds", lambda each: holding.get(each.number)
    )
    inside: dict[int, list[StoryRow]] = {}
    for row in lists.stories:
        inside.setdefault(row.parent_id, []).append(row)

    def held(folder: Reverse) -> str | None:
        rows = inside.get(folder.number, ())
        left = (row for row in rows if not stays.goes(story_kind(row), row.story_id))
        return next((row.full_slug for row in left), None)

    stays.keep(Kind.FOLDER, Reason.HOLDS, "holds", held)
    return stays


@dataclass(slots=True)
class Stays:
    """The objects that exist, and those that stay, by kind and number."""

    there: Mapping[tuple[Kind, int], Reverse]
    left: dict[tuple[Kind, int], Reverse]

    @classmethod
    def edited(cls, decided: ConflictsDecision, there: Iterable[Reverse]) -> Stays:
        by_number = {(each.kind, each.number): each for each in there}
        left = {
            own: _edited(each)
            for own, each in by_number.items()
            if each.fields and not _is_given_up(decided, each)
        }
        return cls(by_number, left)

    def of_kind(self, kind: Kind) -> Iterator[Reverse]:
        """Yield what stays of a kind."""
        return (each for each in self.left.values() if each.kind is kind)

    def going(self) -> Iterator[Reverse]:
        """Yield what goes."""
        return (each for own, each in self.there.items() if own not in self.left)

    def goes(self, kind: Kind, own: int) -> bool:
        """Return whether something is ours and goes."""
        return (kind, own) in self.there and (kind, own) not in self.left

    def keep(
        self,
        kind: Kind,
        reason: Reason,
        how: str,
        user_of: Callable[[Reverse], str | None],
    ) -> None:
        """Let stay what is used by, or holds, something that stays; folders in the
        order of their removal."""
        going = (each for each in self.going() if each.kind is kind)
        for each in sorted(going, key=removal_order):
            if user := user_of(each):
                kept = each.kept(reason, stays_sentence(each, how, user))
                self.left[each.kind, each.number] = kept


def _is_given_up(decided: ConflictsDecision, ours: Reverse) -> bool:
    """Return whether it was decided that what was edited goes all the same."""
    if (kind := ours.kind.decided_as) is None:
        return False
    sides = (decided.side(kind, ours.name, each, ours.seen) for each in ours.fields)
    return all(side is Side.OURS for side in sides)


def _edited(ours: Reverse) -> Reverse:
    what = first_of(ours.fields, _SHOWN)
    cure = "delete it there"
    if kind := ours.kind.decided_as:
        cure += (
            f", or decide `take: ours` for {kind} `{ours.name}`, field '{WHOLE}', "
            "under `edits` in decisions/conflicts.yaml"
        )
    text = (
        f"The {ours.called} was edited in the space after this import wrote it ({what})"
        f", so it stays; {cure}, and run this again."
    )
    return replace(ours, reason=Reason.EDITED, text=text)


async def _component_users(
    job: RollbackJob, lists: Snapshot, stays: Stays
) -> Mapping[str, str]:
    """Return a story that stays for each component that one is made of: it would show
    no schema otherwise."""
    others = [
        row
        for row in lists.stories
        if not row.is_folder and not stays.goes(Kind.STORY, row.story_id)
    ]
    users = {name: row.full_slug for row in others if (name := row.content_type)}
    for each in stays.of_kind(Kind.STORY):
        users |= dict.fromkeys(each.components, each.name)
    known = {each.number for each in stays.of_kind(Kind.STORY)}
    foreign = {row.story_id for row in others} - known
    nested = _nestable(lists) if all(row.content_type for row in others) else None

    async def ask(component: Reverse) -> None:
        rows = await job.client.stories(contain_component=component.name)
        for row in rows:
            if row.story_id in foreign:
                users.setdefault(component.name, row.full_slug)

    if foreign:
        await together(
            ask(each)
            for each in stays.going()
            if each.kind is Kind.COMPONENT
            and each.name not in users
            and (nested is None or each.number in nested)
        )
    return users


def _nestable(lists: Snapshot) -> frozenset[int]:
    return frozenset(
        each.component_id for each in lists.components if each.body.get("is_nestable")
    )


def _slugs(component: Component) -> Iterator[str]:
    schema = component.body.get("schema")
    for each in schema.values() if isinstance(schema, dict) else ():
        slug = each.get("datasource_slug") if isinstance(each, dict) else None
        if isinstance(slug, str):
            yield slug


def ending_links(stays: Stays) -> Iterator[str]:
    """Yield the links of stories that stay to stories that go, a sentence each."""
    targets = {
        row.story_record.uuid: row.story_record.full_slug
        for each in stays.going()
        if isinstance(row := each.row, ItemRow) and row.story_record is not None
    }
    for each in stays.of_kind(Kind.STORY):
        paths = sorted(targets[uuid] for uuid in targets.keys() & each.mentions)
        if paths:
            yield (
                f"`{each.name}`, which stays, leads to what goes: "
                f"{first_of(paths, _SHOWN)}; correct it there."
            )


def removal_order(ours: Reverse) -> tuple[int, str]:
    """Return what sorts folders, each before those above it; others stay in order."""
    is_folder = ours.kind is Kind.FOLDER
    return (-ours.name.count("/"), ours.name) if is_folder else (0, "")


def stays_sentence(ours: Reverse, how: str, what: str) -> str:
    """Return why something stays that uses, or is used by, what stays."""
    return f"The {ours.called} {how} `{what}`, which stays, so it stays."
