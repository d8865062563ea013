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
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import REFUSED, Fault
from tests.support.steps.origin_edits import (
    Item,
    decide_gone,
    delete_item,
    edit_items,
    write_items,
)

CHOSEN = "encoding: option_datasource\n        datasource: kinds\n"
"""Makes the one field of options of the site draw from a datasource."""


def refusing(method: str, path: str, item: str = "") -> Fault:
    """Return a service that answers 422 to every matching request."""
    return Fault((method, path), REFUSED, at=(), item=item)


def imported(desk: Desk) -> JsonObject:
    """Import with a refusal: exit code 1, and nothing of it stops the run."""
    ended = desk.run("import", "--json")
    assert ended.code == 1, ended.err
    (outcome,) = desk.rows("SELECT outcome FROM run ORDER BY id DESC LIMIT 1")
    assert outcome == ("done",)
    found: JsonObject = ended.document
    return found


def refused(document: Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["what"]) for each in document["refused"]]


def failed(desk: Desk) -> dict[str, tuple[str, str]]:
    """Return reason and explanation of the failed items, by path."""
    rows = desk.rows(
        "SELECT full_slug, reason, explanation FROM item WHERE status = 'failed'"
    )
    return {slug: (reason, why) for slug, reason, why in rows}


def completed(desk: Desk, fault: Fault | None, stories: int) -> None:
    """Let the service take everything, import again, and verify all of it."""
    if fault is not None:
        fault.over()
    desk.done("import")
    assert len(desk.stories()) == stories
    assert desk.open_intents() == []
    desk.verified()
    number = desk.mark()
    desk.done("import")
    written = [each for each in desk.since(number) if each.method != "GET"]
    assert written == []


def by_folder(desk: Desk) -> dict[str, int]:
    """Return how many stories there are, by folder."""
    return dict(Counter(path.rpartition("/")[0] for path in desk.stories()))


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


def choosing(stage: Stage, site: Path, *faults: Fault) -> Desk:
    """Return a desk whose spots draw a field from the datasource `kinds`."""
    desk = stage(*faults, content=site)
    desk.decide("design.yaml", "encoding: option\n", CHOSEN)
    return desk


def test_a_datasource(stage: Stage, choosing_site: Path) -> None:
    """The component that names it is not sent, and has no stories; the rest has."""
    fault = refusing("POST", r"/datasources$")
    desk = choosing(stage, choosing_site, fault)
    found = imported(desk)
    assert refused(found) == [("datasource", "kinds"), ("component", "spot")]
    assert desk.count("create component") == 4
    assert by_folder(desk) == {"notes": 23, "fr/notes": 12}
    (why,) = set(failed(desk).values())
    assert why[0] == "component_missing"
    assert "takes its options from the datasource `kinds`" in why[1]
    assert "is not to our liking" in why[1]
    assert all(each.data for each in desk.space.assets.values())
    completed(desk, fault, 47)


def test_an_entry(stage: Stage, choosing_site: Path) -> None:
    """Its datasource and the others arrive; stories that chose it have a reason, and
    it is sent once a run."""
    desk = choosing(stage, choosing_site)
    desk.decide("design.yaml", "label: loud", "label: -loud")
    (found,) = desk.plan()["preflights"]
    assert (found["kind"], found["field"], found["fails"]) == (
        "entry_name",
        "mood",
        False,
    )
    assert "`-loud`" in found["text"]
    assert "decisions/design.yaml" in found["text"]
    assert refused(imported(desk)) == [("datasource entry", "kinds: -loud")]
    assert (desk.entries(), len(desk.stories())) == (["calm", "odd"], 43)
    assert {why for why, _ in failed(desk).values()} == {"option_missing"}
    assert all("holds `-loud`" in why for _, why in failed(desk).values())
    assert desk.plan()["calls"]["create_datasource_entries"] == 1
    number = desk.mark()
    ended = desk.run("import")
    assert ended.code == 1
    assert "`kinds: -loud`: " in ended.out
    assert desk.count("create datasource entry", number) == 1
    # The way out that the plan names: another label.
    desk.decide("design.yaml", "label: -loud", "label: loud")
    assert desk.plan()["preflights"] == []
    completed(desk, None, 47)
    assert sorted(desk.entries()) == ["calm", "loud", "odd"]


def test_a_later_name_of_a_datasource(stage: Stage, choosing_site: Path) -> None:
    """A refused change is no base for the next run, which sends it again."""
    fault = refusing("PUT", r"/(datasources|datasource_entries)/\d+$")
    desk = choosing(stage, choosing_site, fault)
    desk.done("import")
    desk.decide("design.yaml", "display_name: Mood", "display_name: Moods")
    assert refused(imported(desk)) == [("datasource", "kinds")]
    completed(desk, fault, 47)
    assert [each["name"] for each in desk.space.datasources.values()] == ["Moods"]


def test_a_component(stage: Stage, small_site: Path) -> None:
    """Its stories fail with what the service said; what refers to them dangles."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    desk = stage(fault, content=small_site)
    assert refused(imported(desk)) == [("component", "spot")]
    assert by_folder(desk) == {"notes": 23, "fr/notes": 12}
    lost = failed(desk)
    assert len(lost) == 12
    assert {reason for reason, _ in lost.values()} == {"component_missing"}
    assert all("component `spot`" in why for _, why in lost.values())
    completed(desk, fault, 47)


def test_a_component_and_the_steps_one_by_one(stage: Stage, small_site: Path) -> None:
    """`create` after a `prepare` that left one out goes on with the others."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    desk = stage(fault, content=small_site)
    assert desk.run("prepare").code == 1
    assert desk.run("create").code == 1
    assert by_folder(desk) == {"notes": 23, "fr/notes": 12}
    desk.done("link")
    completed(desk, fault, 47)


def test_a_component_in_the_notebooks(stage: Stage, small_site: Path) -> None:
    """Notebook 05 does not wait for what 04 was refused."""
    fault = refusing("POST", r"/components$", '"name":"spot"')
    desk = stage(fault, content=small_site)
    asyncio.run(Staged(desk.rehearsal).imported())
    assert by_folder(desk) == {"notes": 23, "fr/notes": 12}
    desk.decide("design.yaml", "component: spot\n", "component: place\n")
    with pytest.raises(UsageError, match="1 component still to be made"):
        asyncio.run(created(desk))
    desk.decide("design.yaml", "component: place\n", "component: spot\n")
    completed(desk, fault, 47)


async def created(desk: Desk) -> None:
    workspace = Staged(desk.rehearsal).workspace()
    await run_step(workspace, "create", await show_plan(workspace))


def test_a_later_field_of_a_component(stage: Stage, small_site: Path) -> None:
    """Stories that use it keep what they have: an unknown key would be stored."""
    fault = refusing("PUT", r"/components/\d+$", '"name":"spot"')
    desk = stage(fault, content=small_site)
    text = (desk.folder / "decisions" / "design.yaml").read_text()
    line = "        key: line\n"
    assert text.count(line) == 1
    desk.done("import")
    desk.decide("design.yaml", line, "        key: sentence\n")
    edit_items(desk, renamed("note-2"))
    number = desk.mark()
    assert refused(imported(desk)) == [("component", "spot")]
    lost = failed(desk)
    assert {path.split("/")[-2] for path in lost} == {"spots"}
    assert {reason for reason, _ in lost.values()} == {"component_missing"}
    assert "field `sentence` of component `spot`" in str(lost)
    assert desk.stories()["notes/note-2"].name == "Renamed"
    assert desk.count("update story", number) == 1
    completed(desk, fault, 47)


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
    desk = stage(fault, content=small_site)
    found = imported(desk)
    assert sorted(refused(found)) == [("folder", each) for each in lost]
    assert by_folder(desk) == left
    assert {reason for reason, _ in failed(desk).values()} == {"folder_missing"}
    completed(desk, fault, 47)


def test_the_name_of_a_folder(stage: Stage, small_site: Path) -> None:
    fault = refusing("PUT", r"/stories/\d+$", '"is_folder":true')
    desk = stage(fault, content=small_site)
    desk.done("import")
    desk.decide("design.yaml", "folder_name: Spots", "folder_name: Places")
    names = [("folder", "fr/spots"), ("folder", "spots")]
    assert sorted(refused(imported(desk))) == names
    assert failed(desk) == {}
    completed(desk, fault, 47)


def test_the_asset_folder(stage: Stage, small_site: Path) -> None:
    """No file is signed into another place; the stories are made without them."""
    fault = refusing("POST", r"/asset_folders$")
    desk = stage(fault, content=small_site)
    desk.decide("design.yaml", "asset_folder: ''", "asset_folder: Site")
    assert refused(imported(desk)) == [("asset folder", "Site")]
    assert (desk.count("sign upload"), len(desk.stories())) == (0, 47)
    (why,) = set(desk.rows("SELECT status, reason FROM asset"))
    assert why == ("failed", "folder_missing")
    completed(desk, fault, 47)


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
    desk = stage(fault, content=small_site)
    assert refused(imported(desk)) == []
    query = f"SELECT reason FROM {table} WHERE status = 'failed'"
    assert set(desk.rows(query)) == {(reason,)}
    completed(desk, fault, 47)


def test_a_publication(stage: Stage, small_site: Path) -> None:
    path = ""

    async def strict(call: Call, answer: Next) -> Reply:
        if path and call.path.endswith(path):
            return json_reply(422, {"base": ["is not to our liking"]})
        return await answer(call)

    desk = stage(strict, content=small_site)
    desk.done("import")
    own = desk.stories()["notes/note-2"].story_id
    path = f"/stories/{own}/publish"
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    imported(desk)
    assert {why for why, _ in failed(desk).values()} == {"not_published"}
    assert len(failed(desk)) == 1
    path = ""
    desk.done("import")
    desk.verified()


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
    desk = stage(fault)
    desk.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    desk.done("import")
    for slug in ("record-5", "record-6"):
        delete_item(desk, slug)
    decide_gone(desk, "*", action)
    imported(desk)
    assert (fault.hits, desk.status()["gone"][state]) == (1, 1)
    desk.done("import")
    assert desk.status()["gone"][state] == 2
    desk.verified()


def test_a_rollback(stage: Stage) -> None:
    """What the service would not delete stays; the rest goes, and so does it later."""
    fault = Fault(("DELETE", r"/components/\d+$"), REFUSED, at=(1,))
    desk = stage(fault)
    desk.done("import")
    ended = desk.run("rollback", "--json")
    assert (ended.code, len(desk.components()), desk.stories()) == (1, 1, {})
    (left,) = ended.document["left"]
    assert (left["kind"], left["reason"]) == ("component", "refused")
    desk.done("rollback")
    assert desk.components() == []


def test_credentials_still_stop(stage: Stage, small_site: Path) -> None:
    """A token that is refused is no refusal of one component."""

    async def revoked(call: Call, answer: Next) -> Reply:
        if call.method == "POST" and call.path.endswith("/components"):
            return json_reply(401, {"error": "Unauthorized"})
        return await answer(call)

    desk = stage(revoked, content=small_site)
    assert desk.run("import").code == 7
    assert desk.stories() == {}
