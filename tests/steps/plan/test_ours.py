"""What counts as made by this import: the same host, the same id, the same content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import CUT, UNSENT, Fault

CHANGE_COMPONENT = ("PUT", r"/components/\d+$")
CREATE_ENTRY = ("POST", r"/datasource_entries$")


@pytest.mark.parametrize("command", ["plan", "import", "verify"])
def test_settings_that_name_another_host_are_refused(
    stage: Stage, command: str
) -> None:
    """The space there has the same number, and nothing is written into it."""
    desk, other = stage(), stage()
    desk.done("import")
    elsewhere = (other.folder / ".env").read_text()
    (desk.folder / ".env").write_text(elsewhere)
    ended = desk.run(command)
    address = other.rehearsal.handle.announcement["base_url"]
    host = address.removeprefix("http://").partition("/")[0]
    assert ended.code == 1
    assert f"settings name {host}" in ended.err
    assert "destination_base_url" in ended.err
    assert other.stories() == {}
    assert other.components() == []
    assert {each.method for each in other.since()} <= {"GET"}


# components


def record(desk: Desk) -> dict:
    """Return the component of the records as it stands in the space."""
    (found,) = [
        each for each in desk.space.components.values() if each["name"] == "record"
    ]
    return dict(found)


def save(desk: Desk, **changes: object) -> None:
    """Save the component of the records as a developer would, parts of it changed."""
    there = record(desk)
    body = {
        key: there[key]
        for key in ("name", "display_name", "is_root", "is_nestable", "schema")
    }
    path = f"/components/{there['id']}"
    desk.api("PUT", path, {"component": {**body, **changes}})


def field_added(desk: Desk) -> str:
    schema = record(desk)["schema"]
    save(desk, schema={**schema, "badge": {"type": "text", "pos": 40}})
    return "`schema.badge` was added there and stays"


def field_described(desk: Desk) -> str:
    schema = record(desk)["schema"]
    cover = {**schema["cover"], "description": "At least 1200 wide"}
    save(desk, schema={**schema, "cover": cover})
    return "`schema.cover.description` was added there and stays"


def field_required(desk: Desk) -> str:
    schema = record(desk)["schema"]
    position = {**schema["position"], "required": True}
    save(desk, schema={**schema, "position": position})
    return "`schema.position.required` was added there and stays"


def component_named(desk: Desk) -> str:
    save(desk, display_name="Logbook entry")
    return "`display_name` was changed there from `Record` to `Logbook entry`"


def component_nestable(desk: Desk) -> str:
    save(desk, is_nestable=True)
    return "`is_nestable` was changed there from `false` to `true` and stays"


EDITS = (
    field_added,
    field_described,
    field_required,
    component_named,
    component_nestable,
)


def redesign(desk: Desk) -> None:
    """Let the design want another form of the component than was written."""
    desk.decide("design.yaml", "display_name: Cover", "display_name: The cover")


@pytest.mark.parametrize("edit", EDITS, ids=lambda each: each.__name__)
def test_what_a_developer_changed_of_ours_is_not_written_over(
    stage: Stage, edit: Callable[[Desk], str]
) -> None:
    """The plan and the import name it, their work stands, and so does the design."""
    desk = stage()
    desk.done("prepare")
    told = edit(desk)
    redesign(desk)
    expected = record(desk)
    schema = expected["schema"]
    cover = {**schema["cover"], "display_name": "The cover"}
    expected |= {"schema": {**schema, "cover": cover}}
    assert desk.plan()["in_the_way"] == []
    assert told in desk.run("plan").out
    assert told in desk.done("prepare").err
    del expected["updated_at"]
    assert {name: record(desk)[name] for name in expected} == {
        **expected,
        "real_name": expected["display_name"],
    }


def test_an_edit_that_is_taken_back_is_none(stage: Stage) -> None:
    """The same content under the same id is ours, whatever happened between."""
    desk = stage()
    desk.done("prepare")
    schema = record(desk)["schema"]
    field_added(desk)
    desk.done("prepare")
    save(desk, schema=schema)
    assert desk.plan()["schema_changes"] == []
    desk.done("import")
    desk.verified()


def test_an_edit_that_is_in_nobodys_way_is_told_and_stays(stage: Stage) -> None:
    """The design asks for no write; verification names it until it is accepted."""
    desk = stage()
    desk.done("prepare")
    told = field_added(desk)
    before = record(desk)
    ended = desk.done("import")
    assert told in ended.err
    assert record(desk) == before
    assert desk.codes() == ["component_changed"]
    desk.decide_edit("record", "schema.badge", "theirs", kind="component")
    desk.verified()


def test_what_is_decided_to_be_reused_is_left_as_it_is(stage: Stage) -> None:
    """The import goes on, on the component as the developer has it."""
    desk = stage()
    desk.done("prepare")
    field_added(desk)
    redesign(desk)
    before = record(desk)
    desk.decide_conflict("record", "reuse", kind="component")
    assert desk.plan()["in_the_way"] == []
    desk.done("import")
    assert record(desk) == before
    assert len(desk.stories()) == 6


def replaced(desk: Desk, **changes: object) -> dict:
    """Delete our component and put another of its name in its place."""
    there = record(desk)
    desk.api("DELETE", f"/components/{there['id']}")
    body = {
        key: there[key]
        for key in ("name", "display_name", "is_root", "is_nestable", "schema")
    }
    desk.api("POST", "/components", {"component": {**body, **changes}})
    return record(desk)


def test_a_component_that_took_the_place_of_ours_is_not_ours(stage: Stage) -> None:
    """Its id is another: it is never written to, and one that differs is refused."""
    desk = stage()
    desk.done("prepare")
    theirs = replaced(desk, schema={"motto": {"type": "text", "pos": 0}})
    redesign(desk)
    ended = desk.run("prepare")
    assert (ended.code, "`record`" in ended.err) == (1, True)
    assert record(desk) == theirs
    assert desk.count("update component") == 0


def test_one_that_took_its_place_and_fits_is_used_as_it_is(stage: Stage) -> None:
    """As any equal component of somebody else: reused, and never altered."""
    desk = stage()
    desk.done("prepare")
    theirs = replaced(desk, display_name="Theirs now")
    redesign(desk)
    desk.done("import")
    assert record(desk) == theirs
    made = desk.rows("SELECT made, destination_id FROM made WHERE name = 'record'")
    assert made == [(0, theirs["id"])]


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_change_of_ours_that_a_kill_left_open_is_ours(
    stage: Stage, mode: str
) -> None:
    """Applied or not, what stands is what we wrote or were about to write."""
    fault = Fault(CHANGE_COMPONENT, mode, then_dead=True)
    desk = stage(fault)
    desk.done("prepare")
    redesign(desk)
    assert desk.run("prepare").code != 0
    assert ("component", "record") in desk.open_intents()
    fault.over()
    assert desk.plan()["in_the_way"] == []
    desk.done("import")
    assert record(desk)["schema"]["cover"]["display_name"] == "The cover"
    assert desk.open_intents() == []
    desk.verified()


def test_an_edit_after_a_kill_is_not_taken_for_ours(stage: Stage) -> None:
    """A create that was applied, and edited before the next run, stays as it is."""
    fault = Fault(("POST", r"/components$"), CUT, item="record", then_dead=True)
    desk = stage(fault)
    assert desk.run("prepare").code != 0
    fault.over()
    component_named(desk)
    before = record(desk)
    desk.done("import")
    assert record(desk) == before


# datasources


def moody(stage: Stage, site: Path, *faults: Fault) -> Desk:
    """Return a desk whose records draw a field from the datasource `moods`."""
    desk = stage(*faults, content=site)
    chosen = "encoding: option_datasource\n        datasource: moods\n"
    desk.decide("design.yaml", "encoding: option\n", chosen)
    return desk


def another_mood(desk: Desk) -> None:
    """Let the design want an option more than was written."""
    old = "id: '22222222222222222222222222222222'\n            label: loud\n"
    new = "          - id: '33333333333333333333333333333333'\n            label: odd\n"
    desk.decide("design.yaml", old, old + new)


def test_nothing_is_put_into_a_datasource_of_somebody_else(
    stage: Stage, moody_site: Path
) -> None:
    """Neither into a filled nor into an empty one; the sentence names it."""
    desk = moody(stage, moody_site)
    desk.datasource("moods", "grave")
    (shown,) = desk.plan()["in_the_way"]
    assert (shown["kind"], shown["what"]) == ("datasource", "moods")
    assert "create_datasource_entries" not in desk.plan()["calls"]
    number = desk.mark()
    for command in ("prepare", "import"):
        ended = desk.run(command)
        assert (ended.code, "`moods`" in ended.err) == (1, True)
    assert desk.entries() == ["grave"]
    assert {each.method for each in desk.since(number)} == {"GET"}


def test_a_datasource_of_ours_that_is_reused_gets_nothing(
    stage: Stage, moody_site: Path
) -> None:
    """It stays as somebody changed it, and an option that is new waits."""
    desk = moody(stage, moody_site)
    desk.done("prepare")
    (own,) = desk.space.datasources
    entry = {"datasource_id": own, "name": "grave", "value": "grave"}
    desk.api("POST", "/datasource_entries", {"datasource_entry": entry})
    another_mood(desk)
    desk.decide_conflict("moods", "reuse", kind="datasource")
    desk.done("prepare")
    assert desk.entries() == ["calm", "loud", "grave"]


def test_an_entry_that_somebody_took_out_of_ours_is_not_put_back(
    stage: Stage, moody_site: Path
) -> None:
    """It is named until a person decides."""
    desk = moody(stage, moody_site)
    desk.done("prepare")
    desk.api("DELETE", f"/datasource_entries/{min(desk.space.entries)}")
    ended = desk.done("import")
    assert "`entries.calm` was taken out there and is left out" in ended.err
    assert desk.entries() == ["loud"]
    assert desk.codes() == ["datasource_changed"]
    desk.decide_edit("moods", "entries.calm", "ours", kind="datasource")
    desk.done("import")
    assert sorted(desk.entries()) == ["calm", "loud"]
    desk.verified()


def test_a_datasource_that_is_gone_is_a_difference(
    stage: Stage, moody_site: Path
) -> None:
    desk = moody(stage, moody_site)
    desk.done("prepare")
    (own,) = desk.space.datasources
    desk.api("DELETE", f"/datasources/{own}")
    assert "datasource_gone" in desk.codes()


def test_an_option_that_is_new_is_added_to_ours(stage: Stage, moody_site: Path) -> None:
    """What nobody touched grows with the design."""
    desk = moody(stage, moody_site)
    desk.done("prepare")
    another_mood(desk)
    assert desk.plan()["calls"]["create_datasource_entries"] == 1
    desk.done("prepare")
    assert desk.entries() == ["calm", "loud", "odd"]
    assert desk.done("import", "--json").code == 0
    desk.verified()


@pytest.mark.parametrize("mode", [CUT, UNSENT])
@pytest.mark.parametrize("grown", [False, True])
def test_entries_that_a_kill_left_out_are_added_by_the_next_run(
    stage: Stage, moody_site: Path, grown: bool, mode: str
) -> None:
    """A part of what was intended, new or in addition, is still ours."""
    at = (3,) if grown else (2,)
    fault = Fault(CREATE_ENTRY, mode, at=at, then_dead=True)
    desk = moody(stage, moody_site, fault)
    if grown:
        desk.done("prepare")
        another_mood(desk)
    assert desk.run("prepare").code != 0
    fault.over()
    assert desk.plan()["in_the_way"] == []
    desk.done("prepare")
    assert desk.entries() == ["calm", "loud", *(["odd"] if grown else [])]
    assert desk.open_intents() == []
