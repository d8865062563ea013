"""One refused request never stops an import: what depends on it is listed with a
reason, everything else arrives, and a rerun completes once the cause is gone."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.notebook.transfer.importing import run_step, show_plan
from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.notebook.staging import Staged
from tests.support.steps.faults import REFUSED, Fault
from tests.support.steps.origin_edits import (
    Item,
    decide_gone,
    delete_item,
    edit_items,
    write_items,
)
from tests.support.steps.staged_project import Stage, StagedProject

CHOSEN = "encoding: option_datasource\n        datasource: kinds\n"
"""Makes the one field of options of the site draw from a datasource."""


def refusing(method: str, path: str, item: str = "") -> Fault:
    """Return a service that answers 422 to every matching request."""
    return Fault((method, path), REFUSED, at=(), item=item)


def imported(project: StagedProject) -> JsonObject:
    """Import with a refusal: exit code 1, and nothing of it stops the run."""
    ended = project.run("import", "--json")
    assert ended.code == 1, ended.err
    (outcome,) = project.rows("SELECT outcome FROM run ORDER BY id DESC LIMIT 1")
    assert outcome == ("done",)
    found: JsonObject = ended.document
    return found


def refused(document: Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["what"]) for each in document["refused"]]


def failed(project: StagedProject) -> dict[str, tuple[str, str]]:
    """Return reason and explanation of the failed items, by path."""
    rows = project.rows(
        "SELECT full_slug, reason, explanation FROM item WHERE status = 'failed'"
    )
    return {slug: (reason, why) for slug, reason, why in rows}


def completed(project: StagedProject, fault: Fault | None, stories: int) -> None:
    """Let the service take everything, import again, and verify all of it."""
    if fault is not None:
        fault.over()
    project.done("import")
    assert len(project.stories()) == stories
    assert project.open_intents() == []
    project.verified()
    number = project.mark()
    project.done("import")
    written = [each for each in project.since(number) if each.method != "GET"]
    assert written == []


def by_folder(project: StagedProject) -> dict[str, int]:
    """Return how many stories there are, by folder."""
    return dict(Counter(path.rpartition("/")[0] for path in project.stories()))


@pytest.fixture(scope="session")
def choosing_site(small_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the small site; its spots have a choice of three, and each chose one."""
    folder = tmp_path_factory.mktemp("choosing") / "content"
    shutil.copytree(small_site, folder)
    names = {f"{n}" * 32: name for n, name in enumerate(("calm", "loud", "odd"))}
    options = [{"id": key, "name": name} for key, name in names.items()]
    mood = {"id": "e" * 32, "slug": "mood", "displayName": "Mood", "type": "Option"}
    mood |= {"isRequired": False, "validations": {"options": options}}
    for path in (folder / "collections").iterdir():
        schema = json.loads(path.read_text())
        if schema["slug"] != "spots":
            continue
        schema["fields"].append(mood)
        path.write_text(json.dumps(schema))
        for kind in ("items", "live"):
            items = json.loads((folder / kind / path.name).read_text())["items"]
            for number, item in enumerate(items):
                item["fieldData"]["mood"] = [*names][number % 3]
            write_items(folder / kind / path.name, items)
    return folder


def choosing(stage: Stage, site: Path, *faults: Fault) -> StagedProject:
    """Return a project whose spots draw a field from the datasource `kinds`."""
    project = stage(*faults, content=site)
    project.decide("design.yaml", "encoding: option\n", CHOSEN)
    return project


def test_a_datasource(stage: Stage, choosing_site: Path) -> None:
    """The component that names it is not sent, and has no stories; the rest has."""
    fault = refusing("POST", r"/datasources$")
    project = choosing(stage, choosing_site, fault)
    found = imported(project)
    assert refused(found) == [("datasource", "kinds"), ("component", "spot")]
    assert project.count("create component") == 4
    assert by_folder(project) == {"notes": 23, "fr/notes": 12}
    (why,) = set(failed(project).values())
    assert why[0] == "component_missing"
    assert "takes its options from the datasource `kinds`" in why[1]
    assert "is not to our liking" in why[1]
    assert all(each.data for each in project.space.assets.values())
    completed(project, fault, 47)


def test_an_entry(stage: Stage, choosing_site: Path) -> None:
    """Its datasource and the others arrive; stories that chose it have a reason, and
    it is sent once a run."""
    project = choosing(stage, choosing_site)
    project.decide("design.yaml", "label: loud", "label: -loud")
    (found,) = project.plan()["preflights"]
    assert (found["kind"], found["field"], found["fails"]) == (
        "entry_name",
        "mood",
        False,
    )
    assert "`-loud`" in found["text"]
    assert "decisions/design.yaml" in found["text"]
    assert refused(imported(project)) == [("datasource entry", "kinds: -loud")]
    assert (project.entries(), len(project.stories())) == (["calm", "odd"], 43)
    assert {why for why, _ in failed(project).values()} == {"option_missing"}
    assert all("holds `-loud`" in why for _, why in failed(project).values())
    assert project.plan()["calls"]["create_datasource_entries"] == 1
    number = project.mark()
    ended = project.run("import")
    assert ended.code == 1
    assert "`kinds: -loud`: " in ended.out
    assert project.count("create datasource entry", number) == 1
    # The way out that the plan names: another label.
    project.decide("design.yaml", "label: -loud", "label: loud")
    assert project.plan()["preflights"] == []
    completed(project, None, 47)
    assert sorted(project.entries()) == ["calm", "loud", "odd"]


def test_a_later_name_of_a_datasource(stage: Stage, choosing_site: Path) -> None:
    """A refused change is no base for the next run, which sends it again."""
    fault = refusing("PUT", r"/(datasources|datasource_entries)/\d+$")
    project = choosing(stage, choosing_site, fault)
    project.done("import")
    project.decide("design.yaml", "display_name: Mood", "display_name: Moods")
    assert refused(imported(project)) == [("datasource", "kinds")]
    completed(project, fault, 47)
    assert [each["name"] for each in project.space.datasources.values()] == ["Moods"]


def test_a_component(stage: Stage, small_site: Path) -> None:
    """Its stories fail with what the service said; what refers to them dangles."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    project = stage(fault, content=small_site)
    assert refused(imported(project)) == [("component", "spot")]
    assert by_folder(project) == {"notes": 23, "fr/notes": 12}
    lost = failed(project)
    assert len(lost) == 12
    assert {reason for reason, _ in lost.values()} == {"component_missing"}
    assert all("component `spot`" in why for _, why in lost.values())
    completed(project, fault, 47)


def test_a_component_and_the_steps_one_by_one(stage: Stage, small_site: Path) -> None:
    """`create` after a `prepare` that left one out goes on with the others."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    project = stage(fault, content=small_site)
    assert project.run("prepare").code == 1
    assert project.run("create").code == 1
    assert by_folder(project) == {"notes": 23, "fr/notes": 12}
    project.done("link")
    completed(project, fault, 47)


def test_a_component_in_the_notebooks(stage: Stage, small_site: Path) -> None:
    """Notebook 05 does not wait for what 04 was refused."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    project = stage(fault, content=small_site)
    asyncio.run(Staged(project.rehearsal).imported())
    assert by_folder(project) == {"notes": 23, "fr/notes": 12}
    project.decide("design.yaml", "component: spot\n", "component: place\n")
    with pytest.raises(UsageError, match="1 component still to be made"):
        asyncio.run(created(project))
    project.decide("design.yaml", "component: place\n", "component: spot\n")
    completed(project, fault, 47)


async def created(project: StagedProject) -> None:
    workspace = Staged(project.rehearsal).workspace()
    await run_step(workspace, "create", await show_plan(workspace))


def test_a_later_field_of_a_component(stage: Stage, small_site: Path) -> None:
    """Stories that use it keep what they have: an unknown key would be stored."""
    fault = refusing("PUT", r"/components/\d+$", '"name":"spot"')
    project = stage(fault, content=small_site)
    text = (project.folder / "decisions" / "design.yaml").read_text()
    line = "        key: line\n"
    assert text.count(line) == 1
    project.done("import")
    project.decide("design.yaml", line, "        key: sentence\n")
    edit_items(project, renamed("note-2"))
    number = project.mark()
    assert refused(imported(project)) == [("component", "spot")]
    lost = failed(project)
    assert {path.split("/")[-2] for path in lost} == {"spots"}
    assert {reason for reason, _ in lost.values()} == {"component_missing"}
    assert "field `sentence` of component `spot`" in str(lost)
    assert project.stories()["notes/note-2"].name == "Renamed"
    assert project.count("update story", number) == 1
    completed(project, fault, 47)


def renamed(slug: str) -> Callable[[Item], Item]:
    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == slug:
            item["fieldData"]["name"] = "Renamed"
        return item

    return change


@pytest.mark.parametrize(
    ("folder", "lost", "left"),
    [
        ("fr/spots", ["fr/spots"], {"notes": 23, "spots": 6, "fr/notes": 12}),
        ("fr", ["fr", "fr/notes", "fr/spots"], {"notes": 23, "spots": 6}),
    ],
)
def test_a_folder(
    stage: Stage, small_site: Path, folder: str, lost: list[str], left: dict[str, int]
) -> None:
    """What belongs in or below it is not sent."""
    slug = folder.rpartition("/")[2]
    fault = refusing("POST", r"/stories$", f'"slug":"{slug}","is_folder":true')
    if "/" in folder:
        # The second of this slug is the one below `fr`.
        fault.at = (2,)
    project = stage(fault, content=small_site)
    found = imported(project)
    assert sorted(refused(found)) == [("folder", each) for each in lost]
    assert by_folder(project) == left
    assert {reason for reason, _ in failed(project).values()} == {"folder_missing"}
    completed(project, fault, 47)


def test_the_name_of_a_folder(stage: Stage, small_site: Path) -> None:
    fault = refusing("PUT", r"/stories/\d+$", '"is_folder":true')
    project = stage(fault, content=small_site)
    project.done("import")
    project.decide("design.yaml", "folder_name: Spots", "folder_name: Places")
    names = [("folder", "fr/spots"), ("folder", "spots")]
    assert sorted(refused(imported(project))) == names
    assert failed(project) == {}
    completed(project, fault, 47)


def test_the_asset_folder(stage: Stage, small_site: Path) -> None:
    """No file is signed into another place; the stories are made without them."""
    fault = refusing("POST", r"/asset_folders$")
    project = stage(fault, content=small_site)
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Site")
    assert refused(imported(project)) == [("asset folder", "Site")]
    assert (project.count("sign upload"), len(project.stories())) == (0, 47)
    (why,) = set(project.rows("SELECT status, reason FROM asset"))
    assert why == ("failed", "folder_missing")
    completed(project, fault, 47)


@pytest.mark.parametrize(
    ("request_", "table", "reason"),
    [
        (("POST", r"/assets$", "spot-2.jpg"), "asset", "refused"),
        (("POST", r"/stories$", '"slug":"spot-2"'), "item", "refused"),
        (("PUT", r"/stories/\d+$", '"slug":"note-2"'), "item", "refused"),
    ],
)
def test_a_file_a_story_and_its_links(
    stage: Stage,
    small_site: Path,
    request_: tuple[str, str, str],
    table: str,
    reason: str,
) -> None:
    fault = refusing(*request_)
    project = stage(fault, content=small_site)
    assert refused(imported(project)) == []
    query = f"SELECT reason FROM {table} WHERE status = 'failed'"
    assert set(project.rows(query)) == {(reason,)}
    completed(project, fault, 47)


def test_a_publication(stage: Stage, small_site: Path) -> None:
    path = ""

    async def strict(call: Call, answer: Next) -> Reply:
        if path and call.path.endswith(path):
            return json_reply(422, {"base": ["is not to our liking"]})
        return await answer(call)

    project = stage(strict, content=small_site)
    project.done("import")
    own = project.stories()["notes/note-2"].story_id
    path = f"/stories/{own}/publish"
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    imported(project)
    assert {why for why, _ in failed(project).values()} == {"not_published"}
    assert len(failed(project)) == 1
    path = ""
    project.done("import")
    project.verified()


@pytest.mark.parametrize(
    ("action", "method", "path", "state"),
    [
        ("delete", "DELETE", r"/stories/\d+$", "deleted"),
        ("unpublish", "GET", r"/stories/\d+/unpublish$", "unpublished"),
    ],
)
def test_what_is_gone_at_the_origin(
    stage: Stage, action: str, method: str, path: str, state: str
) -> None:
    """The other story is taken away, and a rerun takes this one away."""
    fault = Fault((method, path), REFUSED, at=(1,))
    project = stage(fault)
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    project.done("import")
    for slug in ("record-5", "record-6"):
        delete_item(project, slug)
    decide_gone(project, "*", action)
    imported(project)
    assert (fault.hits, project.status()["gone"][state]) == (1, 1)
    project.done("import")
    assert project.status()["gone"][state] == 2
    project.verified()


def test_a_rollback(stage: Stage) -> None:
    """What the service would not delete stays; the rest goes, and so does it later."""
    fault = Fault(("DELETE", r"/components/\d+$"), REFUSED, at=(1,))
    project = stage(fault)
    project.done("import")
    ended = project.run("rollback", "--json")
    assert (ended.code, len(project.components()), project.stories()) == (1, 1, {})
    (left,) = ended.document["left"]
    assert (left["kind"], left["reason"]) == ("component", "refused")
    project.done("rollback")
    assert project.components() == []


def test_credentials_still_stop(stage: Stage, small_site: Path) -> None:
    """A token that is refused is no refusal of one component."""

    async def revoked(call: Call, answer: Next) -> Reply:
        if call.method == "POST" and call.path.endswith("/components"):
            return json_reply(401, {"error": "Unauthorized"})
        return await answer(call)

    project = stage(revoked, content=small_site)
    assert project.run("import").code == 7
    assert project.stories() == {}
