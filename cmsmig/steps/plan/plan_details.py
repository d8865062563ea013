"""Every loss and every link that stays, by item and field.

Read from the stored drafts each time they are iterated: a site's
losses are never in memory together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.linking import leads_elsewhere
from cmsmig.mapping.draft import DraftContext, ExistingStory
from cmsmig.mapping.select.routes import PageCause, RouteTarget, StaticLink
from cmsmig.mapping.select.translations import language_of
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.reconcile.rules.publication import Showing
from cmsmig.richtext.losses import Loss
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.conflicts import Conflict, item_rows
from cmsmig.steps.plan.drafts.linked_stories import why_waiting
from cmsmig.steps.plan.preflights.findings import Refusal


@dataclass(frozen=True, slots=True)
class ListedLoss:
    """What one field of an item loses."""

    key: ItemKey
    full_slug: str
    field: str
    """The origin's slug of it."""
    loss: Loss

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` and report.json list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "field": self.field,
            **self.loss.as_json(),
        }


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A link into the old site that stays as it is."""

    key: ItemKey
    full_slug: str
    field: str
    """The origin's slug of it."""
    href: str
    cause: str
    """A stable code, as the plan counts them."""

    def as_json(self) -> JsonObject:
        """Return it as `plan --json` and report.json list it."""
        return {
            "item": str(self.key),
            "full_slug": self.full_slug,
            "field": self.field,
            "href": self.href,
            "cause": self.cause,
        }


class Planned(StrEnum):
    """What an item comes to by a plan; the values are the keys of `plan --json`."""

    CREATED = "to_create"
    THERE = "already_there"
    SKIPPED = "skipped"
    FAILED = "failed"
    GONE = "gone"
    """Its story is no longer in the space."""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """What one item comes to, selected or not."""

    counted: Planned
    row: ItemRow
    """As the ledger will record it."""

    @property
    def status(self) -> str:
        """Return `selected`, `reused`, `skipped` or `failed`."""
        return self.row.status

    @property
    def reason(self) -> str:
        """Return why it is skipped or fails."""
        return self.row.reason


@dataclass(frozen=True, slots=True)
class PlanDetails:
    """What a plan, or a report, lists one by one."""

    migration: Migration
    context: DraftContext
    existing: Mapping[ItemKey, ExistingStory]
    """The stories that links lead to."""
    losing: Sequence[ItemKey]
    """The items that lose something."""
    leaving: Sequence[ItemKey]
    """The items that may have links that stay."""
    conflicts: Mapping[ItemKey, Conflict] = field(default_factory=dict)
    """The items whose place is taken."""
    labels: Labels = NO_LABELS
    undrafted: Mapping[ItemKey, Refusal] = field(default_factory=dict)
    """Why items cannot become stories."""
    items: Mapping[ItemKey, PlannedItem] = field(default_factory=dict)
    """What each item comes to, selected or not; empty in a report."""
    showing: Mapping[ItemKey, Showing] = field(default_factory=dict)
    """What visitors see of each story after the import; empty in a report."""

    def as_json(self) -> JsonObject:
        """Return the lists as `plan --json` prints them."""
        return {
            "losses": [each.as_json() for each in self.losses()],
            "links_left": [each.as_json() for each in self.links_left()],
            "slug_changes": [*self.slug_changes()],
        }

    def losses(self) -> Iterator[ListedLoss]:
        """Yield every loss, in the order of the import."""
        for key, draft in self._drafts(self.losing):
            story = self.migration.story_of(draft, self.context)
            for each in story.losses:
                yield ListedLoss(key, self._path(key), each.field, each.loss)

    def left_behind(self) -> Iterator[ItemRow]:
        """Yield every item that gets no story, as the ledger records it."""
        for row in item_rows(self.migration, self.conflicts, self.undrafted):
            if row.status in ("failed", "skipped"):
                yield row

    def links_left(self) -> Iterator[ListedLink]:
        """Yield every link into the old site that stays, in the order of the
        import."""
        routes = self.migration.routes
        for key, draft in self._drafts(self.leaving):
            for name, href in draft.links:
                found = routes.resolve_on(key, language_of(name), href)
                if isinstance(found, StaticLink):
                    yield self._link(key, name, href, found.cause)
                elif found is not None and found.key not in self.existing:
                    why = why_waiting(self.migration, found.key)
                    yield self._link(key, name, href, why)
                elif found is not None and leads_elsewhere(found, name):
                    yield self._link(key, name, href, PageCause.LANGUAGE)
            for name, href in draft.mentions:
                found = routes.resolve_on(key, language_of(name), href)
                if isinstance(found, RouteTarget):
                    yield self._link(key, name, href, PageCause.RAW_HTML)

    def _link(self, key: ItemKey, name: str, href: str, cause: str) -> ListedLink:
        origin = self._origin_field(key, name)
        return ListedLink(key, self._path(key), origin, href, str(cause))

    def slug_changes(self) -> Iterator[JsonObject]:
        """Yield every story whose slug is not the origin's, and why."""
        for each in self.migration.places.changes:
            yield {
                "item": str(each.key),
                "full_slug": self._path(each.key),
                "origin": each.old,
                "why": each.why,
            }

    def _drafts(self, keys: Sequence[ItemKey]) -> Iterator[tuple[ItemKey, ItemDraft]]:
        for key in keys:
            item = self.migration.items.get(key)
            draft = item and self.migration.item_draft(item, self.context)
            if isinstance(draft, ItemDraft):
                yield key, draft

    def _path(self, key: ItemKey) -> str:
        return self.context.places[key].full_slug

    def _origin_field(self, key: ItemKey, name: str) -> str:
        made = self.migration.design.content_type(key.collection_id)
        fields = made.fields if made else ()
        return next((each.origin for each in fields if each.key == name), name)
