"""Steps of cases about the visual editor: what it saves, what counts as an edit, and
edits in every field of a story, a story each."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from tests.support.sites.exact import write_load_site
from tests.support.steps.origin_edits import Item, read_items, write_items
from tests.support.steps.scenario.looks import within

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.steps.scenario.play import Scenario
    from tests.support.steps.staged_project import StagedProject


TYPES = (
    *("text", "textarea", "markdown", "number", "datetime", "boolean", "option"),
    *("options", "multiasset", "bloks", "asset", "multilink", "richtext", "table"),
)
"""Types of the fields that a developer adds to our components."""


def develop_components(scenario: Scenario) -> None:
    """Add a field of each type to all components."""
    space = scenario.project.space
    space.plugins = frozenset({"picker"})
    space.unknowns = replace(space.unknowns, plugin_keys=("chosen",))
    added: dict[str, Any] = {f"dev_{kind}": {"type": kind} for kind in TYPES}
    added["dev_custom"] = {"type": "custom", "field_type": "picker"}
    for each in [*space.components.values()]:
        body = {"name": each["name"], "schema": {**each["schema"], **added}}
        scenario.project.api("PUT", f"/components/{each['id']}", {"component": body})


def editors_save(scenario: Scenario, path: str = "") -> None:
    """Open and save a story, or all, as the visual editor does."""
    stories = scenario.project.stories()
    base = scenario.project.handle.announcement["base_url"]
    url = f"{base.removesuffix('/v1')}/_sandbox/open-and-save"
    body = {"story_id": stories[path].story_id} if path else {}
    answer = httpx.post(url, json=body, trust_env=False).json()
    assert (len(answer["saved"]), answer["refused"]) == (
        1 if path else len(stories),
        [],
    )


def set_there(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Save stories with values changed within their content: `text.content.+` is a new
    last entry."""
    for path, values in changes.items():
        content = copy.deepcopy(scenario.project.stories()[path].content)
        for where, value in values.items():
            above, _, last = where.rpartition(".")
            holder = within(content, above)
            if last == "+":
                holder.append(value)
            else:
                holder[int(last) if last.isdigit() else last] = value
        scenario.project.edit(path, **content)


def drop_there(scenario: Scenario, changes: dict[str, str]) -> None:
    """Save stories without a field of their content."""
    for path, name in changes.items():
        story = scenario.project.stories()[path]
        content = {key: each for key, each in story.content.items() if key != name}
        body = {"story": {"content": content}}
        scenario.project.api("PUT", f"/stories/{story.story_id}", body)


def edits_named(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect just these edits of stories, by path, in `changes`, and that a rollback
    would leave just these stories."""
    project = scenario.project
    found = project.done("changes", "--json").document
    paths = project.stories().keys()
    rows = [*found["origin"], *found["destination"]]
    named = {(e["what"], e.get("field")) for e in rows if e["what"] in paths}
    assert named == {(path, f"content.{field}") for path, field in expected.items()}
    plan = project.done("rollback", "--plan", "--json").document
    goes = {each["what"] for each in plan["objects"] if each["kind"] == "story"}
    assert paths - goes == expected.keys()


def verified_fields(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect that a verification keeps just these fields of stories, by path."""
    found = scenario.project.run("verify", "--json").document
    assert found["public_unread"] == ""
    rows = scenario.project.rows("SELECT item_id, locale_id, full_slug FROM item")
    paths = {f"{item}@{locale}": path for item, locale, path in rows}
    fields = {
        (paths.get(each["subject"].rpartition("/")[2], each["text"]), each["where"])
        for each in found["kept"]
    }
    assert (found["differences"], fields) == ([], {*expected.items()})


def fields_as_remembered(scenario: Scenario, fields: dict[str, str]) -> None:
    """Expect a field of each story, by path, as its content was remembered."""
    stories = scenario.project.stories()
    changed = [
        path
        for path, field in fields.items()
        if path in scenario.remembered
        and stories[path].content[field] != scenario.remembered[path][field]
    ]
    assert changed == []


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
