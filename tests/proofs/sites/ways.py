"""Sites that are moved: which, what is decided about them, and their items."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import yaml

from cmsmig.mapping.select.named_places import NAMING_TYPES
from tests.proofs.measuring.processes import Project
from tests.support.sites.localized import write_localized_sample
from tests.support.steps.split_site import RULES

AS_FIELDS = {"\nlocales:": "\nlanguages: fields\nlocales:"}
PUBLISHED = {"items: staged\n": "items: mirror\n", "nothing\n": "what_is_live\n"}
EDITS = {"translated": AS_FIELDS, "published": PUBLISHED}
"""What is decided otherwise in `collections.yaml`, by way."""
OTHER = {
    "textarea": "markdown_as_richtext",
    "video_block": "video_multilink",
    "option": "option_datasource",
    "multilink": "text",
    "datetime": "date",
}
"""The encodings that take the place of the proposed ones."""
_PLAIN = ("number", "boolean", "asset", "markdown_as_richtext")


def sites_in(folders: Sequence[Path]) -> Iterator[tuple[str, Path | None]]:
    """Yield the sample, the sample in two languages, whose folder goes with the next
    one, and each content folder below these folders, by name."""
    yield "sample", None
    with tempfile.TemporaryDirectory() as work:
        localized = Path(work, "content")
        write_localized_sample(localized)
        yield "sample in two languages", localized
    for folder in folders:
        for each in sorted(folder.glob("*/sites.json")):
            yield each.parent.name, each.parent


def decide(here: Project, way: str) -> None:
    """Pull, and decide as it is proposed but for the way."""
    here.decided(*(f"--split={each}" for each in RULES if way == "split"))
    here.edit(EDITS.get(way, {}))
    if way in CHANGES:
        path = here.folder / "decisions" / "design.yaml"
        design = yaml.safe_load(path.read_text())
        for each in design["content_types"]:
            CHANGES[way](here.folder, each)
        path.write_text(yaml.safe_dump(design, allow_unicode=True, sort_keys=False))


def _shape(folder: Path, made: dict) -> None:
    """Give a content type folders, tags and a start page, where it has fields and items
    for them."""
    naming = [f["origin"] for f in made["fields"] if f["type"] in NAMING_TYPES]
    path = folder / "raw" / "items" / f"{made['collection_id']}.json"
    items = json.loads(path.read_text())["items"]
    made.update(zip(("folder_by", "tags_by"), naming, strict=False))
    # What a folder is named by would go below it.
    if not naming and items and items[0]["fieldData"].get("slug"):
        made["start_page"] = items[0]["fieldData"]["slug"]


def _encode_otherwise(folder: Path, made: dict) -> None:
    """Give fields another encoding, and nest those with plain values in a block."""
    for each in made["fields"]:
        if each["encoding"] in OTHER:
            each.update(encoding=OTHER[each["encoding"]], rules={})
        if each["encoding"] == "option_datasource":
            each["datasource"] = f"{made['component']}-{each['key']}"
    nested = [e["key"] for e in made["fields"] if e["encoding"] in _PLAIN]
    if nested:
        part = {"key": "part", "display_name": "Part", "fields": nested}
        made["sections"] = [{**part, "component": f"{made['component']}_part"}]


CHANGES = {"shaped": _shape, "encoded": _encode_otherwise}
"""What is decided otherwise in the design, by way."""


def items_in(folder: Path) -> dict[tuple[str, str, str], dict]:
    """Return the items of a set by collection, id and locale."""
    return {
        (path.stem, item["id"], item["cmsLocaleId"] or ""): item
        for path in folder.glob("*.json")
        for item in json.loads(path.read_text())["items"]
    }


def stories_of(folder: Path) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return the UUID and the path of the story of each item that has one."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        rows = db.execute(
            "SELECT collection_id, item_id, locale_id, uuid, story_record.full_slug "
            "FROM item JOIN story_record ON story_record.id = record_id"
        )
        return {tuple(row[:3]): tuple(row[3:]) for row in rows}
