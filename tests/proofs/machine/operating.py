"""What the operator decides, and the commands that are run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

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
from tests.proofs.machine.interruptions import (
    APPLIED,
    REFUSED,
    UNSENT,
    WRITES,
    Interruption,
    Written,
)
from tests.proofs.machine.model import FIELDS, LINE, PUBLISHED, Account
from tests.proofs.machine.model import NAME as STORY_NAME
from tests.proofs.machine.play import Play, insist_same, numbers, told, words
from tests.proofs.machine.schemas import NAME, PARTS
from tests.proofs.machine.site import FILES, KEY
from tests.support.rehearsal import Ended

_GONE = (
    (DESTINATION, RECREATE),
    (DESTINATION, LEAVE_OUT),
    (ORIGIN, KEEP),
    (ORIGIN, UNPUBLISH),
    (ORIGIN, DELETE),
)
_OF_FILES = ("asset_gone", "asset_bytes")
"""What is wrong with a file stands beside its address."""
_GONE_FIRST, _UNDECIDED = 1, 3
"""How a command ends that cannot begin: the space lacks what everything stands on, or
a decision is missing."""
seldom = st.integers(0, 7).map(lambda number: number == 0)


class Deciding(Play):
    """Decisions about conflicts, about what is gone, and about publication."""

    @precondition(lambda self: self.settled)
    @rule(
        n=numbers,
        name=st.sampled_from((*FIELDS, PUBLISHED, *PARTS, ANY)),
        take=st.sampled_from((OURS, THEIRS)),
        everywhere=seldom,
    )
    def decide_edit(self, n: int, name: str, take: str, everywhere: bool) -> None:
        """Decide whose value stands in a field, whatever it is."""
        kind = COMPONENT if name in PARTS else STORY
        known = self.known_path(n) if kind == STORY else NAME
        what = ANY if everywhere else known
        if what:
            edit = Edit(what, name, take, kind=kind)
            self.decide(self.model.decisions.with_edit(edit))

    @precondition(lambda self: self.settled and self.has_conflicts())
    @rule(n=numbers, take=st.sampled_from((OURS, THEIRS)), seen=st.booleans())
    def decide_conflict(self, n: int, take: str, seen: bool) -> None:
        """Decide about a conflict that a plan shows, perhaps as it is shown."""
        shown = self.plan_now()["edit_conflicts"]
        if shown:
            chosen = shown[n % len(shown)]
            what, name, kind = chosen["what"], chosen["field"], chosen["kind"]
            edit = Edit(what, name, take, kind=kind)
            if seen:
                theirs = self._theirs(kind, what, name)
                edit = replace(edit, seen=theirs, fingerprint=chosen["seen"])
            self.decide(self.model.decisions.with_edit(edit))

    @precondition(lambda self: self.settled)
    @rule(n=numbers, about=st.sampled_from(_GONE), everywhere=seldom)
    def decide_gone(self, n: int, about: tuple[str, str], everywhere: bool) -> None:
        """Decide what becomes of a story that one side no longer has."""
        others = (NAME, *FILES) if about[0] == DESTINATION else ()
        known = (*others, self.known_path(n))[n % (len(others) + 1)]
        what = ANY if everywhere else known
        if what:
            gone = Gone(about[0], what, about[1])
            self.decide(self.model.decisions.with_gone(gone))

    @precondition(lambda self: self.settled and self.has_conflicts())
    @rule(n=numbers, take=st.sampled_from((OURS, THEIRS)), word=words)
    def decide_and_edit_again(self, n: int, take: str, word: str) -> None:
        """A conflict is decided as it is shown, and then the field is edited again."""
        shown = [
            each
            for each in self.plan_now()["edit_conflicts"]
            if each["field"] in (STORY_NAME, LINE)
        ]
        if not shown:
            return
        chosen = shown[n % len(shown)]
        what, name = chosen["what"], chosen["field"]
        theirs = self._theirs(STORY, what, name)
        edit = Edit(what, name, take, seen=theirs, fingerprint=chosen["seen"])
        self.decide(self.model.decisions.with_edit(edit))
        (story,) = (
            story
            for _, _, story_record, story in self.model.selected()
            if story_record.path == what
        )
        if story.story_id not in self.model.unsure:
            self.edit(story, {name: word or "again"})

    @precondition(lambda self: self.settled)
    @rule(n=numbers, about=st.sampled_from(_GONE), other=st.sampled_from(_GONE))
    def decide_gone_but_one(
        self, n: int, about: tuple[str, str], other: tuple[str, str]
    ) -> None:
        """Decide what becomes of all that one side no longer has, and of one thing
        otherwise."""
        known = self.known_path(n)
        if known and about[0] == other[0]:
            for what, action in ((ANY, about[1]), (known, other[1])):
                gone = Gone(about[0], what, action)
                self.decide(self.model.decisions.with_gone(gone))

    @precondition(lambda self: self.settled)
    @rule()
    def decide_publication(self) -> None:
        """Decide that what is live is published, or that nothing is."""
        old = self.model.decisions
        self.decide(replace(old, publishing=not old.publishing))

    @precondition(lambda self: self.settled)
    @rule(n=numbers)
    def decide_not_to_publish(self, n: int) -> None:
        """Nothing is published any more, and a story is to be taken from visitors."""
        if what := self.known_path(n):
            edit = Edit(what, PUBLISHED, OURS)
            decided = self.model.decisions.with_edit(edit)
            self.decide(replace(decided, publishing=False))

    @precondition(lambda self: self.settled and self.model.decisions != Decisions())
    @rule()
    def forget_decisions(self) -> None:
        """Take all decisions about conflicts back."""
        self.decide(Decisions(publishing=self.model.decisions.publishing))

    def insist_on_nothing(self, ended: Ended) -> None:
        """Insist that a command asked for a decision, and did nothing."""
        assert ended.code == _UNDECIDED, told(ended)
        assert "Nothing is designed for the field" in ended.err, told(ended)
        self.compare()

    def has_conflicts(self) -> bool:
        """Return whether a plan shows conflicts."""
        return not self.model.is_undecided and bool(self.model.conflicts())

    def _theirs(self, kind: str, path: str, name: str) -> Any:
        if kind == COMPONENT:
            assert self.model.component.theirs is not None
            return self.model.component.theirs[name]
        (theirs,) = (
            story.values[name]
            for _, _, story_record, story in self.model.selected()
            if story_record.path == path
        )
        return theirs

    def plan_now(self) -> dict[str, Any]:
        """Make a plan: it names all that waits for a decision, and writes nothing."""
        ended = self.world.run("plan", "--json")
        if self.model.is_undecided:
            self.insist_on_nothing(ended)
            return {}
        assert ended.code in (0, 1), told(ended)
        self.model.look()
        document: dict[str, Any] = ended.document
        if not document["gone"]:
            waiting = document["edit_conflicts"]
            shown = {(each["what"], each["field"]) for each in waiting}
            insist_same("what a plan shows", shown, self.model.conflicts())
        self.compare()
        return document


class Running(Deciding):
    """The commands."""

    @precondition(lambda self: self.settled)
    @rule()
    def pull(self) -> None:
        """Read the origin again."""
        ended = self.world.run("pull", "--refresh")
        assert ended.code == 0, ended.err
        self.model.pulled = dict(self.model.origin)
        self.model.pulled_moody = self.model.moody

    @precondition(lambda self: self.settled)
    @rule()
    def plan(self) -> None:
        """Plan."""
        self.plan_now()

    @rule(twice=st.booleans())
    def import_(self, twice: bool) -> None:
        """An import does what was decided; a second one writes nothing."""
        code = self.import_now(Interruption())
        if twice:
            again = self.world.run("import", "--json")
            assert again.code == code, told(again)
            if again.out:
                assert again.document["writes"] == 0, again.out
            self.compare()

    @precondition(lambda self: self.settled)
    @rule()
    def pull_and_import(self) -> None:
        """A delta run."""
        self.pull()
        self.import_now(Interruption())

    @rule(
        kind=st.sampled_from(tuple(WRITES)),
        mode=st.sampled_from((*APPLIED, UNSENT, REFUSED)),
        number=st.integers(1, 3),
    )
    def import_with_fault(self, kind: str, mode: str, number: int) -> None:
        """One request goes wrong: the rest is done, and the next import mends it."""
        self.import_now(Interruption(kind, mode, number))

    @rule(
        kind=st.sampled_from(tuple(WRITES)),
        mode=st.sampled_from((*APPLIED, UNSENT)),
        number=st.integers(1, 3),
    )
    def import_killed(self, kind: str, mode: str, number: int) -> None:
        """An import ends in the middle; the next one goes on."""
        self.import_now(Interruption(kind, mode, number, killing=True))

    @precondition(lambda self: self.settled)
    @rule()
    def verify(self) -> None:
        """A verification names all that is not as it was decided, and nothing else."""
        ended = self.world.run("verify", "--json")
        if self.model.is_undecided:
            self.insist_on_nothing(ended)
            return
        expected = sorted(
            (what, name.removeprefix("content."))
            for what, name in self.model.differences()
        )
        assert ended.code in (0, 4), told(ended)
        found = [
            (each["subject"], "" if each["code"] in _OF_FILES else each["where"])
            for each in ended.document["differences"]
        ]
        insist_same("what a verification finds", found, expected)
        assert ended.code == (4 if expected else 0), told(ended)
        self.compare()

    def import_now(self, wrong: Interruption) -> int:
        """Import, and insist on what the model says."""
        ended = self.world.run_through(wrong, "import", "--json")
        if self.model.is_undecided:
            self.insist_on_nothing(ended)
            return ended.code
        self.model.look()
        self.model.record_missing()
        if self.model.component.is_blocking(self.model.decisions):
            assert ended.code == _GONE_FIRST, told(ended)
            self.compare()
            return ended.code
        self._take_note_of_places()
        if wrong.killed:
            assert ended.code not in (0, 1), told(ended)
            self._take_note_of_created(wrong.log)
            self.model.update_some(wrong.log)
            self.compare()
            return ended.code
        assert ended.code in (0, 1), told(ended)
        self.model.unsure.clear()
        self.model.unsettled = False
        odd = [each for each in wrong.log if not each.answered]
        refused = odd if wrong.mode == REFUSED else []
        self._insist_on_created(refused)
        self.model.update(_ids("update", refused))
        self.model.unpublish(_ids("unpublish", refused))
        self.model.publish(_ids("publish", refused))
        doubted = [each for each in odd if each.kind == "delete"]
        removals = [each for each in refused if each.kind == "unpublish"] + doubted
        self.model.remove({each.story_id: each for each in removals})
        self.compare()
        assert ended.code == self.model.exit_code(), told(ended)
        return ended.code

    def _take_note_of_places(self) -> None:
        """Take note of the component, and insist that just the files are brought that
        are wanted."""
        model = self.model
        model.component = model.component.imported(model.decisions)
        wanted = model.files.to_bring(model.pictures())
        for own, stored in self.world.space.assets.items():
            if own in model.files.there:
                continue
            name = stored.key.rpartition("/")[2]
            assert name in wanted, f"{name} was uploaded, and nobody wanted it"
            model.files = model.files.brought(name, own)
            wanted.discard(name)
        assert not wanted, f"{wanted} were to be uploaded"

    def _insist_on_created(self, refused: list[Written]) -> None:
        """Insist that just the stories were made that are wanted."""
        wanted = self.model.to_create()
        slugs = {each.slug for each in refused if each.kind == "create"}
        for key, (own, uuid) in self._new().items():
            assert key in wanted, f"{key} was made, and nobody wanted it"
            self.model.accounts[key] = Account(self.model.created(key, own, uuid))
            del wanted[key]
        for key in list(wanted):
            if wanted[key].removeprefix(f"{KEY}/") in slugs:
                self.model.accounts[key] = Account(failed=True)
                del wanted[key]
        assert not wanted, f"{wanted} were to be made"

    def _take_note_of_created(self, log: list[Written]) -> None:
        lost = {
            each.slug for each in log if each.kind == "create" and not each.answered
        }
        wanted = self.model.to_create()
        for key, (own, uuid) in self._new().items():
            assert key in wanted, f"{key} was made, and nobody wanted it"
            story_record = self.model.created(key, own, uuid)
            if self.model.pulled[key].slug in lost:
                self.model.orphans[key] = story_record
            else:
                self.model.accounts[key] = Account(story_record)

    def _new(self) -> dict[str, tuple[int, str]]:
        """Return the stories that were made just now, by item."""
        places = {f"{KEY}/{note.slug}": key for key, note in self.model.pulled.items()}
        found = {}
        for own, stored in self.world.stories().items():
            if own not in self.model.stories:
                path = self.world.space.full_slug(stored)
                assert path in places, f"{path} was made, and nobody wanted it"
                assert places[path] not in found, f"{path} was made twice"
                found[places[path]] = (own, stored.uuid)
        return found


def _ids(kind: str, refused: list[Written]) -> frozenset[int]:
    return frozenset(each.story_id for each in refused if each.kind == kind)
