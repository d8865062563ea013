"""The outcome of a rollback: the space listed again, compared with what it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.removal import Removal
from cmsmig.steps.rollback.reverse import Reason, Reverse, counts, is_there
from cmsmig.steps.rollback.rollback_plan import RollbackPlan
from cmsmig.steps.snapshot import Snapshot, read_lists


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a rollback ended."""

    plan: RollbackPlan
    removed: tuple[Reverse, ...] = ()
    left: tuple[Reverse, ...] = ()
    """Everything of ours that still exists."""
    changed: tuple[str, ...] = ()
    """What others changed in the space meanwhile, a phrase each."""
    writes: int = 0
    """Requests that changed the destination."""

    @property
    def exit_code(self) -> int:
        """Return 1 when something of ours is left, and listed, else 0."""
        return 1 if self.left else 0

    def as_json(self) -> JsonObject:
        """Return the document that `rollback --json` prints."""
        removed = counts(self.removed)
        return {
            "plan": self.plan.as_json(),
            "removed": {str(kind): count for kind, count in removed.items()},
            "left": [each.as_json() for each in self.left],
            "changed_meanwhile": [*self.changed],
            "writes": self.writes,
        }


async def check_space(
    job: RollbackJob, plan: RollbackPlan, removal: Removal
) -> Outcome:
    """Return what is left of ours, and what else differs from before. Reads only."""
    left = [*plan.left, *removal.left]
    changed: tuple[str, ...] = ()
    if plan.going:
        listed = _shown(await read_lists(job.client, plan.before))
        for each in removal.removed:
            # A list may lag behind: what it shows is read singly.
            shown = (each.kind, each.number) in listed
            if shown and await is_there(job.client, each):
                left.append(each.kept(Reason.STILL_THERE, _still_there(each)))
        then, now = _shown(plan.before), listed
        for each in (*plan.going, *plan.gone, *plan.left):
            then.pop((each.kind, each.number), None)
            now.pop((each.kind, each.number), None)
        changed = tuple(_changes(then, now))
    return Outcome(
        plan,
        removed=tuple(removal.removed),
        left=tuple(left),
        changed=changed,
        writes=job.observer.writes,
    )


def _still_there(ours: Reverse) -> str:
    return (
        f"The {ours.called} is still there, though the service "
        "said that it was deleted; delete it there."
    )


def _shown(lists: Snapshot) -> dict[tuple[Kind, int], tuple[str, str]]:
    """Return what is listed, by kind and number: its name and a fingerprint of it."""
    return dict(_rows(lists))


def _rows(lists: Snapshot) -> Iterator[tuple[tuple[Kind, int], tuple[str, str]]]:
    for row in lists.stories:
        kind = Kind.FOLDER if row.is_folder else Kind.STORY
        # What goes out of a folder may change its date.
        changed = "" if row.is_folder else row.updated_at
        shown = (row.full_slug, fingerprint([row.full_slug, changed]))
        yield (kind, row.story_id), shown
    for component in lists.components:
        shown = (component.name, fingerprint(component.body))
        yield (Kind.COMPONENT, component.component_id), shown
    for asset in lists.assets.values():
        state = fingerprint([asset.content_url, asset.alt, asset.asset_folder_id])
        shown = (asset.content_url.rpartition("/")[2], state)
        yield (Kind.ASSET, asset.asset_id), shown
    for folder in lists.asset_folders:
        shown = (folder.name, fingerprint([folder.name, folder.parent_id]))
        yield (Kind.ASSET_FOLDER, folder.folder_id), shown
    for source in lists.datasources:
        shown = (source.slug, fingerprint([source.slug, source.name]))
        yield (Kind.DATASOURCE, source.datasource_id), shown


def _changes(
    before: Mapping[tuple[Kind, int], tuple[str, str]],
    after: Mapping[tuple[Kind, int], tuple[str, str]],
) -> Iterable[str]:
    for own in sorted(before.keys() | after.keys()):
        then, now = before.get(own), after.get(own)
        if then == now:
            continue
        name, _ = now or then or ("", "")
        verb = "is gone" if now is None else "is new" if then is None else "changed"
        yield f"{own[0].noun()} {name} {verb}"
