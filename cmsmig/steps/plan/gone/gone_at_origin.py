"""Items that have a story and that the origin no longer gives one: deleted there, or
no longer chosen. Each is named, and a decision says what to do with its story."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.canonical import JsonObject
from cmsmig.counting import first_of
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.gone_items import DELETE, UNPUBLISH
from cmsmig.ledger.rows import (
    DELETED_THERE,
    GoneItem,
    GoneState,
    Intent,
    ItemRow,
)
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
    GoneAction,
    GoneFrom,
)
from cmsmig.mapping.select.reference_targets import KnownItems
from cmsmig.mapping.select.selection import NO_LONGER_LIVE
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.resource import Verb
from cmsmig.reconcile.rules.story import LastWrite, edited_fields, edits_without_reading
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.recorded import Removal
from cmsmig.steps.plan.recorded_stories import language_paths, last_write
from cmsmig.steps.snapshot import Snapshot
from cmsmig.steps.worker_pool import together

REMOVALS: Mapping[GoneState, str] = {
    GoneState.TO_UNPUBLISH: UNPUBLISH,
    GoneState.TO_DELETE: DELETE,
}
"""What is still to be done, and the kind of its intent."""
_SHOWN = 3
_TO_DO: Mapping[GoneAction | None, GoneState] = {
    GoneAction.UNPUBLISH: GoneState.TO_UNPUBLISH,
    GoneAction.DELETE: GoneState.TO_DELETE,
}


_DELETED = "It was deleted at the origin."
_NO_LANGUAGE = "The site no longer has its language."
_LEFT_OUT = "It is no longer chosen."
_ONLINE = "Its page is still online: unpublish it, or leave it as it is."
_UNREAD = "collection_unread"


async def look_at_gone(
    client: DestinationClient, migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> tuple[Mapping[int, Story], int]:
    """Read the stories to be taken away that are not as we left them; return them by
    id, and how many calls that took. Reads only."""
    if not migration.pilot.is_whole:
        return {}, 0
    decided = migration.decisions.conflicts
    looking = [
        row.story_record.story_id
        for key, row in ledger.items.all().items()
        if row.story_record is not None
        and row.story_record.made
        and not row.story_record.kept_edits
        and _reason_of(migration.known, key)
        and decided.gone_action(GoneFrom.ORIGIN, row.story_record.full_slug) in _TO_DO
        and (there := snapshot.listed.get(row.story_record.story_id)) is not None
        and edits_without_reading(there, last_write(ledger, row)) is None
    ]
    found = await together(map(client.find_story, looking))
    stories = {each.row.story_id: each for each in found if each is not None}
    return stories, len(looking)


def gone_items(
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    looked: Mapping[int, Story],
) -> dict[ItemKey, GoneItem]:
    """Return every item that is gone at the origin and has a story. Reads only.

    A pilot has none.
    """
    if not migration.pilot.is_whole:
        return {}
    sentences = {each.key: each.sentence for each in migration.skipped}
    removed, decided = removed_by_us(ledger), migration.decisions.conflicts
    gone: dict[ItemKey, GoneItem] = {}
    for key, row in ledger.items.all().items():
        reason = _reason_of(migration.known, key)
        if row.story_record is None or not reason:
            continue
        there = snapshot.listed.get(row.story_record.story_id)
        if there is None and key not in removed:
            # One that is missing there too is reported for the destination.
            continue
        sentence = sentences.get(key) or _sentence(migration, key, reason)
        if reason in NO_LONGER_LIVE and there is not None and there.published:
            path = row.story_record.full_slug
            if decided.gone_action(GoneFrom.ORIGIN, path) is None:
                sentence = f"{sentence} {_ONLINE}"
        seen, last = looked.get(row.story_record.story_id), last_write(ledger, row)
        state, note = _decide(row, reason, last, there, seen, decided)
        gone[key] = GoneItem(state, reason, sentence, note)
    return gone


def _sentence(migration: Migration, key: ItemKey, reason: str) -> str:
    if reason == _UNREAD:
        return "Its collection could not be read."
    if reason != DELETED_THERE:
        return _LEFT_OUT
    locales = {each.locale_id for each in migration.origin.site.locales}
    return _NO_LANGUAGE if locales and key.locale_id not in locales else _DELETED


def record_gone(
    migration: Migration,
    ledger: Ledger,
    snapshot: Snapshot,
    looked: Mapping[int, Story],
) -> None:
    """Write into the ledger the items that are gone at the origin or returned.

    An item whose story was deleted, and that is there again, gets another one. One that
    was deleted there and has no story is forgotten. A pilot has none of these.
    """
    if not migration.pilot.is_whole:
        return
    known, rows, removed = migration.known, ledger.items.all(), removed_by_us(ledger)
    gone = gone_items(migration, ledger, snapshot, looked)
    new = {key: each for key, each in gone.items() if rows[key].gone != each}
    restored = [
        key
        for key, each in new.items()
        if (before := rows[key].gone) is not None
        and before.state is GoneState.DELETED != each.state
    ]
    ledger.gone.mark(new, restored)
    back = {
        key: row.story_record.story_id in snapshot.listed
        for key, row in rows.items()
        if row.story_record and row.gone and not _reason_of(known, key)
    }
    released = [key for key in back if key in removed and not back[key]]
    ledger.gone.reinstate(back)
    paths = language_paths(migration, ledger, released)
    ledger.items.release(released, paths)
    creating = ledger.intents.subjects("create")
    ledger.gone.forget(
        key
        for key, row in rows.items()
        if row.story_record is None
        and not known.holds(key)
        and str(key) not in creating
    )


def _reason_of(known: KnownItems, key: ItemKey) -> str:
    """Return why an item is gone, or empty; one that is only left out of a part of
    the import is not."""
    if key in known.selected:
        return ""
    unread = key.collection_id in known.unread
    return _UNREAD if unread else known.skipped.get(key, DELETED_THERE)


def _decide(
    row: ItemRow,
    reason: str,
    last: LastWrite,
    there: StoryRow | None,
    seen: Story | None,
    decided: ConflictsDecision,
) -> tuple[GoneState, str]:
    """Return the outcome for a story, and why something else was decided: `there` as it
    is listed, None where this import deleted it; `seen` where it was read, since it is
    not as we left it."""
    if there is None:
        return GoneState.DELETED, ""
    if reason == _UNREAD:
        # Whether the item is gone is not known.
        return GoneState.KEPT, ""
    action = decided.gone_action(GoneFrom.ORIGIN, last.record.full_slug)
    if action is None or action is GoneAction.KEEP:
        was_hidden = row.gone is not None and row.gone.state is GoneState.UNPUBLISHED
        is_hidden = was_hidden and not there.published
        return (GoneState.UNPUBLISHED if is_hidden else GoneState.KEPT), ""
    if action not in _TO_DO:
        note = f"`{action}` is for what is gone at the destination; {_DECIDE}."
        return GoneState.UNDECIDED, note
    if action is GoneAction.UNPUBLISH and not there.published:
        return GoneState.UNPUBLISHED, ""
    note = why_kept(row, last, there, seen, decided)
    return (GoneState.KEPT if note else _TO_DO[action]), note


_DECIDE = (
    "choose in notebook 04, or write keep, unpublish or delete under `gone` in "
    "decisions/conflicts.yaml"
)


def why_kept(
    row: ItemRow,
    last: LastWrite,
    there: StoryRow,
    seen: Story | None,
    decided: ConflictsDecision,
) -> str:
    """Return why a story is kept although something else was decided, as a sentence;
    empty where it is as we left it. `seen` is the story where it had to be read."""
    is_named = decided.named_action(GoneFrom.ORIGIN, last.record.full_slug)
    fields, edit = edits_without_reading(there, last), ""
    if fields is None:
        # One that was not read may hold anything.
        fields = edited_fields(seen, last) if seen else ("content",)
    if row.gone is not None and row.gone.state is GoneState.DELETED:
        edit = "an editor took it out of the trash"
    elif not last.record.made:
        edit = "this import did not make it"
    elif there.published and not row.published and not is_named:
        edit = "an editor published it"
    elif last.record.kept_edits:
        edit = "it holds what an editor wrote there"
    elif fields:
        names = first_of(fields, _SHOWN)
        edit = f"an editor changed it after this import wrote it ({names})"
    note = f"It stays, since {edit}; remove it there, or choose to leave it as it is."
    return note if edit else ""


def removed_by_us(ledger: Ledger) -> frozenset[ItemKey]:
    """Return the items whose stories this import deleted, or was about to. Reads
    only. Such a story is not missed where it is not there."""
    deleting = ledger.intents.subjects(DELETE)
    return frozenset(
        row.key
        for row in ledger.gone.rows()
        if str(row.key) in deleting
        or (row.gone is not None and row.gone.state is GoneState.DELETED)
    )


def to_remove(migration: Migration, ledger: Ledger) -> tuple[Removal, ...]:
    """Return the stories that are to be unpublished or deleted; a pilot takes none
    away. Reads only."""
    return tuple(
        Removal(
            *(Kind.STORY, row.key, own.full_slug, own.story_id, row, own.made),
            Intent(REMOVALS[row.gone.state], str(row.key), own.record_hash),
            Verb.DELETE if row.gone.state is GoneState.TO_DELETE else Verb.HIDE,
        )
        for row in (ledger.gone.rows() if migration.pilot.is_whole else ())
        if (own := row.story_record) and row.gone and row.gone.state in REMOVALS
    )


def blocking(migration: Migration, removals: Iterable[Removal]) -> list[Removal]:
    """Return the stories to be deleted whose places other items take."""
    wanted = {place.full_slug for place in migration.places.places.values()}
    return [
        each for each in removals if each.verb is Verb.DELETE and each.name in wanted
    ]


def gone_json(row: ItemRow) -> JsonObject:
    """Return what is gone at the origin as the JSON outputs list it."""
    gone = row.gone
    return {
        "item": str(row.key),
        "name": row.name,
        "full_slug": row.story_record.full_slug if row.story_record else row.full_slug,
        "reason": gone.reason if gone else "",
        "explanation": gone.sentence if gone else "",
        "story": str(gone.state) if gone else "",
        "note": gone.note if gone else "",
    }


def gone_change(gone: GoneItem) -> str:
    """Return what happened to an item that is gone at the origin, and what can be
    decided, where nothing is."""
    if gone.reason in NO_LONGER_LIVE:
        return f"is no longer live at the origin: {gone.sentence}"
    return f"is no longer part of what is imported. {gone.sentence}"


def gone_sentence_of(row: ItemRow) -> str:
    """Return which item is gone at the origin, why, and the state of its story."""
    gone = row.gone
    assert gone is not None
    path = row.story_record.full_slug if row.story_record else row.full_slug
    note = f" {gone.note}" if gone.note else ""
    return f"{path}: {gone.sentence} {_STATES[gone.state]}{note}"


_STATES = {
    GoneState.KEPT: "Its story is kept.",
    GoneState.UNDECIDED: "Its story is kept until a decision is made.",
    GoneState.TO_UNPUBLISH: "Its story is to be unpublished.",
    GoneState.TO_DELETE: "Its story is to be deleted.",
    GoneState.UNPUBLISHED: "Its story is not published.",
    GoneState.DELETED: "Its story is in the trash.",
}
