"""What visitors are to get of each story, compared with what they get. Pure but for the
drafts on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject, fingerprint
from cmsmig.destination.schema import Story
from cmsmig.item_key import ItemKey
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.mapping.select.translations import EmptyShown, shown_in
from cmsmig.reconcile.diff import value_of
from cmsmig.reconcile.field_diff import Value
from cmsmig.reconcile.rules.story import CONTENT, is_same_field
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories
from cmsmig.steps.plan.publication.public_versions import PublicVersions


def visible_prints(story: Story, language: str) -> frozenset[str]:
    """Return the fingerprints of what visitors may see of a story in a language once it
    is published; several where it depends on how empty translations are shown."""
    shown = _readings(story.content, language)
    return frozenset(_print(story, language, each) for each in shown)


def delivered_print(story: Story, language: str) -> str:
    """Return the fingerprint of what visitors see of a story that was delivered in a
    language."""
    return _print(story, language, shown_in(story.content, ""))


def _readings(fields: JsonObject, language: str) -> list[JsonObject]:
    """Return what visitors may get of fields, first as losses are listed."""
    found = [shown_in(fields, language, each) for each in EmptyShown]
    return found if language else found[:1]


def _print(story: Story, language: str, shown: JsonObject) -> str:
    return fingerprint(["" if language else story.row.name, comparable(shown)])


@dataclass(frozen=True, slots=True)
class PublicField:
    """A field of which visitors get another value than they are to get."""

    name: str
    """As a decision names it: `name`, or `content.KEY`."""
    there: Value
    """What visitors get."""
    wanted: Value

    @property
    def key(self) -> str:
        """Return the field's key in the story."""
        return self.name.removeprefix(CONTENT)


@dataclass(frozen=True, slots=True)
class VisitorPages:
    """What visitors are to get of the items of a migration."""

    stories: LinkedStories
    """As editors are to see them."""
    versions: PublicVersions
    unpublished: Mapping[ItemKey, Mapping[str, frozenset[str]]] = field(
        default_factory=dict
    )
    """Of stories with unpublished changes, the `visible_prints` of what editors have,
    by language."""
    language: str = ""
    """The destination's code of the language that they read in; empty: the default
    one."""

    def is_met(self, key: ItemKey, story: Story) -> bool:
        """Return whether visitors get what they are to get of a story."""
        if self.stories.migration.decisions.collections.translations:
            return next(self.unmet(key, story), None) is None
        return (content_hash(story.content), story.row.name) == self._print(key)

    def differs_from_draft(self, key: ItemKey, story: Story) -> bool:
        """Return whether editors have something else than what visitors get."""
        drafts = self.unpublished.get(key)
        return (
            drafts is not None
            and delivered_print(story, self.language) not in drafts[self.language]
        )

    def has_language(self, key: ItemKey) -> bool:
        """Return whether an item has values in their language."""
        migration = self.stories.migration
        item = migration.public.get(key, migration.items[key])
        return any(each.code == self.language for each in item.languages)

    def unmet(self, key: ItemKey, story: Story) -> Iterator[PublicField]:
        """Yield the fields of which they get something else, however the service shows
        empty translations."""
        wanted = _readings(self._fields(key), self.language)
        content = {f"{CONTENT}{name}": value for name, value in story.content.items()}
        theirs = shown_in({"name": story.row.name, **content}, "")
        for name in sorted(theirs.keys() | {each for ours in wanted for each in ours}):
            is_name = name == "name" and not self.language
            is_shown = is_name or name.startswith(CONTENT)
            if is_shown and not any(is_same_field(o, theirs, name) for o in wanted):
                there, ours = value_of(theirs, name), value_of(wanted[0], name)
                yield PublicField(name, there, ours)

    def _print(self, key: ItemKey) -> tuple[str, str] | None:
        """Return the hash of the content and the name that visitors are to get."""
        if key in self.versions.links:
            return self.versions.links[key].linked_hash, self.versions.names[key]
        found = self.stories.version(key)
        return (found[1].linked_hash, found[0]) if isinstance(found, tuple) else None

    def _fields(self, key: ItemKey) -> JsonObject:
        are_apart = key in self.versions.links
        found = (self.versions if are_apart else self.stories).fields(key)
        return found if isinstance(found, dict) else {}
