"""Each old address asked at the new site, and what changed; the last comparison is
kept in `baseline.sqlite`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject
from cmsmig.events import Observer
from cmsmig.mapping.select.address import Address
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline import Listed, read_all, require_baseline
from cmsmig.steps.baseline.page_reader import SEARCH_ENGINE, PageReader, open_reader
from cmsmig.steps.baseline.page_table import PageRecord, PageTable, open_pages, words
from cmsmig.steps.baseline.site_address import SiteAddress, named_site
from cmsmig.steps.worker_pool import StopSignal

CLOSED = (401, 403)
"""Status of a page that a password or a sign-in locks."""
_MISSING = (404, 410)
_TEMPORARY = (302, 303, 307)
_HIDDEN = re.compile(r"\b(noindex|none)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one old address."""

    kind: str
    """See `docs/baseline.md`."""
    url: str
    """The old address; the new site's for what concerns all of it."""
    at: str
    """The new address that it leads to."""
    text: str
    """What is wrong, one sentence."""


def follow(pages: Mapping[str, PageRecord], url: str) -> tuple[PageRecord, ...]:
    """Return what an address and the redirects from it lead to, in order; the last one
    occurs twice where they lead in a circle."""
    found: list[PageRecord] = []
    while url in pages and found.count(pages[url]) < 2:
        found.append(pages[url])
        url = pages[url].location
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Switch:
    """What all addresses are compared with."""

    new: SiteAddress
    gone: Set[str]
    """The paths that were decided to be gone."""

    def faults(
        self, old: str, before: PageRecord, hops: Sequence[PageRecord]
    ) -> Iterator[Fault]:
        """Yield what is wrong with an old address.

        `before` is the old page that it led to, `hops` are the new answers to it, from
        the first to the last.
        """
        last, asked = hops[-1], Address.at(old)
        is_gone = bool(self.gone & {str(asked), str(Address(asked.path))})
        found = _not_gone(last) if is_gone else self._changes(before, hops)
        for kind, text in found:
            yield Fault(kind, old, last.location or last.url, text)

    def _changes(
        self, before: PageRecord, hops: Sequence[PageRecord]
    ) -> Iterator[tuple[str, str]]:
        last = hops[-1]
        redirects = [each for each in hops if each.location]
        if last in hops[:-1]:
            yield "redirect", "its redirects lead in a circle"
            return
        if len(redirects) > 1:
            steps = " to ".join(each.url for each in hops)
            yield "redirect", f"{len(redirects)} redirects: {steps}"
        if passing := [each.status for each in redirects if each.status in _TEMPORARY]:
            yield "redirect", f"it is temporary ({passing[0]}); make it 301"
        if last.location:
            if last.location != before.location:
                yield "redirect", f"it leads to {last.location}, which is no page here"
        elif before.status in CLOSED:
            if last.status == 200:
                text = "everyone can read it, and the old page was locked"
                yield "unlocked", f"{text} ({before.status})"
        elif last.status != 200:
            yield "status", f"it was {before.status} and is {last.status}"
        elif redirects and _path(last.url) == "/" != _path(before.url):
            yield "redirect", "it leads to the start page"
        else:
            yield from self._differences(before, last)

    def _differences(
        self, before: PageRecord, last: PageRecord
    ) -> Iterator[tuple[str, str]]:
        for kind, was, now in (
            ("title", before.title, last.title),
            ("description", before.description, last.description),
        ):
            if was and words(was) != words(now):
                yield kind, f"“{was}” {f'is now “{now}”' if now else 'is gone'}"
        if _HIDDEN.search(last.robots) and not _HIDDEN.search(before.robots):
            yield "robots", "the page asks search engines not to list it"
        if before.canonical and not last.canonical:
            yield "canonical", f"it was {before.canonical}, and is gone"
        elif last.canonical and not self._is_right(before, last):
            yield "canonical", f"it names {last.canonical}"

    def _is_right(self, before: PageRecord, last: PageRecord) -> bool:
        """Return whether the canonical address is the page itself, or another page of
        the new site where that was so before."""
        is_own = _path(last.canonical) == _path(last.url)
        was_own = _path(before.canonical) in ("", _path(before.url))
        return self.new.owns(last.canonical) and (is_own or not was_own)


def _not_gone(last: PageRecord) -> Iterator[tuple[str, str]]:
    if last.status not in _MISSING:
        yield "status", f"it was decided to be gone (410) and is {last.status}"


def _path(url: str) -> str:
    """Return the path of an address without a slash at its end; empty for none."""
    return (urlsplit(url).path.rstrip("/") or "/") if url else ""


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

    def as_json(self) -> JsonObject:
        """Return what report.json has of it."""
        return {
            "old": self.old,
            "new": self.new,
            "finished": self.finished,
            "pages": self.pages,
            "differences": dict(self.by_kind),
        }


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
    stopped.
    """
    new = named_site(url, coming=coming)
    domains = RawCache(project.raw).site(settings.site_id).domains
    with open_pages(project.baseline) as db:
        table = PageTable(db)
        require_baseline(table)
        old = named_site(table.base, domains)
        was = {page.url: page for page in table.pages()}
        async with open_reader(new, rate, observer) as reader:
            asked = {
                page.url: reader.site.page(f"/{page.url.split('/', 3)[3]}")
                for page in was.values()
                if page.status in (200, *CLOSED) or page.location
            }
            now = await _read(reader, asked.values(), observer, stop)
        switch = Switch(reader.site, gone)
        faults: list[Fault] = []
        for old_url, new_url in asked.items():
            hops = follow(now, new_url)
            if hops[-1].problem:
                continue
            before = follow(was, old_url)[-1]
            faults += switch.faults(old_url, before, hops)
            at = hops[-1].url
            if not reader.robots.can_fetch(at, SEARCH_ENGINE):
                text = f"robots.txt forbids it to {SEARCH_ENGINE}"
                faults.append(Fault("robots", old_url, at, text))
        report = SwitchReport(
            old=old.base,
            new=reader.site.base,
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
            left_hosts=tuple(sorted(old.hosts - new.hosts - new.coming)),
            pages=len(asked),
            by_kind=dict(Counter(each.kind for each in faults).most_common()),
            faults=tuple(faults),
            unread=tuple(Listed(e.url, e.problem) for e in now.values() if e.problem),
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


async def _read(
    reader: PageReader, urls: Iterable[str], observer: Observer, stop: StopSignal
) -> dict[str, PageRecord]:
    """Return the answers to addresses, and to the own ones that they redirect to."""
    found: dict[str, PageRecord] = {}

    async def visit(page: PageRecord) -> None:
        url = page.url
        while reader.site.owns(url) and url not in found:
            found[url] = await reader.read(PageRecord(url))
            url = found[url].location

    await read_all([PageRecord(url) for url in urls], visit, observer, stop)
    return found
