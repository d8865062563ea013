"""What a person decides in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.proofs.machine.days.book import ANY
from tests.proofs.machine.days.seen import (
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
)
from tests.proofs.machine.play import pick

if TYPE_CHECKING:
    from tests.proofs.machine.days.play import Days, Step

_FIELDS = (NAME, SLUG, FOLDER_ID, LINE, TEXT, PUBLISHED, ANY)
_FRENCH = (FRENCH_LINE, FRENCH_NAME, FRENCH_SLUG)
_GONE = (
    ("destination", "recreate"),
    ("destination", "leave_out"),
    ("origin", "keep"),
    ("origin", "unpublish"),
    ("origin", "delete"),
    ("origin", "delete"),
)


def decide_edit(days: Days, step: Step) -> None:
    """Decide whose value stands in a field of a story."""
    names = _FIELDS + (_FRENCH if days.stage.setup.fields else ())
    what = _path(days, step.a)
    if what:
        take = "theirs" if step.b % 3 == 0 else "ours"
        edit = {"kind": "story", "what": what, "take": take, "seen": ""}
        edit["field"] = names[step.b % len(names)]
        days.book.edits.append(edit)
        _write(days)


def decide_moves(days: Days, step: Step) -> None:
    """Decide that every page moves as the origin has it."""
    names = (SLUG, FOLDER_ID, FRENCH_SLUG)
    name = names[step.b % (3 if days.stage.setup.fields else 2)]
    edit = {"kind": "story", "what": ANY, "field": name, "take": "ours", "seen": ""}
    days.book.edits.append(edit)
    _write(days)


def decide_gone(days: Days, step: Step) -> None:
    """Decide what becomes of what one side no longer has."""
    side, action = _GONE[step.b % len(_GONE)]
    what = ANY if step.b // 6 % 2 else _path(days, step.a)
    if what:
        days.book.gone.append({"from": side, "what": what, "action": action})
        _write(days)


def forget_decisions(days: Days, step: Step) -> None:
    """Take all decisions about conflicts back."""
    del step
    if days.book.edits or days.book.gone:
        days.book.edits.clear()
        days.book.gone.clear()
        _write(days)


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


def _write(days: Days) -> None:
    """Write the decisions; of two about the same, the later one holds."""
    book = days.book
    edits = {(each["what"], each["field"]): each for each in book.edits}
    gone = {(each["from"], each["what"]): each for each in book.gone}
    book.edits[:], book.gone[:] = edits.values(), gone.values()
    days.world.write_conflicts(book.edits, book.gone)
    book.stirred = True
