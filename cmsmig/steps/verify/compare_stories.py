"""Stories read back and compared with what is wanted of them. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.destination.reading import parse_time
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import StoryRecord
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.reconcile.field_diff import FieldDiff, Outcome
from cmsmig.reconcile.rules.publication import DECIDE_PUBLISHED, publication_diff
from cmsmig.reconcile.rules.story import LastWrite, edited_fields
from cmsmig.reconcile.rules.story_fields import PUBLISHED
from cmsmig.reconcile.rules.visible_prints import visible_prints
from cmsmig.richtext.schema.validate import documents_in, problems_there
from cmsmig.steps.plan.drafts.linked_stories import LinkedStories, WantedStory
from cmsmig.steps.plan.gone.missing_objects import REMEDY
from cmsmig.steps.story_reader import Sought
from cmsmig.steps.verify.compare_fields import is_as_wanted, story_differences
from cmsmig.steps.verify.differences import (
    Difference,
    DifferenceCode,
    Verification,
)
from cmsmig.steps.write.alternates import group_languages
from cmsmig.steps.write.import_job import ImportJob

_Expected: TypeAlias = tuple[WantedStory, LastWrite]
"""An item's story as it is wanted, and as it was last written."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """Reads stories back, many at a time, and notes what differs."""

    job: ImportJob
    linked: LinkedStories
    expected: Mapping[ItemKey, StoryRecord]
    """The stories that are there."""
    listed: Mapping[int, StoryRow]
    found: Verification
    live: frozenset[ItemKey]
    """The selected items that visitors see at the origin."""

    async def compare(self, keys: Iterable[ItemKey]) -> None:
        """Compare the stories of items, at most as many as delivery gives together."""
        expected = [*self._expected(keys)]
        if not expected:
            return
        self.found.stories += len(expected)
        stories = await self.job.reader.read_part(
            [self._sought(*each) for each in expected]
        )
        for (wanted, last), story in zip(expected, stories, strict=True):
            if story is None:
                list_gone(wanted.key, last.record, self.found)
                continue
            self._compare(wanted, last, story)

    def _expected(self, keys: Iterable[ItemKey]) -> Iterator[_Expected]:
        for key in keys:
            wanted, record = self.linked.wanted(key), self.expected[key]
            if isinstance(wanted, WantedStory):
                written = self.job.ledger.items.last_written(record.story_id)
                yield wanted, LastWrite(record, written)
            elif wanted is not None:
                self.found.add(DifferenceCode.ITEM_FAILED, key, wanted)

    def _sought(self, wanted: WantedStory, last: LastWrite) -> Sought:
        languages = self.job.migration.items[wanted.key].languages
        return Sought(
            self.listed[last.record.story_id],
            partial(self._is_as_wanted, wanted, last),
            last.record.updated_at,
            tuple(each.code for each in languages),
            lambda: wanted.content,
        )

    def _is_as_wanted(self, wanted: WantedStory, last: LastWrite, story: Story) -> bool:
        """Return whether a delivered story holds all that is wanted of it, its
        alternates too."""
        own = story.row.story_id
        # One with translations was compared with its content already.
        is_translated = self.job.migration.items[wanted.key].languages
        known = wanted.content_hash if is_translated else ""
        group = self.found.wanted_groups.get(wanted.key)
        others = self.found.members[group] - {own} if group is not None else frozenset()
        return others <= story.alternates and is_as_wanted(
            story, last.written, wanted.record_hash, known
        )

    def _compare(self, wanted: WantedStory, last: LastWrite, story: Story) -> None:
        found, key = self.found, wanted.key
        found.published_at[key] = parse_time(story.body.get("published_at"))
        if key in found.wanted_groups:
            found.groups[key] = story.row.group_id
            found.alternates[key] = story.alternates
        shown = self.job.reader.shown.get(last.record.story_id)
        if shown or is_as_wanted(story, last.written, wanted.record_hash):
            # What is wanted was valid when it was made.
            if shown:
                found.proven[key] = shown
            found.relations += wanted.links.filled
            found.documents += len([*documents_in(story.content)])
        elif _waits(self.job, key) and not edited_fields(story, last):
            # An import of all fills its references to what later pilots brought.
            found.waiting.add(key)
        else:
            found.relations += wanted.links.filled
            self._compare_fields(wanted, last, story)
        self._compare_publication(key, last.record, story)

    def _compare_fields(
        self, wanted: WantedStory, last: LastWrite, story: Story
    ) -> None:
        decided, labels = self._decided, self.found.labels
        differences = [
            *story_differences(
                wanted.story, wanted.content, last, story, decided, labels
            )
        ]
        self.found.note(differences)
        kept = {each.where for each in differences if each.is_kept}
        self.found.documents += len([*documents_in(story.content)])
        # What an editor wrote is the editor's.
        content = {key: story.content[key] for key in story.content.keys() - kept}
        _check_documents(wanted.story, content, self.found)

    @property
    def _decided(self) -> ConflictsDecision:
        return self.job.migration.decisions.conflicts

    def _compare_publication(
        self, key: ItemKey, record: StoryRecord, story: Story
    ) -> None:
        """List that a story is public, or not, against the decision."""
        migration, found = self.job.migration, self.found
        apart = key in self.job.public_versions(self.linked.existing).records
        if story.row.published and story.row.unpublished_changes and not apart:
            languages = migration.decisions.collections.translations
            codes = ("", *(each.code for each in languages))
            found.unpublished[key] = {c: visible_prints(story, c) for c in codes}
        is_public = story.row.published
        field = publication_diff(
            record,
            self._decided,
            is_public=is_public,
            asked=key in migration.to_publish,
            is_live=key in self.live,
        )
        if field is not None and field.outcome not in _AS_DECIDED:
            found.note([_publication_difference(key, field)])


_AS_DECIDED = (Outcome.AGREE, Outcome.ACCEPT)


def _publication_difference(key: ItemKey, field: FieldDiff) -> Difference:
    """Return that visitors see a story, or do not, against what is wanted."""
    path, is_public = field.what, field.theirs is True
    code = (
        DifferenceCode.PUBLISHED_UNASKED if is_public else DifferenceCode.NOT_PUBLISHED
    )
    is_kept = field.outcome is Outcome.KEEP
    if is_kept:
        text = (
            f"`{path}` was {'published' if is_public else 'unpublished'} by an editor, "
            "and stays so"
        )
    elif field.why:
        text = f"`{path}` {field.why}; {DECIDE_PUBLISHED}"
    else:
        verb = "unpublished" if is_public else "published"
        text = f"`{path}` is to be {verb}; run `cmsmig publish`"
    return Difference(code, str(key), PUBLISHED, f"{text}.", is_kept)


def _waits(job: ImportJob, key: ItemKey) -> bool:
    """Return whether an item of a pilot has references that no pilot filled yet, and
    is unchanged apart from them."""
    row = job.ledger.items.all()[key]
    is_same = row.origin_hash == job.migration.origin_hash(key)
    return bool(job.migration.known.outside) and row.link_state == "pending" and is_same


def compare_groups(job: ImportJob, found: Verification) -> None:
    """List the stories that are not in one group with their item's other languages.

    The group alone proves nothing: the service may store it without effect. Its
    alternates show what front ends get. Source: destination, update a story.
    """
    if not found.wanted_groups:
        # No item has another language.
        return
    records = {
        key: row.story_record
        for key, row in job.ledger.items.all().items()
        if row.story_record is not None
    }
    listed = job.snapshot.listed
    reused = {
        key: there.group_id
        for key, record in records.items()
        if not record.made and (there := listed.get(record.story_id)) is not None
    }
    groups = {key: group for key, group in (reused | found.groups).items() if group}
    for languages in group_languages(groups).values():
        found.languages += 1
        together = {
            records[key].story_id: key
            for key in languages
            if groups[key] == found.wanted_groups.get(key)
        }
        for key in languages:
            if key not in found.groups:
                continue
            own, is_kept = records[key].story_id, False
            if own not in together:
                text = _NOT_IN_GROUP
                # We put it there, and an editor took it out.
                is_kept = records[key].group_id == found.wanted_groups.get(key)
            elif together.keys() - {own} - found.alternates[key]:
                text = _NO_ALTERNATES
            else:
                continue
            code = DifferenceCode.LANGUAGES_APART
            found.note([Difference(code, str(key), "group_id", text, is_kept)])


_NOT_IN_GROUP = (
    "It does not share the group of the item's other languages, so that none of them "
    "names it as its alternate; add it there to the alternates of one of them."
)
_NO_ALTERNATES = (
    "It has the `group_id` of the item's other languages, but the service does not "
    "show all of them as its alternates; add them to its alternates there, and check "
    "that the service then shows them."
)


def list_gone(key: ItemKey, record: StoryRecord, found: Verification) -> None:
    """List that an item's story is not there any more."""
    text = f"The story `{record.full_slug}` is no longer there; {REMEDY}."
    found.add(DifferenceCode.STORY_GONE, key, text)


def _check_documents(
    story: StoryDraft, content: JsonObject, found: Verification
) -> None:
    for path, document in documents_in(content):
        for problem in problems_there(document):
            place = f"At {problem.path}: " if problem.path else ""
            text = f"{place}{problem.what}"
            found.add(DifferenceCode.DOCUMENT_INVALID, story.key, text, path)
