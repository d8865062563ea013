"""What both sides hold and what was decided, and what commands have to make of it.

Written from the rules alone: nothing here is taken from the project's own merge.
Of each field three values count: the one that was written last (`base`), the one that
stands there (`theirs`), and the one that the origin wants (`ours`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.proofs.machine.site import FIRST, KEY, Note, Notes

NAME, SLUG, FOLDER = "name", "slug", "folder"
LINE, TEXT, RELATED = "content.line", "content.text", "content.related"
FIELDS = (NAME, SLUG, FOLDER, LINE, TEXT, RELATED)
ANY = "*"
OURS, THEIRS = "ours", "theirs"
RECREATE, LEAVE_OUT, KEEP = "recreate", "leave_out", "keep"
WHATEVER = object()
"""What a decision without `seen` was made about."""

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Story:
    """A story of the space as it stands."""

    story_id: int
    uuid: str
    values: Values
    trashed: bool = False

    @property
    def path(self) -> str:
        """Return its full slug."""
        return f"{self.values[FOLDER]}/{self.values[SLUG]}".lstrip("/")

    def having(self, changes: Values) -> Story:
        """Return the story with other values."""
        return replace(self, values={**self.values, **changes})


@dataclass(frozen=True)
class Home:
    """What is remembered of the story that was made of an item."""

    story_id: int
    uuid: str
    path: str
    """Where a plan or an import saw it last: decisions name it so."""
    base: Values


@dataclass(frozen=True)
class Account:
    """What is remembered of an item."""

    home: Home | None = None
    failed: bool = False
    left_out: bool = False


@dataclass(frozen=True)
class Edit:
    """A decision about an edited field."""

    what: str
    field: str
    take: str
    seen: Any = WHATEVER


@dataclass(frozen=True)
class Decisions:
    """What was decided about conflicts."""

    edits: tuple[Edit, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    """Names and actions; the last one about a name counts."""

    def side(self, what: str, name: str, theirs: Any) -> str | None:
        """Return whose value stands in a field."""
        for about in ((what, name), (what, ANY), (ANY, name), (ANY, ANY)):
            fitting = [
                each.take
                for each in self.edits
                if (each.what, each.field) == about and each.seen in (WHATEVER, theirs)
            ]
            if fitting:
                return fitting[-1]
        return None

    def action(self, what: str) -> str | None:
        """Return what becomes of a story that is gone from the destination."""
        known = dict(self.gone)
        return known.get(what) or known.get(ANY)


@dataclass(frozen=True)
class Merge:
    """What an import makes of one story."""

    values: Values
    base: Values
    written: frozenset[str]
    waiting: frozenset[str]
    """Fields that wait for a decision."""


@dataclass
class Model:
    """Both sides, the decisions, and what earlier imports left."""

    origin: Notes = field(default_factory=lambda: dict(FIRST))
    pulled: Notes = field(default_factory=lambda: dict(FIRST))
    stories: dict[int, Story] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    decisions: Decisions = field(default_factory=Decisions)

    # what is wanted

    def homes(self, *, but: frozenset[str] = frozenset()) -> dict[str, str]:
        """Return the UUIDs that relations to items become."""
        return {
            key: account.home.uuid
            for key, account in self.accounts.items()
            if account.home is not None and not account.left_out and key not in but
        }

    def wanted(self, note: Note, homes: Mapping[str, str]) -> Values:
        """Return a story as the origin wants it."""
        related = tuple(homes[key] for key in note.related if key in homes)
        return {**without_relations(note), RELATED: related}

    def is_there(self, home: Home) -> bool:
        """Return whether a story is there and not in the trash."""
        story = self.stories.get(home.story_id)
        return story is not None and not story.trashed

    def merge(self, key: str, homes: Mapping[str, str]) -> Merge:
        """Return what an import makes of the story of an item."""
        home = self.accounts[key].home
        assert home is not None
        there = self.stories[home.story_id].values
        ours = self.wanted(self.pulled[key], homes)
        values, base = dict(there), dict(home.base)
        written, waiting = set[str](), set[str]()
        for name in FIELDS:
            side = self.decisions.side(home.path, name, there[name])
            outcome = _outcome(name, home.base[name], ours[name], there[name], side)
            if outcome == "waits":
                waiting.add(name)
                continue
            base[name] = ours[name]
            if outcome == "written":
                written.add(name)
                values[name] = ours[name]
        return Merge(values, base, frozenset(written), frozenset(waiting))

    def merges(self, homes: Mapping[str, str]) -> Iterator[tuple[str, Merge]]:
        """Yield what an import makes of each story that is there and selected."""
        for key in self.pulled:
            account = self.accounts.get(key)
            if account is None or account.home is None:
                continue
            if self.is_there(account.home):
                yield key, self.merge(key, homes)

    # what commands do

    def look(self) -> None:
        """Note where stories stand: a plan and an import begin so."""
        for key, account in self.accounts.items():
            home = account.home
            if home is not None and self.is_there(home):
                path = self.stories[home.story_id].path
                moved = replace(home, path=path)
                self.accounts[key] = replace(account, home=moved)

    def take_up(self) -> None:
        """Settle what is gone from the destination: an import begins so."""
        for key, account in self.accounts.items():
            home = account.home
            if home is None:
                continue
            if self.is_there(home):
                if account.left_out:
                    self.accounts[key] = replace(account, left_out=False)
                continue
            action = self.decisions.action(home.path)
            if action == LEAVE_OUT:
                self.accounts[key] = replace(account, left_out=True, failed=False)
            elif action == RECREATE or key not in self.pulled:
                self.accounts[key] = Account()
            else:
                self.accounts[key] = replace(account, left_out=False, failed=True)

    def to_create(self) -> dict[str, str]:
        """Return the paths of the stories that are to be made, by item."""
        return {
            key: f"{KEY}/{note.slug}"
            for key, note in self.pulled.items()
            if self.accounts.get(key, Account()).home is None
        }

    def create(self, key: str, story_id: int, uuid: str) -> None:
        """Take note of a story that was made."""
        values = {**without_relations(self.pulled[key]), RELATED: ()}
        made = Story(story_id, uuid, values)
        self.stories[story_id] = made
        home = Home(story_id, uuid, made.path, values)
        self.accounts[key] = Account(home)

    def settle(self) -> int:
        """Write what is to be written; return the exit code of the import."""
        for key, merge in list(self.merges(self.homes())):
            account = self.accounts[key]
            home = account.home
            assert home is not None
            story = self.stories[home.story_id].having(merge.values)
            self.stories[home.story_id] = story
            self.accounts[key] = replace(
                account,
                home=replace(home, base=merge.base, path=story.path),
                failed=bool(merge.waiting),
            )
        return int(any(self.accounts[key].failed for key in self.pulled))

    # what commands tell

    def conflicts(self) -> set[tuple[str, str]]:
        """Return path and field of all that waits for a decision."""
        found = set()
        coming = {key: f"the story of {key}" for key in self.to_create()}
        for key, merge in self.merges({**self.homes(), **coming}):
            home = self.accounts[key].home
            assert home is not None
            found |= {(home.path, name) for name in merge.waiting}
        return found

    def differences(self) -> set[tuple[str, str]]:
        """Return item and field of all that is not as it was decided."""
        found = set[tuple[str, str]]()
        for key in self.pulled:
            account = self.accounts.get(key, Account())
            named = list(self._differing(key, account))
            if not named and account.failed:
                named = [""]
            found |= {(key, name) for name in named}
        return found

    def _differing(self, key: str, account: Account) -> Iterator[str]:
        home = account.home
        if home is None:
            yield ""
            return
        if not self.is_there(home):
            if self.decisions.action(home.path) != LEAVE_OUT:
                yield ""
            return
        there = self.stories[home.story_id].values
        ours = self.wanted(self.pulled[key], self.homes())
        for name in FIELDS:
            kept = self.decisions.side(home.path, name, there[name]) == THEIRS
            if ours[name] != there[name] and not kept:
                yield name


def without_relations(note: Note) -> Values:
    """Return what a note's story holds whatever else was made."""
    return {
        NAME: note.name,
        SLUG: note.slug,
        FOLDER: KEY,
        LINE: note.line,
        TEXT: note.text,
    }


def _outcome(name: str, base: Any, ours: Any, theirs: Any, side: str | None) -> str:
    """Return what becomes of a field: `written`, `stays`, or `waits`."""
    if ours == theirs:
        return "stays"
    if side is not None and (ours != base or theirs != base):
        by_us_alone = theirs == base and name != SLUG
        return "written" if side == OURS or by_us_alone else "stays"
    if theirs == base:
        # A page is never moved without a decision.
        return "waits" if name == SLUG else "written"
    return "stays" if ours == base else "waits"
