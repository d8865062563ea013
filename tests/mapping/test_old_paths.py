"""Where the old site has the pages of its items, as the pulled answers say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cmsmig.item_key import ItemKey
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import (
    propose_collections,
    propose_design,
    propose_locales,
)
from cmsmig.mapping.select.old_paths import OldPaths
from cmsmig.origin.cache import RawCache
from tests.support.cases import cases


@cases(__file__, "old_paths.yaml")
def test_where_an_item_has_its_page(case: dict[str, Any], tmp_path: Path) -> None:
    """By template pages, locales and the collection's slug, in that order."""
    cache = RawCache(tmp_path)
    site = {"id": "s1", "shortName": "harbour", "locales": case.get("locales")}
    cache.keep_sites({"sites": [site]})
    listed = [
        {"id": f"c-{slug}", "slug": slug, "displayName": slug, "fields": []}
        for slug in ("blog", "team")
    ]
    cache.keep_collections({"collections": listed}, "s1")
    for each in listed:
        cache.keep_collection(each["id"], each)
    if "pages" in case:
        cache.keep_static_pages(case["pages"])
    read = cache.site(None)
    paths = OldPaths.of(read, cache.collections())
    found = {
        name: paths.path(ItemKey(f"c-{slug}", "i1", locale), "one")
        for name in case["paths"]
        for slug, _, locale in [name.partition(" ")]
    }
    assert found == case["paths"]
    folders = {each.locale_id: each.folder for each in propose_locales(read)}
    assert folders == case.get("folders", folders)
    decided = propose_collections(read, cache.collections())
    design = propose_design(
        read, cache.collections(), lambda *_: (), decided, SpaceFacts({})
    )
    proposed = {e.collection_slug: [e.folder, e.note] for e in design.content_types}
    assert proposed == case.get("proposed", proposed)
