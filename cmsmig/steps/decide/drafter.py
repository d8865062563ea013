"""Stories made of items: once, and again only of what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import partial
from typing import NamedTuple

from cmsmig.canonical import Json, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.story import draft_item
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.propose.block_designs import components_of
from cmsmig.origin.schema import Item
from cmsmig.steps.decide.draft_store import DraftStore
from cmsmig.steps.process_pool import in_processes

LEAST = 300
"""Drafts that are worth the start of processes."""
_AT_ONCE = 25
"""Drafts that a process is given together."""
RULE_FAILED = "custom-rule"
"""The loss of a rule of the project's own, which may not happen again."""
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


class DraftOrder(NamedTuple):
    """A draft to be made."""

    item: Item
    content_type: ContentTypeDesign
    made_of: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The drafts that were compared with what raw/ and the decisions give."""

    prints: set[str] = field(default_factory=set)
    """Fingerprints of what they were made of."""
    changed: set[ItemKey] = field(default_factory=set)
    """The items whose kept draft was another one."""


class Drafter:
    """Makes the drafts of one migration and keeps them."""

    libraries = _LIBRARIES

    def __init__(
        self, store: DraftStore, rules_digest: str, checked: Checked | None = None
    ) -> None:
        self.store = store
        """Where the drafts are kept; hashes of their content belong there, too."""
        self._checked = checked
        """What was compared with drafts that were made again; None: nothing is."""
        self._rules_digest = rules_digest
        self._shared: dict[str, str] = {}
        """What all items of a content type share, by collection id."""

    def for_visitors(self) -> Drafter:
        """Return what makes the versions of the same items that visitors see."""
        store = self.store.for_visitors()
        return Drafter(store, self._rules_digest, self._checked)

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
        return self._checked is not None and key in self._checked.changed

    def draft(
        self, item: Item, content_type: ContentTypeDesign, context: DraftContext
    ) -> ItemDraft | str:
        """Return what an item becomes, or why there is no story."""
        made_of = self._print(item, content_type, context)
        kept = self.store.draft(item.key, made_of)
        if kept is not None and kept.lookups.hold(item.key, context):
            return kept
        return self._made(DraftOrder(item, content_type, made_of), context)

    def checked(
        self,
        draft: ItemDraft,
        item: Item,
        content_type: ContentTypeDesign,
        context: DraftContext,
    ) -> ItemDraft | str:
        """Return an item's draft, whose content may be used then, or why there is no
        story."""
        order = DraftOrder(item, content_type, draft.made_of)
        if self._checked is not None and draft.made_of not in self._checked.prints:
            made = self._made(order, context, keep=False)
            if isinstance(made, str) or made == draft:
                return made
            self._checked.changed.add(draft.key)
            self._keep(made)
            return CHANGED
        return draft if draft.is_whole() else self._made(order, context)

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
        orders = [
            DraftOrder(item, content_type, made_of)
            for item, content_type in items
            if (made_of := self._print(item, content_type, context))
            != kept.get(str(item.key))
        ]
        if len(orders) >= least:
            for draft in make_drafts(orders, context):
                self.store.keep(draft)

    def _made(
        self, order: DraftOrder, context: DraftContext, *, keep: bool = True
    ) -> ItemDraft | str:
        made = draft_item(*order, context)
        if isinstance(made, ItemDraft):
            if self._checked is not None:
                self._checked.prints.add(made.made_of)
            if keep:
                self._keep(made)
        return made

    def _keep(self, draft: ItemDraft) -> None:
        # A failure is not kept: what went wrong may not go wrong again, and what a rule
        # of the project's own missed may be there the next time.
        if RULE_FAILED not in draft.losses:
            self.store.keep(draft)

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


def make_drafts(
    orders: Sequence[DraftOrder], context: DraftContext, processes: int | None = None
) -> Iterator[ItemDraft]:
    """Yield the drafts that can be made, on all cores, the same as one process makes;
    only a few wait at a time.

    What is left over, when a process dies or an item has no story, is made when it is
    asked for.
    """
    parts = (
        orders[start : start + _AT_ONCE] for start in range(0, len(orders), _AT_ONCE)
    )
    work = partial(_make, replace(context, places={}))
    with suppress(BrokenProcessPool):
        for _, drafts in in_processes(work, parts, processes=processes):
            yield from drafts


def _make(context: DraftContext, orders: Sequence[DraftOrder]) -> list[ItemDraft]:
    made = (draft_item(*order, context) for order in orders)
    return [each for each in made if isinstance(each, ItemDraft)]
