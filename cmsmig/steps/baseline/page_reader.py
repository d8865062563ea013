"""A polite reader of one site: its own hosts, its robots.txt, a rate, and answers of
a bounded size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO

from lxml import etree
from protego import Protego

from cmsmig.errors import RejectedError, ServiceError, UnreachableError
from cmsmig.events import Noticed, Observer
from cmsmig.steps.baseline.page_table import PageRecord, absolute, read_head
from cmsmig.steps.baseline.site_address import SiteAddress, host_of
from cmsmig.wire.bounds import MEGABYTE
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
_PAGE_SECONDS = 60.0
_ACCEPT = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.5"}
_HTML = ("text/html", "application/xhtml+xml")


@dataclass(slots=True)
class PageReader:
    """Reads pages of `site`. Use `open_reader`."""

    site: SiteAddress
    session: Session
    observer: Observer
    rate: int
    """Pages a second."""
    robots: Protego = field(default_factory=lambda: Protego.parse(""))
    next_at: float = 0.0
    """When the next page may be asked for, by the loop's clock."""

    async def read_old(self, known: PageRecord) -> PageRecord:
        """Return the answer to an address of the old site, as `read` does.

        robots.txt is obeyed, and an error of the server is no answer: what is `known`
        is kept with the problem.
        """
        if not self.robots.can_fetch(known.url, AGENT):
            return PageRecord(known.url, known.sources, problem=FORBIDDEN)
        found = await self.read(known)
        if found.status >= 500 or found.status == 429:
            return replace(known, problem=f"The site answers {found.status}.")
        return found

    async def read(self, known: PageRecord) -> PageRecord:
        """Return the answer to one address; never raises for the network."""
        try:
            fetched, body = await self._get(known.url, _PAGE_BYTES)
        except (RejectedError, UnreachableError) as error:
            return replace(known, problem=str(error))
        is_page = fetched.status == 200 and fetched.content_type in _HTML
        return PageRecord(
            known.url,
            known.sources,
            fetched.status,
            location=self._location(known.url, fetched),
            **(read_head(body, known.url, fetched.headers) if is_page else {}),
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

    async def sitemap(self) -> tuple[str, ...]:
        """Return every address that the sitemap or one that it names lists, own or
        not."""
        waiting = [*self.robots.sitemaps, f"{self.site.base}/sitemap.xml"]
        waiting = [*filter(None, map(self.site.page, dict.fromkeys(waiting)))]
        found: dict[str, None] = {}
        seen: set[str] = set()
        while waiting and len(seen) < _MOST_SITEMAPS:
            url = waiting.pop(0)
            seen.add(url)
            try:
                _, status, body = await self._follow(url, _SITEMAP_BYTES)
            except ServiceError as error:
                self.observer(Noticed("sitemap", str(error)))
                continue
            more, pages = _locations(body) if status == 200 else ([], [])
            found.update(dict.fromkeys(pages))
            new = filter(None, map(self.site.page, more))
            waiting += [each for each in new if each not in seen]
        return tuple(found)

    async def _follow(self, url: str, most: int) -> tuple[str, int, bytes]:
        """Return the last address, status and body; follows to own hosts only."""
        for _ in range(_HOPS):
            fetched, body = await self._get(url, most)
            onward = self._location(url, fetched)
            if not self.site.owns(onward):
                break
            url = onward
        return url, fetched.status, body

    def _location(self, url: str, fetched: Fetched) -> str:
        if not 300 <= fetched.status < 400:
            return ""
        return self.site.asked(absolute(url, fetched.headers.get("location", "")))

    async def _get(self, url: str, most: int) -> tuple[Fetched, bytes]:
        now = asyncio.get_running_loop().time()
        wait = max(0.0, self.next_at - now)
        self.next_at = now + wait + 1 / self.rate
        await asyncio.sleep(wait)
        into = BytesIO()
        fetched = await self.session.fetch(
            url,
            max_bytes=most,
            allow_private=host_of(url) == self.site.named,
            into=into,
            timeout=_PAGE_SECONDS,
            headers=_ACCEPT,
            follow=False,
        )
        return fetched, into.getvalue()


@asynccontextmanager
async def open_reader(
    site: SiteAddress, rate: int, observer: Observer
) -> AsyncIterator[PageReader]:
    """Give a reader that asks at most `rate` pages a second.

    Raises `ServiceError` when the site does not answer.
    """
    async with Session(
        "site", authorization=None, budget=None, in_flight=WORKERS, observer=observer
    ) as session:
        reader = PageReader(site, session, observer, rate)
        await reader.find_base()
        yield reader


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
