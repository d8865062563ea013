"""A run: its steps, and what people did and decided, as far as the rules need it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.proofs.machine.decided import ANY, OURS, STORY, WHATEVER, Decisions
from tests.proofs.machine.seen import PICTURE, PUBLISHED, TRASHED, Seen, Space
from tests.proofs.machine.site import COLLECTION, EN, FIRST, FOLDER, LOCALES, Item, Key
from tests.proofs.machine.stage import Setup, Stage
from tests.support.sites.identity import ref

Held = dict[tuple[int, str], Any]


@dataclass
class Book:
    """Edits and decisions of one run."""

    origin: dict[Key, Item] = field(default_factory=lambda: dict(FIRST))
    read: dict[Key, Item] = field(default_factory=lambda: dict(FIRST))
    """The origin as the last pull read it."""
    cleaning: int = 0
    """Which operations of `CLEANING` are decided, a bit each."""
    held: Held = field(default_factory=dict)
    """By story and field: what an editor left there last."""
    unfinished: dict[int, set[Any]] = field(default_factory=lambda: defaultdict(set))
    """By story: what editors saved and did not publish."""
    touched: set[int] = field(default_factory=set)
    """Stories that an editor ever changed."""
    forgotten: set[int] = field(default_factory=set)
    """Stories of which a new ledger may not know what we wrote."""
    unknown: set[int] = field(default_factory=set)
    """Stories that were deleted while a killed run might not have recorded them."""
    lost: set[Key] = field(default_factory=set)
    """Items whose stories a new ledger does not know, since they were gone then."""
    paths: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By story: every path that it ever had."""
    bases: dict[int, dict[str, Any]] = field(default_factory=lambda: defaultdict(dict))
    """By story (0: the component) and field: what the origin wanted when an import
    compared it last. A field is missing where that is not certain."""
    estranged: set[int] = field(default_factory=set)
    """Stories that a rollback or a lost ledger met: no field of them is predicted."""
    is_foreign: bool = False
    """Whether a new ledger counts the component as not ours."""
    is_unclear: bool = False
    """Whether it may: which fields are translatable depends on what items hold."""
    restorable: set[int] = field(default_factory=set)
    """Stories in the trash that an import still knows by their items."""
    deleted_files: set[str] = field(default_factory=set)
    """Names of the files whose assets an editor deleted."""
    unknown_files: set[str] = field(default_factory=set)
    """Names of files that were there and not wanted when a ledger was made again."""
    decisions: Decisions = field(default_factory=Decisions)
    design: dict[str, Any] = field(default_factory=dict)
    """What the component is to be."""
    imported_pictures: dict[int, str] = field(default_factory=dict)
    """By story: the picture that it had before an editor gave it another."""
    has_mood: bool = False
    """Whether the origin's collection has one more field, and a pull saw it."""
    pulled_mood: bool = False
    stirred: bool = False
    """Whether anything moved at the origin or was decided since the last import."""
    addresses: dict[Key, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Every address of an item that visitors could open, on both sides."""
    folder: str = "notes"
    unsettled: bool = False
    """Whether a killed run was not followed by a whole one."""
    rebuilt: bool = False
    """Whether a ledger was lost, ever."""
    is_section_unsent: bool = False
    """Whether a killed run may have published the section or not."""
    never_public: set[int] = field(default_factory=set)
    """Stories that a killed run did not get to publish: no editor took them back."""
    rolled_back: bool = False
    """Whether a rollback was begun, ever: what is gone is forgotten by it."""

    @property
    def pulled(self) -> dict[Key, Item]:
        """Return the items that the last pull read, as they are cleaned."""
        return {key: each.cleaned(self.cleaning) for key, each in self.read.items()}

    def note(self, space: Space) -> None:
        """Take note of the paths that stories have."""
        for own, seen in space.items():
            if not seen.trashed:
                self.paths[own].add(seen.path)

    def edited(self, seen: Seen, field_: str, value: Any) -> None:
        """Take note of an editor's edit."""
        self.touched.add(seen.story_id)
        self.held[seen.story_id, field_] = value
        if field_ not in (PUBLISHED, TRASHED, PICTURE):
            self.unfinished[seen.story_id].add(value)

    def publication(self, seen: Seen, value: bool) -> None:
        """Take note of an editor's publication, which may take an earlier one back."""
        self.never_public.discard(seen.story_id)
        if self.held.pop((seen.story_id, PUBLISHED), value) is value:
            self.edited(seen, PUBLISHED, value)

    def unsent(self, seen: Seen | None) -> None:
        """Take note of a publication of a killed run that did not arrive: a story that
        is not public looks as if an editor had taken it back."""
        if seen is None:
            self.is_section_unsent = True
        elif seen.shown is None:
            self.publication(seen, False)
            self.never_public.add(seen.story_id)

    def pictured(self, seen: Seen, value: str) -> None:
        """Take note of an editor's picture, which may be the imported one again."""
        own, item = seen.story_id, self.pulled.get(seen.key)
        if (own, PICTURE) not in self.held:
            self.imported_pictures[own] = seen.values[PICTURE]
        versions = (item.staged, item.live) if item else ()
        wanted = {each.picture for each in versions if each}
        self.edited(seen, PICTURE, value)
        if value in {self.imported_pictures[own], *wanted}:
            del self.held[own, PICTURE]

    def is_ours(self, own: int, field_: str) -> bool:
        """Return whether a decision may cover an edit: ours is written over it."""
        return any(
            each.take == OURS
            and each.kind == STORY
            and each.what in (ANY, *self.paths[own])
            and each.field in (ANY, field_)
            and each.seen in (WHATEVER, self.held.get((own, field_)))
            for each in self.decisions.edits
        )

    def protected(self, own: int) -> dict[str, Any]:
        """Return the edits of a story that no decision gives up."""
        return {
            name: value
            for (story, name), value in self.held.items()
            if story == own and not self.is_ours(own, name)
        }

    def gone_action(self, side: str, own: int) -> set[str]:
        """Return what may have been decided about a story that is gone on a side."""
        paths = [*self.paths[own]]
        if len(paths) == 1 and (named := self.decisions.action_of(side, paths[0])):
            return {named}
        return {
            each.action
            for each in self.decisions.gone
            if each.side == side and each.what in (ANY, *self.paths[own])
        }

    def is_gone(self, key: Key, setup: Setup) -> bool:
        """Return whether an item has no story of its own, in the set that was
        decided."""
        return self._is_left(key, setup) or (setup.fields and key[1] != EN)

    def _is_left(self, key: Key, setup: Setup) -> bool:
        item = self.pulled.get(key)
        return (
            item is None
            or item.archived
            or (setup.items == "live" and item.live is None)
        )

    def is_behind(self) -> bool:
        """Return whether the origin changed since it was pulled."""
        return (self.read, self.pulled_mood) != (self.origin, self.has_mood)

    def leads_to(self, letter: str) -> set[str]:
        """Return the items that an item leads to, in any language and version."""
        versions = (
            words
            for key, each in self.pulled.items()
            for words in (each.staged, each.live)
            if key[0] == letter and words is not None
        )
        return {other for words in versions for other in words.related}

    def files(self, setup: Setup) -> set[str]:
        """Return the files that the pulled items show, in any version."""
        versions = (
            words
            for key, each in self.pulled.items()
            if not self._is_left(key, setup)
            # A translation is in the story of its item.
            and not (setup.fields and self._is_left((key[0], EN), setup))
            for words in (each.staged, each.live)
            if words is not None
        )
        return {words.picture for words in versions if words.picture}


class Step(NamedTuple):
    """What is done, and two numbers that say to what and how."""

    name: str
    number: int
    """Words of this step hold it, so that each is written once in a run."""
    a: int
    b: int


@dataclass
class Days:
    """A run that is being played."""

    world: Stage
    book: Book
    ticks: int = 1

    def tick(self) -> int:
        """Return the number of an edit at the origin."""
        self.ticks += 1
        return self.ticks

    def at_origin(self, changed: Mapping[Key, Item]) -> None:
        """Have the origin hold changed items."""
        self.origin_is({**self.book.origin, **changed})

    def origin_is(self, site: Mapping[Key, Item]) -> None:
        """Have the origin hold these items."""
        self.book.origin = dict(site)
        self.book.stirred = True
        self.world.serve(site, has_mood=self.book.has_mood)

    def subjects(self) -> Mapping[str, Key]:
        """Return the items by how commands name them."""
        keys = [(letter, language) for letter in "abcd" for language in LOCALES]
        return {
            f"{COLLECTION}/{ref(FOLDER, key[0])}@{LOCALES[key[1]]}": key for key in keys
        }
