"""The commands of one step, disturbed or not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from cmsmig.evidence.evidence import gather
from cmsmig.mapping.redirects.address_map import AddressOutcome
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.proofs.machine import components, editors, rules, used
from tests.proofs.machine.book import Book, Days, Step
from tests.proofs.machine.broken import insist
from tests.proofs.machine.seen import FRENCH_SLUG, TRASHED, Seen, Space, look
from tests.proofs.machine.site import FR
from tests.proofs.machine.things import (
    Things,
    asked,
    merged,
    named,
    planned,
    settle,
    things,
    unsettle,
)
from tests.proofs.world.disturbances import (
    LOST,
    MODES,
    REFUSED,
    UNSENT,
    fault,
    kill,
)
from tests.support.rehearsal import Ended

_REFUSED = 422
_ENDS = (0, 1, 3, 4)
_UNDECIDED = 3
_READERS = ("plan", "changes", "status", "verify")
_NEED_DECISIONS = ("plan", "import", "verify")


def pull(days: Days, step: Step) -> None:
    """Read the origin again."""
    del step
    ended = days.world.run("pull", "--refresh")
    assert ended.code == 0, f"pull: {said(ended)}"
    days.book.read = dict(days.book.origin)
    days.book.pulled_mood = days.book.has_mood


def read(days: Days, step: Step) -> None:
    """Run a command that writes nothing."""
    name = _READERS[step.b % len(_READERS)]
    if name == "plan":
        plan(days)
        return
    _ended(days, name, _read(days, name))


def plan(days: Days) -> dict[str, Any] | None:
    """Plan; return the document, if there is one."""
    ended = _read(days, "plan")
    _ended(days, "plan", ended)
    if ended.code not in (0, 1) or not ended.out:
        return None
    document: dict[str, Any] = ended.document
    if not document["gone"]:
        planned(days, things(days, look(days.world)), document)
    return document


def _read(days: Days, name: str) -> Ended:
    """Run a command and insist that it leaves the space as it is."""
    before = look(days.world)
    ended = days.world.run(name, "--json")
    insist("nothing is written", before == look(days.world), name)
    return ended


def import_(days: Days, step: Step) -> None:
    """Import until nothing is left to do; read everything back."""
    del step
    begun_with = look(days.world)
    ended = _command(days, "import")
    if ended.code == 1 and (_had_no_room(days) or _is_named(days, begun_with)):
        ended = _command(days, "import")
    if ended.code not in (0, 1):
        return
    before = look(days.world)
    entries = days.world.entries
    begun = len(entries)
    again = days.world.run("import", "--json")
    insist("a second import", again.code == ended.code, said(again))
    insist("a second import", before == look(days.world), "the space changed")
    if not again.out:
        is_gone = components.parts_of(days.world) is None
        blocked = is_gone or _is_blocked(days) or days.book.is_unclear
        insist("an import is made", blocked, said(again))
        return
    # What the service refuses, such as a slug that another story has, is tried again.
    refused = sum(1 for each in entries[begun:] if each.status == _REFUSED)
    writes = again.document["writes"]
    insist("a second import", writes == refused, writes)
    days.book.unsettled = False
    space = look(days.world)
    verified = days.world.run("verify", "--json")
    insist("a verification", verified.code in (0, 4), said(verified))
    document = verified.document
    differences, kept = document["differences"], document["kept"]
    is_different = bool(differences or document["public_unread"])
    insist(
        "a verification", verified.code == (4 if is_different else 0), said(verified)
    )
    named(days, things(days, space), document)
    used.named(days, differences)
    if ended.code == 1:
        insist("what is undone differs", verified.code == 4, said(ended))
    if ended.code == 0:
        rules.imported(days, space)
        rules.verified(days, space, [*differences, *kept])
        rules.redirected(days, space, _redirects(days))
        days.book.stirred = days.book.is_behind()


def _had_no_room(days: Days) -> bool:
    """Return whether a story waited for another one to move: a reason asks to import
    again."""
    failed = days.world.run("status", "--json").document["failed"]
    return any("import again" in each["explanation"] for each in failed)


def _is_named(days: Days, before: Space) -> bool:
    """Return whether a story moved to where decisions name it: the next import does
    what they say."""
    there = look(days.world)
    moved = {
        seen.path
        for own, seen in there.items()
        if own in before and before[own].path != seen.path
    }
    decided = days.book.decisions
    return any(each.what in moved for each in (*decided.edits, *decided.gone))


def delta(days: Days, step: Step) -> None:
    """Pull and import."""
    pull(days, step)
    import_(days, step)


def import_killed(days: Days, step: Step) -> None:
    """An import is killed at a write; perhaps a story is edited then."""
    mode = LOST if step.b // 2 % 3 else UNSENT
    _command(days, "import", 1 + step.a % (8 if step.b % 2 else 30), mode)
    if step.b % 4 == 0:
        editors.editor_words(days, step)


def import_disturbed(days: Days, step: Step) -> None:
    """A write of an import goes wrong; the rest is done."""
    mode = MODES[step.b % len(MODES)]
    _command(days, "import", 1 + step.a % 12, mode, is_killed=False)


def roll_back(days: Days, step: Step) -> None:
    """Everything that is ours goes; what editors made or changed stays."""
    del step
    before = look(days.world)
    ended = _command(days, "rollback")
    if ended.code in (0, 1):
        rules.rolled_back(days, before, look(days.world))
        days.book.unsettled = False
        days.book.stirred = True


def roll_back_killed(days: Days, step: Step) -> None:
    """A rollback is killed at a write."""
    _command(days, "rollback", 1 + step.a % 8, LOST if step.b % 3 else UNSENT)


def rebuild(days: Days, step: Step) -> None:
    """The ledger is lost; a new one is made from the space."""
    del step
    book, before = days.book, look(days.world)
    if is_undecided(days):
        return
    for path in days.world.folder.glob("ledger.*"):
        path.unlink()
    ended = _read(days, "rebuild")
    insist("a rebuild", ended.code in (0, 1, 3), said(ended))
    # The story of an item that the origin no longer has is not found, and what links to
    # it is not as the import would write it.
    gone = {
        seen.key
        for seen in before.values()
        if not seen.trashed and book.is_gone(seen.key, days.world.setup)
    }
    book.lost |= gone
    if book.stirred or book.unsettled or gone:
        book.forgotten |= before.keys()
    trashed = {seen.key[0] for seen in before.values() if seen.trashed}
    book.forgotten |= {
        own
        for own, seen in before.items()
        if _holds_more(book, seen) or book.leads_to(seen.key[0]) & trashed
    }
    book.rebuilt = True
    # A new ledger knows the files that are there.
    book.deleted_files.clear()
    book.unknown_files = {*used.files_of(days.world).values()}
    book.unknown_files -= book.files(days.world.setup)
    book.is_foreign = not components.is_designed(days)
    changed = book.stirred or book.unsettled
    book.is_unclear = days.world.setup.fields and changed
    book.addresses.clear()
    _estrange(days, before)


def accept_proposals(days: Days, step: Step) -> None:
    """The design gets what the origin has more since, and nothing else."""
    del step
    folder = days.world.folder / "decisions"
    texts = {each.name: each.read_text() for each in folder.glob("*.yaml")}
    del texts["design.yaml"]
    ended = days.world.run("decide", "--accept-proposals", "--reviewer", "she")
    insist("proposals are accepted", ended.code == 0, said(ended))
    after = {name: (folder / name).read_text() for name in texts}
    insist("a proposal is an addition", after == texts, "a file changed")
    if days.book.pulled_mood:
        days.book.design[components.MOOD_FIELD] = True
        days.book.stirred = True


def is_undecided(days: Days) -> bool:
    """Return whether the origin has a field that nothing is decided about."""
    return days.book.pulled_mood and not days.book.design[components.MOOD_FIELD]


def said(ended: Ended) -> str:
    """Return how a command ended and the end of what it wrote."""
    return json.dumps([ended.code, ended.out[-1500:], ended.err[-1500:]])


def _holds_more(book: Book, seen: Seen) -> bool:
    """Return whether a story has what it is not to have now, a publication or a
    translation: whose that was is not known to a new ledger."""
    item, french = (book.pulled.get((seen.key[0], each)) for each in (seen.key[1], FR))
    is_due = book.decisions.publishing and item is not None and item.live is not None
    is_public = seen.shown is not None and not is_due
    is_translated = bool(seen.values.get(FRENCH_SLUG))
    return is_public or (is_translated and (french is None or french.archived))


def _command(
    days: Days, name: str, at: int = 0, mode: str = LOST, *, is_killed: bool = True
) -> Ended:
    """Run a command that writes, perhaps disturbed, and insist on what always holds."""
    before, brought = look(days.world), used.files_of(days.world)
    parts = components.parts_of(days.world)
    compared, blocked = things(days, before), _is_blocked(days)
    days.book.note(before)
    entries = days.world.entries
    begun = len(entries)
    if name == "rollback":
        # What is not there is forgotten, also by a rollback that is killed later.
        days.book.rolled_back = True
        days.book.deleted_files.clear()
        days.book.addresses.clear()
    wrong = kill(at, mode) if is_killed else fault(at, mode)
    ended = days.world.disturbed(wrong, name, "--json")
    days.book.unsettled |= bool(wrong.struck)
    if not wrong.dead:
        _ended(days, name, ended)
        blocked |= days.book.is_unclear and not ended.out
    after = look(days.world)
    rules.always(days, name, before, after)
    if wrong.dead and mode == UNSENT and wrong.struck.endswith("/publish"):
        days.book.unsent(after.get(_number(wrong.struck)))
    if name == "import":
        used.brought(days, brought)
        if blocked and not wrong.dead:
            fine = ended.code in (1, _UNDECIDED) and before == after
            insist("nothing is imported without what it needs", fine, said(ended))
        # What went wrong with a story is found out in the run itself.
        is_whole = not wrong.struck or ("/stories" in wrong.struck and mode != REFUSED)
        if not wrong.dead and is_whole and not blocked and ended.code in (0, 1):
            _compare(days, compared, after, _failed(entries[begun:]), ended.code)
        elif ended.code != _UNDECIDED and not blocked:
            unsettle(days, compared, {*days.book.bases})
        days.book.restorable = {
            own for own, seen in after.items() if _is_known(days, before, seen)
        }
    else:
        if ended.code in (0, 1) and not wrong.dead:
            used.rolled_back(days, brought, parts, after)
        _estrange(days, before)
    days.book.note(after)
    return ended


def _is_blocked(days: Days) -> bool:
    return components.is_blocking(days) or used.is_blocking(days)


def _compare(
    days: Days, compared: Things, after: Space, failed: set[int], code: int
) -> None:
    """Insist on what an import made of each field that it did not fail to write."""
    there = things(days, after)
    found = {own: each for own, each in there.items() if own not in failed}
    before = {own: each for own, each in compared.items() if own not in failed}
    merged(days, before, found)
    asked(days, before, code)
    settle(days, before, found)
    unsettle(days, compared, failed)


def _is_known(days: Days, before: Space, seen: Seen) -> bool:
    """Return whether an import took a story away that it knows as long as its item
    stays gone."""
    book, own = days.book, seen.story_id
    return (
        seen.trashed
        and book.is_gone(seen.key, days.world.setup)
        and not book.unsettled
        and (own, TRASHED) not in book.held
        and (own in book.restorable or (own in before and not before[own].trashed))
    )


def _failed(entries: Any) -> set[int]:
    """Return the stories that the service did not take as they were sent."""
    return {_number(each.path) for each in entries if each.status >= 400}


def _number(path: str) -> int:
    """Return the story that a request is about; 0 where it is about none."""
    found = re.search(r"/stories/(\d+)", path)
    return int(found[1]) if found else 0


def _estrange(days: Days, before: Space) -> None:
    """Predict nothing of what a rollback or a lost ledger met."""
    book = days.book
    book.estranged |= before.keys()
    book.restorable.clear()
    book.bases.clear()


def _ended(days: Days, name: str, ended: Ended) -> None:
    insist("an exit code", ended.code in _ENDS, said(ended))
    insist("an exit code", "Traceback" not in ended.err, said(ended))
    if is_undecided(days) and name in _NEED_DECISIONS:
        insist("a decision is asked for", ended.code == _UNDECIDED, said(ended))


def _redirects(days: Days) -> Mapping[str, str]:
    """Return where each old address leads."""
    project = Project(days.world.folder)
    settings = load_settings(project, {}, need_origin=False)
    migration = open_migration(project, settings)
    evidence = gather(project, migration, settings.space_id, None)
    return {each.old: each.new for each in evidence.redirects.of(AddressOutcome.MOVED)}
