"""The actions of a plan: what an import does with each object. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.resource import Action, Verb
from cmsmig.reconcile.rules.story import story_resource
from cmsmig.reconcile.rules.story_fields import POSITION, PUBLISHED
from cmsmig.steps.plan.edits.story_edits import StoryEdits
from cmsmig.steps.plan.edits.written_stories import last_write
from cmsmig.steps.plan.gone.gone_at_origin import to_remove
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.plan.wanted_stories import WantedStories

_NAMED = 50
"""Changed stories whose fields are compared only to be named: each is made once more
for that."""
_HIDDEN: Final = frozenset({PUBLISHED})


def planned_actions(
    wanted: WantedStories,
    ledger: Ledger,
    edits: StoryEdits,
    resources: Resources,
    hidden: Iterable[ItemRow],
) -> Iterator[Action]:
    """Yield what an import does with each object; the calls for stories and files are
    not in it, `calls_of` counts them.

    Of stories that no editor changed, the first 50 updates name their fields. `hidden`
    are the stories that are unpublished by decision.
    """
    for each in (*resources.compared, *resources.assets()):
        if each.action:
            yield each.action
    for upload in resources.to_upload():
        yield Action(Ref(Kind.ASSET, upload.name), Verb.CREATE, frozenset(), {})
    places = wanted.migration.places.places
    for key in sorted(wanted.creating, key=lambda key: places[key].full_slug):
        yield _of_story(places[key].full_slug, Verb.CREATE)
    changing = [key for key in wanted.needed - wanted.creating if edits.writes(key)]
    for number, key in enumerate(sorted(changing, key=lambda key: _path(wanted, key))):
        found = edits.found.get(key)
        fields = found.written if found else frozenset[str]()
        if not found and number < _NAMED:
            fields = _moved(wanted, ledger, key)
        yield _of_story(_path(wanted, key), Verb.UPDATE, fields)
    for gone in to_remove(wanted.migration, ledger):
        fields = _HIDDEN if gone.verb is Verb.UPDATE else frozenset()
        yield _of_story(gone.name, gone.verb, fields)
    for row in hidden:
        if row.story_record:
            yield _of_story(row.story_record.full_slug, Verb.UPDATE, _HIDDEN)


def _path(wanted: WantedStories, key: ItemKey) -> str:
    record = wanted.rows[key].story_record
    return record.full_slug if record else ""


def _of_story(path: str, verb: Verb, fields: frozenset[str] = frozenset()) -> Action:
    return Action(Ref(Kind.STORY, path), verb, fields, {})


def _moved(wanted: WantedStories, ledger: Ledger, key: ItemKey) -> frozenset[str]:
    """Return the fields that are wanted differently from our last write."""
    last, ours = last_write(ledger, wanted.rows[key]), wanted.stories.fields(key)
    if isinstance(ours, str) or last.written is None:
        return frozenset()
    resource = story_resource(last, None, ours)
    return frozenset(resource.rules.sides(resource).moved(ours)) - {POSITION}
