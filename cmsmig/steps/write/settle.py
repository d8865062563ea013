"""The open intents of a killed run, looked up; the same for import and rollback."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from cmsmig.destination.schema import AssetFolder, Component, StoryRow
from cmsmig.ledger.rows import Intent
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Resource, Rules
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES, StoredDatasource
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.snapshot import folder_at

D = TypeVar("D")
A = TypeVar("A")


def settle_objects(
    ledger: Ledger,
    stories: Sequence[StoryRow],
    components: Iterable[Component],
    asset_folders: Iterable[AssetFolder],
    sources: Mapping[str, StoredDatasource | None],
    plans: Iterable[FolderPlan] = (),
) -> None:
    """Record the outcome of each intended write, as the lists of the space show it.

    The lists are younger than those requests. Datasources that `sources` does not name
    keep their intents, because their entries were not read.
    """
    by_name = {each.name: each for each in components}
    assets = {each.name: each for each in asset_folders}
    wanted = {each.path: each for each in plans}
    known = ledger.inventory.made(Kind.FOLDER)
    by_id = {row.story_id: row for row in stories if row.is_folder}

    def folder(path: str) -> StoryRow | None:
        made = known.get(path)
        there = by_id.get(made.destination_id) if made else None
        is_same = made is not None and there is not None and there.uuid == made.uuid
        return there if is_same else folder_at(stories, path)

    opened = {kind: ledger.intents.open(kind) for kind in Kind}
    listed = [each for each in opened[Kind.DATASOURCE] if each.subject in sources]
    _settle(ledger, opened[Kind.COMPONENT], ComponentRules(), by_name.get)
    _settle(ledger, listed, DATASOURCES, sources.get)
    _settle(ledger, opened[Kind.FOLDER], FOLDERS, folder, wanted.get)
    _settle(ledger, opened[Kind.ASSET_FOLDER], ASSET_FOLDERS, assets.get)


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
