"""Each old address asked at the new site, and what changed; the last comparison is
kept in `baseline.sqlite`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import TypeAdapter

from cmsmig.counting import counted
from cmsmig.events import Observer
from cmsmig.mapping.select.address import Address
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline import Listed, require_baseline
from cmsmig.steps.baseline.crawl import Crawl
from cmsmig.steps.baseline.page_reader import (
    SEARCH_ENGINE,
    PageReader,
    open_reader,
)
from cmsmig.steps.baseline.page_record import PageRecord, words
from cmsmig.steps.baseline.page_store import OLD, PageStore, open_pages
from cmsmig.steps.baseline.site_address import SiteAddress, named_site
from cmsmig.steps.baseline.switch_faults import (
    CLOSED,
    Fault,
    Switch,
    gone_faults,
    identity,
    left_hosts,
)
from cmsmig.steps.worker_pool import StopSignal

_NOWHERE = "/no-such-page-8c1f4e7a"
"""An address that no site has: what it shows is the page for what is not found."""


@dataclass(frozen=True, slots=True)
class SwitchReport:
    """What a comparison of the new site with the baseline found."""

    old: str
    new: str
    finished: str
    """When the last page was read, in UTC."""
    left_hosts: tuple[str, ...]
    """Hosts that end with the old site."""
    pages: int
    """How many old addresses were asked for."""
    by_kind: Mapping[str, int]
    """How often each fault was found, the most frequent first."""
    faults: tuple[Fault, ...]
    unread: tuple[Listed, ...]
    """Pages of the new site without an answer; the next run tries them again."""


_REPORT = TypeAdapter(SwitchReport)


async def compare_sites(
    project: Project,
    settings: Settings,
    url: str,
    *,
    coming: Sequence[str],
    gone: Set[str],
    rate: int,
    observer: Observer,
    stop: StopSignal,
) -> SwitchReport:
    """Ask the new site at `url` for each page and redirect of the baseline.

    `coming` are hosts that the site gets at the switch: what names them is right.
    `gone` are the paths that were decided to be gone: no page is right for them.
    The new site's robots.txt is checked, and not obeyed: its owner named it. Raises
    `UnreadError` without a complete baseline, `UsageError` for what is no address,
    `ServiceError` when the site does not answer, and `InterruptedRunError` when it was
    stopped; the same call continues.
    """
    new = named_site(url, coming=coming)
    domains = RawCache(project.raw).site(settings.site_id).domains
    with open_pages(project.baseline) as db:
        was = PageStore(db, OLD)
        require_baseline(was)
        old = named_site(was.base, domains)
        now = PageStore(db, new.base)
        async with open_reader(
            new, rate=rate, folder=settings.state_folder, observer=observer
        ) as reader:
            reader.is_old = False
            is_mapped, listed = await reader.sitemap()
            places = {
                page.url: reader.site.page(f"/{page.url.split('/', 3)[3]}")
                for page in _asked(was)
            }
            nowhere = reader.site.page(_NOWHERE)
            now.begin(reader.site.base, again=True)
            known = dict.fromkeys([*places.values(), nowhere], ("old",))
            await Crawl(reader, now, observer, stop, follow_links=False).run(known)
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        now.finish(finished)
        mapped = frozenset(filter(None, map(reader.site.page, listed)))
        switch = _switch(was, now, old, reader.site, mapped, nowhere)
        faults = [*_site_faults(reader, is_mapped, listed)]
        closed = any(each.kind == "robots" for each in faults)
        unread = []
        for page in _asked(was):
            hops, looped = now.follow(places[page.url])
            if hops[-1].problem:
                unread.append(Listed(hops[-1].url, hops[-1].problem))
                continue
            asked = Address.at(page.url)
            if gone & {str(asked), str(Address(asked.path))}:
                faults += gone_faults(page, hops[-1])
                continue
            before = was.follow(page.url)[0][-1]
            faults += switch.faults(page, before, hops, looped=looped)
            if not closed and not reader.robots.can_fetch(hops[-1].url, SEARCH_ENGINE):
                text = f"robots.txt forbids it to {SEARCH_ENGINE}"
                faults.append(Fault("robots", page.url, hops[-1].url, text))
        report = SwitchReport(
            old=old.base,
            new=reader.site.base,
            finished=finished,
            left_hosts=tuple(sorted(switch.left_hosts)),
            pages=len(places),
            by_kind=dict(Counter(each.kind for each in faults).most_common()),
            faults=tuple(faults),
            unread=tuple(unread),
        )
        kept = _REPORT.dump_json(report).decode()
        db.execute("REPLACE INTO comparison VALUES (1, ?)", (kept,))
    return report


def read_comparison(project: Project) -> SwitchReport | None:
    """Return what the last comparison found; None before the first. Reads only. Raises
    `StorageError` for a damaged file."""
    if not project.baseline.exists():
        return None
    with open_pages(project.baseline) as db:
        row = db.execute("SELECT record FROM comparison").fetchone()
        return _REPORT.validate_json(row[0]) if row else None


def _asked(was: PageStore) -> Iterator[PageRecord]:
    """Yield the old addresses that had a page, a redirect or a lock."""
    wanted = (200, *CLOSED)
    return (page for page in was.pages() if page.status in wanted or page.location)


def _switch(
    was: PageStore,
    now: PageStore,
    old: SiteAddress,
    new: SiteAddress,
    mapped: frozenset[str],
    nowhere: str,
) -> Switch:
    identities: dict[str, set[str]] = {}
    seen: Counter[int] = Counter()
    for page in was.pages():
        if page.content is not None:
            identities.setdefault(identity(page.content), set()).add(page.url)
            texts = {hash(words(each)) for each in page.content.text}
            seen.update(texts)
    unfound = now.follow(nowhere)[0][-1].content
    return Switch(
        new=new,
        left_hosts=left_hosts(old, new),
        identities=identities,
        repeated={text for text, times in seen.items() if times > 1},
        not_found=unfound.text_hash if unfound is not None and unfound.text else "",
        mapped=mapped,
    )


def _site_faults(
    reader: PageReader, is_mapped: bool, listed: tuple[str, ...]
) -> Iterator[Fault]:
    """Yield what is wrong with the site as a whole."""
    base = reader.site.base
    if not reader.robots.can_fetch(f"{base}/", SEARCH_ENGINE):
        text = f"robots.txt forbids the site to {SEARCH_ENGINE}"
        yield Fault("robots", base, f"{base}/robots.txt", text)
    if not is_mapped:
        text = "there is no sitemap, neither where robots.txt says nor at /sitemap.xml"
        yield Fault("sitemap_missing", base, "", text)
    other = [each for each in listed if not reader.site.owns(each)]
    if other:
        text = (
            f"it lists {counted(len(other), 'address', 'addresses')} of other sites, "
        )
        yield Fault("sitemap_on_other_host", base, "", f"{text}such as {other[0]}")
