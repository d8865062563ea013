"""What an import brought and the space no longer has: told, and made again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.desk import Desk, Stage, exactly_one_of_everything
from tests.support.steps.emptying import KINDS, delete, emptied, restarted, restored
from tests.support.steps.faults import (
    CREATE_STORY,
    CUT,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.origin_edits import edit_items

RECORD = "records/record-2"
RICH = (
    ("collections.yaml", "    publish: nothing", "    publish: what_is_live"),
    ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
)


def imported(desk: Desk) -> Desk:
    desk.done("import")
    return desk


def whole_again(desk: Desk, before: dict) -> None:
    """Insist that the space is as it was before, and that nothing is left to do."""
    assert desk.comparable() == before
    exactly_one_of_everything(desk)
    desk.verified()
    assert desk.done("import", "--json").document["writes"] == 0
    assert desk.done("plan", "--json").document["gone"] == {}


@pytest.mark.parametrize("lose", [emptied, restarted])
def test_an_emptied_space_is_told_and_nothing_counts_as_created(
    stage: Stage, lose: Callable[[Desk], None]
) -> None:
    """By kind, with names and counts, exit 1; the import writes nothing."""
    desk = imported(stage())
    lose(desk)
    planned = desk.run("plan", "--json")
    assert planned.code == 1
    gone = planned.document["gone"]
    assert {kind: len(names) for kind, names in gone.items()} == {
        **{"stories": 6, "folders": 1, "components": 4, "files": 4}
    }
    assert gone["stories"][0] == "records/record-1"
    assert gone["folders"] == ["records"]
    assert "record" in gone["components"]
    for part in ("6 stories (records/record-1, ", "1 folder (records)", "4 files ("):
        assert part in planned.err
    assert "`cmsmig import --recreate`" in planned.err
    items = planned.document["items"]
    assert (items["already_there"], items["to_create"], items["gone"]) == (0, 0, 6)

    number = desk.mark()
    ended = desk.run("import")
    assert ended.code == 1
    assert "6 stories (records/record-1, " in ended.err
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert desk.calls(number) == planned.document["calls"]["total"]
    told = desk.status()
    assert (told["accounting"]["created"], told["accounting"]["failed"]) == (0, 6)
    assert (told["assets"]["proven"], told["assets"]["failed"]) == (0, 4)
    assert {each["reason"] for each in told["failed"]} == {"deleted_since"}


@pytest.mark.parametrize(("lose", "told_before"), [(emptied, False), (restarted, True)])
def test_an_emptied_space_is_filled_again_by_the_calls_that_the_plan_says(
    stage: Stage, small_site: Path, lose: Callable[[Desk], None], told_before: bool
) -> None:
    """Stories, publication, files, folders, components: as after the first import."""
    desk = stage(content=small_site)
    for change in RICH:
        desk.decide(*change)
    before = imported(desk).comparable()
    lose(desk)
    if told_before:
        assert desk.run("import").code == 1
    planned = desk.done("plan", "--recreate", "--json").document
    assert (planned["items"]["to_create"], planned["calls"]["sign_uploads"]) == (47, 12)
    number = desk.mark()
    desk.done("import", "--recreate")
    assert desk.calls(number) == planned["calls"]["total"]
    whole_again(desk, before)


@pytest.mark.parametrize("shows_trash", [False, True])
def test_a_story_in_the_trash_is_not_there(stage: Stage, shows_trash: bool) -> None:
    """Whether a read of it answers 200 or 404: listed, and nobody writes into it."""
    desk = imported(stage())
    desk.space.unknowns = replace(desk.space.unknowns, shows_trash=shows_trash)
    desk.delete(RECORD)
    number = desk.mark()
    assert desk.run("import").code == 1
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert desk.outcome(RECORD)[:2] == ("failed", "deleted_since")
    assert desk.codes() == ["story_gone"]
    (found,) = desk.run("verify", "--json").document["differences"]
    assert "`cmsmig import --recreate`" in found["text"]
    # The very command that verification names.
    desk.done("import", "--recreate")
    desk.verified()


def test_what_refers_to_a_story_made_again_follows_it(stage: Stage) -> None:
    """One create and the updates of it and of those that refer to it; no more."""
    desk = stage()
    before = imported(desk).comparable()
    old = desk.stories()[RECORD].uuid
    referring = [
        slug for slug, each in desk.stories().items() if old in json.dumps(each.content)
    ]
    assert len(referring) == 2
    desk.delete(RECORD)
    number = desk.mark()
    desk.done("import", "--recreate")
    assert desk.count("create story", number) == 1
    assert desk.count("update story", number) == 1 + len(referring)
    new = desk.stories()[RECORD].uuid
    assert new != old
    contents = [json.dumps(each.content) for each in desk.stories().values()]
    assert [sum(one in each for each in contents) for one in (old, new)] == [0, 2]
    whole_again(desk, before)


def test_a_file_deleted_there_is_brought_again_by_decision(stage: Stage) -> None:
    """Until then no story is written for it; afterwards they hold the new address."""
    desk = stage()
    before = imported(desk).comparable()
    lost = min(desk.space.assets)
    delete(desk, "assets", lost)
    number = desk.mark()
    ended = desk.run("import", "--json")
    assert (ended.code, ended.document["failed_assets"]) == (1, 1)
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert desk.codes() == ["asset_gone"]
    desk.done("import", "--recreate")
    assert lost not in desk.space.assets
    assert str(lost) not in json.dumps([s.content for s in desk.stories().values()])
    whole_again(desk, before)


def test_a_file_without_its_bytes_is_brought_again_over_its_record(
    stage: Stage,
) -> None:
    """What verification finds and names a command for, that command mends."""
    desk = stage()
    before = imported(desk).comparable()
    lost = min(desk.space.assets)
    desk.space.assets[lost].data = None
    assert desk.codes() == ["asset_gone"]
    planned = desk.done("plan", "--recreate", "--json").document
    assert planned["calls"]["sign_uploads"] == 1
    number = desk.mark()
    desk.done("import", "--recreate")
    assert desk.calls(number) == planned["calls"]["total"]
    assert len(desk.space.assets) == 4
    whole_again(desk, before)


def test_a_component_that_is_gone_is_not_made_again_unasked(stage: Stage) -> None:
    """Nothing is brought that would stand on it; then it costs one call."""
    desk = stage()
    before = imported(desk).comparable()
    (record,) = [n for n, c in desk.space.components.items() if c["name"] == "record"]
    delete(desk, "components", record)
    number = desk.mark()
    for command in ("prepare", "create", "import"):
        ended = desk.run(command)
        assert (ended.code, "1 component (record)" in ended.err) == (1, True)
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert desk.done("prepare", "--recreate", "--json").document["writes"] == 1
    whole_again(desk, before)


def test_step_by_step_is_as_good_as_all_at_once(stage: Stage) -> None:
    """What was said to one step counts for those after it."""
    desk = stage()
    before = imported(desk).comparable()
    emptied(desk)
    desk.done("prepare", "--recreate")
    desk.done("create")
    desk.done("link")
    whole_again(desk, before)


def test_a_step_that_would_make_it_half_way_is_refused(stage: Stage) -> None:
    """Relations are not taken out for a story that this step does not make."""
    desk = imported(stage())
    desk.delete(RECORD)
    number = desk.mark()
    ended = desk.run("link", "--recreate")
    assert (ended.code, "`cmsmig import --recreate`" in ended.err) == (2, True)
    emptied(desk)
    assert desk.run("create", "--recreate").code == 2
    assert {e.method for e in desk.since(number)} <= {"GET", "DELETE"}
    assert desk.rows("SELECT count(*) FROM item WHERE home_id IS NULL") == [(0,)]


def test_a_dry_run_shows_it_and_remembers_nothing(stage: Stage) -> None:
    """Neither service nor ledger is written; the accounting tells the truth."""
    desk = imported(stage())
    emptied(desk)
    number, rows = desk.mark(), desk.rows("SELECT * FROM item")
    ended = desk.run("import", "--dry-run", "--json")
    assert (ended.code, ended.document["accounting"]["created"]) == (1, 0)
    ended = desk.run("import", "--dry-run", "--recreate", "--json")
    assert (ended.code, ended.document["accounting"]["open"]) == (0, 6)
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert desk.rows("SELECT * FROM item") == rows


def test_an_edit_of_what_was_restored_is_in_the_plan(stage: Stage) -> None:
    """Edited, deleted, told as gone, changed at the origin, restored: a conflict."""
    desk = stage()
    desk.done("import")
    desk.edit(RECORD, position="4711")
    desk.delete(RECORD)
    assert desk.run("import").code == 1
    slug = RECORD.rpartition("/")[2]

    def moved(item: dict) -> dict:
        data = item["fieldData"]
        number = 12 if data["slug"] == slug else data["position"]
        return {**item, "fieldData": {**data, "position": number}}

    edit_items(desk, moved)
    restored(desk, RECORD)
    (conflict,) = desk.plan()["edit_conflicts"]
    assert (conflict["what"], conflict["field"]) == (RECORD, "content.position")
    assert (conflict["ours"], conflict["theirs"]) == ("12", "4711")


def test_what_was_restored_counts_again(stage: Stage) -> None:
    """Nothing is written for it, and nothing is left listed."""
    desk = stage()
    before = imported(desk).comparable()
    desk.delete(RECORD)
    assert desk.run("import").code == 1
    restored(desk, RECORD)
    assert desk.done("import", "--json").document["writes"] == 0
    assert desk.outcome(RECORD)[0] == "created"
    whole_again(desk, before)


def test_what_nothing_needs_any_more_may_go(stage: Stage) -> None:
    """A story, a component and a folder of a former decision: forgotten, exit 0."""
    desk = imported(stage())
    desk.decide("design.yaml", "component: record", "component: entry")
    desk.done("import")
    (old,) = [n for n, c in desk.space.components.items() if c["name"] == "record"]
    delete(desk, "components", old)
    desk.done("import")
    assert desk.rows("SELECT 1 FROM made WHERE name = 'record'") == []
    assert desk.run("verify").code == 0


def test_a_file_that_nothing_needs_any_more_is_no_difference(stage: Stage) -> None:
    """Deleted there after the items that showed it lost all but their names."""
    desk = imported(stage())
    for own in list(desk.space.assets):
        delete(desk, "assets", own)
    assert "asset_gone" in desk.codes()
    named = ("name", "slug")
    edit_items(
        desk,
        lambda item: {
            **item,
            "fieldData": {name: item["fieldData"][name] for name in named},
        },
    )
    assert "asset_gone" not in desk.codes()
    desk.done("import")
    desk.verified()


@dataclass
class Hidden:
    """A middleware: lists do not show some things that are there."""

    path: str
    key: str
    ids: set[int] = field(default_factory=set)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        reply = await answer(call)
        if call.method == "GET" and call.path.endswith(self.path):
            body = json.loads(reply.body)
            rows = [each for each in body[self.key] if each["id"] not in self.ids]
            text = json.dumps({**body, self.key: rows}).encode()
            return replace(reply, body=text, headers=(("Total", str(len(rows))),))
        return reply


@pytest.mark.parametrize("kind", ["stories", "components", "assets"])
def test_what_a_list_lacks_is_read_before_it_counts_as_gone(
    stage: Stage, kind: str
) -> None:
    """A list that lags makes nothing gone; each look is a call that is planned."""
    hidden = Hidden(f"/{kind}", kind)
    desk = imported(stage(hidden))
    hidden.ids = set(list(getattr(desk.space, kind))[-2:])
    planned = desk.plan()
    assert planned["gone"] == {}
    assert planned["calls"]["read_what_lists_lack"] == len(hidden.ids)
    number = desk.mark()
    ended = desk.done("import", "--recreate", "--json").document
    assert ended["writes"] == 0
    assert desk.calls(number) == planned["calls"]["total"]
    hidden.ids = set()
    exactly_one_of_everything(desk)


def test_a_story_with_another_uuid_at_its_place_is_not_gone(stage: Stage) -> None:
    """Somebody had it given a new one: nothing is written, nothing is made twice."""
    desk = imported(stage())
    own, uuid = desk.stories()[RECORD].story_id, "0e7f2a52-5a3b-4d51-9c2b-7f0f5cde1a11"
    desk.api("PUT", f"/stories/{own}/update_uuid?uuid={uuid}")
    assert desk.done("import", "--recreate", "--json").document["writes"] == 0
    assert len(desk.stories()) == 6


@pytest.mark.parametrize("flags", [(), ("--recreate",)])
def test_what_goes_after_the_plan_is_drift(stage: Stage, flags: tuple) -> None:
    """A plan of nothing to do does not become one of everything."""
    desk = imported(stage())
    shown = desk.done("plan", *flags, "--json").document["hash"]
    emptied(desk)
    number = desk.mark()
    ended = desk.run("import", "--plan", shown, *flags)
    assert ended.code == 1
    for each in (f"story {RECORD}", "component record", "folder records", "file "):
        assert f"destination: {each}" in ended.err
    assert "destination: component record is gone" in ended.err
    assert {each.method for each in desk.since(number)} == {"GET"}


def test_a_plan_holds_for_the_flag_that_it_was_made_with(stage: Stage) -> None:
    """To make things again is a decision, and a plan without it is another plan."""
    desk = imported(stage())
    desk.delete(RECORD)
    shown = desk.run("plan", "--json").document["hash"]
    ended = desk.run("import", "--plan", shown, "--recreate")
    assert (ended.code, "decisions: recreate" in ended.err) == (1, True)


@pytest.mark.parametrize(
    ("request_kind", "at", "mode"),
    [
        (("POST", r"/components$"), 1, UNSENT),
        (CREATE_STORY, 1, CUT),
        (CREATE_STORY, 4, CUT),
        (SIGN, 3, UNSENT),
        (UPDATE_STORY, 3, CUT),
    ],
    ids=["component", "folder", "story", "asset", "update"],
)
def test_a_killed_run_goes_on_by_the_same_plan(
    stage: Stage, request_kind: tuple[str, str], at: int, mode: str
) -> None:
    """What it made again is no drift, and nothing is made twice."""
    fault = Fault(request_kind, mode, then_dead=True)
    fault.over()
    desk = stage(fault, settings="in_flight = 1")
    before = imported(desk).comparable()
    emptied(desk)
    shown = desk.done("plan", "--recreate", "--json").document["hash"]
    fault.at, fault.seen = (at,), 0
    assert desk.run("import", "--recreate", "--plan", shown).code == 7
    fault.over()
    desk.done("import", "--recreate", "--plan", shown)
    whole_again(desk, before)


@pytest.mark.parametrize("seed", range(2))
def test_anything_may_go_and_comes_back(
    stage: Stage, small_site: Path, seed: int
) -> None:
    """Any part of a space is lost, and the run that brings it back is killed."""
    drawn = random.Random(f"gone {seed}")
    kind = drawn.choice([CREATE_STORY, UPDATE_STORY, SIGN])
    fault = Fault(kind, drawn.choice([CUT, UNSENT]), then_dead=True)
    fault.over()
    desk = stage(fault, content=small_site)
    for change in RICH:
        desk.decide(*change)
    before = imported(desk).comparable()
    # Files that outlive their folder are moved, which is not to be gone.
    for name in sorted(set(KINDS) - {"asset_folders"}):
        own = list(getattr(desk.space, name))
        for each in drawn.sample(own, k=drawn.randint(0, len(own))):
            delete(desk, name, each)
    if drawn.random() < 0.5:
        assert desk.run("import").code == 1
    fault.at, fault.seen = (drawn.randint(1, 4),), 0
    desk.run("import", "--recreate")
    fault.over()
    desk.done("import", "--recreate")
    whole_again(desk, before)


def test_what_is_gone_is_decided_one_by_one(stage: Stage) -> None:
    """One is made again, one stays away; the third waits and is told."""
    desk = imported(stage())
    for number in (1, 2, 3):
        desk.delete(f"records/record-{number}")
    desk.decide_gone("records/record-1", "recreate")
    desk.decide_gone("records/record-2", "leave_out")
    ended = desk.run("import")
    assert ended.code == 1
    assert "records/record-1" in desk.stories()
    assert {f"records/record-{n}" for n in (2, 3)}.isdisjoint(desk.stories())
    assert desk.outcome(RECORD)[:2] == ("skipped", "left_out")
    assert desk.outcome("records/record-3")[:2] == ("failed", "deleted_since")
    next_of = {
        path: str(story.content["next"]) for path, story in desk.stories().items()
    }
    assert next_of["records/record-1"] == "", "nothing refers to what stays away"
    found = desk.run("verify", "--json").document["differences"]
    assert [(each["code"], "record-3" in each["text"]) for each in found] == [
        ("story_gone", True)
    ]
    desk.decide_gone("records/record-3", "leave_out")
    desk.done("import")
    assert desk.done("verify", "--json").document["differences"] == []
    assert desk.done("import", "--json").document["writes"] == 0
    told = desk.status()["accounting"]
    assert (told["created"], told["skipped"], told["failed"]) == (4, 2, 0)


@dataclass
class Trash:
    """A service that goes on answering with what was deleted, in lists too."""

    marks: str = ""
    """Records whose address ends in this have a date of deletion."""
    lists: bool = True

    async def __call__(self, call: Call, answer: Next) -> Reply:
        reply = await answer(call)
        if not self.marks or call.method != "GET" or "/v1/" not in call.path:
            return reply
        body = json.loads(reply.body)
        for value in [*body.values(), body]:
            listed = value if isinstance(value, list) and self.lists else [value]
            for each in listed:
                if not isinstance(each, dict):
                    continue
                names = (each.get(key) for key in ("full_slug", "filename", "name"))
                if any(str(name).endswith(self.marks) for name in names):
                    each["deleted_at"] = "2026-11-01T08:00:00.000Z"
        return replace(reply, body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("marks", "kind"),
    [
        ("records/record-2", "stories"),
        ("records", "folders"),
        ("plate-00000.jpg", "files"),
        ("Old site", "asset_folders"),
    ],
)
def test_what_has_a_date_of_deletion_is_gone(
    stage: Stage, marks: str, kind: str
) -> None:
    """For the plan, for an import, and for a rollback, which leaves it alone."""
    trash = Trash()
    desk = stage(trash)
    for file, old, new in RICH:
        desk.decide(file, old, new)
    desk.done("import")
    whole = desk.done("rollback", "--plan", "--json").document
    trash.marks = marks
    planned = desk.run("plan", "--json")
    assert (planned.code, kind in planned.document["gone"]) == (1, True)
    assert desk.run("import").code == 1
    number = desk.mark()
    left = desk.done("rollback", "--plan", "--json").document
    assert (whole["already_gone"], sum(left["already_gone"].values())) == ({}, 1)
    assert {each.method for each in desk.since(number)} == {"GET"}


def test_a_create_whose_story_is_in_the_trash_ends_no_run(stage: Stage) -> None:
    """A list that lags behind shows it still; its own record has the date."""
    fault = Fault(CREATE_STORY, CUT, item="record-2", then_dead=True)
    trash = Trash(lists=False)
    desk = stage(fault, trash)
    assert desk.run("import").code != 0
    fault.over()
    trash.marks = RECORD
    assert desk.run("import").code == 1
    assert desk.outcome(RECORD)[:2] == ("failed", "conflict")
    assert len(desk.stories()) == 6
