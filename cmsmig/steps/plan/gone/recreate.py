"""What happens to objects that are gone: made again on request, else listed.

The request is final: the ledger forgets what is gone, at once and for good, so that
a run which is killed then creates it like anything new.
"""

from __future__ import annotations

from collections.abc import Iterable

from cmsmig.counting import first_of
from cmsmig.errors import PreflightError, UsageError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.intents import DELETE
from cmsmig.ledger.rows import GONE, AssetRow, ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import GoneAction
from cmsmig.reconcile.kinds import Kind
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.edits.written_stories import language_paths
from cmsmig.steps.plan.gone.missing_objects import Gone, GoneThing
from cmsmig.steps.plan.recorded import forget

REMEDY = (
    "restore it there, or run `cmsmig import --recreate` to have everything that is "
    "gone made again, or decide about it in notebook 04, or under `gone` in "
    "decisions/conflicts.yaml"
)
_WHY = f"it was deleted at the destination after an import brought it; {REMEDY}"
_BUILDING = ("import", "prepare", "create")
"""Commands that import what needs components and folders."""
_MAKING = {
    "import": frozenset(Kind),
    "prepare": frozenset(Kind),
    "create": frozenset({Kind.STORY}),
}
"""What each command can begin to make again. What `prepare` forgets of the stories,
`create` makes."""
_SHOWN = 3


def record_missing(ledger: Ledger, gone: Gone, migration: Migration) -> None:
    """Write into the ledger which objects are gone and which exist again.

    The ledger forgets what nothing needs any more, and what is to be made again. The
    rest counts as failed, or as skipped where that was decided.
    """
    things = [each for each in gone.things if _is_forgotten(each)]
    keys = [each.row.key for each in things if isinstance(each.row, ItemRow)]
    left = language_paths(migration, ledger, keys)
    forget(ledger, (each for each in things if not each.record_left), left)
    for each in things:
        if each.record_left and isinstance(each.row, AssetRow):
            ledger.inventory.release_asset(each.row)
    _list(ledger, gone.undecided.things)
    ledger.items.left_out(
        each.row.key
        for each in gone.things
        if each.is_left_out
        and isinstance(each.row, ItemRow)
        and not each.row.is_left_out
    )
    _recover(ledger, gone)
    _settle_deletions(ledger, gone)


def _is_forgotten(thing: GoneThing) -> bool:
    if thing.is_left_out or thing.outside:
        return False
    return not thing.needed or thing.action is GoneAction.RECREATE


def is_blocked(gone: Gone, command: str) -> bool:
    """Return whether a command can bring nothing, since what it builds on is gone."""
    return command in _BUILDING and any(
        each.kind not in (Kind.STORY, Kind.ASSET) for each in gone.undecided.things
    )


def refuse_partial(gone: Gone, command: str) -> None:
    """Raise `UsageError` when a command would make again only part of what is gone.

    Relations would be taken out for stories that it does not make.
    """
    making = (each for each in gone.needed if each.action is GoneAction.RECREATE)
    if {each.kind for each in making} - _MAKING.get(command, frozenset()):
        raise UsageError(
            f"`cmsmig {command}` cannot make again everything that is gone; run "
            "`cmsmig import --recreate`, or `cmsmig prepare --recreate` and the steps "
            "after it."
        )


def refuse_gone(gone: Gone, command: str) -> None:
    """Raise `PreflightError` when what a command builds on is gone."""
    if is_blocked(gone, command):
        raise PreflightError(gone_sentence(gone, ", so nothing was written"))


def gone_sentence(gone: Gone, also: str = "") -> str:
    """Return what is gone and what to do about it, for an editor."""
    parts = [
        f"{len(names)} {kind.noun(len(names))} ({first_of(names, _SHOWN, ', ')})"
        for kind, names in gone.names().items()
    ]
    return (
        f"The space no longer has what an import brought ({', '.join(parts)}){also}; "
        f"{REMEDY}."
    )


def _settle_deletions(ledger: Ledger, gone: Gone) -> None:
    """Close what a killed rollback intended: the snapshot is younger than that."""
    deleted = {each.subject for each in gone.things}
    for intent in ledger.intents.open(DELETE):
        outcome = "done" if intent.subject in deleted else "not_applied"
        ledger.intents.settle(DELETE, intent.subject, outcome)


def _list(ledger: Ledger, things: Iterable[GoneThing]) -> None:
    stories: dict[ItemKey, str] = {}
    for each in things:
        if isinstance(each.row, ItemRow) and each.row.reason != GONE:
            stories[each.row.key] = f"The story `{each.name}` is gone: {_WHY}."
        elif isinstance(each.row, AssetRow) and not each.row.is_gone:
            why = f"The file `{each.name}` is gone: {_WHY}."
            ledger.inventory.asset_gone(each.row, why)
    ledger.items.gone(stories)


def _recover(ledger: Ledger, gone: Gone) -> None:
    """Give their states back to what was gone and was restored."""
    still = gone.keys(Kind.STORY)
    for key, item in ledger.items.all().items():
        if item.is_gone and key not in still:
            ledger.items.recovered(key)
    hashes = gone.keys(Kind.ASSET)
    for sha256, asset in ledger.inventory.assets().items():
        if asset.is_gone and sha256 not in hashes:
            ledger.inventory.asset_there(asset)
