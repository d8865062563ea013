"""The plan: what an import would do now, to the call. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.configuration.plans import destination_limits
from cmsmig.errors import PlanDriftError
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.components import component_bodies, datasource_bodies
from cmsmig.mapping.draft import Home, StoryDraft
from cmsmig.mapping.linking import link_story
from cmsmig.mapping.references import DanglingReference, classify
from cmsmig.settings import Settings
from cmsmig.steps.conflicts import Conflict, find_conflicts, item_rows
from cmsmig.steps.drift import Fingerprints, fingerprints
from cmsmig.steps.folders import folder_at
from cmsmig.steps.migration import Migration
from cmsmig.steps.survey import Survey, pages

RULES_VERSION = 1
"""Raised whenever the same item and decisions would give another draft."""

PACE_SLACK = 1.012
"""How much wider than one over the rate the budget spaces its releases."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What was shown before anything is written."""

    plan_hash: str
    fingerprints: Fingerprints
    calls: Mapping[str, int]
    """Quota calls by name, in the order they are made."""
    saved: Mapping[str, int]
    """Quota calls that are not made, by reason."""
    items: Mapping[str, int]
    skipped: Mapping[str, int]
    losses: Mapping[str, int]
    links: int
    """Links that will lead to stories."""
    links_left: Mapping[str, int]
    """Links into the old site that stay as they are, by cause."""
    rate: float
    conflicts: tuple[Conflict, ...]
    dangling: tuple[DanglingReference, ...]
    limits: tuple[str, ...]
    """Where the service's plan would be exceeded, a sentence each."""
    missing_files: Mapping[str, str]

    @property
    def total_calls(self) -> int:
        """Return the number of calls that draw on the quota."""
        return sum(self.calls.values())

    def seconds(self, rate: float) -> float:
        """Return the wall time at `rate` calls a second: the budget is the floor."""
        return self.total_calls / rate * PACE_SLACK

    def as_json(self) -> JsonObject:
        """Return the document that `plan --json` prints."""
        return {
            "hash": self.plan_hash,
            "items": dict(self.items),
            "skipped": dict(self.skipped),
            "calls": {**self.calls, "total": self.total_calls},
            "calls_saved": dict(self.saved),
            "rate": self.rate,
            "seconds": {
                "at_rate": round(self.seconds(self.rate), 1),
                "at_3_per_second": round(self.seconds(3), 1),
                "at_6_per_second": round(self.seconds(6), 1),
            },
            "limits": list(self.limits),
            "conflicts": [_conflict_json(each) for each in self.conflicts],
            "dangling": [_dangling_json(each) for each in self.dangling],
            "dangling_by_cause": _counted(str(each.cause) for each in self.dangling),
            "internal_links": self.links,
            "links_left_by_cause": dict(self.links_left),
            "losses_by_kind": dict(self.losses),
            "missing_files": dict(self.missing_files),
            "fingerprints": self.fingerprints.as_json(),
        }


def make_plan(
    migration: Migration, ledger: Ledger, survey: Survey, settings: Settings
) -> Plan:
    """Return what an import would do from here. Reads only."""
    conflicts = find_conflicts(migration, ledger, survey)
    rows = item_rows(migration, conflicts)
    drafts = tuple(migration.planned_drafts())
    creates = _creates(drafts, ledger, rows)
    prints = fingerprints(migration, ledger, survey, settings)
    linking = _linking(migration, ledger, drafts)
    calls = _calls(migration, ledger, survey, settings, creates, linking.updates)
    return Plan(
        plan_hash=fingerprint([RULES_VERSION, prints.as_json()]),
        fingerprints=prints,
        calls=calls,
        saved=_saved(migration, drafts, calls, settings),
        items=_item_counts(rows, ledger, creates),
        skipped=_counted_ints(row.reason for row in rows if row.status == "skipped"),
        losses=_counted_ints(
            each.loss.kind for draft in drafts for each in draft.losses
        ),
        links=linking.links,
        links_left=linking.left,
        rate=settings.destination_rate,
        conflicts=tuple(conflicts.values()),
        dangling=tuple(
            dangling
            for draft in drafts
            for dangling in classify(draft.key, draft.relations, migration.known)
        ),
        limits=tuple(_limits(migration, survey, settings, calls)),
        missing_files=migration.missing_files,
    )


def refuse_drift(stored: JsonObject, current: Plan) -> None:
    """Raise `PlanDriftError` listing what moved since `stored` was shown."""
    shown = Fingerprints.from_json(stored.get("fingerprints"))
    drift = current.fingerprints.drift_from(shown)
    if drift:
        raise PlanDriftError(drift)


def _creates(
    drafts: Sequence[StoryDraft], ledger: Ledger, rows: Iterable[ItemRow]
) -> int:
    blocked = {row.key for row in rows if row.status != "selected"}
    known = ledger.items.all()
    return sum(
        1
        for draft in drafts
        if draft.key not in blocked
        and ((row := known.get(draft.key)) is None or row.home is None)
    )


def _calls(
    migration: Migration,
    ledger: Ledger,
    survey: Survey,
    settings: Settings,
    creates: int,
    updates: int,
) -> dict[str, int]:
    components, changed = _component_calls(migration, ledger, survey)
    folders = sum(
        1 for plan in migration.folders if not folder_at(survey.stories, plan.path)
    )
    signs = _signs(migration, ledger)
    stories = len(survey.stories) + folders + creates
    calls = {
        **survey.calls,
        **_datasource_calls(migration, survey),
        "create_components": components,
        "update_components": changed,
        "create_folders": folders,
        "create_asset_folders": _asset_folder_calls(migration, survey),
        "sign_uploads": signs,
        "finish_uploads": signs if settings.finish_uploads else 0,
        "read_back_components": 1 if creates else 0,
        "create_stories": creates,
        "compare_stories": pages(stories) if updates else 0,
        "update_stories": updates,
        "publish_stories": _publishes(migration, ledger),
    }
    always = {"create_stories", "update_stories", "sign_uploads"}
    return {name: count for name, count in calls.items() if count or name in always}


def _component_calls(
    migration: Migration, ledger: Ledger, survey: Survey
) -> tuple[int, int]:
    made = ledger.inventory.made("component")
    created = changed = 0
    for body in component_bodies(migration.design):
        if survey.component(body.name) is None:
            created += 1
        elif (row := made.get(body.name)) is not None and row.made:
            changed += row.body_hash != fingerprint(body.body)
    return created, changed


def _datasource_calls(migration: Migration, survey: Survey) -> dict[str, int]:
    wanted = datasource_bodies(migration.design)
    existing = {each.slug for each in survey.datasources}
    missing = [each for each in wanted if each.slug not in existing]
    return {
        "create_datasources": len(missing),
        "read_datasource_entries": len(wanted),
        "create_datasource_entries": sum(len(each.entries) for each in missing),
    }


def _asset_folder_calls(migration: Migration, survey: Survey) -> int:
    name = migration.design.asset_folder
    there = {each.name for each in survey.asset_folders}
    return 1 if name and name not in there else 0


def _signs(migration: Migration, ledger: Ledger) -> int:
    assets = ledger.inventory.assets()
    return sum(
        1
        for upload in migration.uploads
        if (row := assets.get(upload.sha256)) is None or row.status != "proven"
    )


@dataclass(frozen=True, slots=True)
class _Linking:
    """What phase two will do once every story exists."""

    updates: int
    links: int
    left: Mapping[str, int]
    """Links into the old site that stay, by cause."""


def _linking(
    migration: Migration, ledger: Ledger, drafts: Sequence[StoryDraft]
) -> _Linking:
    rows = ledger.items.all()
    homes = dict(migration.routes.planned_homes()) | {
        key: Home(row.home.uuid, row.home.full_slug)
        for key, row in rows.items()
        if row.home is not None
    }
    updates = links = 0
    left: Counter[str] = Counter()
    for draft in drafts:
        linked = link_story(draft, homes, migration.routes)
        links += linked.links
        left.update(str(each.cause) for each in linked.left)
        updates += bool(linked.filled or linked.links) and not _is_linked(
            rows.get(draft.key)
        )
    return _Linking(updates, links, dict(sorted(left.items())))


def _is_linked(row: ItemRow | None) -> bool:
    return (
        row is not None
        and row.home is not None
        and row.link_state in ("linked", "nothing")
    )


def _publishes(migration: Migration, ledger: Ledger) -> int:
    published = {key for key, row in ledger.items.all().items() if row.published}
    return len(migration.to_publish - published)


def _saved(
    migration: Migration,
    drafts: Sequence[StoryDraft],
    calls: Mapping[str, int],
    settings: Settings,
) -> dict[str, int]:
    addresses = {use.address for use in migration.uses} - set(migration.missing_files)
    return {
        "files_with_the_same_bytes": len(addresses) - len(migration.uploads),
        "stories_without_anything_to_link": max(
            0, len(drafts) - calls["update_stories"]
        ),
        "finish_calls": 0 if settings.finish_uploads else calls["sign_uploads"],
    }


def _item_counts(
    rows: Iterable[ItemRow], ledger: Ledger, creates: int
) -> dict[str, int]:
    statuses = Counter(row.status for row in rows)
    housed = sum(1 for row in ledger.items.all().values() if row.home is not None)
    return {
        "in": sum(statuses.values()),
        "to_create": creates,
        "already_there": housed,
        "skipped": statuses["skipped"],
        "failed": statuses["failed"],
    }


def _limits(
    migration: Migration, survey: Survey, settings: Settings, calls: Mapping[str, int]
) -> Iterable[str]:
    limits = destination_limits(settings.destination_plan)
    wanted = {
        "components": (
            len(survey.components) + calls.get("create_components", 0),
            limits.components,
        ),
        "stories": (
            sum(1 for row in survey.stories if not row.is_folder)
            + calls["create_stories"],
            limits.stories,
        ),
        "folders": (
            sum(1 for row in survey.stories if row.is_folder)
            + calls.get("create_folders", 0),
            limits.folders,
        ),
        "requests a month": (sum(calls.values()), limits.monthly_requests),
    }
    for what, (count, most) in wanted.items():
        if most is not None and count > most:
            yield (
                f"The space would hold or need {count:,} {what}, and its plan allows "
                f"{most:,}; ask for a larger plan first."
            )
    sizes = {row.sha256: row.size for row in migration.origin.files.values()}
    for upload in migration.uploads:
        if sizes.get(upload.sha256, 0) > limits.asset_bytes:
            yield f"{upload.name} is larger than the space's plan allows for a file."


def _counted(values: Iterable[str]) -> dict[str, Json]:
    return dict(sorted(Counter(values).items()))


def _counted_ints(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _conflict_json(conflict: Conflict) -> JsonObject:
    return {
        "item": str(conflict.key),
        "full_slug": conflict.row.full_slug,
        "story_id": conflict.row.story_id,
        "decided": str(conflict.action) if conflict.action else None,
    }


def _dangling_json(dangling: DanglingReference) -> JsonObject:
    return {
        "item": str(dangling.source),
        "field": dangling.origin_field,
        "index": dangling.index,
        "target": str(dangling.target),
        "cause": str(dangling.cause),
    }
