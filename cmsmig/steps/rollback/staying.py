"""What of ours stays, and why: what was edited, what that uses, what holds it.

An edit may be decided: with `ours` for all that was edited it is removed all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.counting import first_of
from cmsmig.destination.schema import Component, StoryRow
from cmsmig.ledger.rows import AssetRow, ItemRow
from cmsmig.mapping.decisions.conflicts import WHOLE, ConflictsDecision, Side
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.pieces import Left, Piece, Reason
from cmsmig.steps.rollback.standing import Standing
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import together

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sorted:
    """What goes, and what stays."""

    going: tuple[Standing, ...]
    left: tuple[Left, ...]
    notes: tuple[str, ...]
    """Links of stories that stay to stories that go, a sentence each."""


async def sort_out(
    job: RollbackJob, lists: Snapshot, there: Iterable[Standing]
) -> Sorted:
    """Return which of what is there goes, and which stays.

    Asks, for each component that others can nest, which stories hold it.
    """
    known = list(there)
    stays = _Stays.edited(job.decided, known)
    stories = [row for row in lists.stories if not row.is_folder]
    going = {each.piece.own for each in known if each.piece.kind is Kind.STORY}
    going -= {each.piece.own for each in stays.of_kind(Kind.STORY)}
    others = [row for row in stories if row.story_id not in going]
    await _keep_components(job, lists, stays, others)
    _keep_datasources(lists, stays)
    _keep_assets(lists, stays)
    _keep_folders(lists, stays)
    return Sorted(
        tuple(stays.going()), tuple(stays.left.values()), tuple(_ending_links(stays))
    )


@dataclass(slots=True)
class _Stays:
    """What is there, and what of it stays, by kind and number."""

    there: Mapping[tuple[Kind, int], Standing]
    left: dict[tuple[Kind, int], Left]

    @classmethod
    def edited(cls, decided: ConflictsDecision, there: Iterable[Standing]) -> _Stays:
        by_number = {(each.piece.kind, each.piece.own): each for each in there}
        left = {
            own: _edited(each)
            for own, each in by_number.items()
            if each.fields and not _is_given_up(decided, each)
        }
        return cls(by_number, left)

    def of_kind(self, kind: Kind) -> Iterator[Standing]:
        """Yield what stays of a kind."""
        return (self.there[own] for own in self.left if own[0] is kind)

    def going(self) -> Iterator[Standing]:
        """Yield what goes."""
        return (each for own, each in self.there.items() if own not in self.left)

    def goes(self, kind: Kind, own: int) -> bool:
        """Return whether something is ours and goes."""
        return (kind, own) in self.there and (kind, own) not in self.left

    def keep(self, piece: Piece, reason: Reason, text: str) -> None:
        """Let something stay, unless it does already."""
        self.left.setdefault((piece.kind, piece.own), Left(piece, reason, text))


def _is_given_up(decided: ConflictsDecision, standing: Standing) -> bool:
    """Return whether somebody decided that what was edited goes all the same."""
    kind = standing.piece.kind.decided_as
    if kind is None:
        return False
    sides = (
        decided.side(kind, standing.piece.name, field, standing.seen)
        for field in standing.fields
    )
    return all(side is Side.OURS for side in sides)


def _edited(standing: Standing) -> Left:
    piece = standing.piece
    what = first_of(standing.fields, _SHOWN)
    cure = "delete it there"
    if kind := piece.kind.decided_as:
        cure += (
            f", or decide `take: ours` for {kind} `{piece.name}`, field '{WHOLE}', "
            "under `edits` in decisions/conflicts.yaml"
        )
    return Left(
        piece,
        Reason.EDITED,
        f"The {_one(piece)} was edited in the space after this import wrote it ({what})"
        f", so it stays; {cure}, and run this again.",
        standing.fields,
        standing.seen,
    )


def _one(piece: Piece) -> str:
    return f"{piece.kind.noun()} `{piece.name}`"


async def _keep_components(
    job: RollbackJob, lists: Snapshot, stays: _Stays, others: Sequence[StoryRow]
) -> None:
    """Keep what a story that stays is made of: it would show no schema otherwise."""
    users = {name: row.full_slug for row in others if (name := row.content_type)}
    for standing in stays.of_kind(Kind.STORY):
        users |= dict.fromkeys(standing.components, standing.piece.name)
    going = [each.piece for each in stays.going() if each.piece.kind is Kind.COMPONENT]
    known = {standing.piece.own for standing in stays.of_kind(Kind.STORY)}
    foreign = {row.story_id for row in others} - known
    nested = _nestable(lists) if all(row.content_type for row in others) else None

    async def ask(piece: Piece) -> None:
        rows = await job.client.stories(contain_component=piece.name)
        for row in rows:
            if row.story_id in foreign:
                users.setdefault(piece.name, row.full_slug)

    if foreign:
        await together(
            ask(piece)
            for piece in going
            if piece.name not in users and (nested is None or piece.own in nested)
        )
    for piece in going:
        if user := users.get(piece.name):
            text = f"The {_one(piece)} is used by `{user}`, which stays, so it stays."
            stays.keep(piece, Reason.USED, text)


def _nestable(lists: Snapshot) -> frozenset[int]:
    return frozenset(
        each.component_id for each in lists.components if each.body.get("is_nestable")
    )


def _keep_datasources(lists: Snapshot, stays: _Stays) -> None:
    """Keep what a component that stays draws its options from."""
    users = {
        slug: each.name
        for each in lists.components
        if not stays.goes(Kind.COMPONENT, each.component_id)
        for slug in _slugs(each)
    }
    for each in [*stays.going()]:
        piece = each.piece
        if piece.kind is Kind.DATASOURCE and (user := users.get(piece.name)):
            text = (
                f"The {_one(piece)} is used by the component `{user}`, which stays, so "
                "it stays."
            )
            stays.keep(piece, Reason.USED, text)


def _slugs(component: Component) -> Iterator[str]:
    schema = component.body.get("schema")
    for field in schema.values() if isinstance(schema, dict) else ():
        slug = field.get("datasource_slug") if isinstance(field, dict) else None
        if isinstance(slug, str):
            yield slug


def _keep_assets(lists: Snapshot, stays: _Stays) -> None:
    """Keep the files that an edited story shows, and the folders that hold any."""
    shown: dict[str | int, str] = {}
    for standing in stays.of_kind(Kind.STORY):
        shown |= dict.fromkeys(standing.mentions, standing.piece.name)
    for each in [*stays.going()]:
        row = each.piece.row
        if isinstance(row, AssetRow) and shown:
            user = shown.get(each.piece.own) or shown.get(row.content_url)
            if user:
                text = (
                    f"The {_one(each.piece)} is shown by `{user}`, which stays, so it "
                    "stays."
                )
                stays.keep(each.piece, Reason.USED, text)
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
    for each in [*stays.going()]:
        held = holding.get(each.piece.own)
        if each.piece.kind is Kind.ASSET_FOLDER and held:
            stays.keep(each.piece, Reason.HOLDS, holds_sentence(each.piece, held))


def _keep_folders(lists: Snapshot, stays: _Stays) -> None:
    """Keep each folder in which anything stays, the deepest first."""
    inside: dict[int, list[StoryRow]] = {}
    for row in lists.stories:
        inside.setdefault(row.parent_id, []).append(row)
    for piece in deepest_first(each.piece for each in stays.going()):
        for row in inside.get(piece.own, ()):
            kind = Kind.FOLDER if row.is_folder else Kind.STORY
            if not stays.goes(kind, row.story_id):
                text = holds_sentence(piece, row.full_slug)
                stays.keep(piece, Reason.HOLDS, text)
                break


def _ending_links(stays: _Stays) -> Iterator[str]:
    targets = {
        row.home.uuid: row.home.full_slug
        for each in stays.going()
        if isinstance(row := each.piece.row, ItemRow) and row.home is not None
    }
    for standing in stays.of_kind(Kind.STORY):
        paths = sorted(
            path for uuid, path in targets.items() if uuid in standing.mentions
        )
        if paths:
            yield (
                f"`{standing.piece.name}`, which stays, leads to what goes: "
                f"{first_of(paths, _SHOWN)}; correct it there."
            )


def deepest_first(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the folders among pieces, each before those above it."""
    folders = [piece for piece in pieces if piece.kind is Kind.FOLDER]
    return sorted(folders, key=lambda each: (-each.name.count("/"), each.name))


def holds_sentence(piece: Piece, held: str) -> str:
    """Return why a folder stays, for an editor."""
    return f"The {_one(piece)} holds `{held}`, which stays, so it stays."
