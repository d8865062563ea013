"""Fingerprints of a plan's inputs, to find what changed since it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.destination.typed_records import Component, StoryRow
from cmsmig.ledger.gone_items import INTENTS
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.resource import Owner
from cmsmig.reconcile.rules.datasource import StoredDatasource
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.gone.missing_objects import Gone
from cmsmig.steps.plan.resources import SCHEMA, Resources
from cmsmig.steps.plan.wanted_stories import WantedStories


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Fingerprints by name; none of them covers what our own ledger records."""

    origin: Mapping[str, str]
    """By collection id."""
    decisions: Mapping[str, str]
    """By file name, and `settings` for those that change the calls."""
    destination: Mapping[str, str]
    """Foreign components and stories, and stories of ours that were edited."""
    drafts: Mapping[str, str] = field(default_factory=dict)
    """What is written of the stories, by collection id, and `visitors` for what they
    are to see below edits."""

    def as_json(self) -> JsonObject:
        """Return the fingerprints as the plan stores them."""
        return {
            "origin": dict(self.origin),
            "decisions": dict(self.decisions),
            "destination": dict(self.destination),
            "drafts": dict(self.drafts),
        }

    @classmethod
    def from_json(cls, value: Json) -> Fingerprints:
        """Return stored fingerprints; what is not there counts as empty."""
        body = value if isinstance(value, dict) else {}
        return cls(*(_texts(body.get(name)) for name in (*_PARTS, "drafts")))

    def is_same_part(self, shown: Fingerprints) -> bool:
        """Return whether both are of the same pilot, or of the whole."""
        return self.decisions.get(_PILOT) == shown.decisions.get(_PILOT)

    def edited_since(self, shown: Fingerprints) -> frozenset[str]:
        """Return the paths of our stories that were saved since `shown` was taken, of
        those that were not edited before."""
        names = self.destination.keys() - shown.destination.keys()
        edits = (each for each in names if each.startswith(_EDIT))
        return frozenset(each.removeprefix(f"{_EDIT} ") for each in edits)

    def without_edits(self, paths: Set[str]) -> Fingerprints:
        """Return the fingerprints without the edits of stories at these paths."""
        left_out = {f"{_EDIT} {path}" for path in paths}
        kept = {
            name: each
            for name, each in self.destination.items()
            if name not in left_out
        }
        return replace(self, destination=kept)

    def drift_from(self, shown: Fingerprints) -> tuple[str, ...]:
        """Return what is not as it was when `shown` was taken, a phrase each.

        Drafts follow from origin and decisions: they are named where those are the
        same.
        """
        found = tuple(
            phrase
            for part in _PARTS
            for phrase in _find_moves(part, getattr(shown, part), getattr(self, part))
        )
        same = (shown.origin, shown.decisions) == (self.origin, self.decisions)
        if same and shown.drafts != self.drafts:
            return (*found, _DRAFTS_CHANGED)
        return found


MOST_ITEMS = 20_000
"""Items of a plan whose fingerprints are kept, so that drift can name them."""
_DIGITS = 10


def item_prints(migration: Migration) -> dict[str, str]:
    """Return a short fingerprint of each selected item with its path, by its key."""
    if len(migration.items) > MOST_ITEMS:
        return {}
    places = migration.places.places
    return {
        str(key): f"{item.data_hash[:_DIGITS]} {places[key].full_slug}"
        for key, item in migration.items.items()
    }


def item_moves(shown: Json, now: Mapping[str, str]) -> Iterator[str]:
    """Yield the items that are not as they were when a plan kept `item_prints`."""
    before = _texts(shown)
    after = now if before else {}
    for key in sorted(before.keys() | after.keys()):
        old, _, was_at = before.get(key, "").partition(" ")
        new, _, is_at = after.get(key, "").partition(" ")
        if old != new:
            verb = "changed" if old else "is new"
            yield f"origin: item {is_at or was_at} ({key}) {verb if new else 'is gone'}"


_DRAFTS_CHANGED = (
    "the drafts of the stories are others, though origin and decisions are the same: "
    "the plan is of another release, or a rule of the project gives another result "
    "each time"
)
_PARTS = ("origin", "decisions", "destination")
_EDIT = "edit of story"
"""Begins the name of a story of ours that an editor edited since our write."""
_PILOT = "the pilot"
_GONE = "deleted"
"""In the place of a fingerprint: the object existed and no longer does."""


def fingerprints(
    wanted: WantedStories,
    ledger: Ledger,
    settings: Settings,
    gone: Gone,
    resources: Resources,
    *,
    recreate: bool,
) -> Fingerprints:
    """Return the fingerprints of everything a plan depends on. Reads only.

    `gone` is what the space lacked before `ledger` learned of it.
    """
    migration = wanted.migration
    return Fingerprints(
        origin={
            **migration.origin.hashes,
            # The bytes, not the addresses: those differ between rehearsals.
            "files": fingerprint(
                sorted(upload.sha256 for upload in migration.files.uploads)
            ),
            "site": _site(migration),
        },
        decisions=decision_prints(migration, settings, recreate=recreate),
        destination={
            **dict(_foreign(resources)),
            **dict(_foreign_stories(ledger, wanted.snapshot.stories)),
            **{f"{each.kind.noun()} {each.name}": _GONE for each in gone.needed.things},
        },
        drafts=wanted.offline.drafts,
    )


def decision_prints(
    migration: Migration, settings: Settings, *, recreate: bool = False
) -> dict[str, str]:
    """Return the fingerprints of what was decided, by file name, and of what the
    settings and the command say."""
    found = dict(migration.decisions.hashes)
    found["settings"] = fingerprint([settings.finish_uploads, migration.namespace])
    if recreate:
        found["recreate"] = "yes"
    if not migration.pilot.is_whole:
        found[_PILOT] = fingerprint(migration.pilot.as_json())
    return found


def _site(migration: Migration) -> str:
    """Fingerprint what of the site decides where links lead and dates fall."""
    site = migration.origin.site
    paths = migration.origin.old_paths.as_json()
    return fingerprint([site.site_id, site.time_zone, site.domains, paths])


def _foreign(resources: Resources) -> Iterator[tuple[str, str]]:
    """Yield all fields of objects that are not ours, and those of ours that an editor
    changed.

    Those are the same after an import that wrote the others. Orders are not, nor do
    they decide about anything.
    """
    for each in resources.compared:
        if each.ref.kind not in SCHEMA:
            continue
        what, actual = f"{each.ref.kind} {each.ref.key}", each.resource.actual
        if each.owner in (Owner.OTHERS, Owner.LEFT):
            held: Json = actual.body if isinstance(actual, Component) else []
            if isinstance(actual, StoredDatasource):
                held = [[entry.name, entry.value] for entry in actual.entries]
            yield what, fingerprint(held)
        for edit in each.diff.edits:
            yield f"{what}, {edit.field}", edit.seen


def _foreign_stories(
    ledger: Ledger, listed: Iterable[StoryRow]
) -> Iterator[tuple[str, str]]:
    items = {
        row.story_record.story_id: row
        for row in ledger.items.all().values()
        if row.story_record is not None and row.story_record.made
    }
    made = ledger.inventory.made("folder").values()
    folders = {row.destination_id for row in made if row.made}
    unsettled = _unsettled_places(ledger)
    updating = ledger.intents.subjects("update", "publish", *INTENTS)
    for row in listed:
        path = row.full_slug.strip("/")
        item = items.get(row.story_id)
        if item is None:
            if row.story_id not in folders and path not in unsettled:
                yield f"story {path}", _row_print(row)
        elif (
            item.story_record is not None
            and item.story_record.updated_at != row.updated_at
            and str(item.key) not in updating
        ):
            yield f"{_EDIT} {path}", _row_print(row)


def _unsettled_places(ledger: Ledger) -> frozenset[str]:
    """Return the paths whose create or folder request has an unknown outcome."""
    creating = ledger.intents.subjects("create")
    rows = ledger.items.all().items()
    stories = {row.full_slug for key, row in rows if str(key) in creating}
    return ledger.intents.subjects("folder") | stories


def _row_print(row: StoryRow) -> str:
    # What is put into a folder may change its date, and that may be our own work.
    changed = "" if row.is_folder else row.updated_at
    return fingerprint([row.story_id, changed, row.is_folder])


def _find_moves(
    part: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[str]:
    for name in sorted(set(before) | set(after)):
        if before.get(name) == after.get(name):
            continue
        if before.get(name) == _GONE and name not in after:
            # Restored as it was, or made again by a run of this very plan.
            continue
        if name.startswith(_EDIT):
            # Taken back, or merged by a run of this very plan: nothing moved for it.
            if name in after:
                again = " again" if name in before else ""
                path = name.removeprefix(f"{_EDIT} ")
                yield f"{part}: story {path} was edited{again}"
            continue
        verb = "is new" if name not in before else "changed"
        lost = name not in after or after[name] == _GONE
        yield f"{part}: {name} {'is gone' if lost else verb}"


def _texts(value: Json) -> dict[str, str]:
    body = value if isinstance(value, dict) else {}
    return {name: text for name, text in body.items() if isinstance(text, str)}
