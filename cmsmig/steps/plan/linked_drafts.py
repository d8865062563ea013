"""What links make of a draft, told by what is known of it: its content is read where
nobody has hashed the same before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.convert.kept_draft import DraftFacts
from cmsmig.mapping.convert.linking import ResolvedLinks, link_story, resolve_links
from cmsmig.mapping.draft import DraftContext, ExistingStory, Place
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.steps.decide.drafter import ItemDraft
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.written_stories import content_hash, record_hash

_ROOMS = ("mapping", "richtext", "steps/plan")
"""What links and hashes content."""


@dataclass(frozen=True, slots=True)
class DraftLinks:
    """What phase two will make of a story."""

    links: int
    """Links that will lead to stories."""
    left: tuple[str, ...]
    """Why links into the old site stay, each."""
    state: str
    """`pending`, `linked` or `nothing`, as the ledger writes it."""
    changes: bool
    """Whether it makes other content of the draft."""
    linked_hash: str
    """Of the content then; empty for a story that is still to be made."""
    record_hash: str
    """Of everything that is wanted of the story: its name, place, dates, content."""

    def is_needed(self, home: StoryRecord) -> bool:
        """Return whether a story was last asked to be something else."""
        if home.record_hash:
            return self.record_hash != home.record_hash
        return self.linked_hash != home.content_hash


def link_draft(
    migration: Migration,
    draft: ItemDraft,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
    *,
    is_there: bool,
) -> DraftLinks | str:
    """Return what links make of a draft; or why there is no story any more.

    Content is hashed only where a story `is_there` to be compared with.
    """
    facts = draft.facts
    found = resolve_links(
        facts.links, facts.relations, facts.key.locale_id, homes, migration.routes
    )
    hashed = ""
    if is_there:
        known = _linked_hash(migration, draft, context, homes, found)
        if known is None:
            return str(draft.story(context))
        hashed = known
    place = context.places[facts.key]
    return DraftLinks(
        links=found.links,
        left=(
            *(str(each.cause) for each in found.left),
            *(why_waiting(migration, key) for key in found.waiting),
        ),
        state=link_state(found.filled, found.links, pending=bool(found.pending)),
        changes=_changes(found),
        linked_hash=hashed,
        record_hash=_record_hash(facts, place, hashed) if hashed else "",
    )


def _linked_hash(
    migration: Migration,
    draft: ItemDraft,
    context: DraftContext,
    homes: Mapping[ItemKey, ExistingStory],
    found: ResolvedLinks,
) -> str | None:
    """Return the hash of the linked content, kept or made; None without a story."""
    facts = draft.facts
    files: list[Json] = [
        [asset.asset_id, asset.filename]
        for asset in (context.assets[each] for each in facts.slots.addresses)
    ]
    made_of = [draft.made_of, code_digest(_ROOMS), facts.content_print]
    linked = _changes(found)
    inputs = fingerprint([made_of, files])
    if linked:
        inputs = fingerprint([inputs, _answers(found)])
    drafts = migration.drafter.store
    hashed = drafts.content_hash(facts.key, inputs, linked=linked)
    if hashed is None:
        story = draft.story(context)
        if isinstance(story, str):
            return None
        content = story.content
        if linked:
            content = link_story(story, homes, migration.routes).content
        hashed = content_hash(content)
        drafts.keep_content_hash(facts.key, inputs, hashed, linked=linked)
    return hashed


def _record_hash(facts: DraftFacts, place: Place, content: str) -> str:
    dates = facts.first_published_at, facts.sort_by_date
    return record_hash(facts.story_name(place), place, dates, content)


def why_waiting(migration: Migration, key: ItemKey) -> str:
    """Return why a link to an item that is taken along leads to no story."""
    outside = key in migration.known.outside
    cause = DanglingCause.NOT_IN_PILOT if outside else DanglingCause.TARGET_FAILED
    return str(cause)


def link_state(filled: int, links: int, *, pending: bool) -> str:
    """Return what the ledger writes of a story's links."""
    if pending:
        return "pending"
    return "linked" if filled or links else "nothing"


def _changes(found: ResolvedLinks) -> bool:
    """Return whether linking gives other content than the draft's."""
    return bool(found.filled or found.links)


def _answers(found: ResolvedLinks) -> Json:
    stories: list[Json] = [
        [each.uuid, each.full_slug] if each else None for each in found.stories
    ]
    return [stories, [*found.relations]]
