"""What an import will ask of the destination, to the call. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from cmsmig.destination.schema import StoryRow
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow, StoryRecord
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.conflicts import (
    ConflictAction,
)
from cmsmig.mapping.draft import ExistingStory
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict
from cmsmig.steps.plan.destination_survey import Survey, folder_at, pages
from cmsmig.steps.plan.linked_drafts import DraftLinks
from cmsmig.steps.plan.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.ownership import Owner, Ownership
from cmsmig.steps.plan.written_stories import to_publish

_ALWAYS = ("sign_uploads", "create_stories", "update_stories")
"""Calls that a plan names although there are none."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What both phases will do with the stories."""

    creating: frozenset[ItemKey]
    adopting: frozenset[ItemKey]
    """Items whose create was intended by a killed run and is seen to be applied."""
    updates: int
    looks: int
    """Stories that changed since our own write: read, and not written then."""
    links: int
    links_left: Mapping[str, int]
    """Links into the old site that stay, by cause."""
    publishes: int


def foresee(
    migration: Migration,
    ledger: Ledger,
    survey: Survey,
    conflicts: Mapping[ItemKey, Conflict],
    offline: OfflineDrafts,
) -> Outlook:
    """Return what an import will do with the stories that are foreseen."""
    rows = ledger.items.all()
    adopting = frozenset(_find_adopted(ledger, survey, rows))
    creating = frozenset(
        key
        for key in offline.stories
        if key not in adopting
        and key not in conflicts
        and _home_of(rows.get(key)) is None
    )
    coming = creating | adopting
    links_to = offline.links_over(_homes(migration, rows, conflicts, coming))
    listed = {row.story_id: row for row in survey.stories}
    left: Counter[str] = Counter()
    writes: Counter[str] = Counter()
    written: set[ItemKey] = set()
    links = 0
    for key, link in links_to.items():
        links += link.links
        left.update(link.left)
        row = rows.get(key)
        home = _home_of(row)
        if row is not None and row.is_gone:
            # Nothing can be written into it, and it is made again by decision only.
            continue
        if home is not None or key in coming:
            write = _write(link, home, listed)
            writes[write] += 1
            if write == "update":
                # What was published before is published again, as it is then.
                written.add(key)
    return Outlook(
        creating=creating,
        adopting=adopting,
        updates=writes["update"],
        looks=writes["look"],
        links=links,
        links_left=dict(sorted(left.items())),
        publishes=_publishes(migration, rows, coming | written),
    )


def _find_adopted(
    ledger: Ledger, survey: Survey, rows: Mapping[ItemKey, ItemRow]
) -> Iterator[ItemKey]:
    intended = {intent.subject for intent in ledger.intents.open("create")}
    for key, row in rows.items():
        if str(key) in intended and survey.story_at(row.full_slug) is not None:
            yield key


def _home_of(row: ItemRow | None) -> StoryRecord | None:
    return None if row is None else row.home


def _homes(
    migration: Migration,
    rows: Mapping[ItemKey, ItemRow],
    conflicts: Mapping[ItemKey, Conflict],
    coming: Set[ItemKey],
) -> dict[ItemKey, ExistingStory]:
    """Return the stories that items will have in phase two, some of them stand-ins."""
    planned = migration.routes.planned_homes()
    homes = {key: home for key, home in planned.items() if key in coming}
    for key, conflict in conflicts.items():
        if conflict.action is ConflictAction.REUSE:
            homes[key] = ExistingStory(conflict.row.uuid, conflict.row.full_slug)
    for key, row in rows.items():
        if row.home is not None:
            homes[key] = ExistingStory(row.home.uuid, row.home.full_slug)
    return homes


def _write(
    link: DraftLinks, home: StoryRecord | None, listed: Mapping[int, StoryRow]
) -> str:
    """Return `update`, `look` (it changed since our write) or `nothing`."""
    written = home.content_hash if home else link.drafted_hash
    if (home is not None and not home.made) or link.linked_hash == written:
        return "nothing"
    if home is None:
        return "update"
    there = listed.get(home.story_id)
    untouched = there is not None and there.updated_at == home.updated_at
    return "update" if untouched else "look"


def _publishes(
    migration: Migration, rows: Mapping[ItemKey, ItemRow], coming: Set[ItemKey]
) -> int:
    there = {row.key for row in to_publish(migration.to_publish, rows.values())}
    return len(there | (migration.to_publish & coming))


def calls_of(
    migration: Migration,
    ledger: Ledger,
    survey: Survey,
    settings: Settings,
    outlook: Outlook,
) -> dict[str, int]:
    """Return the quota calls by name, in the order they are made."""
    folders = sum(
        1 for plan in migration.folders if not folder_at(survey.stories, plan.path)
    )
    compared = len(survey.stories) + folders + len(outlook.creating)
    linking = outlook.updates + outlook.looks
    ownership = Ownership.of(ledger, survey)
    calls = {
        **survey.calls,
        "settle_stories": len(outlook.adopting),
        **_datasource_calls(migration, survey, ownership),
        **_component_calls(migration, ownership),
        "create_folders": folders,
        **_asset_calls(migration, ledger, survey, settings),
        "read_back_components": 1 if outlook.creating else 0,
        "create_stories": len(outlook.creating),
        "compare_stories": pages(compared) if linking else 0,
        "read_changed_stories": outlook.looks,
        "update_stories": outlook.updates,
        "publish_stories": outlook.publishes,
    }
    return {name: count for name, count in calls.items() if count or name in _ALWAYS}


def no_calls(survey: Survey) -> dict[str, int]:
    """Return the calls of an import that looks and is refused then."""
    return {**survey.calls, **dict.fromkeys(_ALWAYS, 0)}


def _component_calls(migration: Migration, ownership: Ownership) -> dict[str, int]:
    standings = [
        ownership.component(body) for body in component_bodies(migration.design)
    ]
    return {
        "create_components": sum(each.owner is Owner.NOBODY for each in standings),
        "update_components": sum(
            each.owner is Owner.OURS and each.writes for each in standings
        ),
    }


def _datasource_calls(
    migration: Migration, survey: Survey, ownership: Ownership
) -> dict[str, int]:
    wanted = datasource_bodies(migration.design)
    owners = {each.slug: ownership.datasource(each).owner for each in wanted}
    return {
        "create_datasources": sum(each is Owner.NOBODY for each in owners.values()),
        "create_datasource_entries": sum(
            value not in survey.choices(each.slug)
            for each in wanted
            if owners[each.slug] in (Owner.NOBODY, Owner.OURS)
            for _, value in each.entries
        ),
    }


def _asset_calls(
    migration: Migration, ledger: Ledger, survey: Survey, settings: Settings
) -> dict[str, int]:
    assets = ledger.inventory.assets()
    open_ones = {
        upload.sha256
        for upload in migration.files.uploads
        if (row := assets.get(upload.sha256)) is None or not row.is_brought
    }
    name = migration.design.asset_folder
    there = {each.name for each in survey.asset_folders}
    return {
        "create_asset_folders": 1 if name and name not in there else 0,
        "settle_uploads": len(ledger.intents.open("sign")),
        "sign_uploads": len(open_ones - survey.arrived),
        "finish_uploads": len(open_ones) if settings.finish_uploads else 0,
    }
