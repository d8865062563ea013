"""Which items of each collection are imported: the decision and its effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    CollectionsDecision,
    ItemSet,
    Languages,
    MissingLanguage,
    PublishRule,
    QueuedRule,
)
from cmsmig.mapping.propose.additions import with_missing_choices
from cmsmig.mapping.propose.proposals import propose_collections
from cmsmig.mapping.select.selection import select_items
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.schema import Collection, Item
from cmsmig.steps.decide.decision_store import decision_in, stamp_review
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.ui.html.safe_html import NOTHING, Cell, heading, note, paragraph, table

NOT_MIGRATED = "not migrated"
SETS: tuple[tuple[str, str], ...] = (
    ("staged: what editors see", ItemSet.STAGED),
    ("live: what visitors see", ItemSet.LIVE),
    ("staged, only what is live", ItemSet.STAGED_PUBLISHED_ONLY),
    ("mirror: both, live below staged", ItemSet.MIRROR),
    ("do not migrate", NOT_MIGRATED),
)
ARCHIVED: tuple[tuple[str, str], ...] = (
    ("skip", ArchiveRule.SKIP),
    ("take as drafts", ArchiveRule.AS_DRAFTS),
)
ARCHIVED_LIVE: tuple[tuple[str, str], ...] = (
    ("as archived", ArchivedLiveRule.AS_ARCHIVED),
    ("skip", ArchivedLiveRule.SKIP),
    ("take as drafts", ArchivedLiveRule.AS_DRAFTS),
    ("take as live", ArchivedLiveRule.AS_LIVE),
)
QUEUED: tuple[tuple[str, str], ...] = (
    ("take as drafts", QueuedRule.AS_DRAFTS),
    ("skip", QueuedRule.SKIP),
    ("publish", QueuedRule.PUBLISH),
)
PUBLISH: tuple[tuple[str, str], ...] = (
    ("nothing", PublishRule.NOTHING),
    ("what is live", PublishRule.WHAT_IS_LIVE),
)
LANGUAGES: tuple[tuple[str, str], ...] = (
    ("a story each, in folders", Languages.FOLDERS),
    ("one story, fields translated", Languages.FIELDS),
)
MISSING_LANGUAGE: tuple[tuple[str, str], ...] = (
    ("lead to the primary language", MissingLanguage.PRIMARY),
    ("are left out", MissingLanguage.LEAVE_OUT),
)
FILE = "decisions/collections.yaml"


def current_choices(workspace: Workspace, origin: Origin) -> CollectionsDecision:
    """Return what is decided, each collection without a decision as proposed."""
    proposed = propose_collections(
        origin.site,
        origin.collections,
        lambda identifier, live: (origin.live if live else origin.staged)[identifier],
    )
    found = decision_in(workspace.project, CollectionsDecision)
    if found is None:
        return proposed
    complete, added = with_missing_choices(found, proposed)
    return replace(complete, reviewed=None) if added else found


def is_changed(before: CollectionsDecision, after: CollectionsDecision) -> bool:
    return before.reviewed is None or before.collections != after.collections


def parse_item_set(name: str) -> ItemSet:
    try:
        return ItemSet(name)
    except ValueError:
        listed = ", ".join(ItemSet)
        raise UsageError(
            f"There is no item set {name!r}; item_set is one of {listed}, or empty."
        ) from None


def with_set(decision: CollectionsDecision, chosen: ItemSet) -> CollectionsDecision:
    return replace(
        decision,
        collections=tuple(
            replace(each, items=chosen) if each.migrate else each
            for each in decision.collections
        ),
    )


def sign(decision: CollectionsDecision, reviewer: str, how: str) -> CollectionsDecision:
    if not reviewer.strip():
        raise UsageError(
            "A decision names who took it: give your name as reviewer, in the field "
            "or as the parameter."
        )
    return replace(decision, reviewed=stamp_review(reviewer.strip(), how))


def standing_html(decision: CollectionsDecision) -> Markup:
    if decision.reviewed is None:
        return note(
            "Nobody has decided this yet; below is the proposal. Choose by hand in "
            "this notebook, or run `cmsmig decide --accept-proposals --reviewer NAME`.",
            "warning",
        )
    return note(describe(decision), "good")


def describe(decision: CollectionsDecision) -> str:
    if decision.reviewed is None:
        return f"{FILE} is not decided yet."
    by = decision.reviewed
    return f"{FILE}: decided {by.how} by {by.by}, {by.at}."


def choices_table(origin: Origin, decision: CollectionsDecision) -> Markup:
    rows = [
        _row(origin, decision, collection, choice)
        for collection in origin.collections
        if (choice := decision.choice(collection.collection_id)) is not None
    ]
    head = (
        "Collection",
        "Item set",
        "Archived",
        "Archived, still online",
        "Queued",
        "Publish",
        "Imported",
        "Left out",
    )
    locales = ", ".join(
        f"{each.tag} in {each.folder or 'the top folder'}"
        if each.migrate
        else f"{each.tag} left out"
        for each in decision.locales
    )
    below = paragraph(f"Locales: {locales}.") if locales else NOTHING
    return heading("Item set per collection") + table(head, rows) + below


def _row(
    origin: Origin,
    decision: CollectionsDecision,
    collection: Collection,
    choice: CollectionChoice,
) -> tuple[Cell, ...]:
    taken, reasons = effect(origin, decision, choice)
    return (
        collection.display_name,
        _label(SETS, choice.items if choice.migrate else NOT_MIGRATED),
        _label(ARCHIVED, choice.archived),
        _label(ARCHIVED_LIVE, choice.archived_live),
        _label(QUEUED, choice.queued),
        _label(PUBLISH, choice.publish),
        taken,
        reasons_text(reasons),
    )


def effect(
    origin: Origin, decision: CollectionsDecision, choice: CollectionChoice
) -> tuple[int, Mapping[str, int]]:
    selection = select_items(
        _items(origin.staged, choice),
        _items(origin.live, choice),
        choice,
        decision.locales,
    )
    reasons: dict[str, int] = {}
    for each in selection.skipped:
        reasons[each.reason] = reasons.get(each.reason, 0) + 1
    return len(selection.selected), reasons


def _items(
    sets: Mapping[str, tuple[Item, ...]], choice: CollectionChoice
) -> tuple[Item, ...]:
    return sets.get(choice.collection_id, ())


def reasons_text(reasons: Mapping[str, int]) -> str:
    return ", ".join(
        f"{count:,} {reason.replace('_', ' ')}" for reason, count in reasons.items()
    )


def _label(options: Sequence[tuple[str, str]], value: str) -> str:
    return next((label for label, each in options if each == value), value)
