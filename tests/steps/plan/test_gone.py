"""What an import brought and the space no longer has: told, and made again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply
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
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)

RECORD = "records/record-2"
RICH = (
    ("collections.yaml", "    publish: nothing", "    publish: what_is_live"),
    ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
)


def imported(project: StagedProject) -> StagedProject:
    project.done("import")
    return project


def whole_again(project: StagedProject, before: dict) -> None:
    """Insist that the space is as it was before, and that nothing is left to do."""
    assert project.comparable() == before
    exactly_one_of_everything(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    assert project.done("plan", "--json").document["gone"] == {}


@pytest.mark.parametrize("lose", [emptied, restarted])
def test_an_emptied_space_is_told_and_nothing_counts_as_created(
    stage: Stage, lose: Callable[[StagedProject], None]
) -> None:
    """By kind, with names and counts, exit 1; the import writes nothing."""
    project = imported(stage())
    lose(project)
    planned = project.run("plan", "--json")
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

    number = project.mark()
    ended = project.run("import")
    assert ended.code == 1
    assert "6 stories (records/record-1, " in ended.err
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.calls(number) == planned.document["calls"]["total"]
    told = project.status()
    assert (told["accounting"]["created"], told["accounting"]["failed"]) == (0, 6)
    assert (told["assets"]["proven"], told["assets"]["failed"]) == (0, 4)
    assert {each["reason"] for each in told["failed"]} == {"deleted_since"}


@pytest.mark.parametrize(("lose", "told_before"), [(emptied, False), (restarted, True)])
def test_an_emptied_space_is_filled_again_by_the_calls_that_the_plan_says(
    stage: Stage,
    small_site: Path,
    lose: Callable[[StagedProject], None],
    told_before: bool,
) -> None:
    """Stories, publication, files, folders, components: as after the first import."""
    project = stage(content=small_site)
    for change in RICH:
        project.decide(*change)
    before = imported(project).comparable()
    lose(project)
    if told_before:
        assert project.run("import").code == 1
    planned = project.done("plan", "--recreate", "--json").document
    assert (planned["items"]["to_create"], planned["calls"]["sign_uploads"]) == (47, 12)
    number = project.mark()
    project.done("import", "--recreate")
    assert project.calls(number) == planned["calls"]["total"]
    whole_again(project, before)


@pytest.mark.parametrize("shows_trash", [False, True])
def test_a_story_in_the_trash_is_not_there(stage: Stage, shows_trash: bool) -> None:
    """Whether a read of it answers 200 or 404: listed, and nobody writes into it."""
    project = imported(stage())
    project.space.unknowns = replace(project.space.unknowns, shows_trash=shows_trash)
    project.delete(RECORD)
    number = project.mark()
    assert project.run("import").code == 1
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.outcome(RECORD)[:2] == ("failed", "deleted_since")
    assert project.codes() == ["story_gone"]
    (found,) = project.run("verify", "--json").document["differences"]
    assert "`cmsmig import --recreate`" in found["text"]
    # The very command that verification names.
    project.done("import", "--recreate")
    project.verified()


def test_what_refers_to_a_story_made_again_follows_it(stage: Stage) -> None:
    """One create and the updates of it and of those that refer to it; no more."""
    project = stage()
    before = imported(project).comparable()
    old = project.stories()[RECORD].uuid
    referring = [
        slug
        for slug, each in project.stories().items()
        if old in json.dumps(each.content)
    ]
    assert len(referring) == 2
    project.delete(RECORD)
    number = project.mark()
    project.done("import", "--recreate")
    assert project.count("create story", number) == 1
    assert project.count("update story", number) == 1 + len(referring)
    new = project.stories()[RECORD].uuid
    assert new != old
    contents = [json.dumps(each.content) for each in project.stories().values()]
    assert [sum(one in each for each in contents) for one in (old, new)] == [0, 2]
    whole_again(project, before)


def test_a_file_deleted_there_is_brought_again_by_decision(stage: Stage) -> None:
    """Until then no story is written for it; afterwards they hold the new address."""
    project = stage()
    before = imported(project).comparable()
    lost = min(project.space.assets)
    delete(project, "assets", lost)
    number = project.mark()
    ended = project.run("import", "--json")
    assert (ended.code, ended.document["failed_assets"]) == (1, 1)
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.codes() == ["asset_gone"]
    project.done("import", "--recreate")
    assert lost not in project.space.assets
    assert str(lost) not in json.dumps([s.content for s in project.stories().values()])
    whole_again(project, before)


def test_a_file_without_its_bytes_is_brought_again_over_its_record(
    stage: Stage,
) -> None:
    """What verification finds and names a command for, that command mends."""
    project = stage()
    before = imported(project).comparable()
    lost = min(project.space.assets)
    project.space.assets[lost].data = None
    assert project.codes() == ["asset_gone"]
    planned = project.done("plan", "--recreate", "--json").document
    assert planned["calls"]["sign_uploads"] == 1
    number = project.mark()
    project.done("import", "--recreate")
    assert project.calls(number) == planned["calls"]["total"]
    assert len(project.space.assets) == 4
    whole_again(project, before)


def test_a_component_that_is_gone_is_not_made_again_unasked(stage: Stage) -> None:
    """Nothing is brought that would stand on it; then it costs one call."""
    project = stage()
    before = imported(project).comparable()
    (record,) = [
        n for n, c in project.space.components.items() if c["name"] == "record"
    ]
    delete(project, "components", record)
    number = project.mark()
    for command in ("prepare", "create", "import"):
        ended = project.run(command)
        assert (ended.code, "1 component (record)" in ended.err) == (1, True)
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.done("prepare", "--recreate", "--json").document["writes"] == 1
    whole_again(project, before)


def test_step_by_step_is_as_good_as_all_at_once(stage: Stage) -> None:
    """What was said to one step counts for those after it."""
    project = stage()
    before = imported(project).comparable()
    emptied(project)
    project.done("prepare", "--recreate")
    project.done("create")
    project.done("link")
    whole_again(project, before)


def test_a_step_that_would_make_it_half_way_is_refused(stage: Stage) -> None:
    """Relations are not taken out for a story that this step does not make."""
    project = imported(stage())
    project.delete(RECORD)
    number = project.mark()
    ended = project.run("link", "--recreate")
    assert (ended.code, "`cmsmig import --recreate`" in ended.err) == (2, True)
    emptied(project)
    assert project.run("create", "--recreate").code == 2
    assert {e.method for e in project.since(number)} <= {"GET", "DELETE"}
    assert project.rows("SELECT count(*) FROM item WHERE home_id IS NULL") == [(0,)]


def test_a_dry_run_shows_it_and_remembers_nothing(stage: Stage) -> None:
    """Neither service nor ledger is written; the accounting tells the truth."""
    project = imported(stage())
    emptied(project)
    number, rows = project.mark(), project.rows("SELECT * FROM item")
    ended = project.run("import", "--dry-run", "--json")
    assert (ended.code, ended.document["accounting"]["created"]) == (1, 0)
    ended = project.run("import", "--dry-run", "--recreate", "--json")
    assert (ended.code, ended.document["accounting"]["open"]) == (0, 6)
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.rows("SELECT * FROM item") == rows


def test_an_edit_of_what_was_restored_is_in_the_plan(stage: Stage) -> None:
    """Edited, deleted, told as gone, changed at the origin, restored: a conflict."""
    project = stage()
    project.done("import")
    project.edit(RECORD, position="4711")
    project.delete(RECORD)
    assert project.run("import").code == 1
    slug = RECORD.rpartition("/")[2]

    def moved(item: dict) -> dict:
        data = item["fieldData"]
        number = 12 if data["slug"] == slug else data["position"]
        return {**item, "fieldData": {**data, "position": number}}

    edit_items(project, moved)
    restored(project, RECORD)
    (conflict,) = project.plan()["edit_conflicts"]
    assert (conflict["what"], conflict["field"]) == (RECORD, "content.position")
    assert (conflict["ours"], conflict["theirs"]) == ("12", "4711")


def test_what_was_restored_counts_again(stage: Stage) -> None:
    """Nothing is written for it, and nothing is left listed."""
    project = stage()
    before = imported(project).comparable()
    project.delete(RECORD)
    assert project.run("import").code == 1
    restored(project, RECORD)
    assert project.done("import", "--json").document["writes"] == 0
    assert project.outcome(RECORD)[0] == "created"
    whole_again(project, before)


def test_what_nothing_needs_any_more_may_go(stage: Stage) -> None:
    """A story, a component and a folder of a former decision: forgotten, exit 0."""
    project = imported(stage())
    project.decide("design.yaml", "component: record", "component: entry")
    project.done("import")
    (old,) = [n for n, c in project.space.components.items() if c["name"] == "record"]
    delete(project, "components", old)
    project.done("import")
    assert project.rows("SELECT 1 FROM made WHERE name = 'record'") == []
    assert project.run("verify").code == 0


def test_a_file_that_nothing_needs_any_more_is_no_difference(stage: Stage) -> None:
    """Deleted there after the items that showed it lost all but their names."""
    project = imported(stage())
    for own in list(project.space.assets):
        delete(project, "assets", own)
    assert "asset_gone" in project.codes()
    named = ("name", "slug")
    edit_items(
        project,
        lambda item: {
            **item,
            "fieldData": {name: item["fieldData"][name] for name in named},
        },
    )
    assert "asset_gone" not in project.codes()
    project.done("import")
    project.verified()


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
    project = imported(stage(hidden))
    hidden.ids = set(list(getattr(project.space, kind))[-2:])
    planned = project.plan()
    assert planned["gone"] == {}
    assert planned["calls"]["read_what_lists_lack"] == len(hidden.ids)
    number = project.mark()
    ended = project.done("import", "--recreate", "--json").document
    assert ended["writes"] == 0
    assert project.calls(number) == planned["calls"]["total"]
    hidden.ids = set()
    exactly_one_of_everything(project)


def test_a_story_with_another_uuid_at_its_place_is_not_gone(stage: Stage) -> None:
    """Somebody had it given a new one: nothing is written, nothing is made twice."""
    project = imported(stage())
    own, uuid = (
        project.stories()[RECORD].story_id,
        "0e7f2a52-5a3b-4d51-9c2b-7f0f5cde1a11",
    )
    project.api("PUT", f"/stories/{own}/update_uuid?uuid={uuid}")
    assert project.done("import", "--recreate", "--json").document["writes"] == 0
    assert len(project.stories()) == 6


@pytest.mark.parametrize("flags", [(), ("--recreate",)])
def test_what_goes_after_the_plan_is_drift(stage: Stage, flags: tuple) -> None:
    """A plan of nothing to do does not become one of everything."""
    project = imported(stage())
    shown = project.done("plan", *flags, "--json").document["hash"]
    emptied(project)
    number = project.mark()
    ended = project.run("import", "--plan", shown, *flags)
    assert ended.code == 1
    for each in (f"story {RECORD}", "component record", "folder records", "file "):
        assert f"destination: {each}" in ended.err
    assert "destination: component record is gone" in ended.err
    assert {each.method for each in project.since(number)} == {"GET"}


def test_a_plan_holds_for_the_flag_that_it_was_made_with(stage: Stage) -> None:
    """To make things again is a decision, and a plan without it is another plan."""
    project = imported(stage())
    project.delete(RECORD)
    shown = project.run("plan", "--json").document["hash"]
    ended = project.run("import", "--plan", shown, "--recreate")
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
    project = stage(fault, settings="in_flight = 1")
    before = imported(project).comparable()
    emptied(project)
    shown = project.done("plan", "--recreate", "--json").document["hash"]
    fault.at, fault.seen = (at,), 0
    assert project.run("import", "--recreate", "--plan", shown).code == 7
    fault.over()
    project.done("import", "--recreate", "--plan", shown)
    whole_again(project, before)


@pytest.mark.parametrize("seed", range(2))
def test_anything_may_go_and_comes_back(
    stage: Stage, small_site: Path, seed: int
) -> None:
    """Any part of a space is lost, and the run that brings it back is killed."""
    drawn = random.Random(f"gone {seed}")
    kind = drawn.choice([CREATE_STORY, UPDATE_STORY, SIGN])
    fault = Fault(kind, drawn.choice([CUT, UNSENT]), then_dead=True)
    fault.over()
    project = stage(fault, content=small_site)
    for change in RICH:
        project.decide(*change)
    before = imported(project).comparable()
    # Files that outlive their folder are moved, which is not to be gone.
    for name in sorted(set(KINDS) - {"asset_folders"}):
        own = list(getattr(project.space, name))
        for each in drawn.sample(own, k=drawn.randint(0, len(own))):
            delete(project, name, each)
    if drawn.random() < 0.5:
        assert project.run("import").code == 1
    fault.at, fault.seen = (drawn.randint(1, 4),), 0
    project.run("import", "--recreate")
    fault.over()
    project.done("import", "--recreate")
    whole_again(project, before)


def test_what_is_gone_is_decided_one_by_one(stage: Stage) -> None:
    """One is made again, one stays away; the third waits and is told."""
    project = imported(stage())
    for number in (1, 2, 3):
        project.delete(f"records/record-{number}")
    project.decide_gone("records/record-1", "recreate")
    project.decide_gone("records/record-2", "leave_out")
    ended = project.run("import")
    assert ended.code == 1
    assert "records/record-1" in project.stories()
    assert {f"records/record-{n}" for n in (2, 3)}.isdisjoint(project.stories())
    assert project.outcome(RECORD)[:2] == ("skipped", "left_out")
    assert project.outcome("records/record-3")[:2] == ("failed", "deleted_since")
    next_of = {
        path: str(story.content["next"]) for path, story in project.stories().items()
    }
    assert next_of["records/record-1"] == "", "nothing refers to what stays away"
    found = project.run("verify", "--json").document["differences"]
    assert [(each["code"], "record-3" in each["text"]) for each in found] == [
        ("story_gone", True)
    ]
    project.decide_gone("records/record-3", "leave_out")
    project.done("import")
    assert project.done("verify", "--json").document["differences"] == []
    assert project.done("import", "--json").document["writes"] == 0
    told = project.status()["accounting"]
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
    project = stage(trash)
    for file, old, new in RICH:
        project.decide(file, old, new)
    project.done("import")
    whole = project.done("rollback", "--plan", "--json").document
    trash.marks = marks
    planned = project.run("plan", "--json")
    assert (planned.code, kind in planned.document["gone"]) == (1, True)
    assert project.run("import").code == 1
    number = project.mark()
    left = project.done("rollback", "--plan", "--json").document
    assert (whole["already_gone"], sum(left["already_gone"].values())) == ({}, 1)
    assert {each.method for each in project.since(number)} == {"GET"}


def test_a_create_whose_story_is_in_the_trash_ends_no_run(stage: Stage) -> None:
    """A list that lags behind shows it still; its own record has the date."""
    fault = Fault(CREATE_STORY, CUT, item="record-2", then_dead=True)
    trash = Trash(lists=False)
    project = stage(fault, trash)
    assert project.run("import").code != 0
    fault.over()
    trash.marks = RECORD
    assert project.run("import").code == 1
    assert project.outcome(RECORD)[:2] == ("failed", "conflict")
    assert len(project.stories()) == 6
