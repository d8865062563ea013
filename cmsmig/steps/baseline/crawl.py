"""Reading many pages of one site, level by level: those that are known, then those that
they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from cmsmig.counting import counted
from cmsmig.events import Noticed, Observer, StepAdvanced, StepFinished, StepStarted
from cmsmig.steps.baseline.page_reader import WORKERS, PageReader
from cmsmig.steps.baseline.page_record import PageRecord
from cmsmig.steps.baseline.page_store import PageStore
from cmsmig.steps.worker_pool import StopSignal, Work, work_through

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
        seen, level = set(known), dict(known)
        while level:
            self.observer(StepStarted(STEP, len(level)))
            found: dict[str, tuple[str, ...]] = {}
            await work_through(
                level.items(),
                Work(
                    lambda batch: None, partial(self._visit, found), lambda piece: None
                ),
                workers=WORKERS,
                stop=self.stop,
            )
            level = {url: why for url, why in found.items() if url not in seen}
            if len(seen) + len(level) > _MOST:
                self.observer(Noticed(STEP, f"links are not followed beyond {_MOST:,}"))
                break
            seen |= level.keys()
        self.observer(StepFinished(STEP, counted(len(seen), "address", "addresses")))

    async def _visit(
        self, found: dict[str, tuple[str, ...]], piece: tuple[str, tuple[str, ...]]
    ) -> None:
        """Read one address unless this reading has it; add what it leads to."""
        url, sources = piece
        record, is_fresh = self.store.page(url)
        if record is None or not is_fresh or record.problem:
            record = await self.reader.read(url, sources, record)
            self.store.keep(record)
        for onward, source in self._onward(record):
            found.setdefault(onward, (source,))
        self.observer(StepAdvanced(STEP, url))

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
