"""What a person decides in one step."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.proofs.machine import commands, components
from tests.proofs.machine.book import Days, Step
from tests.proofs.machine.decided import (
    ANY,
    COMPONENT,
    DELETE,
    DESTINATION,
    KEEP,
    LEAVE_OUT,
    ORIGIN,
    OURS,
    RECREATE,
    STORY,
    THEIRS,
    UNPUBLISH,
    Decisions,
    Edit,
    Gone,
)
from tests.proofs.machine.editors import both_edit, save_again
from tests.proofs.machine.seen import (
    FOLDER_ID,
    FRENCH_LINE,
    FRENCH_NAME,
    FRENCH_SLUG,
    LINE,
    NAME,
    PUBLISHED,
    SLUG,
    TEXT,
    look,
    pick,
)
from tests.proofs.machine.site import CLEANING, FILES
from tests.proofs.machine.things import things

_FIELDS = (NAME, SLUG, FOLDER_ID, LINE, TEXT, PUBLISHED, ANY)
_FRENCH = (FRENCH_LINE, FRENCH_NAME, FRENCH_SLUG)
_GONE = (
    (DESTINATION, RECREATE),
    (DESTINATION, LEAVE_OUT),
    (ORIGIN, KEEP),
    (ORIGIN, UNPUBLISH),
    (ORIGIN, DELETE),
    (ORIGIN, DELETE),
)


def decide_edit(days: Days, step: Step) -> None:
    """Decide whose value a field of a story gets."""
    names = _FIELDS + (_FRENCH if days.world.setup.fields else ())
    what = _path(days, step.a)
    if what:
        take = THEIRS if step.b % 3 == 0 else OURS
        _decide_edit(days, Edit(what, names[step.b % len(names)], take))


def decide_every_edit(days: Days, step: Step) -> None:
    """Decide whose value a field of every story gets."""
    name = (NAME, LINE, PUBLISHED)[step.b % 3]
    _decide_edit(days, Edit(ANY, name, THEIRS if step.a % 2 else OURS))


def decide_moves(days: Days, step: Step) -> None:
    """Decide that every page moves as the origin has it."""
    names = (SLUG, FOLDER_ID, FRENCH_SLUG)
    name = names[step.b % (3 if days.world.setup.fields else 2)]
    _decide_edit(days, Edit(ANY, name, OURS))


def decide_component(days: Days, step: Step) -> None:
    """Decide whose value a part of the component gets."""
    name = components.PARTS[step.b % len(components.PARTS)]
    take = THEIRS if step.a % 2 else OURS
    _decide_edit(days, Edit(components.NAME, name, take, kind=COMPONENT))


def decide_conflict(days: Days, step: Step) -> None:
    """Decide about a conflict as a plan shows it, which has one; perhaps it is edited
    again then."""
    if not _is_decided(days, step):
        both_edit(days, step)
        commands.pull(days, step)
        _is_decided(days, step)


def _is_decided(days: Days, step: Step) -> bool:
    document = commands.plan(days)
    there = things(days, look(days.world))
    numbers = {(each.kind, each.what): own for own, each in there.items()}
    shown = [
        each
        for each in (document or {}).get("edit_conflicts", ())
        if each["field"]
        in getattr(there.get(numbers.get((each["kind"], each["what"]), -1)), "ours", ())
    ]
    chosen = pick(shown, step.a)
    if chosen is None:
        return False
    kind, what, name = chosen["kind"], chosen["what"], chosen["field"]
    own = numbers[kind, what]
    edit = Edit(what, name, THEIRS if step.b % 2 else OURS, kind=kind)
    if step.b % 3:
        theirs = there[own].theirs[name]
        edit = replace(edit, seen=theirs, fingerprint=chosen["seen"])
    _decide_edit(days, edit)
    if kind == STORY and step.b % 4 == 0:
        save_again(days, step, own, name)
    return True


def decide_publication(days: Days, step: Step) -> None:
    """Decide that what is live is published, or that nothing is; perhaps also that what
    is public and is not to be is taken from visitors."""
    decided = days.book.decisions
    wanted = step.b % 3 > 0
    if wanted != decided.publishing:
        choices = ("nothing", "what_is_live")
        old, new = choices if wanted else choices[::-1]
        days.world.decide("collections.yaml", f"publish: {old}\n", f"publish: {new}\n")
        _write(days, replace(decided, publishing=wanted))
    if step.a % 2:
        _decide_edit(days, Edit(ANY, PUBLISHED, OURS))


def decide_cleaning(days: Days, step: Step) -> None:
    """Decide which operations clean the items, or none."""
    days.book.cleaning = step.b % 4
    reviewed = {"by": "she", "at": "2026-01-01T00:00:00+00:00", "how": "in bulk"}
    operations = [
        {**each, "reviewed": reviewed}
        for number, each in enumerate(CLEANING)
        if days.book.cleaning >> number & 1
    ]
    path = days.world.folder / "decisions" / "cleaning.yaml"
    path.write_text(json.dumps({"operations": operations}))
    days.book.stirred = True


def decide_gone(days: Days, step: Step) -> None:
    """Decide about objects that one side no longer has, perhaps about one story
    differently from all."""
    side, action = _GONE[step.b % len(_GONE)]
    what = ANY if step.b // 6 % 2 else _gone_path(days, side, step.a)
    if not what:
        return
    decided = days.book.decisions.with_gone(Gone(side, what, action))
    if what != ANY and step.b // 12 % 2:
        others = (each for of, each in _GONE[::-1] if of == side and each != action)
        decided = decided.with_gone(Gone(side, ANY, next(others)))
    _write(days, decided)


def decide_gone_thing(days: Days, step: Step) -> None:
    """Decide about a file or the component that an editor deleted."""
    what = (components.NAME, *FILES)[step.a % 3]
    action = RECREATE if step.b % 3 else LEAVE_OUT
    _write(days, days.book.decisions.with_gone(Gone(DESTINATION, what, action)))


def forget_decisions(days: Days, step: Step) -> None:
    """Take all decisions about conflicts back."""
    del step
    forgotten = Decisions(publishing=days.book.decisions.publishing)
    if days.book.decisions != forgotten:
        _write(days, forgotten)


def design_moves(days: Days, step: Step) -> None:
    """The design names another folder."""
    del step
    old = days.book.folder
    new = "archive" if old == "notes" else "notes"
    days.world.decide("design.yaml", f"folder: {old}\n", f"folder: {new}\n")
    days.book.folder = new
    days.book.stirred = True


def _path(days: Days, number: int) -> str:
    """Return the path of a story, which may be in the trash; most are not."""
    stories = look(days.world).values()
    paths = sorted(each.path for each in stories if not each.trashed or number % 3 == 0)
    return pick(paths, number) or ""


def _gone_path(days: Days, side: str, number: int) -> str:
    """Return the path of a story that is gone on a side, or of any."""
    gone = sorted(
        each.path
        for each in look(days.world).values()
        if (
            each.trashed
            if side == DESTINATION
            else days.book.is_gone(each.key, days.world.setup)
        )
    )
    return pick(gone, number) or _path(days, number)


def _decide_edit(days: Days, edit: Edit) -> None:
    _write(days, days.book.decisions.with_edit(edit))


def _write(days: Days, decided: Decisions) -> None:
    days.book.decisions = decided
    edits = [
        {
            "kind": each.kind,
            "what": each.what,
            "field": each.field,
            "take": each.take,
            "seen": each.fingerprint,
        }
        for each in decided.edits
    ]
    gone = [
        {"from": each.side, "what": each.what, "action": each.action}
        for each in decided.gone
    ]
    path = days.world.folder / "decisions" / "conflicts.yaml"
    head = path.read_text().partition("conflicts:")[0]
    body = {"conflicts": [], "edits": edits, "gone": gone}
    lines = (f"{name}: {json.dumps(value)}\n" for name, value in body.items())
    path.write_text(head + "".join(lines))
    days.book.stirred = True
