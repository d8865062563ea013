"""The state machine: editors, developers and the operator, in any order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.proofs.machine.model import (
    ANY,
    FIELDS,
    FOLDER,
    KEEP,
    LEAVE_OUT,
    LINE,
    NAME,
    OURS,
    RECREATE,
    RELATED,
    SLUG,
    TEXT,
    THEIRS,
    WHATEVER,
    Decisions,
    Edit,
    Model,
    Story,
)
from tests.proofs.machine.site import KEY, Note, subject
from tests.proofs.machine.world import World
from tests.support.rehearsal import Ended

WORDS = ("", "one", "two", "three")
LETTERS = "abcdefgh"
numbers = st.integers(0, 23)
words = st.sampled_from(WORDS)


class Migration(RuleBasedStateMachine):
    """One migration: whatever happens, commands do and tell what the model says."""

    world: ClassVar[World]
    steps: ClassVar[int] = 0
    runs: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.seen: dict[Edit, str] = {}

    @initialize(imported=st.booleans())
    def begin(self, imported: bool) -> None:
        """Begin before or after the first import."""
        Migration.runs += 1
        self.world.begin(imported=imported)
        if imported:
            self._expect_created({key: f"notes/{key}-0" for key in "abc"})
            self.model.settle()
            self._compare()

    # at the origin

    @rule(n=numbers, word=words)
    def origin_edits_name(self, n: int, word: str) -> None:
        """An item gets another name."""
        self._change(n, name=word or "Ann")

    @rule(n=numbers, number=st.integers(0, 2))
    def origin_edits_slug(self, n: int, number: int) -> None:
        """An item gets another slug, perhaps one that it had."""
        key = self._pick(self.model.origin, n)
        if key:
            self._change(n, slug=f"{key}-{number}")

    @rule(n=numbers, word=words)
    def origin_edits_field(self, n: int, word: str) -> None:
        """A plain field changes."""
        self._change(n, line=word)

    @rule(n=numbers, word=words)
    def origin_edits_body(self, n: int, word: str) -> None:
        """A rich text changes."""
        self._change(n, text=word)

    @rule(n=numbers, several=st.lists(numbers, max_size=2))
    def origin_edits_relation(self, n: int, several: list[int]) -> None:
        """A relation leads to other items."""
        targets = [self._pick(self.model.origin, each) for each in several]
        self._change(n, related=tuple(dict.fromkeys(filter(None, targets))))

    @rule(n=numbers, word=words)
    def origin_adds_item(self, n: int, word: str) -> None:
        """An item is made, or one that was deleted comes back."""
        absent = [key for key in LETTERS[:6] if key not in self.model.origin]
        key = self._pick(absent, n)
        if key:
            note = Note(word or "New", f"{key}-0", word, word)
            self._at_origin({**self.model.origin, key: note})

    @rule(n=numbers)
    def origin_deletes_item(self, n: int) -> None:
        """An item is deleted, and with it all references to it."""
        gone = self._pick(self.model.origin, n)
        if gone and len(self.model.origin) > 1:
            left = {
                key: note.having(related=tuple(r for r in note.related if r != gone))
                for key, note in self.model.origin.items()
                if key != gone
            }
            self._at_origin(left)

    # at the destination

    @rule(n=numbers, word=words)
    def editor_renames(self, n: int, word: str) -> None:
        """A story gets another name."""
        self._edit(n, {NAME: word or "Eva"})

    @rule(n=numbers, number=st.integers(0, 3))
    def editor_changes_slug(self, n: int, number: int) -> None:
        """A story gets another slug, perhaps the one that the origin gives it."""
        story = self._story(n)
        if story:
            letter = next(
                (
                    key
                    for key, account in self.model.accounts.items()
                    if account.home and account.home.story_id == story.story_id
                ),
                "z",
            )
            self._edit(n, {SLUG: f"{letter}-{number}"})

    @rule(n=numbers, folder=st.sampled_from(("", "other", KEY)))
    def editor_moves(self, n: int, folder: str) -> None:
        """A story goes into another folder."""
        self._edit(n, {FOLDER: folder})

    @rule(n=numbers, word=words)
    def editor_edits_field(self, n: int, word: str) -> None:
        """A plain field changes."""
        self._edit(n, {LINE: word})

    @rule(n=numbers, word=words)
    def editor_edits_body(self, n: int, word: str) -> None:
        """A rich text changes."""
        self._edit(n, {TEXT: word})

    @rule(n=numbers, several=st.lists(numbers, max_size=2))
    def editor_edits_relation(self, n: int, several: list[int]) -> None:
        """A relation leads to other stories."""
        targets = [self._story(each) for each in several]
        uuids = tuple(dict.fromkeys(each.uuid for each in targets if each))
        self._edit(n, {RELATED: uuids})

    @rule(n=numbers)
    def editor_deletes(self, n: int) -> None:
        """A story goes to the trash."""
        story = self._story(n)
        if story:
            self.world.api("DELETE", f"/stories/{story.story_id}")
            self.model.stories[story.story_id] = Story(
                story.story_id, story.uuid, story.values, trashed=True
            )
            self._compare()

    @rule(n=numbers)
    def editor_restores(self, n: int) -> None:
        """A story comes back from the trash, as long as its item is known by it."""
        known = {
            account.home.story_id
            for account in self.model.accounts.values()
            if account.home
        }
        trashed = [
            each
            for own, each in self.model.stories.items()
            if each.trashed and own in known
        ]
        story = trashed[n % len(trashed)] if trashed else None
        if story:
            stored = self.world.space.stories[story.story_id]
            stored.deleted_at = None
            self.world.space.place(stored)
            self.model.stories[story.story_id] = Story(
                story.story_id, story.uuid, story.values
            )
            self._compare()

    # both

    @rule(
        n=numbers,
        name=st.sampled_from(("name", "line", "text")),
        ours=words,
        theirs=words,
    )
    def both_edit(self, n: int, name: str, ours: str, theirs: str) -> None:
        """An editor and the origin change one field, and the origin is read."""
        key = self._pick(self._with_stories(), n)
        if key:
            note = self.model.origin[key].having(**{name: ours or "Ann"})
            self._at_origin({**self.model.origin, key: note})
            changed = {"name": NAME, "line": LINE, "text": TEXT}[name]
            self._edit_story(self._story_of(key), {changed: theirs or "Eva"})
            self.pull()

    @precondition(lambda self: any(self.seen.values()))
    @rule(n=numbers, word=words)
    def editor_edits_again(self, n: int, word: str) -> None:
        """A field changes after it was decided about."""
        about = [each for each in self.model.decisions.edits if self.seen.get(each)]
        edit = about[n % len(about)] if about else None
        for key in self._with_stories():
            home = self.model.accounts[key].home
            if not (edit and home and edit.field in (NAME, LINE, TEXT)):
                continue
            if home.path == edit.what:
                self._edit_story(self._story_of(key), {edit.field: word or "Eva"})

    # decisions

    @rule(
        n=numbers,
        name=st.sampled_from((*FIELDS, ANY)),
        take=st.sampled_from((OURS, THEIRS)),
        everywhere=st.integers(0, 7),
    )
    def decide_edit(self, n: int, name: str, take: str, everywhere: int) -> None:
        """Decide whose value stands in a field, whatever it is."""
        what = self._known_path(n) if everywhere else ANY
        if what:
            self._decide_edit(Edit(what, name, take))

    @precondition(lambda self: bool(self.model.conflicts()))
    @rule(n=numbers, take=st.sampled_from((OURS, THEIRS)), seen=st.booleans())
    def decide_conflict(self, n: int, take: str, seen: bool) -> None:
        """Decide about a conflict that a plan shows, perhaps as it is shown."""
        shown = self._plan()["edit_conflicts"]
        if shown:
            chosen = shown[n % len(shown)]
            fingerprint = chosen["seen"] if seen else ""
            theirs = self._theirs(chosen["what"], chosen["field"])
            about = theirs if seen else WHATEVER
            edit = Edit(chosen["what"], chosen["field"], take, about)
            self._decide_edit(edit, fingerprint)

    @rule(
        n=numbers,
        action=st.sampled_from((RECREATE, LEAVE_OUT, KEEP)),
        everywhere=st.integers(0, 7),
    )
    def decide_gone(self, n: int, action: str, everywhere: int) -> None:
        """Decide what becomes of a story that is gone from the destination."""
        what = self._known_path(n) if everywhere else ANY
        if what:
            old = self.model.decisions
            kept = tuple(each for each in old.gone if each[0] != what)
            added = () if action == KEEP else ((what, action),)
            self.model.decisions = Decisions(old.edits, (*kept, *added))
            self._write_decisions()

    @precondition(lambda self: self.model.decisions != Decisions())
    @rule()
    def forget_decisions(self) -> None:
        """Take all decisions about conflicts back."""
        self.model.decisions = Decisions()
        self.seen = {}
        self._write_decisions()

    # commands

    @rule()
    def pull(self) -> None:
        """Read the origin again."""
        ended = self.world.run("pull", "--refresh")
        assert ended.code == 0, ended.err
        self.model.pulled = dict(self.model.origin)

    @rule()
    def plan(self) -> None:
        """A plan names all that waits for a decision, and writes nothing."""
        self._plan()

    @rule(twice=st.booleans())
    def import_(self, twice: bool) -> None:
        """An import does what was decided; a second one writes nothing."""
        code = self._import()
        if twice:
            again = self.world.run("import", "--json")
            assert again.code == code, told(again)
            assert again.document["writes"] == 0, again.out
            self._compare()

    @rule()
    def verify(self) -> None:
        """A verification names all that is not as it was decided, and nothing else."""
        ended = self.world.run("verify", "--json")
        expected = sorted(
            (subject(key), name.removeprefix("content."))
            for key, name in self.model.differences()
        )
        assert ended.code in (0, 4), told(ended)
        found = [
            (each["subject"], each["where"]) for each in ended.document["differences"]
        ]
        insist_same("what a verification finds", found, expected)
        assert ended.code == (4 if expected else 0), told(ended)
        self._compare()

    # parts of rules

    def _import(self) -> int:
        ended = self.world.run("import", "--json")
        assert ended.code in (0, 1), told(ended)
        self.model.look()
        self.model.take_up()
        self._expect_created(self.model.to_create())
        code = self.model.settle()
        self._compare()
        assert ended.code == code, told(ended)
        return code

    def _plan(self) -> dict[str, Any]:
        ended = self.world.run("plan", "--json")
        assert ended.code in (0, 1), told(ended)
        self.model.look()
        document: dict[str, Any] = ended.document
        if not document["gone"]:
            waiting = document["edit_conflicts"]
            shown = {(each["what"], each["field"]) for each in waiting}
            insist_same("what a plan shows", shown, self.model.conflicts())
        self._compare()
        return document

    def _expect_created(self, wanted: Mapping[str, str]) -> None:
        paths = {path: key for key, path in wanted.items()}
        for own, stored in self.world.stories().items():
            if own in self.model.stories:
                continue
            path = self.world.space.full_slug(stored)
            assert path in paths, f"{path} was made, and nobody wanted it"
            self.model.create(paths.pop(path), own, stored.uuid)
        assert not paths, f"{paths} were to be made"

    def _compare(self) -> None:
        """Insist that the space holds what the model holds."""
        found = {own: read(self.world, own) for own in self.world.stories()}
        expected = self.model.stories
        insist_same("the stories there", found.values(), expected.values())

    def _change(self, n: int, **changes: Any) -> None:
        key = self._pick(self.model.origin, n)
        if key:
            note = self.model.origin[key].having(**changes)
            self._at_origin({**self.model.origin, key: note})

    def _at_origin(self, notes: Mapping[str, Note]) -> None:
        self.model.origin = dict(notes)
        self.world.publish_at_origin(notes)

    def _edit(self, n: int, changes: Mapping[str, Any]) -> None:
        story = self._story(n)
        if story is not None:
            self._edit_story(story, changes)

    def _edit_story(self, story: Story, changes: Mapping[str, Any]) -> None:
        body: dict[str, Any] = {
            name: changes[name] for name in (NAME, SLUG) if name in changes
        }
        if FOLDER in changes:
            body["parent_id"] = self.world.folder_id(changes[FOLDER])
        content = self.world.space.stories[story.story_id].content
        if LINE in changes:
            content["line"] = changes[LINE]
        if TEXT in changes:
            content["text"] = document(changes[TEXT])
        if RELATED in changes:
            content["related"] = list(changes[RELATED])
        body["content"] = content
        self.world.api("PUT", f"/stories/{story.story_id}", {"story": body})
        self.model.stories[story.story_id] = story.having(changes)
        self._compare()

    def _pick(self, keys: Any, n: int) -> str:
        known = sorted(keys)
        return known[n % len(known)] if known else ""

    def _story(self, n: int) -> Story | None:
        there = [each for each in self.model.stories.values() if not each.trashed]
        return there[n % len(there)] if there else None

    def _with_stories(self) -> list[str]:
        """Return the items at the origin whose stories are there."""
        return [
            key
            for key, account in self.model.accounts.items()
            if account.home
            and self.model.is_there(account.home)
            and key in self.model.origin
        ]

    def _story_of(self, key: str) -> Story:
        home = self.model.accounts[key].home
        assert home is not None
        return self.model.stories[home.story_id]

    def _known_path(self, n: int) -> str:
        homes = [each.home for each in self.model.accounts.values() if each.home]
        return homes[n % len(homes)].path if homes else ""

    def _theirs(self, path: str, name: str) -> Any:
        (home,) = (
            each.home
            for each in self.model.accounts.values()
            if each.home and each.home.path == path and self.model.is_there(each.home)
        )
        return self.model.stories[home.story_id].values[name]

    def _decide_edit(self, edit: Edit, fingerprint: str = "") -> None:
        old = self.model.decisions
        kept = tuple(
            each
            for each in old.edits
            if (each.what, each.field) != (edit.what, edit.field)
        )
        self.model.decisions = Decisions((*kept, edit), old.gone)
        self.seen = {**self.seen, edit: fingerprint}
        self._write_decisions()

    def _write_decisions(self) -> None:
        edits = [
            {
                "kind": "story",
                "what": each.what,
                "field": each.field,
                "take": each.take,
                "seen": self.seen.get(each, ""),
            }
            for each in self.model.decisions.edits
        ]
        gone = [
            {"from": "destination", "what": what, "action": action}
            for what, action in self.model.decisions.gone
        ]
        self.world.write_conflicts(edits, gone)

    def check_invariants(self, *arguments: Any, **options: Any) -> None:
        """Count the steps."""
        Migration.steps += 1
        super().check_invariants(*arguments, **options)


def read(world: World, story_id: int) -> Story:
    """Return a story as the space holds it."""
    stored = world.space.stories[story_id]
    content = stored.content
    folder = world.space.stories.get(stored.parent_id)
    values = {
        NAME: stored.name,
        SLUG: stored.slug,
        FOLDER: world.space.full_slug(folder) if folder else "",
        LINE: content.get("line") or "",
        TEXT: words_of(content.get("text")),
        RELATED: tuple(content.get("related") or ()),
    }
    return Story(story_id, stored.uuid, values, stored.deleted_at is not None)


def insist_same(what: str, found: Iterable[Any], expected: Iterable[Any]) -> None:
    """Fail with all that is too much or too little."""
    more, less = list(found), []
    for each in expected:
        more.remove(each) if each in more else less.append(each)
    if more or less:
        raise AssertionError(f"{what}: found {more}, expected {less} instead")


def document(text: str) -> Any:
    """Return a rich text of one paragraph, which may be empty, as editors leave it."""
    paragraph: dict[str, Any] = {"type": "paragraph", "attrs": {"textAlign": None}}
    if text:
        paragraph["content"] = [{"type": "text", "text": text}]
    return {"type": "doc", "content": [paragraph]}


def words_of(text: Any) -> str:
    """Return the words of a rich text."""
    if isinstance(text, dict):
        below = text.get("content") or ()
        return str(text.get("text") or "") + "".join(map(words_of, below))
    return ""


def told(ended: Ended) -> str:
    """Return all that a command said."""
    return json.dumps([ended.code, ended.out[-3000:], ended.err[-3000:]])
