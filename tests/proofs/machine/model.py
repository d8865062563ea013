"""What both sides hold and what was decided, and what commands have to make of it.

Written from the rules alone: nothing here is taken from the project's own merge.
Of each field three values count: the one that was written last (`base`), the one that
stands there (`theirs`), and the one that the origin wants (`ours`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.proofs.machine import schemas
from tests.proofs.machine.decided import (
    DELETE,
    DESTINATION,
    LEAVE_OUT,
    ORIGIN,
    OURS,
    RECREATE,
    THEIRS,
    UNPUBLISH,
    Decisions,
)
from tests.proofs.machine.files import Files
from tests.proofs.machine.interruptions import Written
from tests.proofs.machine.merging import WAITS, WRITTEN, outcome_of
from tests.proofs.machine.schemas import MOOD_FIELD, Component
from tests.proofs.machine.site import FIRST, KEY, Note, Notes, subject

NAME, SLUG, FOLDER = "name", "slug", "folder"
LINE, TEXT, RELATED = "content.line", "content.text", "content.related"
PICTURE, MOOD = "content.picture", "content.mood"
FIELDS = (NAME, SLUG, FOLDER, LINE, TEXT, RELATED, PICTURE, MOOD)
PUBLISHED = "published"

Values = Mapping[str, Any]
NOTHING_WRONG: Mapping[int, Written] = {}


@dataclass(frozen=True)
class Story:
    """A story of the space as it stands."""

    story_id: int
    uuid: str
    values: Values
    trashed: bool = False
    public: bool = False
    stale: bool = False
    """Whether it was saved since it was published."""

    @property
    def path(self) -> str:
        """Return its full slug."""
        return f"{self.values[FOLDER]}/{self.values[SLUG]}".lstrip("/")

    def saved(self, changes: Values) -> Story:
        """Return the story with other values."""
        values = {**self.values, **changes}
        return replace(self, values=values, stale=self.public)

    def shown(self, *, public: bool) -> Story:
        """Return the story published, or not."""
        return replace(self, public=public, stale=False)


@dataclass(frozen=True)
class Home:
    """What is remembered of the story that was made of an item."""

    story_id: int
    uuid: str
    path: str
    """Where a plan or an import saw it last: decisions name it so."""
    base: Values
    held: bool = False
    """Whether it kept values of others when it was last compared."""
    left_public: bool = False
    """Whether we published it, and nobody of us took that back."""
    current: bool = False
    """Whether what was written last was published."""
    taken_out: bool = False
    """Whether somebody took it out of the trash where we had put it."""


@dataclass(frozen=True)
class Account:
    """What is remembered of an item."""

    story_record: Home | None = None
    failed: bool = False
    left_out: bool = False
    removed: bool = False
    """Whether we put its story into the trash."""
    undone: bool = False
    """Whether its story was to be taken away and is kept."""


@dataclass(frozen=True)
class Merge:
    """What an import makes of one story."""

    values: Values
    base: Values
    written: frozenset[str]
    waiting: frozenset[str]
    """Fields that wait for a decision."""
    held: bool


@dataclass
class Model:
    """Both sides, the decisions, and what earlier imports left."""

    origin: Notes = field(default_factory=lambda: dict(FIRST))
    pulled: Notes = field(default_factory=lambda: dict(FIRST))
    stories: dict[int, Story] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    component: Component = field(default_factory=Component)
    files: Files = field(default_factory=Files)
    moody: bool = False
    """Whether the origin's collection has one more field."""
    pulled_moody: bool = False
    decisions: Decisions = field(default_factory=Decisions)
    orphans: dict[str, Home] = field(default_factory=dict)
    """Stories that were made for items, and whose answer was lost."""
    unsure: set[int] = field(default_factory=set)
    """Stories that a killed import may have compared or not."""
    unsettled: bool = False
    """Whether a killed import left more open than the model can know."""

    # what is wanted

    def existing(self) -> dict[str, str]:
        """Return the UUIDs that relations to items become."""
        return {
            key: account.story_record.uuid
            for key, account in self.accounts.items()
            if account.story_record is not None
            and not account.left_out
            and not account.removed
        }

    def wanted(self, note: Note, existing: Mapping[str, str]) -> Values:
        """Return a story as the origin wants it."""
        related = tuple(existing[key] for key in note.related if key in existing)
        return {**self._without_relations(note), RELATED: related}

    def _without_relations(self, note: Note) -> dict[str, Any]:
        return {
            NAME: note.name,
            SLUG: note.slug,
            FOLDER: KEY,
            LINE: note.line,
            TEXT: note.text,
            PICTURE: self.files.asset(note.picture),
            MOOD: note.mood if self._has_mood() else "",
        }

    def _has_mood(self) -> bool:
        return bool(self.pulled_moody and self.component.ours[MOOD_FIELD])

    @property
    def is_undecided(self) -> bool:
        """Return whether the origin has a field that nothing is decided about."""
        return self.pulled_moody and not self.component.ours[MOOD_FIELD]

    def pictures(self) -> set[str]:
        """Return the files that the stories need."""
        return {note.picture for note in self.pulled.values() if note.picture}

    def standing(self, story_record: Home | None) -> Story | None:
        """Return a story that is there and not in the trash."""
        story = self.stories.get(story_record.story_id) if story_record else None
        return None if story is None or story.trashed else story

    def selected(self) -> Iterator[tuple[str, Account, Home, Story]]:
        """Yield the items of the origin whose stories are there."""
        for key in self.pulled:
            account = self.accounts.get(key, Account())
            story = self.standing(account.story_record)
            if account.story_record is not None and story is not None:
                yield key, account, account.story_record, story

    def merges(self, existing: Mapping[str, str]) -> Iterator[tuple[str, Merge]]:
        """Yield what an import makes of each story that is there and selected."""
        for key, _, story_record, story in self.selected():
            yield (
                key,
                self._merge(
                    story_record, story, self.wanted(self.pulled[key], existing)
                ),
            )

    def _merge(self, story_record: Home, story: Story, ours: Values) -> Merge:
        there = story.values
        values, base = dict(there), dict(story_record.base)
        written, waiting, held = set[str](), set[str](), False
        for name in FIELDS:
            side = self.decisions.side(story_record.path, name, there[name])
            outcome = outcome_of(
                story_record.base[name],
                ours[name],
                there[name],
                side,
                moves=name == SLUG,
            )
            if outcome == WAITS:
                waiting.add(name)
                held = True
                continue
            base[name] = ours[name]
            if outcome == WRITTEN:
                written.add(name)
                values[name] = ours[name]
            held = held or values[name] != ours[name]
        return Merge(values, base, frozenset(written), frozenset(waiting), held)

    # what commands do

    def look(self) -> None:
        """Note where stories stand: a plan and an import begin so."""
        for key, account in self.accounts.items():
            story = self.standing(account.story_record)
            if account.story_record is not None and story is not None:
                story_record = replace(account.story_record, path=story.path)
                self.accounts[key] = replace(account, story_record=story_record)

    def record_missing(self) -> None:
        """Settle what is gone, and what a lost answer left: an import begins so."""
        for key, story_record in self.orphans.items():
            if self.standing(story_record) is not None:
                self.accounts[key] = Account(story_record)
        self.orphans.clear()
        self.files = self.files.settled(self.pictures(), self.decisions)
        for key, account in list(self.accounts.items()):
            if account.story_record is None:
                continue
            if self.standing(account.story_record) is None:
                self.accounts[key] = self._missing(key, account, account.story_record)
            elif key in self.pulled:
                self.accounts[key] = replace(
                    account, left_out=False, removed=False, undone=False
                )
            else:
                self.accounts[key] = self._gone_at_origin(account, account.story_record)

    def _missing(self, key: str, account: Account, story_record: Home) -> Account:
        """Return what becomes of an item whose story is not there."""
        if account.removed:
            return Account() if key in self.pulled else account
        action = self.decisions.action(DESTINATION, story_record.path)
        if action == LEAVE_OUT:
            return replace(account, left_out=True, failed=False)
        if action == RECREATE or key not in self.pulled:
            return Account()
        return replace(account, left_out=False, failed=True)

    def _gone_at_origin(self, account: Account, story_record: Home) -> Account:
        """Return what becomes of a story whose item the origin no longer has."""
        story_record = replace(
            story_record, taken_out=story_record.taken_out or account.removed
        )
        undone = self.removal(story_record) is None and self._is_asked_away(
            story_record
        )
        return replace(
            account,
            story_record=story_record,
            left_out=False,
            removed=False,
            undone=undone,
        )

    def _is_asked_away(self, story_record: Home) -> bool:
        action = self.decisions.action(ORIGIN, story_record.path)
        story = self.stories[story_record.story_id]
        return action == DELETE or (action == UNPUBLISH and story.public)

    def removal(self, story_record: Home) -> str | None:
        """Return what is done with a story that is there and whose item is not."""
        action = self.decisions.action(ORIGIN, story_record.path)
        story = self.stories[story_record.story_id]
        if action not in (UNPUBLISH, DELETE):
            return None
        if action == UNPUBLISH and not story.public:
            return None
        named = self.decisions.names(ORIGIN, story_record.path)
        shown = story.public and not story_record.left_public and not named
        touched = (
            story_record.held
            or story_record.taken_out
            or story.values != story_record.base
        )
        return None if shown or touched else action

    def to_create(self) -> dict[str, str]:
        """Return the paths of the stories that are to be made, by item."""
        return {
            key: f"{KEY}/{note.slug}"
            for key, note in self.pulled.items()
            if self.accounts.get(key, Account()).story_record is None
        }

    def created(self, key: str, story_id: int, uuid: str) -> Home:
        """Take note of a story that was made; return what is to be remembered."""
        values = {**self._without_relations(self.pulled[key]), RELATED: ()}
        made = Story(story_id, uuid, values)
        self.stories[story_id] = made
        return Home(story_id, uuid, made.path, values)

    def update(self, refused: frozenset[int] = frozenset()) -> None:
        """Write what is to be written, but for stories that are refused."""
        for key, merge in list(self.merges(self.existing())):
            account = self.accounts[key]
            story_record = account.story_record
            assert story_record is not None
            if merge.written and story_record.story_id in refused:
                self.accounts[key] = replace(account, failed=True)
                continue
            if merge.written:
                self._sent(story_record, merge)
            self.accounts[key] = replace(
                account,
                story_record=self._after(story_record, merge),
                failed=bool(merge.waiting),
            )

    def _sent(self, story_record: Home, merge: Merge) -> None:
        story = self.stories[story_record.story_id]
        self.stories[story_record.story_id] = story.saved(merge.values)

    def _after(self, story_record: Home, merge: Merge) -> Home:
        current = story_record.current and merge.base == story_record.base
        path = self.stories[story_record.story_id].path
        return replace(
            story_record, base=merge.base, held=merge.held, current=current, path=path
        )

    def publish(self, refused: frozenset[int] = frozenset()) -> None:
        """Publish what is asked for, not yet public, and nobody else's work."""
        for key, account, story_record, story in list(self.to_publish()):
            if story_record.story_id in refused:
                self.accounts[key] = replace(account, failed=True)
                continue
            self.stories[story_record.story_id] = story.shown(public=True)
            shown = replace(story_record, left_public=True, current=True)
            self.accounts[key] = replace(account, story_record=shown)

    def unpublish(self, refused: frozenset[int] = frozenset()) -> None:
        """Take from visitors what is not to be public, where that was decided."""
        for key, account, story_record, story in list(self.selected()):
            side = self.decisions.side(story_record.path, PUBLISHED, story.public)
            if story.public and not self.is_asked(key) and side == OURS:
                if story_record.story_id in refused:
                    self.accounts[key] = replace(account, failed=True)
                    continue
                self.stories[story_record.story_id] = story.shown(public=False)
                hidden = replace(story_record, left_public=False, current=False)
                self.accounts[key] = replace(account, story_record=hidden)

    def to_publish(self) -> Iterator[tuple[str, Account, Home, Story]]:
        """Yield the stories that an import publishes."""
        for key, account, story_record, story in self.selected():
            if account.failed or not self.is_asked(key):
                continue
            side = self.decisions.side(story_record.path, PUBLISHED, story.public)
            if not story.public and story_record.left_public:
                due = side == OURS
            elif story_record.current:
                due = side == OURS and story.stale
            else:
                due = side == OURS or story.values == story_record.base
            if due:
                yield key, account, story_record, story

    def is_asked(self, key: str) -> bool:
        """Return whether an item is to be public."""
        return self.decisions.publishing and self.pulled[key].live

    def remove(self, wrong: Mapping[int, Written] = NOTHING_WRONG) -> None:
        """Take away what is gone at the origin, as was decided.

        What became of a request that went wrong is found out by the next import.
        """
        for key, account in list(self.accounts.items()):
            story_record, story = (
                account.story_record,
                self.standing(account.story_record),
            )
            if key in self.pulled or story_record is None or story is None:
                continue
            action = self.removal(story_record)
            odd = wrong.get(story_record.story_id) if action else None
            if odd is not None:
                account = self.accounts[key] = replace(account, undone=True)
                if not odd.applied:
                    continue
            if action == DELETE:
                self.stories[story_record.story_id] = replace(story, trashed=True)
                self.accounts[key] = replace(account, removed=True)
            elif action == UNPUBLISH:
                self.stories[story_record.story_id] = story.shown(public=False)
                story_record = replace(story_record, left_public=False, current=False)
                self.accounts[key] = replace(account, story_record=story_record)

    def exit_code(self) -> int:
        """Return how an import ends that was not disturbed."""
        failed = any(self.accounts[key].failed for key in self.pulled)
        undone = any(
            each.undone for key, each in self.accounts.items() if key not in self.pulled
        )
        waits = bool(self.component.waiting(self.decisions))
        return int(failed or undone or waits or self.files.undone(self.pictures()))

    # what an import that is killed leaves

    def update_some(self, log: Sequence[Written]) -> None:
        """Take note of the requests that a killed import still sent."""
        sent = {each.story_id: each for each in log if each.kind == "update"}
        for key, merge in list(self.merges(self.existing())):
            account = self.accounts[key]
            story_record = account.story_record
            assert story_record is not None
            request = sent.get(story_record.story_id)
            if request is None and not merge.written:
                self.unsure.add(story_record.story_id)
            elif request is not None and request.applied:
                assert merge.written, (
                    f"{story_record.path} was written, and nobody wanted it"
                )
                self._sent(story_record, merge)
                if request.answered:
                    story_record = self._after(story_record, merge)
                    self.accounts[key] = replace(account, story_record=story_record)
        self._show_some(log)
        self._remove_some(log)
        self.unsettled = True

    def _show_some(self, log: Sequence[Written]) -> None:
        shown = {
            each.story_id: each
            for each in log
            if each.kind in ("publish", "unpublish") and each.applied
        }
        for key, account, story_record, story in list(self.selected()):
            found = shown.get(story_record.story_id)
            if found is None:
                continue
            public = found.kind == "publish"
            self.stories[story_record.story_id] = story.shown(public=public)
            if found.answered:
                story_record = replace(story_record, left_public=public, current=public)
                self.accounts[key] = replace(account, story_record=story_record)
            else:
                self.unsure.add(story_record.story_id)

    def _remove_some(self, log: Sequence[Written]) -> None:
        applied = {each.story_id: each for each in log if each.applied}
        for key, account in list(self.accounts.items()):
            story_record, story = (
                account.story_record,
                self.standing(account.story_record),
            )
            if key in self.pulled or story_record is None or story is None:
                continue
            found = applied.get(story_record.story_id)
            if found is None:
                continue
            if found.kind == "delete":
                self.stories[story_record.story_id] = replace(story, trashed=True)
                self.accounts[key] = replace(account, removed=True)
            else:
                self.stories[story_record.story_id] = story.shown(public=False)
                if found.answered:
                    story_record = replace(
                        story_record, left_public=False, current=False
                    )
                    self.accounts[key] = replace(account, story_record=story_record)

    # what commands tell

    def conflicts(self) -> set[tuple[str, str]]:
        """Return path and field of all that waits for a decision."""
        waiting = self.component.waiting(self.decisions)
        found = {(schemas.NAME, name) for name in waiting}
        supposed = self._supposed()
        for key, merge in supposed.merges(supposed.existing()):
            story_record = supposed.accounts[key].story_record
            assert story_record is not None
            found |= {(story_record.path, name) for name in merge.waiting}
        return found

    def _supposed(self) -> Model:
        """Return the model with all that an import will make before it updates."""
        supposed = replace(
            self, stories=dict(self.stories), accounts=dict(self.accounts)
        )
        for name in self.files.to_bring(self.pictures()):
            supposed.files = supposed.files.brought(name, -1 - len(name))
        for number, key in enumerate(supposed.to_create(), start=1):
            story_record = supposed.created(key, -number, f"the story of {key}")
            supposed.accounts[key] = Account(story_record)
        return supposed

    def differences(self) -> set[tuple[str, str]]:
        """Return what is not as it was decided: what it is, and the field."""
        found = self.component.differences(self.decisions)
        found |= {(name, "") for name in self.files.gone(self.pictures())}
        for key in self.pulled:
            account = self.accounts.get(key, Account())
            named = list(self._differing(key, account))
            if not named and account.failed:
                named = [""]
            found |= {(subject(key), name) for name in named}
        for key, account in self.accounts.items():
            if (
                key not in self.pulled
                and self.standing(account.story_record) is not None
            ):
                assert account.story_record is not None
                if self._is_asked_away(account.story_record):
                    found.add((subject(key), ""))
        return found

    def _differing(self, key: str, account: Account) -> Iterator[str]:
        story_record, story = account.story_record, self.standing(account.story_record)
        if story_record is None:
            yield ""
            return
        if story is None:
            left = self.decisions.action(DESTINATION, story_record.path) == LEAVE_OUT
            if account.removed or not left:
                yield ""
            return
        there = story.values
        ours = self.wanted(self.pulled[key], self.existing())
        for name in FIELDS:
            kept = self.decisions.side(story_record.path, name, there[name]) == THEIRS
            if ours[name] != there[name] and not kept:
                yield name
        kept = self.decisions.side(story_record.path, PUBLISHED, story.public) == THEIRS
        asked = self.is_asked(key)
        if not kept and (asked != story.public or (asked and story.stale)):
            yield PUBLISHED
