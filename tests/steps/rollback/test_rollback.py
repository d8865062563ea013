"""What an import brought is taken back: exactly that, to the call, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.emptying import restored
from tests.support.steps.faults import (
    CREATE_STORY,
    CUT,
    GARBAGE,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.origin_edits import decide_gone, delete_item
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"
RICH = (
    ("collections.yaml", "    publish: nothing", "    publish: what_is_live"),
    ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
    (
        "design.yaml",
        "encoding: option\n",
        "encoding: option_datasource\n        datasource: moods\n",
    ),
)
NOTHING = "There is nothing to take back"


def imported(project: StagedProject) -> StagedProject:
    project.done("import")
    return project


def left(project: StagedProject) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """Take back what goes; return why and in what the rest was edited."""
    ended = project.run("rollback", "--json")
    assert ended.code == 1, ended.out + ended.err
    return {
        (each["kind"], each["what"]): (each["reason"], each["fields"])
        for each in ended.document["left"]
    }


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait for lists that lag, nor before what is tried again."""
    monkeypatch.setattr("cmsmig.steps.rollback.rollback_plan.ONCE_MORE", (0.0,))
    monkeypatch.setattr("cmsmig.wire.failures._FIRST_DELAY", 0.001)


@pytest.fixture
def rich(stage: Stage, moody_site: Path) -> StagedProject:
    """Return a project that makes every kind of object, in a space of others."""
    project = stage(content=moody_site, demo_space=True)
    for change in RICH:
        project.decide(*change)
    return project


def test_a_finished_import_leaves_nothing(rich: StagedProject) -> None:
    """Every kind goes, as many calls as planned; an import makes all of it anew."""
    before = rich.comparable()
    after = imported(rich).comparable()
    mark = rich.mark()
    planned = rich.done("rollback", "--plan", "--json").document
    assert {each.method for each in rich.since(mark)} == {"GET"}
    assert planned["remove"] == {
        **{"story": 6, "folder": 1, "asset": 4, "asset_folder": 1},
        **{"datasource": 1, "component": 4},
    }
    mark = rich.mark()
    ended = rich.done("rollback", planned["hash"][:16])
    assert rich.calls(mark) == planned["calls"]["total"]
    assert rich.comparable() == before
    assert "as it was before: 17 objects removed, 0 left" in ended.out
    for line in (
        "to the trash, from where",
        "deleted for good: 1 asset folder, 1 data",
    ):
        assert line in ended.out
    assert rich.open_intents() == []
    assert NOTHING in rich.done("rollback").out
    assert imported(rich).comparable() == after
    rich.verified()


def test_an_unused_ledger_has_nothing_to_take_back(stage: Stage) -> None:
    """No ledger, or one of a plan alone: no call is made."""
    project = stage()
    mark = project.mark()
    assert NOTHING in project.done("rollback").out
    assert not (project.folder / "ledger.sqlite").exists()
    project.plan()
    mark = project.mark()
    assert project.done("rollback", "--json").document["plan"] is None
    assert project.since(mark) == []


def put(project: StagedProject, path: str, **changes: object) -> None:
    """Change a story's record as an editor would."""
    own = project.stories()[path].story_id
    project.api("PUT", f"/stories/{own}", {"story": changes})


def theirs(project: StagedProject) -> None:
    """Have people work in the space: on six of our objects, and on their own."""
    project.edit("records/record-1", title="Better")
    put(project, RECORD, name="Renamed")
    put(project, "records/record-3", slug="moved")
    put(project, "records/record-4", tag_list=["new"])
    own = project.stories()["records/record-6"].story_id
    project.api("GET", f"/stories/{own}/unpublish")
    record = project.space.component("record")
    field = {"type": "text", "pos": 9}
    body = {"name": "record", "schema": {**record["schema"], "own": field}}
    project.api("PUT", f"/components/{record['id']}", {"component": body})
    (source,) = (
        n for n, s in project.space.datasources.items() if s["slug"] == "moods"
    )
    entry = {"datasource_id": source, "name": "sad", "value": "sad"}
    project.api("POST", "/datasource_entries", {"datasource_entry": entry})


def test_what_somebody_changed_stays_with_all_that_it_needs(
    rich: StagedProject,
) -> None:
    """Each edit is named; what is saved again as it was is no edit."""
    before = rich.comparable()
    imported(rich)
    theirs(rich)
    same = rich.stories()["records/record-5"]
    put(rich, "records/record-5", content=same.content)
    kept = rich.comparable()
    found = left(rich)
    assert found[("story", "records/record-1")] == ("edited", ["content.title"])
    assert found[("story", RECORD)] == ("edited", ["name"])
    assert found[("story", "records/record-3")] == ("edited", ["slug"])
    assert found[("story", "records/record-4")] == ("edited", ["tag_list"])
    assert found[("story", "records/record-6")] == ("edited", ["published"])
    assert found[("component", "record")] == ("edited", ["schema.own"])
    assert found[("datasource", "moods")] == ("edited", ["entries.sad"])
    assert found[("folder", "records")] == ("holds", [])
    shown = {each for each, why in found.items() if why[0] == "used"}
    assert {kind for kind, _ in shown} == {"asset"}
    assert len(found) == 8 + len(shown) + (len(shown) > 0)
    still = rich.comparable()
    for part, rows in still.items():
        assert all(row in kept[part] for row in rows)
        assert all(row in rows for row in before[part])
    assert len(still["stories"]) == len(before["stories"]) + 6


def give_up(project: StagedProject, *edits: tuple[str, str]) -> None:
    """Decide that what somebody changed goes all the same."""
    rows = "".join(
        f"  - kind: {kind}\n    what: {what}\n    field: '*'\n    take: ours\n"
        for kind, what in edits
    )
    path = project.folder / "decisions" / "conflicts.yaml"
    path.write_text(f"edits:\n{rows}")


def test_what_somebody_changed_goes_by_decision(stage: Stage) -> None:
    """Named one by one, a file that somebody described included."""
    project = stage()
    before = imported(project).comparable()
    project.edit(RECORD, title="Better")
    asset = next(iter(project.space.assets))
    project.api("PUT", f"/assets/{asset}", {"asset": {"alt": "Described"}})
    name = project.space.assets[asset].key.rpartition("/")[2]
    shown = project.run("rollback", "--plan", "--json").document
    assert {each["what"]: each["fields"] for each in shown["left"]}[name] == ["alt"]
    give_up(project, ("story", RECORD), ("asset", name))
    drifted = project.run("rollback", shown["hash"])
    assert (drifted.code, f"file {name}" in drifted.err) == (1, True)
    assert f"story {RECORD} changed" in drifted.err
    assert project.comparable()["components"] == before["components"]
    project.done("rollback")
    assert not any(project.comparable().values())


def test_a_file_whose_bytes_an_editor_replaced_stays(stage: Stage) -> None:
    """Its record says nothing of it; the bytes at its address do."""
    project = imported(stage())
    (asset, *_) = project.space.assets.values()
    asset.data = b"a better picture"
    name = asset.key.rpartition("/")[2]
    assert left(project) == {("asset", name): ("edited", ["file"])}
    assert [*project.space.assets.values()] == [asset]
    give_up(project, ("asset", name))
    project.done("rollback")
    assert project.space.assets == {}


def test_a_file_whose_answer_was_damaged_once_goes(stage: Stage) -> None:
    """Other bytes are those of an editor when they are read twice."""
    damaged = Fault(("GET", r"/f/\d+/.*\.(jpg|png)$"), GARBAGE)
    damaged.over()
    project = imported(stage(damaged))
    damaged.at = (damaged.seen + 1,)
    project.done("rollback")
    assert damaged.hits == 1
    assert project.space.assets == {}


def test_a_folder_whose_content_type_an_editor_changed_stays(stage: Stage) -> None:
    """A decision about that edit is not one about the next."""
    project = imported(stage(demo_space=True))
    ours = [n for n, s in project.space.stories.items() if s.is_folder][-1]

    def choose(component: str) -> dict:
        body = {**project.space.stories[ours].body, "default_root": component}
        project.api("PUT", f"/stories/{ours}", {"story": body})
        found = project.run("rollback", "--plan", "--json").document["left"]
        (folder,) = [each for each in found if each["kind"] == "folder"]
        assert folder["fields"] == ["default_root"]
        return folder

    assert choose("page")["seen"] != choose("figure")["seen"]


def test_an_import_that_was_killed_leaves_nothing(
    stage: Stage, moody_site: Path
) -> None:
    """What was made and never recorded is found by looking."""
    fault = Fault(("", ""), CUT, then_dead=True)
    project = stage(fault, content=moody_site, settings="in_flight = 1")
    for change in RICH:
        project.decide(*change)
    for request, at, fault.mode in (
        (("POST", r"/datasource_entries$"), 2, CUT),
        (SIGN, 3, CUT),
        (CREATE_STORY, 1, CUT),
        (CREATE_STORY, 5, CUT),
        (UPDATE_STORY, 2, CUT),
    ):
        inject(fault, request, at)
        assert project.run("import").code == 7
        fault.over()
        project.done("rollback")
        assert not any(project.comparable().values()), (request, at)
        assert project.space.assets == {}
        assert project.open_intents() == []


def inject(fault: Fault, request: tuple[str, str], at: int) -> None:
    """Let the fault wait for a request from now on."""
    fault.request, fault.at, fault.seen, fault.hits = request, (at,), 0, 0


def test_a_rollback_that_was_killed_goes_on(stage: Stage, moody_site: Path) -> None:
    """At any deletion, by the same plan, or with an import instead."""
    fault = Fault(("", ""), CUT, then_dead=True)
    project = stage(fault, content=moody_site, settings="in_flight = 3")
    for change in RICH:
        project.decide(*change)
    fault.over()
    whole = imported(project).comparable()
    for at, fault.mode, finished in ((4, CUT, True), (9, UNSENT, False)):
        shown = project.done("rollback", "--plan", "--json").document["hash"]
        inject(fault, ("DELETE", ""), at)
        assert project.run("rollback", shown).code == 7
        fault.over()
        mark = project.mark()
        if finished:
            project.done("rollback", shown)
            assert not any(project.comparable().values())
            assert project.count("delete story", mark) <= 7 - (at - 1)
        project.done("import")
        assert project.comparable() == whole
        assert project.open_intents() == []


def test_a_path_that_is_left_out_gets_no_story_after_a_rollback(stage: Stage) -> None:
    """The ledger knows no story of it any more; what refers to it is not filled."""
    project = imported(stage())
    project.delete(RECORD)
    project.done("rollback")
    project.decide_gone(RECORD, "leave_out")
    planned = project.done("plan", "--json").document
    assert (planned["items"]["to_create"], planned["skipped"]) == (5, {"left_out": 1})
    mark = project.mark()
    project.done("import")
    assert project.calls(mark) == planned["calls"]["total"]
    assert project.outcome(RECORD)[:2] == ("skipped", "left_out")
    assert (RECORD in project.stories(), len(project.stories())) == (False, 5)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    project.decide("conflicts.yaml", "action: leave_out", "action: recreate")
    project.done("import")
    project.verified()
    assert len(project.stories()) == 6


def test_a_part_is_taken_back(stage: Stage) -> None:
    """Stories of items and of collections, nothing that they stand on; what links
    to them is left alone, and an import makes them anew."""
    project = stage()
    kept = imported(project).comparable()
    keys = project.rows("SELECT full_slug, item_id FROM items ORDER BY full_slug")
    (one, first), (two, second) = keys[:2]
    part = ("--collection", "records", "--item", first, "--item", second)
    shown = project.done("rollback", "--plan", *part, "--json").document
    assert {each["what"] for each in shown["objects"]} == {one, two}
    assert shown["remove"] == {"story": 2}
    mark = project.mark()
    project.done("rollback", shown["hash"])
    assert project.calls(mark) == shown["calls"]["total"]
    assert sorted(project.stories()) == [path for path, _ in keys[2:]]
    project.done("import")
    assert project.comparable() == kept
    project.done("rollback", "--collection", "records")
    assert (project.stories(), project.folders()) == ({}, ["records"])
    assert project.comparable()["components"] == kept["components"]
    assert project.run("rollback", "--collection", "nothing").code == 2
    assert project.run("rollback", "--item", "nothing").code == 2


def test_what_the_origin_no_longer_has_goes_too(stage: Stage) -> None:
    """A story that was unpublished by decision, one that was kept: nothing counts
    them any more."""
    project = stage()
    project.decide(*RICH[0])
    imported(project)
    delete_item(project, "record-2")
    delete_item(project, "record-3")
    decide_gone(project, RECORD, "unpublish")
    imported(project)
    assert project.status()["gone"]["total"] == 2
    project.done("rollback")
    assert not any(project.comparable().values())
    assert project.status()["gone"]["total"] == 0
    imported(project)
    assert project.status()["accounting"]["in"] == len(project.stories()) == 4


def test_what_an_import_deleted_and_an_editor_restored_stays(stage: Stage) -> None:
    """A rollback keeps it and names it, as any edit; a decision gives it up."""
    project = imported(stage())
    delete_item(project, "record-2")
    decide_gone(project, RECORD, "delete")
    imported(project)
    restored(project, RECORD)
    assert left(project)["story", RECORD] == ("edited", ["restored"])
    assert RECORD in project.stories()


def put_story(
    project: StagedProject, slug: str, content: dict, parent: int = 0
) -> None:
    """Make a story as an editor would."""
    body = {"name": slug, "slug": slug, "parent_id": parent, "content": content}
    project.api("POST", "/stories", {"story": body})


def test_what_others_use_of_ours_stays(stage: Stage) -> None:
    """Components of their stories, at the root and within, and folders they use."""
    project = imported(stage(demo_space=True))
    block = {"_uid": "b", "component": "figure"}
    put_story(project, "theirs", {"_uid": "p", "component": "page", "body": [block]})
    (folder,) = project.rows("SELECT destination_id FROM made WHERE kind = 'folder'")
    put_story(project, "inside", {"_uid": "r", "component": "record"}, *folder)
    kept = project.comparable()
    planned = project.done("rollback", "--plan", "--json").document
    mark = project.mark()
    found = left(project)
    assert project.calls(mark) == planned["calls"]["total"]
    assert found == {
        ("component", "figure"): ("used", []),
        ("component", "record"): ("used", []),
        ("folder", "records"): ("holds", []),
    }
    still = project.comparable()["stories"]
    assert [row for row in kept["stories"] if row["name"] in ("theirs", "inside")] == [
        row for row in still if row["name"] in ("theirs", "inside")
    ]
    assert imported(project).comparable() == kept


@dataclass
class Meanwhile:
    """A middleware: somebody does something just before a request is answered."""

    when: Callable[[Call], bool]
    deed: Callable[[], None] | None = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if self.deed is not None and self.when(call):
            deed, self.deed = self.deed, None
            deed()
        return await answer(call)


def test_what_changes_after_the_plan_was_made_stays(stage: Stage) -> None:
    """A story that was listed again, and what it may stand on; a component after."""
    listed = Meanwhile(lambda call: bool(call.parameter("by_ids")))
    deleting = Meanwhile(lambda call: call.method == "DELETE")
    project = imported(stage(listed, deleting))

    def save() -> None:
        story = project.stories()[RECORD]
        story.body = {**story.body, "content": {**story.content, "title": "Better"}}
        story.updated_at = "2099-01-01T00:00:00.000Z"

    listed.deed = save
    found = left(project)
    assert found.pop(("story", RECORD))[0] == "edited"
    assert found.pop(("folder", "records"))[0] == "holds"
    assert {reason for reason, _ in found.values()} == {"waits"}
    assert sorted(project.stories()) == [RECORD]
    give_up(project, ("story", RECORD))

    def rename() -> None:
        project.space.component("record")["display_name"] = "Theirs"

    deleting.deed = rename
    assert left(project) == {("component", "record"): ("edited", [])}
    assert project.components() == ["record"]


def test_a_reply_that_is_lost_is_looked_for(stage: Stage) -> None:
    """No deletion that was applied is sent again; one that is refused is listed."""
    fault = Fault(("DELETE", "/(stories|assets)/"), CUT, at=())
    fault.over()
    project = imported(stage(fault, settings="in_flight = 2"))
    project.space.default_root = "record"
    fault.at = ()
    mark = project.mark()
    assert left(project) == {("component", "record"): ("refused", [])}
    deleted = [each.path for each in project.since(mark) if each.method == "DELETE"]
    stories = [path for path in deleted if "/stories/" in path or "/assets/" in path]
    assert len(stories) == len(set(stories)) == 6 + 1 + 4
    assert project.open_intents() == []
