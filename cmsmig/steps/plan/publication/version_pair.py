"""The two versions that one story gets, one after the other, and the next step for a
story that a killed run left in between. Pure.

Spec: import rule 3 (a killed run is continued where it ended).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.typed_records import Story
from cmsmig.ledger.rows import Intent
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.diff import Sides, diff
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import part_of
from cmsmig.reconcile.rules.story import BY_VALUE
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    around_content,
    content_of,
    dates_of,
    translated_in,
    translated_moves,
    translations_in,
    translations_there,
    translations_to_send,
)

SHOW: Final = "show"
"""The kind of the intents to write both versions of a story."""


@dataclass(frozen=True, slots=True)
class Version:
    """What a story holds for its visitors, or for editors."""

    fields: JsonObject
    """Its name, its names and slugs in other languages, and the fields of its content
    with their prefix."""
    dates: JsonObject
    """Those of its dates that are set, by name."""

    @classmethod
    def of_fields(
        cls, fields: JsonObject, story: Story, languages: Set[str], sent: JsonObject
    ) -> Version:
        """Return the version that a draft's fields make of a story.

        `languages` are those that the item has for editors: one of them that the fields
        lack is taken out. Others stay as they are, and so does each slug that was
        `sent`: a page moves by decision only.
        """
        content = {name: fields[name] for name in fields if name.startswith(CONTENT)}
        there, shown = translations_there(story), translations_in(fields).keys()
        names = translated_in(fields, shown)
        hidden = languages - shown
        left = translated_in(there, translations_in(there).keys() - hidden)
        slugs = {name: sent.get(name, left[name]) for name in translated_moves(left)}
        around = {"name": fields["name"], **left, **names, **slugs}
        return cls({**around, **content}, _set_only(dates_of(fields)))

    @classmethod
    def of_story(cls, story: Story) -> Version:
        """Return the version that a story holds now."""
        content = {f"{CONTENT}{name}": value for name, value in story.content.items()}
        around = {"name": story.row.name, **translations_there(story)}
        dates = dates_of(around_content(story))
        return cls({**around, **content}, _set_only(dates))

    def unlike(self, other: Version) -> list[str]:
        """Return the names of the fields that two versions do not have alike."""
        return Sides(self.fields, {}, {}, BY_VALUE).moved(other.fields)

    def body(self, story: Story) -> JsonObject:
        """Return the record that writes this version of a story in place."""
        body: JsonObject = {"name": self.fields["name"], "slug": story.row.slug}
        if story.row.parent_id:
            body["parent_id"] = story.row.parent_id
        changed = frozenset(self.unlike(Version.of_story(story)))
        around = around_content(story)
        if sent := translations_to_send(self.fields, changed, around):
            body["translated_slugs_attributes"] = sent
        return {**body, **self.dates, "content": content_of(self.fields)}

    def on(self, story: Story) -> Story:
        """Return the story as it is once it holds this version."""
        row = replace(story.row, name=str(self.fields["name"]))
        slugs: list[Json] = [*translations_in(self.fields).values()]
        body = {**story.body, **self.dates, "translated_slugs": slugs}
        return Story(row, content_of(self.fields), body)


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Both versions of one story, as an intent holds them."""

    public: Version
    """What visitors are to see; written and published first."""
    editors: Version
    """What editors see; written above it as unpublished changes."""
    published_at: str = ""
    """When the story had been published last; empty: never."""

    @classmethod
    def of_intent(cls, intent: Intent) -> VersionPair:
        """Return the pair that an intent holds."""
        public, editors = (
            Version(part_of(each, "fields"), part_of(each, "dates"))
            for each in (
                part_of(intent.body, "public"),
                part_of(intent.body, "editors"),
            )
        )
        return cls(public, editors, str(intent.body.get("published_at") or ""))

    def intent(self, subject: str, request_hash: str) -> Intent:
        """Return the intent to write both."""
        sides = {"public": self.public, "editors": self.editors}
        body: JsonObject = {
            name: {"fields": each.fields, "dates": each.dates}
            for name, each in sides.items()
        }
        body["published_at"] = self.published_at
        return Intent(SHOW, subject, request_hash, body)

    def is_shown(self, story: Story) -> bool:
        """Return whether visitors were given their version: it was published since,
        and the unpublished one above it is the other, if any."""
        if published_at(story) == self.published_at or not story.row.published:
            return False
        there = Version.of_story(story)
        if story.row.unpublished_changes:
            return not there.unlike(self.editors)
        return not there.unlike(self.public)

    def put_back(self, story: Story) -> Version | None:
        """Return the version that gives editors theirs again; None where they have it.

        A field that holds something else than either version was edited since: it
        stays as it is.
        """
        there = Version.of_story(story)
        public, editors = self.public, self.editors
        sides = Sides(public.fields, editors.fields, there.fields, BY_VALUE)
        ref = Ref(Kind.STORY, story.row.full_slug)
        found = diff(ref, sides, lambda name, seen: None)
        is_other_date = public.dates != editors.dates and not there.unlike(public)
        if not found.written and not is_other_date:
            return None
        return Version(found.values, editors.dates)

    def after(self, story: Story) -> Story:
        """Return a story as it is once editors have their version of it again."""
        version = self.put_back(story)
        return story if version is None else version.on(story)


def published_at(story: Story) -> str:
    """Return when a story was published last; empty: never."""
    return str(story.body.get("published_at") or "")


def open_pairs(ledger: Ledger) -> Mapping[str, VersionPair]:
    """Return the pairs that a killed run was writing, by item as text. Reads only."""
    return {
        each.subject: VersionPair.of_intent(each) for each in ledger.intents.open(SHOW)
    }


def _set_only(dates: JsonObject) -> JsonObject:
    return {name: value for name, value in dates.items() if value}
