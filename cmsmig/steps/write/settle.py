"""The open intents of a killed run, looked up; the same for import and rollback."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from cmsmig.destination.schema import StoryRow
from cmsmig.ledger.rows import Intent
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.select.story_paths import FolderPlan
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Resource, Rules
from cmsmig.reconcile.rules.asset_folder import ASSET_FOLDERS
from cmsmig.reconcile.rules.component import ComponentRules
from cmsmig.reconcile.rules.datasource import DATASOURCES
from cmsmig.reconcile.rules.folder import FOLDERS
from cmsmig.steps.snapshot import Snapshot

D = TypeVar("D")
A = TypeVar("A")


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
