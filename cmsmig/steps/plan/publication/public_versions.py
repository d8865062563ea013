"""What visitors are to see of each story, and what a publication changes for them.

Editors see another version where what is live at the origin is older than what editors
changed there since. A story has one slug, so both versions have the same path. Reads
only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import ItemSet
from cmsmig.mapping.select.translations import shown_in
from cmsmig.reconcile.diff import value_of
from cmsmig.reconcile.field_diff import Value
from cmsmig.reconcile.rules.story_fields import (
    CONTENT,
    is_same_field,
    translated_in,
)
from cmsmig.reconcile.rules.story_hashes import content_hash
from cmsmig.reconcile.rules.visible_prints import (
    default_slug,
    delivered_names,
    delivered_print,
    exact_print,
    own_names,
    readings,
)
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import DraftLinks, LinkedStories
from cmsmig.steps.plan.edits.story_edits import NO_EDITS, StoryEdit, StoryEdits
from cmsmig.steps.plan.edits.written_stories import is_ours_public, to_publish
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class PublicVersions:
    """What visitors are to be given of stories that hold something else."""

    links: Mapping[ItemKey, DraftLinks] = field(default_factory=dict)
    """By item, with the hashes of what visitors are to see."""
    names: Mapping[ItemKey, str] = field(default_factory=dict)
    """What visitors are to see them called."""
    failed: Mapping[ItemKey, str] = field(default_factory=dict)
    """Why a version cannot be made, a sentence for an editor."""
    _made: Mapping[ItemKey, LinkedStories] = field(default_factory=dict)

    @property
    def records(self) -> Mapping[ItemKey, str]:
        """Return the fingerprints of everything that visitors are to be given."""
        return {key: links.record_hash for key, links in self.links.items()}

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return the fields of the version of an item in `links`, or why there is
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
    links: dict[ItemKey, DraftLinks] = {}
    names: dict[ItemKey, str] = {}
    failed: dict[ItemKey, str] = {}
    for key, each in made.items():
        found = each.version(key)
        if isinstance(found, str):
            failed[key] = found
        elif found is not None and (
            key in edited or _record(found) != _record(stories.version(key))
        ):
            names[key], links[key] = found
    visitors.drafter.store.flush()
    return PublicVersions(links, names, failed, made)


def _record(version: tuple[str, DraftLinks] | str | None) -> str:
    return version[1].record_hash if isinstance(version, tuple) else ""


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
    there = {row.story_id: row for row in snapshot.stories}
    return frozenset(
        key
        for key, row in ledger.items.all().items()
        if key in migration.to_publish
        and key.collection_id in mirrored
        and row.story_record is not None
        and (found := there.get(row.story_record.story_id)) is not None
        and _holds_edits(row.story_record, found, edits.found.get(key))
        and is_ours_public(row.story_record, decided, is_public=found.published)
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
        is_one = proven and key not in self.versions.links
        if is_one and exact_print(story, self.language) == proven:
            return True
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


@dataclass(frozen=True, slots=True)
class Publication:
    """A story that is to be published."""

    key: ItemKey
    full_slug: str
    is_new: bool
    """Whether visitors do not know the page yet."""
    below_edits: bool
    """Whether editors see a newer version above it."""
    fields: tuple[str, ...] | None = None
    """What changes for visitors; None where it was not read."""
    without: tuple[str, ...] = ()
    """Codes of the languages that editors see alone: they are not live."""

    def as_json(self) -> JsonObject:
        """Return the publication as `plan --json` and a dry run list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "visitors": "new" if self.is_new else "renewed",
            "below_edits": self.below_edits,
            "fields": None if self.fields is None else [*self.fields],
            "without": [*self.without],
        }

    @property
    def line(self) -> str:
        """Return a sentence for people: what changes for visitors."""
        said = "a new page" if self.is_new else "renewed"
        if self.fields:
            said += f": {', '.join(self.fields)}"
        elif self.fields is not None and not self.is_new:
            said += ", without a change in its fields"
        said += _without_text(self.without)
        above = "; editors see newer changes above it" if self.below_edits else ""
        return f"{self.full_slug}: {said}{above}"


def find_publications(
    wanted: WantedStories, rows: Iterable[ItemRow], versions: PublicVersions
) -> tuple[Publication, ...]:
    """Return what an import publishes, in one version or in two, by path: what was
    published before is published again, as `rows` are after all updates."""
    public = {row.story_id for row in wanted.snapshot.stories if row.published}
    places = wanted.migration.places.places
    found: list[Publication] = []
    for key in _due(wanted, rows, versions):
        row = wanted.rows.get(key)
        story_record = row.story_record if row is not None else None
        known = story_record is not None and story_record.story_id in public
        path = (
            story_record.full_slug
            if story_record is not None
            else places[key].full_slug
        )
        below_edits = key in versions.links
        without = languages_withheld(wanted.migration, key)
        found.append(Publication(key, path, not known, below_edits, without=without))
    return tuple(sorted(found, key=lambda each: each.full_slug))


def version_text(migration: Migration, key: ItemKey) -> str:
    """Return what moved where visitors are to get another version than they have."""
    without = _without_text(languages_withheld(migration, key))
    return f"is live in another version than visitors were given{without}"


def _without_text(codes: Iterable[str]) -> str:
    named = ", ".join(f"`{each}`" for each in codes)
    return f", without {named}, not live at the origin" if named else ""


def languages_withheld(migration: Migration, key: ItemKey) -> tuple[str, ...]:
    """Return the codes of the languages that editors get of an item, and visitors do
    not."""
    item = migration.items[key]
    shown = {each.code for each in migration.public.get(key, item).languages}
    return tuple(each.code for each in item.languages if each.code not in shown)


def rows_after(wanted: WantedStories, edits: StoryEdits) -> tuple[ItemRow, ...]:
    """Return the ledger's rows as all updates leave them."""
    snapshot = wanted.snapshot
    listed = {each.story_id: each for each in snapshot.stories} if edits.found else {}
    return tuple(
        _after(
            _shown(row, snapshot),
            edits,
            listed,
            is_written=key in wanted.needed and edits.writes(key),
        )
        for key, row in wanted.rows.items()
    )


def _due(
    wanted: WantedStories, rows: Iterable[ItemRow], versions: PublicVersions
) -> frozenset[ItemKey]:
    migration, listed = wanted.migration, wanted.snapshot.stories
    decided, public = migration.decisions.conflicts, versions.records
    there = to_publish(migration.to_publish, rows, listed, decided, public)
    due = {row.key for row in there} | (migration.to_publish & wanted.creating)
    return frozenset(due - versions.failed.keys())


def _shown(row: ItemRow, snapshot: Snapshot) -> ItemRow:
    """Return the row once it is noted what a killed run gave visitors."""
    story_record = row.story_record
    if story_record is not None and story_record.story_id in snapshot.hidden:
        return replace(row, story_record=replace(story_record, left_public=True))
    found = snapshot.interrupted.get(story_record.story_id) if story_record else None
    if story_record is None or found is None or not found.public_record:
        return row
    shown = replace(story_record, left_public=True, public_record=found.public_record)
    return replace(
        row, story_record=shown, published=row.published or story_record.updated_at
    )


def _after(
    row: ItemRow,
    edits: StoryEdits,
    listed: Mapping[int, StoryRow],
    *,
    is_written: bool,
) -> ItemRow:
    """Return the row after an update: what is published of it is older then, and what
    failed before has not any more."""
    story_record, edit = row.story_record, edits.found.get(row.key)
    if not is_written and edit is None:
        # As it is, and as nearly all are when little changed.
        return row
    if edit is None or not edit.undecided:
        row = replace(row, status="created", reason="")
    if story_record:
        there = None if is_written else listed.get(story_record.story_id)
        changed = there.updated_at if there else ""
        story_record = edits.record_after(row.key, story_record)
        story_record = replace(story_record, updated_at=changed)
    is_older = is_written or (edit is not None and edit.is_agreed)
    return replace(
        row, published="" if is_older else row.published, story_record=story_record
    )
