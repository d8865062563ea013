"""What is true before and after a step, by the ledger's rows, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.counting import counted, first_of
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.rules.publication import Showing
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.plan import Plan

_LINKED = ("nothing", "linked")
_MADE_BY_PREPARE = {
    "create_components": "component",
    "create_datasources": "datasource",
    "create_folders": "folder",
}
_UNSAID: Mapping[ItemKey, str] = {}
_EDITED = "an editor has unpublished changes in it"
_MISSING = "it was deleted in the space"
_SHOWN = 3
"""Stories that are named because the step is not done for them."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What the destination has of what a step was to bring there."""

    sentence: str
    next_step: str
    """What comes next once the step has ended in order."""
    is_whole: bool


def step_result(
    step: str, migration: Migration, ledger: Ledger, plan: Plan
) -> StepResult:
    """Return what the destination has now of what a step was to bring; for a pilot, of
    the pilot alone. Reads only.
    """
    if step == "prepare":
        return _prepared(migration, ledger)
    rows = ledger.items.all()
    wanted = {each.item.key: rows.get(each.item.key) for each in migration.selected}
    chosen = {key for key, row in wanted.items() if not (row and row.is_left_out)}
    missing = plan.gone.needed.keys(Kind.STORY)
    why = {key: _MISSING for key in chosen if key in missing}
    present = chosen - why.keys()
    there = {
        key: row
        for key, row in wanted.items()
        if key in present and row and row.story_record and not row.is_gone
    }
    of = "" if migration.pilot.is_whole else " of the pilot"
    if step == "create":
        done = {key: key in there for key in chosen}
        return _result(wanted, done, f"{of} exist", "Next: 06, links.", why)
    if step == "link":
        # A story that was there before is used as it is: nothing is filled in it.
        linked = {
            key: row.link_state in _LINKED
            for key, row in there.items()
            if row.story_record and row.story_record.made
        }
        said = f"{of} have their relations and links"
        return _result(wanted, linked, said, "Next: publication, below.")
    asked = migration.to_publish & chosen
    return _published(wanted, there, asked, plan, of, why)


def _published(
    wanted: Mapping[ItemKey, ItemRow | None],
    there: Mapping[ItemKey, ItemRow],
    asked: Set[ItemKey],
    plan: Plan,
    of: str,
    missing: Mapping[ItemKey, str],
) -> StepResult:
    """Return how many of the stories that are asked for were published; those that
    editors unpublished stay so."""
    next_step = "Next: 07, verify."
    showing = plan.details.showing if plan.details else {}
    due = {key for key in asked if showing.get(key) is not Showing.WITHDRAWN}
    hidden = counted(len(asked - due), "story", "stories")
    stays = f" Unpublished by editors: {hidden}." if asked - due else ""
    if not due:
        said = f"No story is to be published.{stays}"
        return StepResult(said, next_step, True)
    waits = {e.what: e.why for e in plan.edit_conflicts if e.field == PUBLISHED}
    why = {key: _EDITED for key in due if showing.get(key) is Showing.WAITING}
    why |= {**missing} | {
        key: waits[row.story_record.full_slug]
        for key, row in there.items()
        if row.story_record and row.story_record.full_slug in waits
    }
    public = {key: key in there and bool(there[key].published) for key in due}
    said = f"{of} that are to be published have been"
    found = _result(wanted, public, said, next_step, why)
    return replace(found, sentence=f"{found.sentence}{stays}")


def _result(
    rows: Mapping[ItemKey, ItemRow | None],
    done: Mapping[ItemKey, bool],
    said: str,
    next_step: str,
    why: Mapping[ItemKey, str] = _UNSAID,
) -> StepResult:
    """Return how many stories are `done`, and name those that are not, and `why` where
    the ledger does not say it."""
    if not done:
        return StepResult("There is no story to do this for.", next_step, True)
    left = sorted(key for key, is_done in done.items() if not is_done)
    if not left:
        many = f"All {len(done):,}" if len(done) > 1 else "1 of 1"
        return StepResult(f"{many} stories{said}.", next_step, True)
    many = f"{len(done) - len(left):,} of {len(done):,}"
    if len(left) == len(done) and not any(
        (row := rows[key]) and row.explanation for key in left
    ):
        return StepResult(f"{many} stories{said}.", next_step, False)
    missing = [_named(key, rows[key], why.get(key, "")) for key in left]
    names = first_of(missing, _SHOWN, between="; ")
    return StepResult(f"{many} stories{said}. Not: {names}.", next_step, False)


def _named(key: ItemKey, row: ItemRow | None, why: str) -> str:
    """Return the name of an item, and why it is not done."""
    if row is None:
        return f"{key} (not imported yet)"
    why = row.explanation.rstrip(".") or why
    if not why and row.link_state == "pending":
        why = "it refers to an item without a story"
    return f"{row.name} ({why or 'not done yet'})"


def _prepared(migration: Migration, ledger: Ledger) -> StepResult:
    """Return what stories need: components, folders and files."""
    assets = ledger.inventory.assets()
    proven = {key for key, row in assets.items() if row.status == "proven"}
    components = {each.name for each in component_bodies(migration.design)}
    folders = {each.path for each in migration.places.folders}
    uploads = {each.sha256 for each in migration.files.uploads}
    missing = len(migration.files.missing)
    counts = (
        (len(components & ledger.inventory.made("component").keys()), components),
        (len(folders & ledger.inventory.made("folder").keys()), folders),
        (len(uploads & proven), uploads),
    )
    names = ("component", "folder", "file")
    is_whole = all(there == len(wanted) for there, wanted in counts) and not missing
    have = [
        counted(there, name)
        if is_whole
        else f"{there:,} of {counted(len(wanted), name)}"
        for (there, wanted), name in zip(counts, names, strict=True)
    ]
    said = f"{have[0]}, {have[1]} and {have[2]} are there."
    if missing:
        said += f" {counted(missing, 'file')} could not be downloaded from the origin."
    return StepResult(said, "Next: 05, stories.", is_whole)


def missing_before(workspace: Workspace, step: str, plan: Plan) -> str:
    """Return what has to be done before a step, in one sentence; or empty."""
    if step == "prepare":
        return ""
    with Ledger.open_existing(workspace.project.ledger) as ledger:
        if step == "create":
            return _unprepared(ledger, plan)
        accounting = ledger.items.accounting()
        rows = ledger.items.all().values()
    unlinked = sum(row.link_state == "open" and row.status == "created" for row in rows)
    if step == "link" and not accounting.items:
        return "No story was created yet; create them in notebook 05 first."
    if step == "link" and accounting.open:
        return (
            f"Phase one is not over: {counted(accounting.open, 'item')} still without "
            "a story; create them in notebook 05 first."
        )
    if step == "publish" and unlinked:
        return (
            f"Links of {counted(unlinked, 'story is', 'stories are')} still to be "
            "filled; link the stories before any is published."
        )
    return ""


def _unprepared(ledger: Ledger, plan: Plan) -> str:
    """Return what stories need and the destination does not have yet."""
    # What is left after a run was refused, and fails only the stories that need it.
    was_run = ledger.was_run(plan.plan_hash, "prepare", "import")
    if was_run or not plan.calls.get("create_stories"):
        return ""
    assets = ledger.inventory.assets().values()
    failed = sum(row.status == "failed" and not row.is_gone for row in assets)
    untried = max(0, plan.calls.get("sign_uploads", 0) - failed)
    needs = {what: plan.calls.get(name, 0) for name, what in _MADE_BY_PREPARE.items()}
    wanted = [counted(n, what) for what, n in (*needs.items(), ("file", untried)) if n]
    if not wanted:
        return ""
    return (
        f"The destination is not prepared: {', '.join(wanted)} still to be made; "
        "prepare it in notebook 04 first."
    )
