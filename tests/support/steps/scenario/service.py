"""Steps of cases about what both services have, and what became of it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from unittest import mock

from cmsmig.item_key import ItemKey
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import NativeEngine
from tests.support.steps.expectations import insist
from tests.support.steps.item_states import version
from tests.support.steps.origin_edits import (
    Item,
    decide_gone,
    delete_item,
    edit_items,
    put_back,
)
from tests.support.steps.scenario.changes import own

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario
    from tests.support.steps.staged_project import StagedProject


KINDS = ("stories", "components", "assets", "asset_folders", "datasources")
RECORDS = (
    *KINDS,
    *("entries", "by_uuid", "by_key", "places", "children", "alternates"),
)


def delete_record(project: StagedProject, kind: str, own: int) -> None:
    """Delete one thing as a person does, if it is still there."""
    if own not in getattr(project.space, kind):
        return
    if kind != "stories" or project.space.story(own) is not None:
        project.api("DELETE", f"/{kind}/{own}")


def empty_space(scenario: Scenario) -> None:
    """Delete everything, as a person does: stories go to the trash."""
    for kind in KINDS:
        for each in list(getattr(scenario.project.space, kind)):
            delete_record(scenario.project, kind, each)


def restart_space(scenario: Scenario) -> None:
    """Give the same space, empty: nothing is left, and old numbers are given again."""
    space = scenario.project.space
    for name in RECORDS:
        getattr(space, name).clear()
    space.last_id = 0


def make(scenario: Scenario, kind: str, record: dict[str, Any]) -> None:
    """Make a record as an editor or developer would, such as a webhook endpoint."""
    plural = kind.removesuffix("y") + "ies" if kind.endswith("y") else f"{kind}s"
    scenario.project.api("POST", f"/{plural}", {kind: record})


def delete(scenario: Scenario, kind: str, number: int) -> None:
    """Delete the record of a kind that was made as the so manieth."""
    own = list(getattr(scenario.project.space, kind))[number - 1]
    path = {"entries": "datasource_entries"}.get(kind, kind)
    scenario.project.api("DELETE", f"/{path}/{own}")


def component_record(scenario: Scenario, name: str, **values: Any) -> None:
    """Let the service show other values of a component."""
    scenario.project.space.component(name).update(values)


def new_uuid_there(scenario: Scenario, path: str, uuid: str) -> None:
    """Let a story have another UUID, as the service can give it one."""
    space = scenario.project.space
    story = space.stories[own(scenario.project, path)]
    space.displace(story)
    del space.by_uuid[story.uuid]
    story.uuid = uuid
    space.place(story)


def make_datasource(scenario: Scenario, slug: str, *labels: str) -> None:
    scenario.project.datasource(slug, *labels)


def delete_at_origin(scenario: Scenario, slug: str) -> None:
    scenario.remembered[slug] = delete_item(scenario.project, slug)


def restore_at_origin(scenario: Scenario, slug: str) -> None:
    """Put an item back that was deleted at the origin."""
    put_back(scenario.project, scenario.remembered[slug])


def gone_at_origin(scenario: Scenario, what: str, action: str) -> None:
    """Decide about what the origin no longer has, in place of what was decided."""
    decide_gone(scenario.project, what, action)


def raw(scenario: Scenario, files: str, *, old: str, new: str) -> None:
    """Replace a text in what was pulled, wherever it is in files of this name."""
    hits = 0
    for path in (scenario.project.folder / "raw").glob(files):
        text = path.read_text()
        hits += text.count(old)
        path.write_text(text.replace(old, new))
    assert hits


def another_file(scenario: Scenario) -> None:
    """Let a downloaded file have other bytes."""
    path = scenario.project.folder / "raw" / "files.json"
    digest = json.loads(path.read_text())["files"][0]["sha256"]
    (scenario.project.folder / "files" / ("0" * 64)).write_bytes(b"other bytes")
    path.write_text(path.read_text().replace(digest, "0" * 64))


def publish_at_origin(scenario: Scenario, slug: str) -> None:
    """Let visitors of the origin see an item as its editors do."""
    newest: dict[str, Item] = {}

    def note(item: Item) -> Item:
        if item["fieldData"]["slug"] == slug:
            newest[item["id"]] = item
        return item

    edit_items(scenario.project, note, ("items",))
    edit_items(scenario.project, lambda item: newest.get(item["id"], item), ("live",))


def layers(scenario: Scenario, expected: Any) -> None:
    """Expect what visitors and editors see of stories by slug: `old`, `new` or `-`."""
    found: dict[str, str] = {}
    for path, story in scenario.project.stories().items():
        seen = [
            (story.published_name, story.published_content),
            (story.name, story.content),
        ]
        found[path.rpartition("/")[2]] = " ".join(version(*each) for each in seen)
    insist(found, expected)


def append_at_origin(
    scenario: Scenario, texts: dict[str, str], *, sets: Iterable[str] = ()
) -> None:
    """Add HTML to the bodies of items, known by their slugs, or of all (`*`)."""

    def longer(item: Item) -> Item:
        data = item["fieldData"]
        more = texts.get(data["slug"], texts.get("*", ""))
        return {**item, "fieldData": {**data, "text": (data["text"] or "") + more}}

    edit_items(scenario.project, longer, tuple(sets))


def long_text_at_origin(scenario: Scenario, slug: str, signs: int) -> None:
    """Give an item a text of so many characters of two bytes."""
    append_at_origin(scenario, {slug: f"<p>{'ü' * signs}</p>"})


def alone_at_origin(scenario: Scenario, slug: str) -> None:
    """Delete every other item."""
    edit_items(
        scenario.project,
        lambda item: item if item["fieldData"]["slug"] == slug else None,
    )


def nothing_pulled(scenario: Scenario) -> None:
    """Let the project be as it was before the first pull and the first decision."""
    for name in ("raw", "decisions"):
        shutil.rmtree(scenario.project.folder / name)


def no_raw(scenario: Scenario) -> None:
    shutil.rmtree(scenario.project.folder / "raw")


def keep_raw(scenario: Scenario, name: str) -> None:
    """Keep what was pulled as it is now, for `use raw`."""
    folder = scenario.project.folder
    shutil.copytree(folder / "raw", folder.parent / name)


def use_raw(scenario: Scenario, name: str) -> None:
    folder = scenario.project.folder
    shutil.rmtree(folder / "raw")
    shutil.copytree(folder.parent / name, folder / "raw")


def move_project(scenario: Scenario) -> None:
    """Let the project folder be a copy of what it was."""
    folder = scenario.project.folder
    shutil.copytree(folder, folder.with_name("elsewhere"))
    shutil.rmtree(folder)
    shutil.move(folder.with_name("elsewhere"), folder)


def replace_component(scenario: Scenario, name: str, **changes: Any) -> None:
    """Delete a component and put another of its name in its place."""
    there = dict(scenario.project.space.component(name))
    scenario.project.api("DELETE", f"/components/{there['id']}")
    keys = ("name", "display_name", "is_root", "is_nestable", "schema")
    body = {key: there[key] for key in keys} | changes
    scenario.project.api("POST", "/components", {"component": body})


ROUTES = {
    "read_token": "validate token",
    "read_space": "space",
    "create_components": "create component",
    "sign_uploads": "sign upload",
    "update_stories": "update story",
    "publish_stories": "publish story",
    "create_datasources": "create datasource",
    "create_datasource_entries": "create datasource entry",
    "list_datasources": "datasources",
    "read_datasource_entries": "datasource entries",
}
"""What a plan calls requests, and their routes."""


def planned_calls(
    scenario: Scenario, command: str, *, are: dict[str, Any] | None = None
) -> None:
    """Run a command, and insist on the calls of each route that its plan named."""
    project = scenario.project
    calls = project.plan()["calls"]
    insist(calls, are or {})
    number = project.mark()
    project.done(command)
    planned = {name: calls.get(name, 0) for name in ROUTES}
    planned["update_stories"] += calls.get("show_versions", 0)
    planned["read_datasource_entries"] += calls.get("compare_datasource_entries", 0)
    made = {name: project.count(route, number) for name, route in ROUTES.items()}
    assert made == planned
    created = calls["create_stories"] + calls.get("create_folders", 0)
    assert project.count("create story", number) == created
    assert project.calls(number) == calls["total"]


def edit_silently(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Save stories without a request, while another request is in flight."""
    for path, values in changes.items():
        story = scenario.project.stories()[path]
        story.body = {**story.body, "content": {**story.content, **values}}
        story.updated_at = "2030-01-01T00:00:00.000Z"


def late_create_there(scenario: Scenario) -> None:
    """Let the create that was given up arrive after all."""
    body = json.loads(scenario.faults[0].bodies[-1])
    scenario.project.api("POST", "/stories", body)


def many_components(scenario: Scenario, number: int) -> None:
    """Let the space have so many more components."""
    for one in range(1, number + 1):
        component = {"id": -one, "name": f"c{one}", "schema": {}}
        scenario.project.space.components[-one] = component


def size_of_a_file(scenario: Scenario, number: int) -> None:
    """Let the first file that was pulled have so many bytes, as it is listed."""
    path = scenario.project.folder / "raw" / "files.json"
    body = json.loads(path.read_text())
    body["files"][0]["bytes"] = number
    path.write_text(json.dumps(body))


def make_release(
    scenario: Scenario, name: str, *paths: str, deployed: bool = False, **more: Any
) -> None:
    """Make a release that holds changed versions of stories."""
    api = scenario.project.api
    number = api("POST", "/releases", {"release": {"name": name, **more}})["release"][
        "id"
    ]
    for path in paths:
        story = scenario.project.stories()[path]
        later = {"story": {"name": "Later"}, "release_id": number}
        api("PUT", f"/stories/{story.story_id}", later)
    if deployed:
        body = {"release": {"name": name}, "do_release": True}
        api("PUT", f"/releases/{number}", body)


def first_body(scenario: Scenario, kind: str) -> None:
    """Let the body that is converted first break the converter, or be invalid."""
    # A kept draft would not be converted.
    (scenario.project.folder / "derived.sqlite").unlink(missing_ok=True)
    convert = NativeEngine.from_html
    first: list[str] = []

    def converted(engine: NativeEngine, html: str, *rest: Any) -> Converted:
        first.append(html)
        if html != first[0]:
            return convert(engine, html, *rest)
        if kind == "breaks":
            raise RecursionError("too deep")
        return Converted({"type": "doc", "content": [{"type": "paragraph"}]})

    patch = mock.patch.object(NativeEngine, "from_html", converted)
    scenario.patches.enter_context(patch)


def bodies_mended(scenario: Scenario) -> None:
    scenario.patches.close()


def settings(scenario: Scenario, text: str) -> None:
    """Add a line to the settings."""
    with (scenario.project.folder / "cmsmig.toml").open("a") as file:
        file.write(f"\n{text}\n")


def intend(scenario: Scenario, kind: str, path: str) -> None:
    """Leave an open intent of an item, as a run that was killed does."""
    query = "SELECT collection_id, item_id, locale_id FROM item WHERE full_slug = ?"
    ((collection, item, locale),) = scenario.project.rows(query, path)
    scenario.project.doctor(
        "INSERT INTO intent (kind, subject, request_hash, made_at)"
        " VALUES (?, ?, 'x', '2026-01-01')",
        *(kind, str(ItemKey(collection, item, locale))),
    )


def outcomes(scenario: Scenario, expected: dict[str, list[str]]) -> None:
    """Expect status and reason of the items at these paths."""
    found = {path: scenario.project.outcome(path)[:2] for path in expected}
    insist(found, expected)


def accounting(
    scenario: Scenario, expected: dict[str, int], *, gone: dict[str, int] | None = None
) -> None:
    """Expect just these counts of items, those that are not 0; and that they add up."""
    status = scenario.project.status()
    counts = status["accounting"]
    assert counts["in"] == sum(counts[name] for name in counts if name != "in")
    assert {name: n for name, n in counts.items() if n} == expected
    assert {name: n for name, n in status["gone"].items() if n} == (gone or {})


def same_plan(scenario: Scenario) -> None:
    """Expect the plan to be the last one that was shown."""
    assert scenario.project.plan()["hash"] == scenario.hash
