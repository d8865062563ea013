"""What of ours stays, and why: what was edited, what that uses, what holds it.

An edit may be decided: with `ours` for all that was edited it is removed all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.counting import first_of
from cmsmig.destination.typed_records import Component, StoryRow
from cmsmig.ledger.rows import AssetRow, ItemRow
from cmsmig.mapping.decisions.conflicts import WHOLE, ConflictsDecision, Side
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.reverse import Reason, Reverse
from cmsmig.steps.snapshot import Snapshot, story_kind
from cmsmig.steps.worker_pool import together

_SHOWN = 3


async def sort_out(
    job: RollbackJob, lists: Snapshot, there: Iterable[Reverse]
) -> Stays:
    """Return which of the objects go, and which stay.

    Asks, for each component that others can nest, which stories hold it.
    """
    known = list(there)
    stays = Stays.edited(job.decided, known)
    stories = [row for row in lists.stories if not row.is_folder]
    going = {each.number for each in known if each.kind is Kind.STORY}
    going -= {each.number for each in stays.of_kind(Kind.STORY)}
    others = [row for row in stories if row.story_id not in going]
    await _keep_components(job, lists, stays, others)
    _keep_datasources(lists, stays)
    _keep_assets(lists, stays)
    _keep_folders(lists, stays)
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

    def keep(self, ours: Reverse, reason: Reason, text: str) -> None:
        """Let something stay, unless it does already."""
        self.left.setdefault((ours.kind, ours.number), ours.kept(reason, text))


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


async def _keep_components(
    job: RollbackJob, lists: Snapshot, stays: Stays, others: Sequence[StoryRow]
) -> None:
    """Keep what a story that stays is made of: it would show no schema otherwise."""
    users = {name: row.full_slug for row in others if (name := row.content_type)}
    for each in stays.of_kind(Kind.STORY):
        users |= dict.fromkeys(each.components, each.name)
    going = [each for each in stays.going() if each.kind is Kind.COMPONENT]
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
            for each in going
            if each.name not in users and (nested is None or each.number in nested)
        )
    for each in going:
        if user := users.get(each.name):
            text = f"The {each.called} is used by `{user}`, which stays, so it stays."
            stays.keep(each, Reason.USED, text)


def _nestable(lists: Snapshot) -> frozenset[int]:
    return frozenset(
        each.component_id for each in lists.components if each.body.get("is_nestable")
    )


def _keep_datasources(lists: Snapshot, stays: Stays) -> None:
    """Keep what a component that stays draws its options from."""
    users = {
        slug: each.name
        for each in lists.components
        if not stays.goes(Kind.COMPONENT, each.component_id)
        for slug in _slugs(each)
    }
    for each in [*stays.going()]:
        if each.kind is Kind.DATASOURCE and (user := users.get(each.name)):
            text = (
                f"The {each.called} is used by the component `{user}`, which stays, so "
                "it stays."
            )
            stays.keep(each, Reason.USED, text)


def _slugs(component: Component) -> Iterator[str]:
    schema = component.body.get("schema")
    for field in schema.values() if isinstance(schema, dict) else ():
        slug = field.get("datasource_slug") if isinstance(field, dict) else None
        if isinstance(slug, str):
            yield slug


def _keep_assets(lists: Snapshot, stays: Stays) -> None:
    """Keep the files that an edited story shows, and the folders that hold any."""
    shown: dict[str | int, str] = {}
    for each in stays.of_kind(Kind.STORY):
        shown |= dict.fromkeys(each.mentions, each.name)
    for each in [*stays.going()]:
        row = each.row
        if isinstance(row, AssetRow) and shown:
            user = shown.get(each.number) or shown.get(row.content_url)
            if user:
                text = (
                    f"The {each.called} is shown by `{user}`, which stays, so it stays."
                )
                stays.keep(each, Reason.USED, text)
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
        held = holding.get(each.number)
        if each.kind is Kind.ASSET_FOLDER and held:
            stays.keep(each, Reason.HOLDS, holds_sentence(each, held))


def _keep_folders(lists: Snapshot, stays: Stays) -> None:
    """Keep each folder in which anything stays, the deepest first."""
    inside: dict[int, list[StoryRow]] = {}
    for row in lists.stories:
        inside.setdefault(row.parent_id, []).append(row)
    for folder in deepest_first(stays.going()):
        for row in inside.get(folder.number, ()):
            if not stays.goes(story_kind(row), row.story_id):
                text = holds_sentence(folder, row.full_slug)
                stays.keep(folder, Reason.HOLDS, text)
                break


def ending_links(stays: Stays) -> Iterator[str]:
    """Yield the links of stories that stay to stories that go, a sentence each."""
    targets = {
        row.story_record.uuid: row.story_record.full_slug
        for each in stays.going()
        if isinstance(row := each.row, ItemRow) and row.story_record is not None
    }
    for each in stays.of_kind(Kind.STORY):
        paths = sorted(path for uuid, path in targets.items() if uuid in each.mentions)
        if paths:
            yield (
                f"`{each.name}`, which stays, leads to what goes: "
                f"{first_of(paths, _SHOWN)}; correct it there."
            )


def deepest_first(ours: Iterable[Reverse]) -> list[Reverse]:
    """Return the folders of ours, each before those above it."""
    folders = [each for each in ours if each.kind is Kind.FOLDER]
    return sorted(folders, key=lambda each: (-each.name.count("/"), each.name))


def holds_sentence(folder: Reverse, held: str) -> str:
    """Return why a folder stays, for an editor."""
    return f"The {folder.called} holds `{held}`, which stays, so it stays."
