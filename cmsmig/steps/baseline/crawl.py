"""Reading many pages of one site, level by level: those that are known, then those that
they lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cmsmig.counting import counted
from cmsmig.errors import InterruptedRunError
from cmsmig.events import Noticed, Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.steps.baseline.page_reader import WORKERS, PageReader
from cmsmig.steps.baseline.page_record import PageRecord
from cmsmig.steps.baseline.page_store import PageStore
from cmsmig.steps.worker_pool import StopSignal, together

STEP = "pages"
_MOST = 50_000
"""Pages after which links are not followed any more."""


@dataclass(frozen=True, slots=True)
class Crawl:
    """One reading of a site into its store."""

    reader: PageReader
    store: PageStore
    observer: Observer
    stop: StopSignal
    follow_links: bool
    """Whether pages that links lead to are read; targets of redirects always are."""

    async def run(self, known: Mapping[str, tuple[str, ...]]) -> None:
        """Read each address of `known` (with its sources) and what follows from it.

        What this reading has is not asked again. Raises `InterruptedRunError` when it
        was stopped; every page that came is kept.
        """
        seen = dict.fromkeys(known)
        level = dict(known)
        read = 0
        while level:
            self.observer(StepStarted(STEP, len(level)))
            found: dict[str, tuple[str, ...]] = {}
            waiting = iter(level.items())

            async def work(
                waiting: Iterable[tuple[str, tuple[str, ...]]] = waiting,
                found: dict[str, tuple[str, ...]] = found,
            ) -> None:
                for url, sources in waiting:
                    if self.stop.is_set():
                        return
                    record = await self._read(url, sources)
                    for onward, source in self._onward(record):
                        found.setdefault(onward, (source,))
                    self.observer(StepAdvanced(STEP, url))

            await together(work() for _ in range(WORKERS))
            if self.stop.is_set():
                raise InterruptedRunError(
                    "Stopped as asked; run the same command again to continue."
                )
            read += len(level)
            level = {url: why for url, why in found.items() if url not in seen}
            if len(seen) + len(level) > _MOST:
                self.observer(Noticed(STEP, f"links are not followed beyond {_MOST:,}"))
                level = {}
            seen.update(dict.fromkeys(level))
        self.observer(StepFinished(STEP, f"{counted(read, 'address', 'addresses')}"))

    async def _read(self, url: str, sources: tuple[str, ...]) -> PageRecord:
        known, is_fresh = self.store.page(url)
        if known is not None and is_fresh and not known.problem:
            return known
        record = await self.reader.read(url, sources, known)
        self.store.keep(record)
        return record

    def _onward(self, record: PageRecord) -> list[tuple[str, str]]:
        """Return the own addresses that a page leads to, each with its source."""
        site = self.reader.site
        onward = []
        if record.location and site.owns(record.location):
            onward.append((record.location, "redirect"))
        if self.follow_links and record.content is not None:
            pages = map(site.page, record.content.links)
            onward += [(each, "link") for each in pages if each]
        return onward
