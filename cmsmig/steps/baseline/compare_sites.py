"""Each old address asked at the new site, and what changed; the last comparison is
kept in `baseline.sqlite`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import TypeAdapter

from cmsmig.canonical import JsonObject
from cmsmig.events import Observer
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline import Listed, read_all, require_baseline
from cmsmig.steps.baseline.page_reader import SEARCH_ENGINE, PageReader, open_reader
from cmsmig.steps.baseline.page_record import PageRecord
from cmsmig.steps.baseline.page_table import PageTable, open_pages
from cmsmig.steps.baseline.site_address import named_site
from cmsmig.steps.baseline.switch_faults import CLOSED, Fault, Switch, follow
from cmsmig.steps.worker_pool import StopSignal


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
