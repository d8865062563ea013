"""Pull: everything the origin answers, into the raw cache, and all files with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence, Set
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import product

from cmsmig.counting import counted, noun_for
from cmsmig.errors import (
    CacheError,
    CmsmigError,
    NotFoundError,
    ServiceError,
    UnreachableError,
)
from cmsmig.events import (
    Noticed,
    Observer,
    StepAdvanced,
    StepFinished,
    StepStarted,
    unobserved,
)
from cmsmig.ledger.lease import lease
from cmsmig.mapping.convert.asset_uploads import AssetUse, find_assets
from cmsmig.origin.cache import RawCache
from cmsmig.origin.client import OriginClient, is_about_one
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.origin.schema import Collection, Item, Site
from cmsmig.origin.unread import keep_unread, read_again
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_origin
from cmsmig.steps.pull.file_downloads import (
    WORKERS,
    Downloads,
    FilesReport,
    OwnHost,
    file_hosts,
)
from cmsmig.steps.pull.item_sets import SetReader
from cmsmig.steps.pull.origin_overview import list_pages
from cmsmig.steps.pull.raw_site import is_known, learn_site, token_digest
from cmsmig.steps.worker_pool import together
from cmsmig.wire.session import Session

STEP = "pull"


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """The item counts of one collection, all locales together."""

    collection_id: str
    name: str
    staged: int
    live: int
    drafts: int
    """Staged items marked as draft; they may be live all the same."""
    archived: int


@dataclass(frozen=True, slots=True)
class PullReport:
    """The counts of a pull: items by collection, and files."""

    site: Site
    collections: tuple[CollectionRow, ...]
    files: FilesReport
    read_at: float = 0
    """When the oldest of what is here was read, in epoch seconds."""
    left_out: tuple[str, ...] = ()
    """A sentence for each item that is too large to be read."""
    unread: tuple[Collection, ...] = ()
    """The collections that could not be read, and that a person has to decide on."""
    not_migrated: tuple[Collection, ...] = ()
    """Those that could not be read and that a person left out."""


async def pull(
    settings: Settings,
    project: Project,
    *,
    observer: Observer = unobserved,
    refresh: bool = False,
    not_migrated: Set[str] = frozenset(),
    origin: Session | None = None,
    files: Session | None = None,
    clock: Callable[[], float] = time.time,
) -> PullReport:
    """Read the site into `raw/` and its files into `files/`.

    Continues where an earlier pull stopped; what is complete is read again only
    with `refresh`. Files that failed are tried again. Sessions of one's own
    stay open. Raises `LedgerLockedError` at once while another run pulls or
    imports in this project, `SettingsError` when the site is not clear, and the
    `ServiceError` or `StorageError` that stopped it. A collection that cannot be read
    is tried again by the next pull, or with `refresh` where it is among those that are
    `not_migrated`.
    """
    async with AsyncExitStack() as stack:
        for lock in project.locks:
            # What is pulled is every target's.
            stack.enter_context(lease(lock, "cmsmig pull"))
        if origin is None:
            origin = await stack.enter_async_context(open_origin(settings, observer))
        if files is None:
            files = await stack.enter_async_context(
                Session(
                    "files",
                    authorization=None,
                    budget=None,
                    in_flight=WORKERS,
                    observer=observer,
                    away_seconds=settings.away_seconds,
                )
            )
        puller = _Pull(
            settings=settings,
            cache=RawCache(project.raw),
            client=OriginClient(origin, settings.origin_api_url),
            observer=observer,
            clock=clock,
        )
        site, collections = await puller.read(not_migrated, refresh=refresh)
        downloads = Downloads(
            store=FileStore(project.files, project.raw),
            session=files,
            max_bytes=settings.asset_max_bytes,
            is_own=OwnHost(settings.origin_api_url).owns,
            observer=observer,
        )
        rows = tuple(puller.row(collection) for collection in collections)
        uses = puller.file_uses(collections)
        report = await downloads.run(uses, _read_known(downloads.store))
    unread = [each for each in collections if each.unread]
    return PullReport(
        site,
        rows,
        report,
        puller.cache.read_at(),
        left_out=tuple(puller.left_out),
        unread=tuple(e for e in unread if e.collection_id not in not_migrated),
        not_migrated=tuple(e for e in unread if e.collection_id in not_migrated),
    )


@dataclass(frozen=True, slots=True)
class _Pull:
    """The reading part of a pull."""

    settings: Settings
    cache: RawCache
    client: OriginClient
    observer: Observer
    clock: Callable[[], float]
    left_out: list[str] = field(default_factory=list)

    async def read(
        self, left_out: Set[str], *, refresh: bool
    ) -> tuple[Site, tuple[Collection, ...]]:
        """Bring site, schemas and all sets into the cache.

        Returns all collections, also those that could not be read. Where that is all
        of them, what was wrong with the first is raised.
        """
        await self._start(refresh=refresh)
        site = await self._site()
        is_old_list = self.cache.holds_collections()
        listed = await self._listed(site)
        unread = self.cache.unread()
        read_again(self.cache, [each for each in unread if each not in left_out])
        unread = self.cache.unread()
        identifiers = [each for each in listed if each not in unread]
        self.observer(StepStarted(STEP, len(_sets(identifiers))))
        failed = await _apart(
            (identifier, self._schema(identifier)) for identifier in identifiers
        )
        reader = SetReader(
            self.client,
            self.cache,
            site.asked_locales,
            self.observer,
            self.clock,
            left_out=self.left_out,
        )
        todo = _sets([each for each in identifiers if each not in failed])
        failed |= await _apart((each[0], self._set(reader, *each)) for each in todo)
        for each in [*failed]:
            if self._was_never_published(each, failed[each]):
                del failed[each]
        if failed.keys() == {*listed}:
            raise failed[listed[0]]
        for identifier, error in failed.items():
            unread[identifier] = _why(error, is_old_list=is_old_list)
        keep_unread(self.cache, unread)
        count = len(listed) - len(unread)
        are_read = f"{counted(count, 'collection')} {noun_for(count, 'is', 'are')} read"
        self.observer(StepFinished(STEP, are_read))
        return site, self.cache.collections()

    def row(self, collection: Collection) -> CollectionRow:
        """Count a collection, saying plainly when nothing of it is published."""
        staged = drafts = archived = 0
        for item in self.cache.items(collection.collection_id, live=False):
            staged += 1
            drafts += item.draft
            archived += item.archived
        live = sum(1 for _ in self.cache.items(collection.collection_id, live=True))
        name = collection.display_name
        if staged and not live and not collection.unread:
            self.observer(
                Noticed(name, f"nothing is published: no live items, {staged} staged.")
            )
        identifier = collection.collection_id
        return CollectionRow(identifier, name, staged, live, drafts, archived)

    def file_uses(self, collections: Sequence[Collection]) -> Iterator[AssetUse]:
        """Yield every use of a file in both sets, in a fixed order."""
        items = (item for _, item in self._items(collections))
        hosts = file_hosts(self.settings, collections, items)
        for collection, item in self._items(collections):
            yield from find_assets(item, collection, hosts)

    def _items(
        self, collections: Sequence[Collection]
    ) -> Iterator[tuple[Collection, Item]]:
        for each, live in product(collections, (False, True)):
            for item in self.cache.items(each.collection_id, live=live):
                yield each, item

    async def _start(self, *, refresh: bool) -> None:
        if refresh:
            self.cache.start_refresh()
        self.cache.resume_refresh()
        if not is_known(self.cache, self.settings):
            await learn_site(self.cache, self.settings, self.client)

    async def _site(self) -> Site:
        key = token_digest(self.settings)
        try:
            # Without collections, the sites may be those of another token.
            if self.cache.holds_collections() or self.cache.key() == key:
                return self.cache.site(self.settings.site_id)
        except CacheError:
            pass
        self.cache.keep_sites(await self.client.sites(), key)
        return self.cache.site(self.settings.site_id)

    async def _listed(self, site: Site) -> tuple[str, ...]:
        try:
            return self.cache.collection_ids()
        except CacheError:
            await self._list_pages(site)
            body = await self.client.collections(site.site_id)
        self.cache.keep_collections(body, site.site_id, token_digest(self.settings))
        identifiers = self.cache.collection_ids()
        self.cache.forget_others(identifiers)
        return identifiers

    async def _list_pages(self, site: Site) -> None:
        """Keep the list of pages, where the token may see it; no item needs it."""
        try:
            self.cache.keep_static_pages(await list_pages(self.client, site.site_id))
        except ServiceError as error:
            if not is_about_one(error):
                raise

    async def _schema(self, identifier: str) -> None:
        try:
            self.cache.collection(identifier)
        except CacheError:
            body = await self.client.collection(identifier)
            self.cache.keep_collection(identifier, body)
            self.cache.collection(identifier)

    async def _set(self, reader: SetReader, identifier: str, live: bool) -> None:
        collection = self.cache.collection(identifier)
        if not self._intact(identifier, live=live):
            await reader.read(collection, live=live)
        kind = "live" if live else "staged"
        self.observer(StepAdvanced(STEP, f"{collection.display_name}, {kind}"))

    def _was_never_published(self, identifier: str, error: CmsmigError) -> bool:
        """Return whether the live set alone is missing, because no item was ever in
        it; then it is empty. Source: origin, answers to `items/live`."""
        lacks_live = isinstance(error, NotFoundError) and error.url.endswith("/live")
        if not lacks_live or not self._intact(identifier, live=False):
            return False
        items = self.cache.items(identifier, live=False)
        if any(each.last_published for each in items):
            return False
        self.cache.keep_items(identifier, (), live=True)
        return True

    def _intact(self, identifier: str, *, live: bool) -> bool:
        """Return whether a set is there from its first to its last item."""
        try:
            for _ in self.cache.items(identifier, live=live):
                pass
        except CacheError:
            return False
        return True


def _why(error: CmsmigError, *, is_old_list: bool) -> str:
    """Return why a collection could not be read; one that was listed by an earlier
    pull may be deleted."""
    if isinstance(error, UnreachableError) and error.body:
        return f"{error} It said: {error.body}"
    if is_old_list and isinstance(error, NotFoundError):
        return (
            f"{error} If it was deleted there, `cmsmig pull --refresh` reads the list"
            " of collections again."
        )
    return str(error)


def _read_known(store: FileStore) -> dict[str, FileRow]:
    try:
        return dict(store.rows())
    except CacheError:
        store.forget_index()
        return dict(store.rows())


def _sets(identifiers: Sequence[str]) -> list[tuple[str, bool]]:
    return [(identifier, live) for identifier in identifiers for live in (False, True)]


async def _apart(
    jobs: Iterable[tuple[str, Coroutine[object, object, None]]],
) -> dict[str, CmsmigError]:
    """Run the jobs of collections and return what failed in single ones.

    What concerns all of them, such as a refused token, ends the others at once
    and is raised.
    """
    failed: dict[str, CmsmigError] = {}

    async def one(identifier: str, job: Coroutine[object, object, None]) -> None:
        try:
            await job
        except (ServiceError, CacheError) as bad:
            if isinstance(bad, ServiceError) and not is_about_one(bad):
                raise
            failed.setdefault(identifier, bad)

    await together(one(*each) for each in jobs)
    return failed
