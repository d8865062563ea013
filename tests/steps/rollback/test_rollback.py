"""What an import brought is taken back: exactly that, to the call, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.desk import Desk, Stage
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


def imported(desk: Desk) -> Desk:
    desk.done("import")
    return desk


def left(desk: Desk) -> dict[tuple[str, str], tuple[str, list[str]]]:
    """Take back what goes; return why and in what the rest was edited."""
    ended = desk.run("rollback", "--json")
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
def rich(stage: Stage, moody_site: Path) -> Desk:
    """Return a project that makes every kind of object, in a space of others."""
    desk = stage(content=moody_site, demo_space=True)
    for change in RICH:
        desk.decide(*change)
    return desk


def test_a_finished_import_leaves_nothing(rich: Desk) -> None:
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
    desk = stage()
    mark = desk.mark()
    assert NOTHING in desk.done("rollback").out
    assert not (desk.folder / "ledger.sqlite").exists()
    desk.plan()
    mark = desk.mark()
    assert desk.done("rollback", "--json").document["plan"] is None
    assert desk.since(mark) == []


def put(desk: Desk, path: str, **changes: object) -> None:
    """Change a story's record as an editor would."""
    own = desk.stories()[path].story_id
    desk.api("PUT", f"/stories/{own}", {"story": changes})


def theirs(desk: Desk) -> None:
    """Have people work in the space: on six of our objects, and on their own."""
    desk.edit("records/record-1", title="Better")
    put(desk, RECORD, name="Renamed")
    put(desk, "records/record-3", slug="moved")
    put(desk, "records/record-4", tag_list=["new"])
    own = desk.stories()["records/record-6"].story_id
    desk.api("GET", f"/stories/{own}/unpublish")
    record = desk.space.component("record")
    field = {"type": "text", "pos": 9}
    body = {"name": "record", "schema": {**record["schema"], "own": field}}
    desk.api("PUT", f"/components/{record['id']}", {"component": body})
    (source,) = (n for n, s in desk.space.datasources.items() if s["slug"] == "moods")
    entry = {"datasource_id": source, "name": "sad", "value": "sad"}
    desk.api("POST", "/datasource_entries", {"datasource_entry": entry})


def test_what_somebody_changed_stays_with_all_that_it_needs(rich: Desk) -> None:
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


def give_up(desk: Desk, *edits: tuple[str, str]) -> None:
    """Decide that what somebody changed goes all the same."""
    rows = "".join(
        f"  - kind: {kind}\n    what: {what}\n    field: '*'\n    take: ours\n"
        for kind, what in edits
    )
    path = desk.folder / "decisions" / "conflicts.yaml"
    path.write_text(f"edits:\n{rows}")


def test_what_somebody_changed_goes_by_decision(stage: Stage) -> None:
    """Named one by one, a file that somebody described included."""
    desk = stage()
    before = imported(desk).comparable()
    desk.edit(RECORD, title="Better")
    asset = next(iter(desk.space.assets))
    desk.api("PUT", f"/assets/{asset}", {"asset": {"alt": "Described"}})
    name = desk.space.assets[asset].key.rpartition("/")[2]
    shown = desk.run("rollback", "--plan", "--json").document
    assert {each["what"]: each["fields"] for each in shown["left"]}[name] == ["alt"]
    give_up(desk, ("story", RECORD), ("asset", name))
    drifted = desk.run("rollback", shown["hash"])
    assert (drifted.code, f"file {name}" in drifted.err) == (1, True)
    assert f"story {RECORD} changed" in drifted.err
    assert desk.comparable()["components"] == before["components"]
    desk.done("rollback")
    assert not any(desk.comparable().values())


def test_a_file_whose_bytes_an_editor_replaced_stays(stage: Stage) -> None:
    """Its record says nothing of it; the bytes at its address do."""
    desk = imported(stage())
    (asset, *_) = desk.space.assets.values()
    asset.data = b"a better picture"
    name = asset.key.rpartition("/")[2]
    assert left(desk) == {("asset", name): ("edited", ["file"])}
    assert [*desk.space.assets.values()] == [asset]
    give_up(desk, ("asset", name))
    desk.done("rollback")
    assert desk.space.assets == {}


def test_a_file_whose_answer_was_damaged_once_goes(stage: Stage) -> None:
    """Other bytes are those of an editor when they are read twice."""
    damaged = Fault(("GET", r"/f/\d+/.*\.(jpg|png)$"), GARBAGE)
    damaged.over()
    desk = imported(stage(damaged))
    damaged.at = (damaged.seen + 1,)
    desk.done("rollback")
    assert damaged.hits == 1
    assert desk.space.assets == {}


def test_a_folder_whose_content_type_an_editor_changed_stays(stage: Stage) -> None:
    """A decision about that edit is not one about the next."""
    desk = imported(stage(demo_space=True))
    ours = [n for n, s in desk.space.stories.items() if s.is_folder][-1]

    def choose(component: str) -> dict:
        body = {**desk.space.stories[ours].body, "default_root": component}
        desk.api("PUT", f"/stories/{ours}", {"story": body})
        found = desk.run("rollback", "--plan", "--json").document["left"]
        (folder,) = [each for each in found if each["kind"] == "folder"]
        assert folder["fields"] == ["default_root"]
        return folder

    assert choose("page")["seen"] != choose("figure")["seen"]


def test_an_import_that_was_killed_leaves_nothing(
    stage: Stage, moody_site: Path
) -> None:
    """What was made and never recorded is found by looking."""
    fault = Fault(("", ""), CUT, then_dead=True)
    desk = stage(fault, content=moody_site, settings="in_flight = 1")
    for change in RICH:
        desk.decide(*change)
    for request, at, fault.mode in (
        (("POST", r"/datasource_entries$"), 2, CUT),
        (SIGN, 3, CUT),
        (CREATE_STORY, 1, CUT),
        (CREATE_STORY, 5, CUT),
        (UPDATE_STORY, 2, CUT),
    ):
        inject(fault, request, at)
        assert desk.run("import").code == 7
        fault.over()
        desk.done("rollback")
        assert not any(desk.comparable().values()), (request, at)
        assert desk.space.assets == {}
        assert desk.open_intents() == []


def inject(fault: Fault, request: tuple[str, str], at: int) -> None:
    """Let the fault wait for a request from now on."""
    fault.request, fault.at, fault.seen, fault.hits = request, (at,), 0, 0


def test_a_rollback_that_was_killed_goes_on(stage: Stage, moody_site: Path) -> None:
    """At any deletion, by the same plan, or with an import instead."""
    fault = Fault(("", ""), CUT, then_dead=True)
    desk = stage(fault, content=moody_site, settings="in_flight = 3")
    for change in RICH:
        desk.decide(*change)
    fault.over()
    whole = imported(desk).comparable()
    for at, fault.mode, finished in ((4, CUT, True), (9, UNSENT, False)):
        shown = desk.done("rollback", "--plan", "--json").document["hash"]
        inject(fault, ("DELETE", ""), at)
        assert desk.run("rollback", shown).code == 7
        fault.over()
        mark = desk.mark()
        if finished:
            desk.done("rollback", shown)
            assert not any(desk.comparable().values())
            assert desk.count("delete story", mark) <= 7 - (at - 1)
        desk.done("import")
        assert desk.comparable() == whole
        assert desk.open_intents() == []


def test_a_part_is_taken_back(stage: Stage) -> None:
    """Stories of items and of collections, nothing that they stand on; what links
    to them is left alone, and an import makes them anew."""
    desk = stage()
    kept = imported(desk).comparable()
    keys = desk.rows("SELECT full_slug, item_id FROM items ORDER BY full_slug")
    (one, first), (two, second) = keys[:2]
    part = ("--collection", "records", "--item", first, "--item", second)
    shown = desk.done("rollback", "--plan", *part, "--json").document
    assert {each["what"] for each in shown["objects"]} == {one, two}
    assert shown["remove"] == {"story": 2}
    mark = desk.mark()
    desk.done("rollback", shown["hash"])
    assert desk.calls(mark) == shown["calls"]["total"]
    assert sorted(desk.stories()) == [path for path, _ in keys[2:]]
    desk.done("import")
    assert desk.comparable() == kept
    desk.done("rollback", "--collection", "records")
    assert (desk.stories(), desk.folders()) == ({}, ["records"])
    assert desk.comparable()["components"] == kept["components"]
    assert desk.run("rollback", "--collection", "nothing").code == 2
    assert desk.run("rollback", "--item", "nothing").code == 2


def test_what_the_origin_no_longer_has_goes_too(stage: Stage) -> None:
    """A story that was unpublished by decision, one that was kept: nothing counts
    them any more."""
    desk = stage()
    desk.decide(*RICH[0])
    imported(desk)
    delete_item(desk, "record-2")
    delete_item(desk, "record-3")
    decide_gone(desk, RECORD, "unpublish")
    imported(desk)
    assert desk.status()["gone"]["total"] == 2
    desk.done("rollback")
    assert not any(desk.comparable().values())
    assert desk.status()["gone"]["total"] == 0
    imported(desk)
    assert desk.status()["accounting"]["in"] == len(desk.stories()) == 4


def put_story(desk: Desk, slug: str, content: dict, parent: int = 0) -> None:
    """Make a story as an editor would."""
    body = {"name": slug, "slug": slug, "parent_id": parent, "content": content}
    desk.api("POST", "/stories", {"story": body})


def test_what_others_use_of_ours_stays(stage: Stage) -> None:
    """Components of their stories, at the root and within, and folders they use."""
    desk = imported(stage(demo_space=True))
    block = {"_uid": "b", "component": "figure"}
    put_story(desk, "theirs", {"_uid": "p", "component": "page", "body": [block]})
    (folder,) = desk.rows("SELECT destination_id FROM made WHERE kind = 'folder'")
    put_story(desk, "inside", {"_uid": "r", "component": "record"}, *folder)
    kept = desk.comparable()
    planned = desk.done("rollback", "--plan", "--json").document
    mark = desk.mark()
    found = left(desk)
    assert desk.calls(mark) == planned["calls"]["total"]
    assert found == {
        ("component", "figure"): ("used", []),
        ("component", "record"): ("used", []),
        ("folder", "records"): ("holds", []),
    }
    still = desk.comparable()["stories"]
    assert [row for row in kept["stories"] if row["name"] in ("theirs", "inside")] == [
        row for row in still if row["name"] in ("theirs", "inside")
    ]
    assert imported(desk).comparable() == kept


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
    desk = imported(stage(listed, deleting))

    def save() -> None:
        story = desk.stories()[RECORD]
        story.body = {**story.body, "content": {**story.content, "title": "Better"}}
        story.updated_at = "2099-01-01T00:00:00.000Z"

    listed.deed = save
    found = left(desk)
    assert found.pop(("story", RECORD))[0] == "edited"
    assert found.pop(("folder", "records"))[0] == "holds"
    assert {reason for reason, _ in found.values()} == {"waits"}
    assert sorted(desk.stories()) == [RECORD]
    give_up(desk, ("story", RECORD))

    def rename() -> None:
        desk.space.component("record")["display_name"] = "Theirs"

    deleting.deed = rename
    assert left(desk) == {("component", "record"): ("edited", [])}
    assert desk.components() == ["record"]


def test_a_reply_that_is_lost_is_looked_for(stage: Stage) -> None:
    """No deletion that was applied is sent again; one that is refused is listed."""
    fault = Fault(("DELETE", "/(stories|assets)/"), CUT, at=())
    fault.over()
    desk = imported(stage(fault, settings="in_flight = 2"))
    desk.space.default_root = "record"
    fault.at = ()
    mark = desk.mark()
    assert left(desk) == {("component", "record"): ("refused", [])}
    deleted = [each.path for each in desk.since(mark) if each.method == "DELETE"]
    stories = [path for path in deleted if "/stories/" in path or "/assets/" in path]
    assert len(stories) == len(set(stories)) == 6 + 1 + 4
    assert desk.open_intents() == []
