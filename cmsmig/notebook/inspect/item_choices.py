"""Which items of each collection are imported: the decision and its effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    CollectionsDecision,
    ItemChoice,
    ItemSet,
    Languages,
    MissingLanguage,
    PublishRule,
    QueuedRule,
    Take,
)
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.propose.additions import with_missing_choices
from cmsmig.mapping.propose.proposals import propose_collections
from cmsmig.mapping.select.selection import (
    PublicationState,
    find_publishable,
    publication_state,
    select_items,
)
from cmsmig.notebook.kit.decision_files import describe_review
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.project_news import DECISIONS
from cmsmig.steps.decide.decision_store import decision_in, stamp_review
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.ui.documents.findings import reason_name
from cmsmig.ui.html.safe_html import (
    NOTHING,
    note,
    paragraph,
)

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


@dataclass(frozen=True, slots=True)
class Rule:
    """One choice about the items of a collection."""

    control: str
    label: str
    field: str
    """The field of `CollectionChoice`."""
    options: tuple[tuple[str, str], ...]

    def value(self, choice: CollectionChoice) -> str:
        """Return the value of a collection."""
        if self.field == "items" and not choice.migrate:
            return NOT_MIGRATED
        return str(getattr(choice, self.field))

    def with_value(self, choice: CollectionChoice, value: str) -> CollectionChoice:
        """Return the choice with another value; an empty one changes nothing."""
        if not value or value == self.value(choice):
            return choice
        if value == NOT_MIGRATED:
            return replace(choice, migrate=False)
        kind = type(getattr(choice, self.field))
        changed: dict[str, Any] = {self.field: kind(value)}
        if self.field == "items":
            changed["migrate"] = True
        return replace(choice, **changed)

    def said(self, choice: CollectionChoice) -> str:
        """Return the value of a collection in words."""
        value = self.value(choice)
        return next((text for text, each in self.options if each == value), value)


RULES = (
    Rule("item-set", "Item set", "items", SETS),
    Rule(
        "item-set-archived",
        "Archived items",
        "archived",
        ARCHIVED,
    ),
    Rule(
        "item-set-online",
        "Archived, still online",
        "archived_live",
        ARCHIVED_LIVE,
    ),
    Rule(
        "item-set-queued",
        "Queued",
        "queued",
        QUEUED,
    ),
    Rule("item-set-publish", "Publish", "publish", PUBLISH),
)
"""The choices about a collection, in the order of the panel."""
_LANGUAGES: tuple[tuple[str, str], ...] = (
    ("a story each, in folders", Languages.FOLDERS),
    ("one story, fields translated", Languages.FIELDS),
)
_MISSING_LANGUAGE: tuple[tuple[str, str], ...] = (
    ("lead to the primary language", MissingLanguage.PRIMARY),
    ("are left out", MissingLanguage.LEAVE_OUT),
)
LANGUAGE_CHOICES = (
    ("languages", "languages", "Languages", _LANGUAGES),
    (
        *("missing_language", "missing", "References to what lacks a language"),
        _MISSING_LANGUAGE,
    ),
)
"""Field, control, label and options of each choice about languages."""
TAKES: tuple[tuple[str, str], ...] = (
    ("as its collection", ""),
    ("leave out", Take.SKIP),
    ("as a draft", Take.DRAFT),
    ("what visitors see", Take.LIVE),
    ("what editors see", Take.STAGED),
    ("both, live below staged", Take.MIRROR),
)
"""What can be taken of one item."""
FILE = "decisions/collections.yaml"
CHOICES = f"{DECISIONS}/{FILE_NAMES[CollectionsDecision]}"
"""What panels follow that show item sets."""


def proposed_choices(origin: Origin) -> CollectionsDecision:
    """Return what is proposed for each collection."""
    return propose_collections(
        origin.site,
        origin.collections,
        lambda identifier, live: (origin.live if live else origin.staged)[identifier],
    )


def completed(
    found: CollectionsDecision | None, proposed: CollectionsDecision
) -> CollectionsDecision:
    """Return what is decided, each collection without a decision as proposed; no one
    has signed that yet."""
    if found is None or not (found.collections or found.locales):
        return proposed
    complete, added = with_missing_choices(found, proposed)
    return replace(complete, reviewed=None) if added else found


def current_choices(workspace: Workspace, origin: Origin) -> CollectionsDecision:
    """Return what is decided, each collection without a decision as proposed."""
    found = decision_in(workspace.project, CollectionsDecision)
    return completed(found, proposed_choices(origin))


def with_item(
    decision: CollectionsDecision, key: ItemKey, take: str
) -> CollectionsDecision:
    """Return the decision with what is taken of one item; empty: what its collection
    says. Raises `UsageError` where its collection is not decided."""
    made = (
        [ItemChoice(key.item_id, Take(take), locale_id=key.locale_id)] if take else []
    )
    gone = (key.locale_id,) if take else (key.locale_id, "")
    collections = [
        replace(
            each,
            apart=(
                *(
                    e
                    for e in each.apart
                    if e.item_id != key.item_id or e.locale_id not in gone
                ),
                *made,
            ),
        )
        if each.collection_id == key.collection_id
        else each
        for each in decision.collections
    ]
    if key.collection_id not in {each.collection_id for each in collections}:
        raise UsageError(
            "The item set of this collection is not decided yet: accept the item sets "
            "above first."
        )
    return replace(decision, collections=tuple(collections))


def with_set(decision: CollectionsDecision, name: str) -> CollectionsDecision:
    """Return the decision with one item set for all collections that are migrated;
    raises `UsageError` for a name of none."""
    try:
        chosen = ItemSet(name)
    except ValueError:
        listed = ", ".join(ItemSet)
        raise UsageError(
            f"There is no item set {name!r}; item_set is one of {listed}, or empty."
        ) from None
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


def signed_again(
    decision: CollectionsDecision, reviewer: str, how: str
) -> CollectionsDecision:
    """Return a decision that was changed: signed by who changed it where it was signed
    before, and unsigned where that is not known."""
    if decision.reviewed is None or not reviewer.strip():
        return replace(decision, reviewed=None)
    return sign(decision, reviewer, how)


def signature_html(decision: CollectionsDecision) -> Markup:
    if decision.reviewed is None:
        return note(
            "This is not decided yet; below is the proposal. Choose by hand in this "
            "notebook, or run `cmsmig decide --accept-proposals --reviewer NAME`.",
            "warning",
        )
    return note(f"{FILE}: {describe_review(decision.reviewed)}", "good")


@dataclass(frozen=True, slots=True)
class Effect:
    """What a choice brings, in items; each locale counts."""

    imported: int
    published: int
    left_out: Mapping[str, int]
    """By reason."""


class Effects:
    """The effect of each choice about the collections of a pulled site."""

    def __init__(self, origin: Origin, decision: CollectionsDecision) -> None:
        self._origin = origin
        self.locales = decision.locales
        self._known: dict[CollectionChoice, Effect] = {}

    def of(self, choice: CollectionChoice) -> Effect:
        """Return what a choice brings; each is computed once."""
        if choice not in self._known:
            self._known[choice] = self._computed(choice)
        return self._known[choice]

    def total(self, choices: Sequence[CollectionChoice]) -> Effect:
        """Return what several choices bring together."""
        found = [self.of(each) for each in choices]
        left = sum((Counter(each.left_out) for each in found), Counter[str]())
        imported = sum(each.imported for each in found)
        return Effect(imported, sum(each.published for each in found), left)

    def _computed(self, choice: CollectionChoice) -> Effect:
        sets = (self._origin.staged, self._origin.live)
        staged, live = (each.get(choice.collection_id, ()) for each in sets)
        selection = select_items(staged, live, choice, self.locales)
        one = CollectionsDecision(locales=self.locales, collections=(choice,))
        published = find_publishable(one, selection.selected)
        reasons = Counter(each.reason for each in selection.skipped)
        return Effect(len(selection.selected), len(published), reasons)


def count_states(origin: Origin, collection_id: str) -> Counter[PublicationState]:
    """Return how many items of a collection are in each state, by both sets."""
    staged, live = (
        {each.key: each for each in origin.items(collection_id, is_live)}
        for is_live in (False, True)
    )
    return Counter(
        publication_state(staged.get(key), live.get(key)) for key in staged | live
    )


def locales_html(decision: CollectionsDecision) -> Markup:
    """Return where each locale goes, on a site that has some."""
    locales = ", ".join(
        f"{each.tag} in {each.folder or 'the top folder'}"
        if each.migrate
        else f"{each.tag} left out"
        for each in decision.locales
    )
    return paragraph(f"Locales: {locales}.") if locales else NOTHING


def choices_text(choice: CollectionChoice) -> str:
    """Return what is chosen next to the item set, and is not as most sites have it."""
    usual = CollectionChoice("", "")
    return "; ".join(
        f"{rule.label.lower()}: {rule.said(choice)}"
        for rule in RULES[1:]
        if choice.migrate and rule.value(choice) != rule.value(usual)
    )


def reasons_text(reasons: Mapping[str, int]) -> str:
    """Return why items stay behind, the number of each reason."""
    return "; ".join(
        f"{reason_name(reason)}: {count:,}" for reason, count in reasons.items()
    )
