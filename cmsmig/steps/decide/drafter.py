"""Stories made of items: once, and again only of what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum

from cmsmig.canonical import Json, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.kept_draft import DraftFacts, KeptDraft
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import DraftContext, StoryDraft
from cmsmig.mapping.propose.block_designs import components_of
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.draft_store import DraftStore
from cmsmig.steps.decide.parallel_drafts import (
    LEAST,
    DraftOrder,
    make_draft,
    make_drafts,
    marks_of,
)

_RULE_FAILED = "custom-rule"
_ROOMS = ("mapping", "origin", "richtext")
_LIBRARIES = (
    "beautifulsoup4",
    "linkify-it-py",
    "lxml",
    "markdown-it-py",
    "markupsafe",
    "nh3",
    "pydantic",
    "pyyaml",
)
"""What conversion calls, as the registry names it."""
CHANGED = (
    "The draft of this item in derived.sqlite is not the one that raw/ and the "
    "decisions give: another program changed the file, or a rule of the project gives "
    "another result each time. Nothing of it was written, and the draft is made again "
    "now; run `cmsmig plan`, check this item, then run `cmsmig import`."
)


@dataclass(frozen=True, slots=True)
class ItemDraft:
    """What an item becomes, its content on disk until it is asked for."""

    made_of: str
    """Fingerprint of everything that it was made of, but for what it asked for."""
    facts: DraftFacts
    read: Callable[[], KeptDraft | str]

    def story(self, context: DraftContext) -> StoryDraft | str:
        """Return the story, its assets filled in; or why there is none any more."""
        kept = self.read()
        if isinstance(kept, str):
            return kept
        place = context.places[self.facts.key]
        return kept.story(marks_of(self.made_of), place, context.assets)


@dataclass(frozen=True, slots=True)
class Checked:
    """The drafts that were compared with what raw/ and the decisions give."""

    prints: set[str] = field(default_factory=set)
    """Fingerprints of what they were made of."""
    changed: set[ItemKey] = field(default_factory=set)
    """The items whose kept draft was another one."""

    def is_same(self, order: DraftOrder, kept: DraftFacts, made: KeptDraft) -> bool:
        """Return whether the draft that was made again is the kept one; note both."""
        self.prints.add(order.made_of)
        if made.facts.as_bytes() == kept.as_bytes():
            return True
        self.changed.add(kept.key)
        return False


class Drafter:
    """Makes the drafts of one migration and keeps them."""

    libraries = _LIBRARIES

    def __init__(
        self, store: DraftStore, rules_digest: str, checked: Checked | None = None
    ) -> None:
        self.store = store
        """Where the drafts are kept; hashes of their content belong there, too."""
        self.checked = checked
        """What was compared with drafts that were made again; None: nothing is."""
        self._rules_digest = rules_digest
        self._shared: dict[str, str] = {}
        """What all items of a content type share, by collection id."""

    def for_visitors(self) -> Drafter:
        """Return what makes the versions of the same items that visitors see."""
        store = self.store.for_visitors()
        return Drafter(store, self._rules_digest, self.checked)

    def checking(self, *, hashes: bool = True) -> Drafter:
        """Return what makes each draft again before its content is used for the first
        time: derived.sqlite may hold what another program wrote.

        With `hashes` off, no kept hash of content is used either.
        """
        store = self.store if hashes else self.store.without_hashes()
        return Drafter(store, self._rules_digest, Checked())

    def has_changed(self, key: ItemKey) -> bool:
        """Return whether the kept draft of an item was another one when it was
        checked."""
        return self.checked is not None and key in self.checked.changed

    def draft(
        self, item: Item, content_type: ContentTypeDesign, context: DraftContext
    ) -> ItemDraft | str:
        """Return what an item becomes, or why there is no story."""
        made_of = self._print(item, content_type, context)
        facts = self.store.facts(item.key, made_of)
        if facts is not None and facts.lookups.hold(context):

            def read() -> KeptDraft | str:
                if self.checked is not None and made_of not in self.checked.prints:
                    place = context.places[item.key]
                    order = DraftOrder(item, content_type, place, made_of)
                    made = make_draft(order, context)
                    if isinstance(made, str) or self.checked.is_same(
                        order, facts, made
                    ):
                        return made
                    self._keep(order, made)
                    return CHANGED
                kept = self.store.draft(item.key, made_of)
                if kept is not None and kept.facts.lookups.hold(context):
                    return kept
                return self._made(item, content_type, context, made_of)

            return ItemDraft(made_of, facts, read)
        made = self._made(item, content_type, context, made_of)
        if isinstance(made, str):
            return made
        return ItemDraft(made_of, made.facts, lambda: made)

    def make_ahead(
        self,
        items: Iterable[tuple[Item, ContentTypeDesign]],
        context: DraftContext,
        least: int = LEAST,
    ) -> None:
        """Make the drafts of items that are not kept, on all cores, where there are
        at least so many and no rules of the project's own."""
        if self._rules_digest:
            return
        kept = self.store.prints()
        orders: list[DraftOrder] = []
        for item, content_type in items:
            made_of = self._print(item, content_type, context)
            if kept.get(str(item.key)) != made_of:
                place = context.places[item.key]
                orders.append(DraftOrder(item, content_type, place, made_of))
        if len(orders) >= least:
            for order, draft in make_drafts(orders, context):
                self.store.keep(order.made_of, draft)

    def _made(
        self,
        item: Item,
        content_type: ContentTypeDesign,
        context: DraftContext,
        made_of: str,
    ) -> KeptDraft | str:
        order = DraftOrder(item, content_type, context.places[item.key], made_of)
        made = make_draft(order, context)
        if isinstance(made, KeptDraft):
            self._keep(order, made)
        return made

    def _keep(self, order: DraftOrder, draft: KeptDraft) -> None:
        # A failure is not kept: what went wrong may not go wrong again, and what a rule
        # of the project's own missed may be there the next time.
        if _RULE_FAILED not in draft.facts.losses:
            self.store.keep(order.made_of, draft)

    def _print(
        self, item: Item, content_type: ContentTypeDesign, context: DraftContext
    ) -> str:
        """Return the fingerprint of everything a draft is made of, but for what it
        asks for."""
        shared = self._shared.get(content_type.collection_id)
        if shared is None:
            shared = self._shared_print(content_type, context)
            self._shared[content_type.collection_id] = shared
        record = [item.data_hash, item.draft, item.archived, list(item.halved)]
        dates = [item.created_on, item.last_updated, item.last_published]
        return fingerprint([shared, str(item.key), record, dates])

    def _shared_print(
        self, content_type: ContentTypeDesign, context: DraftContext
    ) -> str:
        collection = context.collections.get(content_type.collection_id)
        return fingerprint(
            [
                code_digest(_ROOMS, _LIBRARIES),
                self._rules_digest,
                context.namespace,
                context.site.time_zone,
                plain(content_type),
                plain(components_of(context.design)),
                plain(context.embeds),
                sorted(context.file_hosts),
                plain(collection.fields) if collection else None,
            ]
        )


def plain(value: object) -> Json:
    """Return what decides a value, as JSON: the same in every process."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset | set):
        return [*sorted(str(plain(each)) for each in value)]
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(held) for name, held in value.items()}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{type(value).__name__} does not say what it is made of")
