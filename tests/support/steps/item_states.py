"""A site with an item in each state of publication."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.sites.exact import write_load_site
from tests.support.steps.origin_edits import Item, write_items

STATES = (
    "published",
    "changed",
    "draft",
    "unpublished",
    "queued",
    "queued changes",
    "archived",
    "archived live",
)
SLUGS = {state: f"record-{number}" for number, state in enumerate(STATES, start=1)}
LATER = "2026-01-01T00:00:00.000Z"
"""After any other date of the site."""


def write_states(folder: Path) -> None:
    """Write a site of eight records, each in another state; in three of them editors
    gave it another name, a text and, in one, another slug since it was published."""
    write_load_site(folder, items=len(STATES), images=4)
    (staged,) = (folder / "items").iterdir()
    (live,) = (folder / "live").iterdir()
    by_slug = {slug: state for state, slug in SLUGS.items()}
    records = json.loads(staged.read_text())["items"]
    edited = [_edited(each, by_slug[each["fieldData"]["slug"]]) for each in records]
    shown = [each for each in records if by_slug[each["fieldData"]["slug"]] in _LIVE]
    write_items(staged, edited)
    write_items(live, shown)


_LIVE = ("published", "changed", "queued changes", "archived live")


def _edited(item: Item, state: str) -> Item:
    """Return an item as editors see it."""
    flags = {
        "isDraft": state in ("changed", "draft", "unpublished"),
        "isArchived": state.startswith("archived"),
    }
    if state in ("draft", "queued"):
        flags["lastPublished"] = None
    if state not in ("changed", "queued changes", "archived live"):
        return {**item, **flags}
    data = {**item["fieldData"], "name": f"{item['fieldData']['name']} again"}
    data["text"] = f"<p>Not shown yet.</p>{data['text']}"
    if state == "changed":
        data["slug"] = "another-slug"
    return {**item, **flags, "lastUpdated": LATER, "fieldData": data}


def version(name: str, content: object) -> str:
    """Return which version of an item a story shows: `old`, `new`, or `-` for none."""
    if content is None:
        return "-"
    is_new = "Not shown yet." in str(content)
    assert is_new is name.endswith("again")
    return "new" if is_new else "old"
