"""What visitors are to see of each story, and what a publication changes for them.

Editors see another version where what is live at the origin is older than what editors
changed there since. A story has one slug, so both versions have the same path. Reads
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import ItemSet
from cmsmig.mapping.decisions.conflicts import Side
from cmsmig.mapping.select.translations import shown_in
from cmsmig.reconcile.diff import value_of
from cmsmig.reconcile.field_diff import Value
from cmsmig.reconcile.rules.publication import decided_public
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    is_same_field,
    translated_in,
)
from cmsmig.reconcile.rules.visible_prints import (
    default_slug,
    delivered_names,
    delivered_print,
    exact_print,
    own_names,
    readings,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories, WantedStory
from cmsmig.steps.plan.wanted_stories import NO_EDITS, StoryEdit, StoryEdits
from cmsmig.steps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class PublicVersions:
    """What visitors are to be given of stories that hold something else."""

    records: Mapping[ItemKey, str] = field(default_factory=dict)
    """By item, the fingerprints of everything that visitors are to be given."""
    failed: Mapping[ItemKey, str] = field(default_factory=dict)
    """Why a version cannot be made, a sentence for an editor."""
    _made: Mapping[ItemKey, LinkedStories] = field(default_factory=dict)

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return the fields of the version of an item in `records`, or why there is
        none."""
        return self._made[key].fields(key)


def find_public_versions(
    stories: LinkedStories,
    ledger: Ledger,
    snapshot: Snapshot,
    edits: StoryEdits = NO_EDITS,
) -> PublicVersions:
    """Return the versions that visitors are to see where they differ from the `stories`
    that editors see, both over the same story records. `edits` are those that were
    compared with updates that are still to come.

    A version that differs in nothing that a story holds is none of them, unless an
    editor's unfinished edit is to stay above it.
    """
    migration, context = stories.migration, stories.context
    edited = _shown_below_edits(migration, ledger, snapshot, edits)
    if not migration.public and not edited:
        return PublicVersions()
    visitors = migration.for_visitors()
    own = visitors.context(context.assets, context.missing_assets)
    live = LinkedStories(visitors, own, stories.existing)
    made = dict.fromkeys(edited, stories) | dict.fromkeys(migration.public, live)
    records: dict[ItemKey, str] = {}
    failed: dict[ItemKey, str] = {}
    for key, each in made.items():
        found, above = each.wanted(key), stories.wanted(key)
        if isinstance(found, str):
            failed[key] = found
        elif found is not None and (
            key in edited
            or not isinstance(above, WantedStory)
            or found.record_hash != above.record_hash
        ):
            records[key] = found.record_hash
    visitors.drafter.store.flush()
    return PublicVersions(records, failed, made)


def _shown_below_edits(
    migration: Migration, ledger: Ledger, snapshot: Snapshot, edits: StoryEdits
) -> frozenset[ItemKey]:
    """Return the items of mirrored collections whose stories hold edits after all
    updates and whose visitors see ours by decision."""
    decided = migration.decisions.conflicts
    mirrored = {
        each.collection_id
        for each in migration.decisions.collections.collections
        if each.items is ItemSet.MIRROR
    }
    if not decided.edits or not mirrored:
        return frozenset()
    return frozenset(
        key
        for key, row in ledger.items.all().items()
        if key in migration.to_publish
        and key.collection_id in mirrored
        and row.story_record is not None
        and (found := snapshot.listed.get(row.story_record.story_id)) is not None
        and _holds_edits(row.story_record, found, edits.found.get(key))
        and decided_public(row.story_record, decided, is_public=found.published)
        is Side.OURS
    )


def _holds_edits(record: StoryRecord, there: StoryRow, edit: StoryEdit | None) -> bool:
    """Return whether a story holds edits, after its update if one is to come.

    A list from before our last write shows nothing of what came after it.
    """
    if edit is not None:
        return edit.is_kept
    return record.kept_edits or there.updated_at > record.updated_at


@dataclass(frozen=True, slots=True)
class PublicField:
    """A field that visitors get with another value than they are to get."""

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
    proven: Mapping[ItemKey, Mapping[str, str]] = field(default_factory=dict)
    """The exact prints of what editors have of stories that are as wanted, by
    language."""
    language: str = ""
    """The destination's code of the language that they read in; empty: the default
    one."""

    def is_met(self, key: ItemKey, story: Story) -> bool:
        """Return whether visitors get what they are to get of a story."""
        proven = self.proven.get(key, {}).get(self.language)
        is_one = proven and key not in self.versions.records
        if is_one and exact_print(story, self.language) == proven:
            return True
        return next(self.unmet(key, story), None) is None

    def differs_from_draft(self, key: ItemKey, story: Story) -> bool:
        """Return whether editors have something else than what visitors get."""
        drafts = self.unpublished.get(key)
        return (
            drafts is not None
            and delivered_print(story, self.language) not in drafts[self.language]
        )

    def has_language(self, key: ItemKey) -> bool:
        """Return whether an item has values in their language, for them or for
        editors."""
        migration = self.stories.migration
        item = migration.items[key]
        both = (*item.languages, *migration.public.get(key, item).languages)
        return any(each.code == self.language for each in both)

    def unmet(self, key: ItemKey, story: Story) -> Iterator[PublicField]:
        """Yield the fields that visitors get with another value, however the service
        shows empty translations."""
        fields, language = self._fields(key), self.language
        translations = self.stories.migration.decisions.collections.translations
        codes = {language} if language else {each.code for each in translations}
        ours = own_names(translated_in(fields, codes), default_slug(story))
        theirs = translated_in(delivered_names(story, language), codes)
        if not language:
            ours["name"], theirs["name"] = fields.get("name"), story.row.name
        content = {n: v for n, v in fields.items() if n.startswith(CONTENT)}
        wanted = [{**each, **ours} for each in readings(content, language)]
        there = {f"{CONTENT}{name}": value for name, value in story.content.items()}
        theirs |= shown_in(there, "")
        for name in sorted(theirs.keys() | {each for ours in wanted for each in ours}):
            if not any(is_same_field(each, theirs, name) for each in wanted):
                seen, meant = value_of(theirs, name), value_of(wanted[0], name)
                yield PublicField(name, seen, meant)

    def _fields(self, key: ItemKey) -> JsonObject:
        are_apart = key in self.versions.records
        found = (self.versions if are_apart else self.stories).fields(key)
        return found if isinstance(found, dict) else {}


def version_text(migration: Migration, key: ItemKey) -> str:
    """Return what moved where visitors are to get another version than they have."""
    without = without_text(languages_withheld(migration, key))
    return f"is live in another version than visitors were given{without}"


def without_text(codes: Iterable[str]) -> str:
    """Return which languages visitors do not get, as the end of a sentence."""
    named = ", ".join(f"`{each}`" for each in codes)
    return f", without {named}, not live at the origin" if named else ""


def languages_withheld(migration: Migration, key: ItemKey) -> tuple[str, ...]:
    """Return the codes of the languages that editors get of an item, and visitors do
    not."""
    item = migration.items[key]
    shown = {each.code for each in migration.public.get(key, item).languages}
    return tuple(each.code for each in item.languages if each.code not in shown)
