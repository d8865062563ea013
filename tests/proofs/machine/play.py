"""What all rules of the machine share: the world, the model, and their comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.proofs.machine.decided import Decisions
from tests.proofs.machine.model import (
    FOLDER,
    LINE,
    MOOD,
    NAME,
    PICTURE,
    RELATED,
    SLUG,
    TEXT,
    Account,
    Model,
    Story,
    Values,
)
from tests.proofs.machine.schemas import EXTRA, FIELD_LABEL, LABEL, MOOD_FIELD
from tests.proofs.machine.schemas import NAME as NOTE
from tests.proofs.machine.site import Note
from tests.proofs.machine.world import World
from tests.support.rehearsal import Ended

WORDS = ("", "one", "two", "three")
"""Few, so that both sides often write the same, or what stood there before."""
numbers = st.integers(0, 23)
words = st.sampled_from(WORDS)


class Play(RuleBasedStateMachine):
    """A run's world and model."""

    world: ClassVar[World]
    steps: ClassVar[int] = 0
    runs: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    def check_invariants(self, *arguments: Any, **options: Any) -> None:
        """Count the steps."""
        Play.steps += 1
        super().check_invariants(*arguments, **options)

    @property
    def settled(self) -> bool:
        """Return whether the model knows what the last import left."""
        return not self.model.unsettled

    def compare(self) -> None:
        """Insist that the space holds what the model holds."""
        found = {own: read(self.world, own) for own in self.world.stories()}
        expected = self.model.stories
        insist_same("the stories there", found.values(), expected.values())
        theirs = self.model.component.theirs
        assert parts_of(self.world) == theirs, "the component, and what it should be"
        there = self.world.space.assets.keys()
        insist_same("the assets there", there, self.model.files.there)

    # at the origin

    def note(self, n: int) -> str:
        """Return one of the items."""
        return pick(sorted(self.model.origin), n) or ""

    def change(self, key: str, **changes: Any) -> None:
        """Change an item at the origin."""
        if key:
            note = self.model.origin[key].having(**changes)
            self.at_origin({**self.model.origin, key: note})

    def at_origin(self, notes: Mapping[str, Note]) -> None:
        """Have the origin hold these items."""
        self.model.origin = dict(notes)
        self.world.publish_at_origin(notes, moody=self.model.moody)

    # at the destination

    def story(self, n: int) -> Story | None:
        """Return one of the stories that are there and may be edited."""
        there = [
            each
            for own, each in self.model.stories.items()
            if not each.trashed and own not in self.model.unsure
        ]
        return pick(there, n)

    def item_of(self, story: Story) -> str:
        """Return the item that a story was made of; empty for a lost one."""
        for key, account in self.model.accounts.items():
            if account.story_record and account.story_record.story_id == story.story_id:
                return key
        return ""

    def edited(self, n: int) -> str:
        """Return one of the items at the origin whose stories may be edited."""
        found = [
            key
            for key in sorted(self.model.origin)
            if (story := self.story_of(key)) and story.story_id not in self.model.unsure
        ]
        return pick(found, n) or ""

    def story_of(self, key: str) -> Story | None:
        """Return the story of an item, if it is there."""
        return self.model.standing(self.model.accounts.get(key, Account()).story_record)

    def edit(self, story: Story | None, changes: Values) -> None:
        """Save a story as an editor does."""
        if story is None:
            return
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
        if MOOD in changes:
            content["mood"] = changes[MOOD]
        if PICTURE in changes:
            content["picture"] = self._picture(changes[PICTURE])
        body["content"] = content
        self.world.api("PUT", f"/stories/{story.story_id}", {"story": body})
        self.model.stories[story.story_id] = story.saved(changes)
        self.compare()

    def _picture(self, asset_id: int | None) -> Any:
        """Return the picture of a story that shows an asset."""
        for stored in self.world.stories().values():
            shown = stored.content.get("picture")
            if asset_id and isinstance(shown, dict) and shown.get("id") == asset_id:
                return shown
        return None

    def replace_story(self, story: Story, **changes: Any) -> None:
        """Take note of what an editor did to a story."""
        self.model.stories[story.story_id] = replace(story, **changes)
        self.compare()

    # decisions

    def known_path(self, n: int) -> str:
        """Return what decisions call one of the stories."""
        existing = [
            each.story_record
            for each in self.model.accounts.values()
            if each.story_record
        ]
        story_record = pick(existing, n)
        return story_record.path if story_record else ""

    def decide(self, decisions: Decisions) -> None:
        """Decide so from now on."""
        if decisions.publishing != self.model.decisions.publishing:
            choices = ("nothing", "what_is_live")
            old, new = choices if decisions.publishing else choices[::-1]
            self.world.decide(
                "collections.yaml", f"publish: {old}\n", f"publish: {new}\n"
            )
        self.model.decisions = decisions
        edits = [
            {
                "kind": each.kind,
                "what": each.what,
                "field": each.field,
                "take": each.take,
                "seen": each.fingerprint,
            }
            for each in decisions.edits
        ]
        gone = [
            {"from": each.side, "what": each.what, "action": each.action}
            for each in decisions.gone
        ]
        self.world.write_conflicts(edits, gone)


def pick(choices: Sequence[Any], n: int) -> Any:
    """Return one of several; None of none."""
    return choices[n % len(choices)] if choices else None


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
        PICTURE: (content.get("picture") or {}).get("id"),
        MOOD: content.get("mood") or "",
    }
    return Story(
        story_id,
        stored.uuid,
        values,
        trashed=stored.deleted_at is not None,
        public=stored.published is not None,
        stale=stored.unpublished_changes,
    )


def parts_of(world: World) -> Any:
    """Return the component of the notes as the space holds it; None without it."""
    found = world.space.component(NOTE)
    if found is None:
        return None
    schema = found["schema"]
    return {
        LABEL: found["display_name"],
        FIELD_LABEL: schema["line"]["display_name"],
        EXTRA: "extra" in schema,
        MOOD_FIELD: "mood" in schema,
    }


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


def insist_same(what: str, found: Iterable[Any], expected: Iterable[Any]) -> None:
    """Fail with all that is too much or too little."""
    more, less = list(found), []
    for each in expected:
        more.remove(each) if each in more else less.append(each)
    if more or less:
        raise AssertionError(f"{what}: found {more}, expected {less} instead")


def told(ended: Ended) -> str:
    """Return how a command ended and the end of what it said."""
    return json.dumps([ended.code, ended.out[-1500:], ended.err[-1500:]])
