"""What an editor can change of a story, by field, and a site with a story for each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.sites.exact import write_load_site
from tests.support.steps.origin_edits import Item, edit_items, write_items
from tests.support.steps.staged_project import StagedProject

GERMAN = {"lang": "de", "name": "Ein Name", "slug": "ein-name"}
EDITS: dict[str, dict[str, Any]] = {
    "content.position": {"content": {"position": "4711"}},
    "name": {"name": "An editor's name"},
    "slug": {"slug": "an-editors-slug"},
    "tags": {"tag_list": ["press"]},
    "first_published_at": {"first_published_at": "2001-02-03T00:00:00.000Z"},
    "sort_by_date": {"sort_by_date": "2001-02-03"},
    "name in de": {"translated_slugs_attributes": [GERMAN]},
    "publish_at": {"publish_at": "2040-01-01T00:00:00.000Z"},
    "expire_at": {"expire_at": "2040-01-01T00:00:00.000Z"},
    "pinned": {"pinned": True},
    "start page": {"is_startpage": True},
    "group_id": {"group_id": "11111111-2222-4333-8444-555555555555"},
    "folder": {},
}
"""What the editor sends, by the field that it changes."""
FIELDS = tuple(EDITS)
BY_ROLLBACK = {"start page": "is_startpage", "tags": "tag_list"}
"""Fields that a rollback lists under another name."""


@dataclass(frozen=True)
class Edited:
    """A story with the field that an editor changes of it."""

    number: int
    field: str
    has_two_versions: bool

    @property
    def path(self) -> str:
        """Where the import puts it."""
        return f"records/record-{self.number}"

    @property
    def listed_as(self) -> str:
        """What a rollback calls the field."""
        return BY_ROLLBACK.get(self.field, self.field)


def cases(fields: tuple[str, ...] = FIELDS, *, two_versions: bool) -> list[Edited]:
    """Return a story for each field, and another one with two versions."""
    versions = (False, True) if two_versions else (False,)
    pairs = ((field, apart) for field in fields for apart in versions)
    return [Edited(number, *pair) for number, pair in enumerate(pairs, start=1)]


def write_site(folder: Path, stories: list[Edited]) -> None:
    """Write a site with an item for each story; visitors of those with two versions
    do not see yet what the origin's editors wrote."""
    write_load_site(folder, items=len(stories), images=0)
    (path,) = (folder / "items").iterdir()
    apart = {each.path for each in stories if each.has_two_versions}
    records = json.loads(path.read_text())["items"]
    write_items(path, [_version(each, apart) for each in records])


def _version(item: Item, apart: set[str]) -> Item:
    data = item["fieldData"]
    if f"records/{data['slug']}" not in apart:
        return item
    text = f"<p>Not shown yet.</p>{data['text']}"
    later = "2026-01-01T00:00:00.000Z"
    changed = {**data, "text": text}
    return {**item, "isDraft": True, "lastUpdated": later, "fieldData": changed}


def edit(project: StagedProject, story_id: int, field: str) -> object:
    """Change a field of a story as an editor does; return what it holds then."""
    story = project.space.stories[story_id]
    changes = dict(EDITS[field])
    if "content" in changes:
        changes["content"] = {**story.content, **changes["content"]}
    if field == "tags":
        changes["tag_list"] = [*(story.body.get("tag_list") or []), "press"]
    if field == "slug":
        changes["slug"] += f"-{story_id}"
    if field in ("folder", "start page"):
        # A folder has one start page.
        body = {"name": "Other", "slug": f"other-{story_id}", "is_folder": True}
        made = project.api("POST", "/stories", {"story": body})["story"]
        changes["parent_id"] = made["id"]
    project.api("PUT", f"/stories/{story_id}", {"story": changes})
    return value(project, story_id, field)


def value(project: StagedProject, story_id: int, field: str) -> object:
    """Return what a story holds in a field, as the management side shows it."""
    shown = project.api("GET", f"/stories/{story_id}")["story"]
    if field.startswith("content."):
        return shown["content"].get(field.removeprefix("content."))
    keys = {"folder": "parent_id", "tags": "tag_list", "start page": "is_startpage"}
    if field == "name in de":
        return sorted(
            (each["lang"], each["name"]) for each in shown["translated_slugs"]
        )
    return shown[keys.get(field, field)]


def change_texts(project: StagedProject, words: str, *folders: str) -> None:
    """Change the text of every item at the origin."""

    def change(item: Item) -> Item:
        item["fieldData"]["text"] = f"<p>{words}</p>{item['fieldData']['text']}"
        return item

    edit_items(project, change, folders)
