"""Steps of cases about edits in every field of a story, a story each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.support.sites.exact import write_load_site
from tests.support.steps.origin_edits import Item, read_items, write_items

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.steps.scenario.play import Scenario
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
BY_ROLLBACK = {"start page": "is_startpage", "tags": "tag_list"}
"""Fields that a rollback lists under another name."""
SHOWN = {"folder": "parent_id", "tags": "tag_list", "start page": "is_startpage"}
"""Fields that the management side shows under another name."""


def write_edited_site(folder: Path, fields: int = len(EDITS)) -> None:
    """Write two items for each field; visitors of the second do not see yet what the
    origin's editors wrote."""
    write_load_site(folder, items=2 * fields, images=0)
    (path,) = (folder / "items").iterdir()
    write_items(path, [_version(each) for each in read_items(path)])


def _version(item: Item) -> Item:
    data = item["fieldData"]
    if data["position"] % 2:
        return item
    later = {"isDraft": True, "lastUpdated": "2026-01-01T00:00:00.000Z"}
    text = f"<p>Not shown yet.</p>{data['text']}"
    return {**item, **later, "fieldData": {**data, "text": text}}


def edit_every_field(
    scenario: Scenario, *, but: str = "", versions: int | None = None
) -> None:
    """Change a field of each story as an editor does, or of those with 2 versions."""
    stories = scenario.project.stories()
    held: dict[int, tuple[str, object]] = {}
    for number, field in enumerate(EDITS):
        for version in (1, 2):
            own = stories[f"records/record-{2 * number + version}"].story_id
            if field != but and versions in (None, version):
                held[own] = field, edit(scenario.project, own, field)
    scenario.remembered["edits"] = held


def edit(project: StagedProject, story_id: int, field: str) -> object:
    """Change a field of a story; return what it holds then."""
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
    if field == "name in de":
        return sorted((e["lang"], e["name"]) for e in shown["translated_slugs"])
    return shown[SHOWN.get(field, field)]


def every_edit_is_there(scenario: Scenario) -> None:
    held = scenario.remembered["edits"]
    lost = [
        field
        for own, (field, wanted) in held.items()
        if value(scenario.project, own, field) != wanted
    ]
    assert (lost, len(held) > 0) == ([], True)


def edited_paths(scenario: Scenario) -> dict[str, str]:
    """Return the edited field of each story that was edited, by its path now."""
    held = scenario.remembered["edits"]
    return {
        path.strip("/"): held[story.story_id][0]
        for path, story in scenario.project.stories().items()
        if story.story_id in held
    }


def rollback_keeps_every_edit(scenario: Scenario) -> None:
    """Expect that a rollback would leave each of these stories for its field."""
    plan = scenario.project.run("rollback", "--plan", "--json").document
    left = {e["what"]: e["fields"] for e in plan["left"] if e["kind"] == "story"}
    # One that finds an edited content may not know what was sent of it.
    unnamed = [
        field
        for path, field in edited_paths(scenario).items()
        if not {BY_ROLLBACK.get(field, field), "content"} & {*left[path]}
    ]
    assert unnamed == []


def rebuild_names_every_edit(scenario: Scenario) -> None:
    found = scenario.project.done("rebuild", "--json").document["edited"]
    assert edited_paths(scenario).keys() <= {path.strip("/") for path in found}


STEPS: dict[str, Callable[..., None]] = {
    "edit every field": edit_every_field,
    "every edit is there": every_edit_is_there,
    "rollback keeps every edit": rollback_keeps_every_edit,
    "rebuild names every edit": rebuild_names_every_edit,
}
