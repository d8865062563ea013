"""Drafts made of items: once, kept on disk, and made again only of what changed."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import partial
from typing import NamedTuple, TypeVar

from cmsmig.canonical import Json, fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft
from cmsmig.mapping.convert.story import draft_item
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import DraftContext
from cmsmig.mapping.propose.block_designs import block_components
from cmsmig.mapping.select.variants import variant_key
from cmsmig.origin.schema import Item
from cmsmig.richtext.losses import kinds_of
from cmsmig.steps.process_pool import in_processes
from cmsmig.steps.worker_pool import batches

T = TypeVar("T")

LEAST = 300
"""Drafts that are worth the start of processes."""
_TOGETHER = 25
"""Drafts that a process is given together."""
_AT_ONCE = 200
"""Drafts that are written in one transaction."""
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


class DraftStore:
    """The drafts of one site and space; safe to use from any thread."""

    def __init__(self, file: DerivedFile, namespace: str) -> None:
        self._file = file
        self._namespace = namespace
        self._waiting: dict[str, ItemDraft] = {}
        self._hashes: dict[tuple[str, bool], tuple[str, str]] = {}
        self._lock = threading.Lock()

    def for_visitors(self) -> DraftStore:
        """Return the store of the versions of the same items that visitors see."""
        return DraftStore(self._file, f"{self._namespace} public")

    def prints(self) -> dict[str, str]:
        """Return what each draft on disk was made of, by its item's key."""
        rows = self._file.all(
            "SELECT key, print FROM draft WHERE namespace = ?", (self._namespace,)
        )
        return dict(rows)

    def draft(self, key: ItemKey, made_of: str) -> ItemDraft | None:
        """Return an item's draft, if it was made of the same."""
        waiting = self._waiting.get(str(key))
        if waiting is not None and waiting.made_of == made_of:
            return waiting
        row = self._file.one(
            "SELECT record, body FROM draft WHERE (namespace, key, print) = (?, ?, ?)",
            (self._namespace, str(key), made_of),
        )
        try:
            return None if row is None else ItemDraft.of(row[0], made_of, row[1])
        except (ValueError, TypeError):
            # Another release wrote that.
            return None

    def keep(self, draft: ItemDraft) -> None:
        """Keep a draft; it is on disk after the next `flush` at the latest."""
        with self._lock:
            self._waiting[str(draft.key)] = draft
            if len(self._waiting) >= _AT_ONCE:
                self._write()

    def content_hash(self, key: ItemKey, inputs: str, *, linked: bool) -> str | None:
        """Return the hash of content that was computed last, if of the same inputs."""
        found: Sequence[object] | None = self._hashes.get((str(key), linked))
        if found is None:
            found = self._file.one(
                "SELECT inputs, hash FROM content_hash"
                " WHERE (namespace, key, linked) = (?, ?, ?)",
                (self._namespace, str(key), linked),
            )
        return str(found[1]) if found and found[0] == inputs else None

    def keep_content_hash(
        self, key: ItemKey, inputs: str, found: str, *, linked: bool
    ) -> None:
        """Keep the hash of content; it is on disk after the next `flush`."""
        with self._lock:
            self._hashes[(str(key), linked)] = (inputs, found)
            if len(self._hashes) >= _AT_ONCE:
                self._write()

    def plan_part(self, number: int, made_of: str) -> bytes | None:
        """Return a part of what a plan kept, if it was made of the same; the one after
        the last is empty."""
        return self._file.part(f"plan {self._namespace}", number, made_of)

    def keep_plan(self, made_of: str, parts: Iterable[bytes]) -> None:
        """Keep what a plan found, in the place of what another one did."""
        self._file.keep_parts(f"plan {self._namespace}", made_of, parts)

    def flush(self) -> None:
        """Write what is waiting."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        drafts, self._waiting = self._waiting, {}
        hashes, self._hashes = self._hashes, {}
        if not drafts and not hashes:
            return

        def write(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO draft (namespace, key, print, record, body)"
                " VALUES (?, ?, ?, ?, ?)",
                [
                    (self._namespace, key, each.made_of, each.as_bytes(), each.body)
                    for key, each in drafts.items()
                ],
            )
            db.executemany(
                "INSERT OR REPLACE INTO content_hash VALUES (?, ?, ?, ?, ?)",
                [(self._namespace, *named, *found) for named, found in hashes.items()],
            )

        self._file.change(write)


class DraftOrder(NamedTuple):
    """A draft to be made."""

    item: Item
    content_type: ContentTypeDesign
    made_of: str


class Drafter:
    """Makes the drafts of one migration and keeps them."""

    libraries = _LIBRARIES

    def __init__(self, store: DraftStore, rules_digest: str) -> None:
        self.store = store
        """Where the drafts are kept; hashes of their content belong there, too."""
        self._rules_digest = rules_digest
        self._shared: dict[str, str] = {}
        """What all items of a content type share, by collection id."""

    def for_visitors(self) -> Drafter:
        """Return what makes the versions of the same items that visitors see."""
        return Drafter(self.store.for_visitors(), self._rules_digest)

    def draft(
        self, item: Item, content_type: ContentTypeDesign, context: DraftContext
    ) -> ItemDraft | str:
        """Return what an item becomes, or why there is no story."""
        made_of = self._print(item, content_type, context)
        kept = self.store.draft(item.key, made_of)
        if kept is not None and kept.lookups.hold(item.key, context):
            return kept
        return self._made(DraftOrder(item, content_type, made_of), context)

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

    def _made(self, order: DraftOrder, context: DraftContext) -> ItemDraft | str:
        made = draft_item(*order, context)
        # A failure is not kept: what went wrong may not go wrong again, and what a rule
        # of the project's own missed may be there the next time.
        if isinstance(made, ItemDraft) and RULE_FAILED not in kinds_of(made.losses):
            self.store.keep(made)
        return made

    def _print(
        self, item: Item, content_type: ContentTypeDesign, context: DraftContext
    ) -> str:
        """Return the fingerprint of everything a draft is made of, but for what it
        asks for."""
        shared = self._shared.get(content_type.collection_id)
        if shared is None:
            shared = self._shared_print(content_type, context)
            self._shared[content_type.collection_id] = shared
        record = [
            item.data_hash,
            item.draft,
            item.archived,
            item.odd_characters,
            context.variants.get(variant_key(item)),
        ]
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
                plain(block_components(context.design)),
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
    work = partial(_make, replace(context, places={}))
    with suppress(BrokenProcessPool):
        for _, drafts in in_processes(
            work, batches(orders, _TOGETHER), processes=processes
        ):
            yield from drafts


def _make(context: DraftContext, orders: Sequence[DraftOrder]) -> list[ItemDraft]:
    made = (draft_item(*order, context) for order in orders)
    return [each for each in made if isinstance(each, ItemDraft)]
