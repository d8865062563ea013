"""Reading one item set whole, though editors may be at work in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.errors import (
    CacheError,
    MalformedAnswerError,
    NotFoundError,
    OversizedAnswerError,
)
from cmsmig.events import Noticed, Observer
from cmsmig.mapping.dates import parse_moment
from cmsmig.nesting import DEEPEST, parse_json
from cmsmig.origin.cache import RawCache
from cmsmig.origin.client import PAGE, ItemPage, OriginClient
from cmsmig.origin.pages import Page, PageStore
from cmsmig.origin.records import line_of
from cmsmig.origin.schema import Collection
from cmsmig.wire.bounds import ANSWER_BYTES, MEGABYTE, most_rows

ROUNDS = 3
"""How often a set that moves is read before what was seen is settled singly."""
FRESH_SECONDS = 3600.0
"""Pages of a pull that stopped longer ago are read again: too much has moved."""
_SINGLY = 100
"""Items in doubt that are looked at one by one; more are taken as they were seen."""

_BY_COUNT = (
    "Each set is taken as whole when it holds as many different items as the origin"
    " counts. Avoid edits at the origin while the pull runs."
)
_REFUSED = (
    "the origin cannot list items by their creation, so that they were read in its"
    f" own order. {_BY_COUNT}"
)
_UNORDERED = (
    "the origin was asked for items by their creation, and lists them in another"
    f" order. {_BY_COUNT}"
)
_MOST_LEFT_OUT = 20
"""Items too large to be read, of one set."""
_ID = re.compile(r'"id"\s*:\s*"([0-9A-Za-z_-]{1,64})"')

_Key: TypeAlias = tuple[str, str]


@dataclass(slots=True)
class _Round:
    """One reading of a set from its first to its last page."""

    pages: list[Page] = field(default_factory=list)
    keys: set[_Key] = field(default_factory=set)
    left_out: dict[int, str] = field(default_factory=dict)
    """Items that are too large to be read, by their offset, as they are named."""
    stuck: bool = False
    """Whether it ended at a page of nothing but items that had come before."""
    youngest: str = ""
    """The latest creation of an item so far."""
    ordered: bool = True
    """Whether each item was created no earlier than those before it."""

    def add(self, page: Page, lines: Iterator[bytes]) -> None:
        """Take a page with its items."""
        known = len(self.keys)
        self.pages.append(page)
        for line in lines:
            record = _record(line)
            self.keys.add(_key_of(record))
            self._follow(str(record.get("createdOn") or ""))
        self.stuck = page.count > 0 and len(self.keys) == known

    def _follow(self, created: str) -> None:
        if created < self.youngest and self.ordered:
            before, now = parse_moment(self.youngest), parse_moment(created)
            self.ordered = before is None or now is None or before <= now
        self.youngest = max(self.youngest, created)

    def leave_out(self, error: OversizedAnswerError, offset: int) -> None:
        """Go on without an item that is too large or too deep; raise the error when
        there are too many of them to be true."""
        if len(self.left_out) == _MOST_LEFT_OUT:
            raise error
        found = _ID.search(str(error.body or ""))
        self.left_out[offset] = f"the item {found[1] if found else offset + 1}"

    def steady(self) -> bool:
        """Return whether nothing moved: one total, and as many different items.

        A service may count an item once for all its locales.
        """
        totals = {page.total for page in self.pages}
        counts = (len(self.keys), len({item_id for item_id, _ in self.keys}))
        whole = [count + len(self.left_out) for count in counts]
        return len(totals) == 1 and totals.pop() in whole


@dataclass(frozen=True, slots=True)
class SetReader:
    """Reads the sets of one site into the cache.

    Spec: origin rules 3 and 4. Items are identified by id and locale. A set
    whose total moves, or whose items do not add up to it, is read again; what
    was in one reading and not in the last is then asked for singly, so that
    nothing is lost and nothing deleted is kept. A set whose pages lead nowhere
    is `MalformedAnswerError`: part of it must not pass for the whole.
    """

    client: OriginClient
    cache: RawCache
    locales: tuple[str, ...]
    observer: Observer
    clock: Callable[[], float]
    noticed: set[str] = field(default_factory=set)
    """What is said once in a pull, not once for each set."""
    left_out: list[str] = field(default_factory=list)
    """A sentence for each item that is too large to be read."""

    async def read(self, collection: Collection, *, live: bool) -> None:
        """Bring one set into the cache, going on from the pages already there."""
        store = self.cache.pages(collection.collection_id, live=live)
        store.begin()
        rounds = await self._rounds(store, collection, live=live)
        extra: list[bytes] = []
        if not rounds[-1].steady():
            if rounds[-1].stuck:
                last = rounds[-1].pages[-1]
                store.clear()
                raise _endless(collection, last, last.offset, live=live)
            extra = await self._settle(store, rounds, collection, live=live)
        self._tell_left_out(collection, rounds[-1], live=live)
        self.cache.keep_items(
            collection.collection_id,
            _unique(store, rounds[-1].pages, extra),
            live=live,
        )

    async def _rounds(
        self, store: PageStore, collection: Collection, *, live: bool
    ) -> list[_Round]:
        kept = store.pages()
        if any(page.at < self.clock() - FRESH_SECONDS for page in kept.values()):
            store.clear()
            kept = {}
        rounds: list[_Round] = []
        while len(rounds) < ROUNDS and not (rounds and rounds[-1].steady()):
            number = len(rounds) + 1
            rounds.append(await self._round(store, kept, number, collection, live=live))
        return rounds

    async def _round(
        self,
        store: PageStore,
        kept: dict[tuple[int, int], Page],
        number: int,
        collection: Collection,
        *,
        live: bool,
    ) -> _Round:
        found = _Round()
        offset, limit = 0, PAGE
        while True:
            page = kept.get((number, offset))
            if page is None:
                answer = await self._answer(collection, offset, limit, live=live)
                if isinstance(answer, OversizedAnswerError):
                    found.leave_out(answer, offset)
                    offset += 1
                    if found.pages and offset >= found.pages[-1].total:
                        return found
                    continue
                if not answer.ordered:
                    self._tell_once(_REFUSED)
                limit = min(PAGE, 2 * answer.limit)
                page = store.add(
                    number,
                    offset,
                    answer.items,
                    answer.total,
                    self.clock(),
                    answer.limit,
                )
            found.add(page, store.lines(page))
            if not found.ordered and not self.noticed:
                self._tell_once(_UNORDERED)
            offset += page.count
            if found.stuck or not self._has_next(page, offset):
                return found
            if offset >= most_rows(found.pages[0].total * max(1, len(self.locales))):
                store.clear()
                raise _endless(collection, page, offset, live=live)

    async def _answer(
        self, collection: Collection, offset: int, limit: int, *, live: bool
    ) -> ItemPage | OversizedAnswerError:
        """Return a page of `limit` items, or of fewer where those are too much;
        the error where one item alone is."""
        while True:
            try:
                return await self.client.items(
                    collection.collection_id,
                    live=live,
                    locales=self.locales,
                    offset=offset,
                    limit=limit,
                )
            except OversizedAnswerError as error:
                if limit == 1:
                    return error
                limit //= 2

    def _has_next(self, page: Page, offset: int) -> bool:
        if page.count == 0:
            return False
        # A total that counts an item once for all its locales ends too early.
        uncertain = len(self.locales) > 1 and page.count >= page.limit
        return offset < page.total or uncertain

    async def _settle(
        self,
        store: PageStore,
        rounds: list[_Round],
        collection: Collection,
        *,
        live: bool,
    ) -> list[bytes]:
        """Return the items that are there though the last reading missed them."""
        last = rounds[-1].keys
        seen: dict[_Key, bytes] = {}
        for earlier in rounds[:-1]:
            for line in _lines(store, earlier.pages):
                if (key := _key(line)) not in last:
                    seen[key] = line
        if len(seen) <= _SINGLY:
            seen = await self._still_there(seen, collection, live=live)
        self._notice(collection, rounds, len(last) + len(seen), live=live)
        return list(seen.values())

    async def _still_there(
        self, seen: Iterable[_Key], collection: Collection, *, live: bool
    ) -> dict[_Key, bytes]:
        found: dict[_Key, bytes] = {}
        for item_id, locale in seen:
            with suppress(NotFoundError, OversizedAnswerError):
                record = await self.client.item(
                    collection.collection_id, item_id, live=live, locale=locale or None
                )
                found[item_id, locale] = line_of(record)
        return found

    def _tell_once(self, what: str) -> None:
        if what not in self.noticed:
            self.noticed.add(what)
            self.observer(Noticed("origin", what))

    def _tell_left_out(
        self, collection: Collection, last: _Round, *, live: bool
    ) -> None:
        for named in last.left_out.values():
            what = (
                f"{named} of the {_which(live)} set is left out: it alone is larger "
                f"than {ANSWER_BYTES // MEGABYTE} MB, or nests deeper than {DEEPEST} "
                "levels; shorten it at the origin, then run `cmsmig pull --refresh`."
            )
            self.left_out.append(f"{collection.display_name}: {what}")
            self.observer(Noticed(collection.display_name, what))

    def _notice(
        self, collection: Collection, rounds: list[_Round], count: int, *, live: bool
    ) -> None:
        which = _which(live)
        announced = {page.total for each in rounds for page in each.pages}
        what = (
            f"the {which} set changed each of the {ROUNDS} times that it was read;"
            f" {count} items were taken over. Run `cmsmig pull --refresh` when no"
            " editor is working."
        )
        if len(announced) == 1 and all(each.keys == rounds[0].keys for each in rounds):
            what = (
                f"the origin announces {announced.pop()} items of the {which} set and"
                f" gives {count}; compare the number with what the site itself shows."
            )
        self.observer(Noticed(collection.display_name, what))


def _endless(
    collection: Collection, page: Page, offset: int, *, live: bool
) -> MalformedAnswerError:
    return MalformedAnswerError(
        f"The origin's pages of {collection.display_name} ({_which(live)} items) lead"
        f" nowhere: after item {offset} they bring nothing new or never end, though"
        f" {page.total} items are announced; check the address of the origin in the"
        " settings, then pull again.",
        service="origin",
        method="GET",
    )


def _which(live: bool) -> str:
    return "live" if live else "staged"


def _unique(store: PageStore, pages: list[Page], extra: list[bytes]) -> Iterator[bytes]:
    """Yield each item once, in the order of its first appearance."""
    seen: set[_Key] = set()
    for line in _lines(store, pages):
        key = _key(line)
        if key not in seen:
            seen.add(key)
            yield line
    yield from (line for line in extra if _key(line) not in seen)


def _lines(store: PageStore, pages: list[Page]) -> Iterator[bytes]:
    for page in pages:
        yield from store.lines(page)


def _key(line: bytes) -> _Key:
    return _key_of(_record(line))


def _key_of(record: JsonObject) -> _Key:
    return str(record["id"]), str(record.get("cmsLocaleId") or "")


def _record(line: bytes) -> JsonObject:
    record = parse_json(line)
    if not isinstance(record, dict):
        raise CacheError("A page of items was changed while it was read; pull again.")
    return record
