"""The old addresses that a baseline knows, for the address map."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from cmsmig.mapping.redirects.address_map import KnownAddress, Source
from cmsmig.mapping.select.routes import clean_path
from cmsmig.settings import Project
from cmsmig.steps.baseline.page_store import OLD, PageStore, open_pages


def baseline_addresses(project: Project) -> Iterator[KnownAddress]:
    """Yield the pages that visitors could open, and the redirects that they met; none
    before a baseline is complete. Reads only. Raises `StorageError`."""
    if not project.baseline.exists():
        return
    with open_pages(project.baseline) as db:
        store = PageStore(db, OLD)
        for page in store.pages() if store.finished else ():
            old, to = clean_path(urlsplit(page.url).path), page.location
            if to.startswith(f"{store.base}/"):
                to = clean_path(urlsplit(to).path)
            if page.status == 200 or (to and to != old):
                yield KnownAddress(old, Source.BASELINE, to)
