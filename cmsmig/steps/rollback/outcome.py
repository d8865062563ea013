"""The outcome of a rollback: the space listed again, compared with what it was."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.destination.schema import (
    Asset,
    AssetFolder,
    Component,
    Datasource,
    StoryRow,
)
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.rollback.job import RollbackJob
from cmsmig.steps.rollback.removal import Removal
from cmsmig.steps.rollback.reverse import Reason, Reverse, is_there
from cmsmig.steps.rollback.rollback_plan import RollbackPlan, counts_json
from cmsmig.steps.snapshot import Listed, Snapshot, read_lists


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
        return {
            "plan": self.plan.as_json(),
            "removed": counts_json(self.removed),
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
        f"The {ours.called} is still there, though the service said that it was "
        "deleted; delete it there."
    )


def _shown(lists: Snapshot) -> dict[tuple[Kind, int], tuple[str, str]]:
    """Return what is listed, by kind and number: its name and a fingerprint of it."""
    found = ((key, *_state(each)) for key, each in lists.objects().items())
    return {key: (name, fingerprint(state)) for key, name, state in found}


def _state(listed: Listed) -> tuple[str, Json]:
    match listed:
        case StoryRow(full_slug=path):
            # What goes out of a folder may change its date.
            return path, [path, "" if listed.is_folder else listed.updated_at]
        case Component(name=name):
            return name, listed.body
        case Asset(content_url=url):
            state: Json = [url, listed.alt, listed.asset_folder_id]
            return url.rpartition("/")[2], state
        case AssetFolder(name=name):
            return name, [name, listed.parent_id]
        case Datasource(slug=slug):
            return slug, [slug, listed.name]


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
