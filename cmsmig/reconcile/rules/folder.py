"""Folders of stories. Editors may move one: only its name and the component that new
stories in it get are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import StoryRow
from cmsmig.ledger.rows import MadeRow
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.diff import Sides
from cmsmig.reconcile.resource import (
    BASE,
    SENT,
    Comparison,
    Resource,
    Rules,
    Verb,
    is_ours,
    made_row,
    part_of,
)

NAME = "name"
ROOT = "default_root"
_FIELDS = (NAME, ROOT)


@dataclass(frozen=True, slots=True)
class FolderRules(Rules[FolderPlan, StoryRow]):
    """The rules of folders."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """The ids of the folders that the ledger records, by path."""

    def own(self, actual: StoryRow) -> tuple[int, str]:
        """Return its number and uuid."""
        return actual.story_id, actual.uuid

    def sides(self, resource: Resource[FolderPlan, StoryRow]) -> Sides:
        """Return name and component on three sides.

        A list may lack the component: that is no edit.
        """
        row, plan, there = resource.recorded, resource.desired, resource.actual
        base = _fields(row.body if row else {})
        ours = base if plan is None else _fields(self.body(plan))
        if there is None:
            return Sides(base, ours, {})
        theirs: dict[str, Json] = {NAME: there.name}
        root = there.default_root or base.get(ROOT)
        if root and ROOT in (base | ours):
            theirs[ROOT] = root
        return Sides(base, ours, theirs)

    def body(self, desired: FolderPlan) -> JsonObject:
        """Return its name, slug and component."""
        body: JsonObject = {NAME: desired.name, "slug": desired.slug}
        return {**body, ROOT: desired.default_root} if desired.default_root else body

    def settled(self, resource: Resource[FolderPlan, StoryRow]) -> MadeRow | None:
        """Return the ledger's row: a folder at the path where a killed run was about to
        create one is ours."""
        row, there, intent = resource.recorded, resource.actual, resource.intent
        if intent is None or there is None:
            return row
        if row is None or not is_ours(row, there.story_id):
            return made_row(resource.ref, self.own(there), intent.body)
        sent, after = part_of(intent.body, SENT), part_of(intent.body, BASE)
        found = self.sides(resource).theirs
        applied = {name for name in sent if sent[name] == found.get(name)}
        ours = {name: after[name] for name in applied & after.keys()}
        return replace(row, body={**row.body, **ours})

    def edits(self, compared: Comparison[FolderPlan, StoryRow]) -> list[str]:
        """Return also whether an editor moved it. What is below a folder has its id as
        parent: one above it may have another slug now, which is no move."""
        row, there = compared.resource.recorded, compared.resource.actual
        if row is None or there is None:
            return []
        above, _, slug = row.name.rpartition("/")
        is_moved = there.full_slug.strip("/") != row.name
        parent = self.numbers.get(above, -1) if above else 0
        moves = {
            "slug": is_moved and there.slug != slug,
            "folder": is_moved and there.parent_id != parent,
            "uuid": there.uuid != row.uuid,
        }
        edits = Rules.edits(self, compared) if row.body else []
        return [*(name for name, moved in moves.items() if moved), *edits]

    def calls(self, compared: Comparison[FolderPlan, StoryRow]) -> Mapping[str, int]:
        """Return the call that makes it, or those that compare and change it."""
        if compared.verb is Verb.CREATE:
            return {"create_folders": 1}
        named = NAME in compared.diff.written
        return {
            "compare_folders": 1,
            "rename_folders" if named else "update_folders": 1,
        }


FOLDERS: Final = FolderRules()


def _fields(body: JsonObject) -> dict[str, Json]:
    return {name: body[name] for name in _FIELDS if body.get(name)}
