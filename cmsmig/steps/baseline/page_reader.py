"""A polite reader of one site: its own hosts, its robots.txt, a rate, bounded answers,
and of pages that are known no more than what changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path

from lxml import etree
from protego import Protego

from cmsmig.errors import RejectedError, ServiceError, UnreachableError
from cmsmig.events import Noticed, Observer
from cmsmig.steps.baseline.page_record import PageRecord, absolute, read_content
from cmsmig.steps.baseline.site_address import SiteAddress, host_of
from cmsmig.wire.bounds import MEGABYTE
from cmsmig.wire.budget import Budget
from cmsmig.wire.download import Fetched
from cmsmig.wire.session import Session

AGENT = "cmsmig"
"""The name that robots.txt may have rules for."""
SEARCH_ENGINE = "Googlebot"
FORBIDDEN = "robots.txt asks programs not to read it."
"""The problem of a page that was not asked for."""
WORKERS = 4
_PAGE_BYTES = 5 * MEGABYTE
_SITEMAP_BYTES = 50 * MEGABYTE
"""The most that a sitemap may have. Source: sitemaps.org, protocol."""
_MOST_SITEMAPS = 500
_HOPS = 5
_LONGEST_DELAY = 30.0
"""Seconds between two pages, whatever robots.txt asks for."""
_PAGE_SECONDS = 60.0
_ACCEPT = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.5"}
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(slots=True)
class PageReader:
    """Reads pages of `site`. Use `open_reader`."""

    site: SiteAddress
    session: Session
    budget: Budget
    observer: Observer
    robots: Protego = field(default_factory=lambda: Protego.parse(""))
    is_old: bool = True
    """Whether it is the old site: robots.txt is obeyed, and an error of the server is
    no answer."""

    async def read(
        self, url: str, sources: tuple[str, ...], known: PageRecord | None
    ) -> PageRecord:
        """Return the answer to one address; never raises for the network.

        Without one, what is `known` is kept with the problem.
        """
        if self.is_old and not self.robots.can_fetch(url, AGENT):
            return PageRecord(url, sources, problem=FORBIDDEN)
        before = known or PageRecord(url, sources)
        try:
            fetched, body = await self._get(url, _PAGE_BYTES, _conditions(known))
        except (RejectedError, UnreachableError) as error:
            return replace(before, sources=sources, problem=str(error))
        if fetched.status == 304 and known is not None:
            return replace(known, sources=sources, problem="")
        if self.is_old and (fetched.status >= 500 or fetched.status == 429):
            problem = f"The site answers {fetched.status}."
            return replace(before, sources=sources, problem=problem)
        headers = fetched.headers
        is_page = fetched.status == 200 and fetched.content_type in _HTML
        return PageRecord(
            url,
            sources,
            fetched.status,
            location=self._location(url, fetched),
            etag=headers.get("etag", ""),
            modified=headers.get("last-modified", ""),
            content=read_content(body, url, headers) if is_page else None,
        )

    async def find_base(self) -> None:
        """Move to the own host that the start page redirects to, then read robots.txt.

        Raises `ServiceError` when the site does not answer.
        """
        url, _, _ = await self._follow(f"{self.site.base}/", _PAGE_BYTES)
        base = "/".join(url.split("/", 3)[:3])
        self.site = replace(self.site, base=base)
        _, status, body = await self._follow(f"{base}/robots.txt", MEGABYTE)
        if status >= 500:
            raise UnreachableError(
                f"{base}/robots.txt answers {status}, so what may be read is not known;"
                " run this again later.",
                service="site",
                url=base,
                status=status,
            )
        text = body.decode("utf-8", "replace") if status == 200 else ""
        self.robots = Protego.parse(text)

    async def sitemap(self) -> tuple[bool, tuple[str, ...]]:
        """Return whether there is a sitemap, and every address that it or one that it
        names lists, own or not."""
        waiting = [*self.robots.sitemaps, f"{self.site.base}/sitemap.xml"]
        waiting = [*filter(None, map(self.site.page, dict.fromkeys(waiting)))]
        found: dict[str, None] = {}
        seen: set[str] = set()
        is_there = False
        while waiting and len(seen) < _MOST_SITEMAPS:
            url = waiting.pop(0)
            seen.add(url)
            try:
                _, status, body = await self._follow(url, _SITEMAP_BYTES)
            except ServiceError as error:
                self.observer(Noticed("sitemap", str(error)))
                continue
            more, pages = _locations(body) if status == 200 else ([], [])
            is_there = is_there or bool(more or pages)
            found.update(dict.fromkeys(pages))
            new = filter(None, map(self.site.page, more))
            waiting += [each for each in new if each not in seen]
        return is_there, tuple(found)

    async def _follow(self, url: str, most: int) -> tuple[str, int, bytes]:
        """Return the last address, status and body; follows to own hosts only."""
        for _ in range(_HOPS):
            fetched, body = await self._get(url, most, {})
            onward = self._location(url, fetched)
            if not self.site.owns(onward):
                break
            url = onward
        return url, fetched.status, body

    def _location(self, url: str, fetched: Fetched) -> str:
        if not 300 <= fetched.status < 400:
            return ""
        return self.site.asked(absolute(url, fetched.headers.get("location", "")))

    async def _get(
        self, url: str, most: int, conditions: Mapping[str, str]
    ) -> tuple[Fetched, bytes]:
        release = await self.budget.acquire()
        into = BytesIO()
        try:
            fetched = await self.session.fetch(
                url,
                max_bytes=most,
                allow_private=host_of(url) == self.site.named,
                into=into,
                timeout=_PAGE_SECONDS,
                headers={**_ACCEPT, **conditions},
                follow=False,
            )
        finally:
            await self.budget.answered(remaining=None, limit=None, release=release)
        return fetched, into.getvalue()


@asynccontextmanager
async def open_reader(
    site: SiteAddress, *, rate: int, folder: Path, observer: Observer
) -> AsyncIterator[PageReader]:
    """Give a reader that asks at most `rate` pages a second, together with all other
    processes of this machine, fewer where robots.txt names a `Crawl-delay`.

    Raises `ServiceError` when the site does not answer.
    """
    open_budget = partial(
        Budget,
        f"site {site.base}",
        spaced=True,
        folder=folder,
        observer=observer,
        service="site",
    )
    async with Session(
        "site", authorization=None, budget=None, in_flight=WORKERS, observer=observer
    ) as session:
        with closing(open_budget(limit=rate, window=1.0)) as budget:
            reader = PageReader(site, session, budget, observer)
            await reader.find_base()
        delay = min(reader.robots.crawl_delay(AGENT) or 0.0, _LONGEST_DELAY)
        limit, window = (1, delay) if delay > 1 / rate else (rate, 1.0)
        with closing(open_budget(limit=limit, window=window)) as reader.budget:
            yield reader


def _conditions(known: PageRecord | None) -> dict[str, str]:
    if known is None or not known.status:
        return {}
    named = (("If-None-Match", known.etag), ("If-Modified-Since", known.modified))
    return {name: value for name, value in named if value}


def _locations(xml: bytes) -> tuple[list[str], list[str]]:
    """Return the sitemaps and the pages that a sitemap names; no entity is resolved."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    maps: list[str] = []
    pages: list[str] = []
    try:
        root = etree.fromstring(xml, parser)
    except etree.XMLSyntaxError:
        return maps, pages
    # What cannot be repaired at all is no element.
    for each in root.iter("{*}loc") if root is not None else ():
        parent = each.getparent()
        is_map = parent is not None and etree.QName(parent).localname == "sitemap"
        (maps if is_map else pages).append((each.text or "").strip())
    return maps, pages
