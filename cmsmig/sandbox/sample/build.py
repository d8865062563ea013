"""The sample site: an invented magazine in two languages, with a small shop.

It holds every field type, publication state and rich text structure that is
publicly known of the origin, and every way in which references go wrong.
`files/missing.json` lists the ids of files that the host has lost.
"""

from __future__ import annotations

from pathlib import Path

from cmsmig.sandbox.sample.binaries import MISSING, special_files
from cmsmig.sandbox.sample.data_files import read_entries, read_table
from cmsmig.sandbox.sample.identity import file_id
from cmsmig.sandbox.sample.site import site_record
from cmsmig.sandbox.sample.writer import Content, write_content

COLLECTIONS = (
    "journal",
    "authors",
    "topics",
    "events",
    "places",
    "routes",
    "stockists",
    "faq",
    "press",
    "product",
    "sku",
    "category",
)
"""In the order of the site's list."""


def write_sample(folder: Path) -> None:
    """Write the sample site as a content folder; the same bytes every time."""
    write_content(
        folder,
        Content(
            site=site_record(),
            collections=tuple(
                (read_table(key), read_entries(key)) for key in COLLECTIONS
            ),
            files=dict(special_files()),
            missing=tuple(file_id(name) for name in MISSING),
        ),
    )
