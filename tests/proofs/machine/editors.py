"""What the origin's editors and those of the destination do."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.proofs.machine.model import (
    FOLDER,
    LINE,
    MOOD,
    NAME,
    PICTURE,
    RELATED,
    SLUG,
    TEXT,
)
from tests.proofs.machine.play import Play, numbers, pick, words
from tests.proofs.machine.schemas import MOOD_FIELD
from tests.proofs.machine.site import FILES, KEY, Note

_KEYS = "abcde"
_PARTS = {"name": NAME, "line": LINE, "text": TEXT}


class AtOrigin(Play):
    """Edits at the origin; a pull reads them."""

    @rule(n=numbers, word=words)
    def origin_edits_name(self, n: int, word: str) -> None:
        """An item gets another name."""
        self.change(self.note(n), name=word or "Ann")

    @rule(n=numbers, number=st.integers(0, 2))
    def origin_edits_slug(self, n: int, number: int) -> None:
        """An item gets another slug, perhaps one that it had."""
        key = self.note(n)
        self.change(key, slug=f"{key}-{number}")

    @rule(n=numbers, word=words)
    def origin_edits_field(self, n: int, word: str) -> None:
        """A plain field changes."""
        self.change(self.note(n), line=word)

    @rule(n=numbers, word=words)
    def origin_edits_body(self, n: int, word: str) -> None:
        """A rich text changes."""
        self.change(self.note(n), text=word)

    @rule(n=numbers, several=st.lists(numbers, max_size=2))
    def origin_edits_relation(self, n: int, several: list[int]) -> None:
        """A relation leads to other items."""
        targets = tuple(dict.fromkeys(self.note(each) for each in several))
        self.change(self.note(n), related=targets)

    @rule(n=numbers, picture=st.sampled_from(("", *FILES)))
    def origin_edits_picture(self, n: int, picture: str) -> None:
        """An item shows another file, or none."""
        self.change(self.note(n), picture=picture)

    @precondition(lambda self: not self.model.moody)
    @rule()
    def origin_adds_field(self) -> None:
        """The collection gets one more field."""
        self.model.moody = True
        self.at_origin(self.model.origin)

    @precondition(lambda self: self.model.moody)
    @rule(n=numbers, word=words)
    def origin_edits_new_field(self, n: int, word: str) -> None:
        """The field that came later is filled."""
        self.change(self.note(n), mood=word)

    @rule(n=numbers)
    def origin_publishes(self, n: int) -> None:
        """An item goes live, or is a draft again."""
        key = self.note(n)
        self.change(key, live=not self.model.origin[key].live)

    @rule(n=numbers, word=words)
    def origin_adds_item(self, n: int, word: str) -> None:
        """An item is made, or one that was deleted comes back."""
        key = pick([key for key in _KEYS if key not in self.model.origin], n)
        if key:
            note = Note(word or "New", f"{key}-0", word, word)
            self.at_origin({**self.model.origin, key: note})

    @rule(n=numbers)
    def origin_deletes_item(self, n: int) -> None:
        """An item is deleted, and with it all references to it."""
        gone = self.note(n)
        if len(self.model.origin) > 1:
            left = {
                key: note.having(related=tuple(r for r in note.related if r != gone))
                for key, note in self.model.origin.items()
                if key != gone
            }
            self.at_origin(left)


class AtDestination(Play):
    """Edits at the destination."""

    @rule(n=numbers, word=words)
    def editor_renames(self, n: int, word: str) -> None:
        """A story gets another name."""
        self.edit(self.story(n), {NAME: word or "Eva"})

    @rule(n=numbers, number=st.integers(0, 3))
    def editor_changes_slug(self, n: int, number: int) -> None:
        """A story gets another slug, perhaps the one that the origin gives it."""
        story = self.story(n)
        key = self.item_of(story) if story else ""
        # One that nobody knows by its number is looked for at its place.
        if key:
            self.edit(story, {SLUG: f"{key}-{number}"})

    @rule(n=numbers, folder=st.sampled_from(("", "other", KEY)))
    def editor_moves(self, n: int, folder: str) -> None:
        """A story goes into another folder."""
        story = self.story(n)
        if story and self.item_of(story):
            self.edit(story, {FOLDER: folder})

    @rule(n=numbers, word=words)
    def editor_edits_field(self, n: int, word: str) -> None:
        """A plain field changes."""
        self.edit(self.story(n), {LINE: word})

    @rule(n=numbers, word=words)
    def editor_edits_body(self, n: int, word: str) -> None:
        """A rich text changes."""
        self.edit(self.story(n), {TEXT: word})

    @rule(n=numbers, several=st.lists(numbers, max_size=2))
    def editor_edits_relation(self, n: int, several: list[int]) -> None:
        """A relation leads to other stories."""
        targets = [self.story(each) for each in several]
        uuids = tuple(dict.fromkeys(each.uuid for each in targets if each))
        self.edit(self.story(n), {RELATED: uuids})

    @rule(n=numbers, other=numbers)
    def editor_edits_picture(self, n: int, other: int) -> None:
        """A story shows what another one shows, or nothing."""
        source = self.story(other)
        if source:
            self.edit(self.story(n), {PICTURE: source.values[PICTURE]})

    @precondition(lambda self: (self.model.component.theirs or {}).get(MOOD_FIELD))
    @rule(n=numbers, word=words)
    def editor_edits_new_field(self, n: int, word: str) -> None:
        """The field that came later is filled."""
        self.edit(self.story(n), {MOOD: word})

    @rule(n=numbers)
    def editor_publishes(self, n: int) -> None:
        """A story is shown to visitors as it stands."""
        story = self.story(n)
        if story:
            self.world.api("GET", f"/stories/{story.story_id}/publish")
            self.replace_story(story, public=True, stale=False)

    @rule(n=numbers)
    def editor_unpublishes(self, n: int) -> None:
        """A story is taken from visitors."""
        story = self.story(n)
        if story:
            self.world.api("GET", f"/stories/{story.story_id}/unpublish")
            self.replace_story(story, public=False, stale=False)

    @rule(n=numbers)
    def editor_deletes(self, n: int) -> None:
        """A story goes to the trash."""
        story = self.story(n)
        if story:
            self.world.api("DELETE", f"/stories/{story.story_id}")
            self.replace_story(story, trashed=True)

    @rule(n=numbers)
    def editor_restores(self, n: int) -> None:
        """A story comes back from the trash, as long as its item is known by it."""
        trashed = [
            story
            for account in self.model.accounts.values()
            if account.story_record
            and (story := self.model.stories[account.story_record.story_id]).trashed
            and story.story_id not in self.model.unsure
        ]
        story = pick(trashed, n)
        if story:
            stored = self.world.space.stories[story.story_id]
            stored.deleted_at = None
            self.world.space.place(stored)
            self.replace_story(story, trashed=False)

    @rule(n=numbers, name=st.sampled_from(tuple(_PARTS)), ours=words, theirs=words)
    def both_edit(self, n: int, name: str, ours: str, theirs: str) -> None:
        """An editor and the origin change one field."""
        key = self.edited(n)
        if key:
            self.change(key, **{name: ours or "Ann"})
            self.edit(self.story_of(key), {_PARTS[name]: theirs or "Eva"})

    @precondition(
        lambda self: any(each.fingerprint for each in self.model.decisions.edits)
    )
    @rule(n=numbers, word=words)
    def editor_edits_again(self, n: int, word: str) -> None:
        """A field changes after somebody decided about what stood there."""
        about = [each for each in self.model.decisions.edits if each.fingerprint]
        decided = pick(about, n)
        for key in self.model.accounts:
            story_record, story = (
                self.model.accounts[key].story_record,
                self.story_of(key),
            )
            if (
                story_record
                and story
                and story.story_id not in self.model.unsure
                and story_record.path == decided.what
                and decided.field in _PARTS.values()
            ):
                self.edit(story, {decided.field: word or "Eva"})
