"""The commands of one step, disturbed or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cmsmig.evidence.evidence import gather
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.proofs.machine.days import rules
from tests.proofs.machine.days.book import Book
from tests.proofs.machine.days.seen import FRENCH_SLUG, Seen, look
from tests.proofs.machine.days.site import FR
from tests.proofs.machine.play import told
from tests.support.rehearsal import Ended

if TYPE_CHECKING:
    from tests.proofs.machine.days.play import Days, Step

_REFUSED = 422
_ENDS = (0, 1, 3, 4)
_READERS = ("plan", "changes", "status", "verify")


def pull(days: Days, step: Step) -> None:
    """Read the origin again."""
    del step
    ended = days.world.run("pull", "--refresh")
    assert ended.code == 0, f"pull: {told(ended)}"
    days.book.pulled = dict(days.book.origin)


def read(days: Days, step: Step) -> None:
    """Run a command that writes nothing."""
    before = look(days.world)
    ended = days.world.run(_READERS[step.b % len(_READERS)], "--json")
    _ended(ended)
    rules.insist("nothing is written", before == look(days.world), "a reader wrote")


def import_(days: Days, step: Step) -> None:
    """Import until nothing is left to do; read everything back."""
    ended = _command(days, "import")
    if ended.code not in (0, 1):
        return
    before = look(days.world)
    entries = days.world.handle.state.recorder.entries
    begun = len(entries)
    again = days.world.run("import", "--json")
    rules.insist("a second import", again.code == ended.code, told(again))
    # What the service refuses, such as a slug that another story has, is tried again.
    refused = sum(1 for each in entries[begun:] if each.status == _REFUSED)
    writes = again.document["writes"]
    rules.insist("a second import", writes == refused, writes)
    rules.insist("a second import", before == look(days.world), "the space changed")
    days.book.unsettled = False
    if ended.code == 0:
        rules.imported(days, look(days.world))
        verified = days.world.run("verify", "--json")
        rules.insist("a verification", verified.code in (0, 4), told(verified))
        rules.verified(days, look(days.world), verified.document["differences"])
        if days.has_redirects:
            rules.redirected(days, look(days.world), _redirects(days))
        days.book.stirred = False


def delta(days: Days, step: Step) -> None:
    """Pull and import."""
    pull(days, step)
    import_(days, step)


def import_killed(days: Days, step: Step) -> None:
    """An import is killed at a write."""
    _command(days, "import", 1 + step.a % (8 if step.b % 2 else 30), step.b // 2)


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
    _command(days, "rollback", 1 + step.a % 8, step.b)


def rebuild(days: Days, step: Step) -> None:
    """The ledger is lost; a new one is made from the space."""
    del step
    book, before = days.book, look(days.world)
    for path in days.world.project.glob("ledger.*"):
        path.unlink()
    ended = days.world.run("rebuild", "--json")
    rules.insist("a rebuild", ended.code in (0, 1, 3), told(ended))
    rules.insist("a rebuild", before == look(days.world), "it wrote")
    # The story of an item that the origin no longer has is not found, and what links to
    # it is not as the import would write it.
    gone = {
        seen.key
        for seen in before.values()
        if not seen.trashed and book.is_gone(seen.key, days.stage.setup)
    }
    book.lost |= gone
    if book.stirred or book.unsettled or gone:
        book.forgotten |= before.keys()
    book.forgotten |= {own for own, seen in before.items() if _holds_more(book, seen)}
    book.rebuilt = True
    book.addresses.clear()


def _holds_more(book: Book, seen: Seen) -> bool:
    """Return whether a story has what the origin no longer gives it, a publication or a
    translation: whose that was is not known to a new ledger."""
    item, french = (book.pulled.get((seen.key[0], each)) for each in (seen.key[1], FR))
    is_public = seen.shown is not None and (item is None or item.live is None)
    is_translated = bool(seen.values.get(FRENCH_SLUG))
    return is_public or (is_translated and (french is None or french.archived))


def _command(days: Days, name: str, at: int = 0, applied: int = 0) -> Ended:
    """Run a command that writes, perhaps killed, and insist on what always holds."""
    before = look(days.world)
    days.book.note(before)
    if name == "rollback":
        days.book.rolled_back = True
        days.book.addresses.clear()
    if at:
        dead, ended = days.stage.kill(at, name, applied=applied % 3 > 0)
        days.book.unsettled |= dead
        code = None if dead else ended.code
    else:
        ended = days.world.run(name, "--json")
        code = ended.code
    if code is not None:
        _ended(ended)
    after = look(days.world)
    rules.always(days, name, before, after)
    days.book.note(after)
    return ended


def _ended(ended: Ended) -> None:
    rules.insist("an exit code", ended.code in _ENDS, told(ended))
    rules.insist("an exit code", "Traceback" not in ended.err, told(ended))


def _redirects(days: Days) -> Mapping[str, str]:
    """Return where each old address leads."""
    project = Project(days.world.project)
    settings = load_settings(project, {}, need_origin=False)
    migration = open_migration(project, settings)
    evidence = gather(project, migration, settings.space_id, None)
    return {each.old: each.new for each in evidence.redirects.moved}
