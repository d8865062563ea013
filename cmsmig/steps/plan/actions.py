"""The actions of a plan: what an import does with each object; and the forecast, the
sum of their calls and of the lists that are read meanwhile. Reads only.

Everything that counts or shows what an import will do counts or shows this list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Action, Verb
from cmsmig.reconcile.rules.story import story_resource
from cmsmig.reconcile.rules.story_fields import POSITION
from cmsmig.settings import Settings
from cmsmig.steps.plan.gone.gone_at_origin import blocking, to_remove
from cmsmig.steps.plan.publication.publications import Publication
from cmsmig.steps.plan.recorded_stories import in_the_way, last_write
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.plan.wanted_stories import StoryEdits, WantedStories
from cmsmig.steps.snapshot import LISTED_TOGETHER, Snapshot

_NAMED = 50
"""Changed stories whose fields are compared only to be named: each is made once more
for that."""
_NO_FIELDS: Final = frozenset[str]()
_CREATE = {"create_stories": 1}
_CREATE_AND_LINK = {**_CREATE, "update_stories": 1}
_UPDATE = {"update_stories": 1}
_ONE_VERSION = {"publish_stories": 1}
_TWO_VERSIONS = {"read_versions": 1, "show_versions": 2}
_TAKEN_AWAY = {Verb.HIDE: {"unpublish_stories": 1}, Verb.DELETE: {"delete_stories": 1}}


def planned_actions(
    wanted: WantedStories,
    ledger: Ledger,
    settings: Settings,
    edits: StoryEdits,
    resources: Resources,
    due: Sequence[Publication],
    hidden: Iterable[ItemRow],
) -> Iterator[Action]:
    """Yield what an import does with each object, in the order of the import.

    A story that is created is updated in phase two by the same action, where its links
    need that. Of stories that no editor changed, the first 50 updates name their
    fields. `due` are the stories that are published, `hidden` those that are
    unpublished by decision.
    """
    for each in (*resources.compared, *resources.assets()):
        if each.action:
            yield each.action
    yield from _uploads(resources, settings)
    yield from _creations(wanted)
    yield from _updates(wanted, ledger, edits)
    for publication in due:
        calls = _TWO_VERSIONS if publication.below_edits else _ONE_VERSION
        yield _of_story(publication.full_slug, Verb.PUBLISH, calls)
    for gone in to_remove(wanted.migration, ledger):
        yield _of_story(gone.name, gone.verb, _TAKEN_AWAY[gone.verb])
    for record in (row.story_record for row in hidden):
        if record:
            yield _of_story(record.full_slug, Verb.HIDE, _TAKEN_AWAY[Verb.HIDE])


def _uploads(resources: Resources, settings: Settings) -> Iterator[Action]:
    finishing = {"finish_uploads": 1} if settings.finish_uploads else {}
    for upload in resources.to_upload():
        is_signed = upload.sha256 in resources.snapshot.arrived
        signing = {} if is_signed else {"sign_uploads": 1}
        ref = Ref(Kind.ASSET, upload.name)
        yield Action(ref, Verb.CREATE, _NO_FIELDS, {**signing, **finishing})


def _creations(wanted: WantedStories) -> Iterator[Action]:
    places = wanted.migration.places.places
    for key in sorted(wanted.creating, key=lambda key: places[key].full_slug):
        calls = _CREATE_AND_LINK if key in wanted.needed else _CREATE
        yield _of_story(places[key].full_slug, Verb.CREATE, calls)


def _updates(
    wanted: WantedStories, ledger: Ledger, edits: StoryEdits
) -> Iterator[Action]:
    changing = [key for key in wanted.needed - wanted.creating if edits.writes(key)]
    for number, key in enumerate(sorted(changing, key=lambda key: _path(wanted, key))):
        found = edits.found.get(key)
        fields = found.written if found else _NO_FIELDS
        if not found and number < _NAMED:
            fields = _moved(wanted, ledger, key)
        ref = Ref(Kind.STORY, _path(wanted, key))
        yield Action(ref, Verb.UPDATE, fields, _UPDATE)


def _path(wanted: WantedStories, key: ItemKey) -> str:
    record = wanted.rows[key].story_record
    return record.full_slug if record else ""


def _of_story(path: str, verb: Verb, calls: dict[str, int]) -> Action:
    return Action(Ref(Kind.STORY, path), verb, _NO_FIELDS, calls)


def _moved(wanted: WantedStories, ledger: Ledger, key: ItemKey) -> frozenset[str]:
    """Return the fields that are wanted differently from our last write."""
    last, ours = last_write(ledger, wanted.rows[key]), wanted.stories.fields(key)
    if isinstance(ours, str) or last.written is None:
        return frozenset()
    resource = story_resource(last, None, ours)
    return frozenset(resource.rules.sides(resource).moved(ours)) - {POSITION}


_ALWAYS = ("sign_uploads", "create_stories", "update_stories")
"""Calls that a plan names although there are none."""
_ORDER = (
    "settle_versions",
    "put_back_versions",
    "create_datasources",
    "compare_datasources",
    "compare_datasource_entries",
    "delete_datasource_entries",
    "update_datasources",
    "update_datasource_entries",
    "create_datasource_entries",
    "create_components",
    "compare_components",
    "update_components",
    "create_folders",
    "compare_folders",
    "rename_folders",
    "update_folders",
    "create_asset_folders",
    "settle_uploads",
    "sign_uploads",
    "finish_uploads",
    "compare_assets",
    "update_assets",
    "read_back_components",
    "create_stories",
    "free_slugs",
    "compare_stories",
    "update_stories",
    "publish_stories",
    "read_versions",
    "show_versions",
    "unpublish_stories",
    "compare_gone_stories",
    "delete_stories",
)
"""The calls after those of the snapshot, in the order in which they are made."""


def calls_of(
    wanted: WantedStories, ledger: Ledger, actions: Iterable[Action]
) -> dict[str, int]:
    """Return the quota calls by name, in the order in which they are made."""
    snapshot = wanted.snapshot
    removals = to_remove(wanted.migration, ledger)
    # Those whose places others take go before anything is put there.
    first = len(blocking(wanted.migration, removals))
    calls = Counter(
        settle_versions=len(snapshot.interrupted),
        put_back_versions=snapshot.to_put_back,
        settle_uploads=len(ledger.intents.open("sign")),
        read_back_components=int(bool(wanted.creating)),
        free_slugs=2 * len(in_the_way(wanted.moves)),
        compare_stories=_lists(len(wanted.needed)),
        compare_gone_stories=_lists(first) + _lists(len(removals) - first),
    )
    for each in actions:
        calls.update(each.calls)
    made = {name: calls[name] for name in _ORDER if calls[name] or name in _ALWAYS}
    return {**snapshot.calls, **made}


def no_calls(snapshot: Snapshot) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**snapshot.calls, **dict.fromkeys(_ALWAYS, 0)}


def _lists(stories: int) -> int:
    return -(-stories // LISTED_TOGETHER)
