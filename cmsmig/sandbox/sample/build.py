"""The sample site: an invented magazine in two languages, with a small shop.

It holds every field type, publication state and rich text structure that is
publicly known of the origin, and every way in which references go wrong.
`files/missing.json` lists the ids of files that the host has lost.
"""

from __future__ import annotations

from pathlib import Path

from cmsmig.sandbox.sample.binaries import MISSING, special_files
from cmsmig.sandbox.sample.identity import file_id
from cmsmig.sandbox.sample.items.items_events import EVENT_ENTRIES
from cmsmig.sandbox.sample.items.items_faq import FAQ_ENTRIES
from cmsmig.sandbox.sample.items.items_journal import STORIES
from cmsmig.sandbox.sample.items.items_journal_more import MORE_STORIES
from cmsmig.sandbox.sample.items.items_people import (
    AUTHOR_ENTRIES,
    PRESS_ENTRIES,
    TOPIC_ENTRIES,
)
from cmsmig.sandbox.sample.items.items_places import PLACE_ENTRIES, STOCKIST_ENTRIES
from cmsmig.sandbox.sample.items.items_routes import ROUTE_ENTRIES
from cmsmig.sandbox.sample.items.items_shop import (
    CATEGORY_ENTRIES,
    PRODUCT_ENTRIES,
    SKU_ENTRIES,
)
from cmsmig.sandbox.sample.schemas import schema_editorial, schema_outdoors, schema_shop
from cmsmig.sandbox.sample.site import site_record
from cmsmig.sandbox.sample.writer import Content, write_content

_COLLECTIONS = (
    (schema_editorial.JOURNAL, (*STORIES, *MORE_STORIES)),
    (schema_editorial.AUTHORS, AUTHOR_ENTRIES),
    (schema_editorial.TOPICS, TOPIC_ENTRIES),
    (schema_outdoors.EVENTS, EVENT_ENTRIES),
    (schema_outdoors.PLACES, PLACE_ENTRIES),
    (schema_outdoors.ROUTES, ROUTE_ENTRIES),
    (schema_outdoors.STOCKISTS, STOCKIST_ENTRIES),
    (schema_editorial.FAQ, FAQ_ENTRIES),
    (schema_editorial.PRESS, PRESS_ENTRIES),
    (schema_shop.PRODUCT, PRODUCT_ENTRIES),
    (schema_shop.SKU, SKU_ENTRIES),
    (schema_shop.CATEGORY, CATEGORY_ENTRIES),
)


def write_sample(folder: Path) -> None:
    """Write the sample site as a content folder; the same bytes every time."""
    write_content(
        folder,
        Content(
            site=site_record(),
            collections=_COLLECTIONS,
            files=dict(special_files()),
            missing=tuple(file_id(name) for name in MISSING),
        ),
    )
