"""Stories of which visitors are to see another version than editors: what is live at
the origin, below what editors changed there since. Reads only.

A story has one slug, so both versions stand at the same place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import ItemSet
from cmsmig.reconcile.rules.story import is_as_written
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.linked_stories import DraftLinks, LinkedStories
from cmsmig.steps.plan.edits.written_stories import is_ours_public
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
    def records(self) -> Mapping[ItemKey, tuple[str, ...]]:
        """Return the fingerprints of everything that visitors are to be given."""
        return {key: links.records for key, links in self.links.items()}

    def fields(self, key: ItemKey) -> JsonObject | str:
        """Return the fields of the version of an item in `links`, or why there is
        none."""
        return self._made[key].fields(key)


def find_public_versions(
    stories: LinkedStories, ledger: Ledger, snapshot: Snapshot
) -> PublicVersions:
    """Return the versions that visitors are to see where they differ from the `stories`
    that editors see, both over the same story records.

    A version that differs in nothing that a story holds is none of them, unless an
    editor's unfinished edit is to stay above it.
    """
    migration, context = stories.migration, stories.context
    edited = _shown_below_edits(migration, ledger, snapshot)
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
            key in edited or _records(found) != _records(stories.version(key))
        ):
            names[key], links[key] = found
    visitors.drafter.store.flush()
    return PublicVersions(links, names, failed, made)


def _records(version: tuple[str, DraftLinks] | str | None) -> tuple[str, ...]:
    return version[1].records if isinstance(version, tuple) else ()


def _shown_below_edits(
    migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> frozenset[ItemKey]:
    """Return the items of mirrored collections whose stories an editor changed and of
    which it was decided that visitors see ours."""
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
        and row.home is not None
        and (found := there.get(row.home.story_id)) is not None
        and not is_as_written(found, row.home)
        and is_ours_public(row.home, decided, is_public=found.published)
    )
