"""The old site as visitors see it before the switch: every known page, read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import ServiceError, UnreadError, UsageError
from cmsmig.events import Noticed, Observer
from cmsmig.item_key import ItemKey
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.content_gaps import GapFinder, PageText, UnshownField
from cmsmig.steps.baseline.crawl import Crawl
from cmsmig.steps.baseline.page_reader import FORBIDDEN, PageReader, open_reader
from cmsmig.steps.baseline.page_store import OLD, PageStore, open_pages
from cmsmig.steps.baseline.site_address import SiteAddress, old_site
from cmsmig.steps.baseline.switch_faults import CLOSED
from cmsmig.steps.decide.pulled_origin import Origin, old_addresses, read_origin
from cmsmig.steps.pull.origin_overview import read_static_pages
from cmsmig.steps.worker_pool import StopSignal

RATE = 2
"""Pages a second, unless a person names another rate."""


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What a person may choose."""

    site: str = ""
    """The address of the old site; empty: see `old_site`."""
    addresses: Path | None = None
    """A file of more old addresses: one at the start of each line, with or without the
    host, up to a comma, semicolon or white space."""
    rate: int = RATE
    refresh: bool = False
    """Whether the pages of a complete baseline are asked for again."""


@dataclass(frozen=True, slots=True)
class OldSite:
    """What a complete baseline knows of the old site, without its pages."""

    base: str
    with_forms: tuple[str, ...]
    """Addresses of pages with a form."""
    locked: tuple[str, ...]
    """Addresses that a password or a sign-in locks."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An address in a list of the report, and a text on it."""

    url: str
    text: str


@dataclass(frozen=True, slots=True)
class BaselineReport:
    """What a reading of the old site found."""

    site: str
    finished: str
    addresses: int
    sources: Mapping[str, int]
    """Addresses by where they are known from; one may be known from several."""
    statuses: Mapping[str, int]
    unread: tuple[Listed, ...]
    """Without an answer, and why; tried again by the next run."""
    forbidden: tuple[str, ...]
    """Addresses that robots.txt asks programs not to read."""
    without_item: tuple[Listed, ...]
    """Pages that visitors can open and that no item has, and their titles."""
    without_page: tuple[Listed, ...]
    """Addresses of live items that show no page, and the items."""
    on_pages_only: tuple[PageText, ...]
    in_items_only: tuple[UnshownField, ...]


async def take_baseline(
    project: Project,
    settings: Settings,
    options: BaselineOptions,
    *,
    observer: Observer,
    stop: StopSignal,
) -> BaselineReport:
    """Read the page of each old address into `baseline.sqlite`, and compare the pages
    with what was pulled.

    A complete baseline is asked for new addresses and unread pages only, unless
    `options.refresh`. Raises `UnreadError` before a pull, `UsageError` where the
    baseline is of another site, `ServiceError` when the site does not answer, and
    `InterruptedRunError` when it was stopped.
    """
    origin = read_origin(project, settings.site_id)
    site = old_site(origin.site, settings, options.site)
    with open_pages(project.baseline) as db:
        store = PageStore(db, OLD)
        async with open_reader(
            site, rate=options.rate, folder=settings.state_folder, observer=observer
        ) as reader:
            base = reader.site.base
            _require_same(store, base, refresh=options.refresh)
            paths = await _static_paths(settings, origin, observer)
            items = _item_addresses(origin, reader.site)
            store.begin(base, again=options.refresh)
            known = store.sources()
            known |= await _known(reader, items, paths, options.addresses)
            await Crawl(reader, store, observer, stop, follow_links=True).run(known)
        store.finish(datetime.now(UTC).isoformat(timespec="seconds"))
        return _report(store, origin, items)


def read_old_site(project: Project) -> OldSite | None:
    """Return what the baseline knows of the old site; None before the first complete
    one. Reads only. Raises `StorageError` for a damaged file."""
    if not project.baseline.exists():
        return None
    with open_pages(project.baseline) as db:
        store = PageStore(db, OLD)
        if not store.finished:
            return None
        with_forms, locked = [], []
        for page in store.pages():
            if page.status in CLOSED:
                locked.append(page.url)
            elif page.content is not None and page.content.forms:
                with_forms.append(page.url)
        return OldSite(store.base, tuple(with_forms), tuple(locked))


def require_baseline(store: PageStore) -> None:
    """Raise `UnreadError` unless the old site was read to its end."""
    if not store.finished:
        raise UnreadError(
            "The pages of the old site were not read, or not to the end; run `cmsmig"
            " baseline` before the switch."
        )


def _require_same(store: PageStore, base: str, *, refresh: bool) -> None:
    if store.base not in ("", base) and not refresh:
        raise UsageError(
            f"The baseline is of {store.base}, and this would read {base}; name the"
            " site with --site, or replace the baseline with --refresh."
        )


def _item_addresses(origin: Origin, site: SiteAddress) -> dict[str, ItemKey]:
    found = ((site.page(path), key) for key, path in old_addresses(origin).items())
    return {url: key for url, key in found if url}


async def _static_paths(
    settings: Settings, origin: Origin, observer: Observer
) -> tuple[str, ...]:
    """Return the paths of the published static pages, as far as the origin lists them
    to this token."""
    why = "no token of the origin is set"
    if settings.origin_token:
        try:
            pages = await read_static_pages(settings, origin.site.site_id, observer)
            return tuple(each.path for each in pages if each.state == "published")
        except ServiceError as error:
            why = str(error).rstrip(".")
    observer(
        Noticed(
            "pages",
            f"the list of static pages was not read ({why}); sitemap and links count",
        )
    )
    return ()


async def _known(
    reader: PageReader,
    items: Mapping[str, ItemKey],
    paths: tuple[str, ...],
    addresses: Path | None,
) -> dict[str, tuple[str, ...]]:
    """Return each address that is known before a page is read, with its sources."""
    _, mapped = await reader.sitemap()
    listed = {
        "item": tuple(items),
        "page": paths,
        "sitemap": mapped,
        "list": tuple(_listed(addresses)) if addresses else (),
        "link": ("/",),
    }
    found: dict[str, list[str]] = {}
    for source, each in ((name, url) for name, urls in listed.items() for url in urls):
        if url := reader.site.page(each):
            found.setdefault(url, []).append(source)
    return {url: tuple(dict.fromkeys(sources)) for url, sources in found.items()}


def _listed(path: Path) -> Iterator[str]:
    """Yield the addresses of a file that a person gave; `OSError` where it is none."""
    text = path.read_bytes().decode("utf-8-sig", "replace")
    for line in text.splitlines():
        first = line.replace(";", " ").replace(",", " ").strip("\"' \t").split(" ")[0]
        address = first.strip("\"'")
        if address.startswith(("/", "http:", "https:")):
            yield address


def _report(
    store: PageStore, origin: Origin, items: Mapping[str, ItemKey]
) -> BaselineReport:
    finder = GapFinder(origin)
    sources: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    lists: dict[str, list[Listed]] = {}
    for page in store.pages():
        sources.update(page.sources)
        statuses[str(page.status or "unread")] += 1
        key = items.get(page.url, items.get(page.url.rstrip("/")))
        if page.problem:
            name = "forbidden" if page.problem == FORBIDDEN else "unread"
            lists.setdefault(name, []).append(Listed(page.url, page.problem))
        elif key is None and page.content is not None:
            listed = Listed(page.url, page.content.title)
            lists.setdefault("without_item", []).append(listed)
        elif key is not None and page.status != 200:
            lists.setdefault("without_page", []).append(Listed(page.url, str(key)))
        if key is not None:
            finder.compare(key, page)
    return BaselineReport(
        site=store.base,
        finished=store.finished,
        addresses=statuses.total(),
        sources=dict(sources),
        statuses=dict(statuses),
        unread=tuple(lists.get("unread", ())),
        forbidden=tuple(each.url for each in lists.get("forbidden", ())),
        without_item=tuple(lists.get("without_item", ())),
        without_page=tuple(lists.get("without_page", ())),
        on_pages_only=finder.on_pages_only(),
        in_items_only=finder.in_items_only(),
    )
