"""The old site as visitors see it before the switch: every known address, read once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from cmsmig.counting import counted
from cmsmig.errors import UnreadError, UsageError
from cmsmig.events import Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.redirects import BELOW
from cmsmig.mapping.redirects.address_map import Source
from cmsmig.mapping.select.address import Address
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.page_reader import FORBIDDEN, WORKERS, open_reader
from cmsmig.steps.baseline.page_table import PageRecord, PageTable, open_pages
from cmsmig.steps.baseline.site_address import SiteAddress, old_site
from cmsmig.steps.decide.decision_store import decision_in
from cmsmig.steps.decide.known_addresses import NewPaths, known_addresses
from cmsmig.steps.decide.pulled_origin import Origin, live_paths, read_origin
from cmsmig.steps.worker_pool import StopSignal, Work, work_through

STEP = "pages"


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


async def take_baseline(
    project: Project,
    settings: Settings,
    *,
    site: str = "",
    rate: int,
    refresh: bool = False,
    observer: Observer,
    stop: StopSignal,
) -> BaselineReport:
    """Read the page of each known old address into `baseline.sqlite`.

    `site` is the address of the old site; empty: see `old_site`. `rate` is in pages a
    second. A complete baseline is asked for new addresses and unread pages only, unless
    `refresh`. Raises `UnreadError` before a pull, `UsageError` where the baseline is of
    another site, `ServiceError` when the site does not answer, and
    `InterruptedRunError` when it was stopped; the same call continues.
    """
    origin = read_origin(project, settings.site_id)
    address = old_site(origin.site, settings, site)
    with open_pages(project.baseline) as db:
        table = PageTable(db)
        async with open_reader(address, rate, observer) as reader:
            base = reader.site.base
            if table.base not in ("", base) and not refresh:
                raise UsageError(
                    f"The baseline is of {table.base}, and this would read {base}; name"
                    " the site with --site, or replace the baseline with --refresh."
                )
            mapped = await reader.sitemap()
            table.begin(base, again=refresh)
            table.add(_known(project, origin, reader.site, mapped))

            async def visit(page: PageRecord) -> None:
                found = await reader.read_old(page)
                if reader.site.owns(found.location):
                    table.add({found.location: "redirect"})
                table.keep(found)

            while waiting := table.waiting():
                await read_all(waiting, visit, observer, stop)
        return _report(table, _item_pages(origin, reader.site))


def require_baseline(table: PageTable) -> None:
    """Raise `UnreadError` unless the old site was read to its end."""
    if not table.finished:
        raise UnreadError(
            "The pages of the old site were not read, or not to the end; run `cmsmig"
            " baseline` before the switch."
        )


def _known(
    project: Project, origin: Origin, site: SiteAddress, mapped: tuple[str, ...]
) -> dict[str, str]:
    """Return each address that is known before a page is read, with its sources."""
    decided = decision_in(project, CollectionsDecision) or CollectionsDecision()
    unchanged = NewPaths.unchanged(origin)
    listed = [
        (Source.PAGE, site.page("/")),
        *(
            (each.source, _page(site, each.old))
            for each in known_addresses(project, origin, decided, unchanged)
            if each.source is not Source.FILE and not each.old.endswith(BELOW)
        ),
        *(("sitemap", site.page(each)) for each in mapped),
    ]
    found: dict[str, dict[str, None]] = {}
    for source, url in listed:
        found.setdefault(url, {})[source] = None
    return {url: ", ".join(sources) for url, sources in found.items() if url}


def _item_pages(origin: Origin, site: SiteAddress) -> dict[str, ItemKey]:
    paths = live_paths(origin)
    return {_page(site, path): key for key, path in paths.items()}


def _page(site: SiteAddress, old: str) -> str:
    """Return where the address that a text names is asked for."""
    address = Address.of(old)
    query = f"?{address.query}" if address.query else ""
    return site.page(f"{address.sent}{query}")


async def read_all(
    pages: Sequence[PageRecord],
    visit: Callable[[PageRecord], Awaitable[None]],
    observer: Observer,
    stop: StopSignal,
) -> None:
    """Visit pages a few at a time. Raises `InterruptedRunError` when it was stopped."""

    async def perform(page: PageRecord) -> None:
        await visit(page)
        observer(StepAdvanced(STEP, page.url))

    work = Work(perform)
    observer(StepStarted(STEP, len(pages)))
    await work_through(pages, work, workers=WORKERS, stop=stop)
    observer(StepFinished(STEP, counted(len(pages), "address", "addresses")))


def _report(table: PageTable, items: Mapping[str, ItemKey]) -> BaselineReport:
    pages = [*table.pages()]
    return BaselineReport(
        site=table.base,
        finished=table.finished,
        addresses=len(pages),
        sources=dict(Counter(n for page in pages for n in page.sources.split(", "))),
        statuses=dict(Counter(str(page.status or "unread") for page in pages)),
        unread=tuple(
            Listed(page.url, page.problem)
            for page in pages
            if page.problem not in ("", FORBIDDEN)
        ),
        forbidden=tuple(page.url for page in pages if page.problem == FORBIDDEN),
        without_item=tuple(
            Listed(page.url, page.title)
            for page in pages
            if page.status == 200 and page.url not in items
        ),
        without_page=tuple(
            Listed(page.url, str(items[page.url]))
            for page in pages
            if page.url in items and page.status != 200 and not page.problem
        ),
    )
