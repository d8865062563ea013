"""What counts as made by this import: the same host, the same id, the same content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.steps.faults import CUT, UNSENT, Fault
from tests.support.steps.staged_project import Stage, StagedProject

CHANGE_COMPONENT = ("PUT", r"/components/\d+$")
CREATE_ENTRY = ("POST", r"/datasource_entries$")


@pytest.mark.parametrize("command", ["plan", "import", "verify"])
def test_settings_that_name_another_host_are_refused(
    stage: Stage, command: str
) -> None:
    """The space there has the same number, and nothing is written into it."""
    project, other = stage(), stage()
    project.done("import")
    elsewhere = (other.folder / ".env").read_text()
    (project.folder / ".env").write_text(elsewhere)
    ended = project.run(command)
    address = other.rehearsal.handle.announcement["base_url"]
    host = address.removeprefix("http://").partition("/")[0]
    assert ended.code == 1
    assert f"settings name {host}" in ended.err
    assert "destination_base_url" in ended.err
    assert other.stories() == {}
    assert other.components() == []
    assert {each.method for each in other.since()} <= {"GET"}


# components


def record(project: StagedProject) -> dict:
    """Return the component of the records as it stands in the space."""
    (found,) = [
        each for each in project.space.components.values() if each["name"] == "record"
    ]
    return dict(found)


def save(project: StagedProject, **changes: object) -> None:
    """Save the component of the records as a developer would, parts of it changed."""
    there = record(project)
    body = {
        key: there[key]
        for key in ("name", "display_name", "is_root", "is_nestable", "schema")
    }
    path = f"/components/{there['id']}"
    project.api("PUT", path, {"component": {**body, **changes}})


def field_added(project: StagedProject) -> str:
    schema = record(project)["schema"]
    save(project, schema={**schema, "badge": {"type": "text", "pos": 40}})
    return "`schema.badge` was added there and stays"


def field_described(project: StagedProject) -> str:
    schema = record(project)["schema"]
    cover = {**schema["cover"], "description": "At least 1200 wide"}
    save(project, schema={**schema, "cover": cover})
    return "`schema.cover.description` was added there and stays"


def field_required(project: StagedProject) -> str:
    schema = record(project)["schema"]
    position = {**schema["position"], "required": True}
    save(project, schema={**schema, "position": position})
    return "`schema.position.required` was added there and stays"


def component_named(project: StagedProject) -> str:
    save(project, display_name="Logbook entry")
    return "`display_name` was changed there from `Record` to `Logbook entry`"


def component_nestable(project: StagedProject) -> str:
    save(project, is_nestable=True)
    return "`is_nestable` was changed there from `false` to `true` and stays"


EDITS = (
    field_added,
    field_described,
    field_required,
    component_named,
    component_nestable,
)


def redesign(project: StagedProject) -> None:
    """Let the design want another form of the component than was written."""
    project.decide("design.yaml", "display_name: Cover", "display_name: The cover")


@pytest.mark.parametrize("edit", EDITS, ids=lambda each: each.__name__)
def test_what_a_developer_changed_of_ours_is_not_written_over(
    stage: Stage, edit: Callable[[StagedProject], str]
) -> None:
    """The plan and the import name it, their work stands, and so does the design."""
    project = stage()
    project.done("prepare")
    told = edit(project)
    redesign(project)
    expected = record(project)
    schema = expected["schema"]
    cover = {**schema["cover"], "display_name": "The cover"}
    expected |= {"schema": {**schema, "cover": cover}}
    assert project.plan()["in_the_way"] == []
    assert told in project.run("plan").out
    assert told in project.done("prepare").err
    del expected["updated_at"]
    assert {name: record(project)[name] for name in expected} == {
        **expected,
        "real_name": expected["display_name"],
    }


def test_an_edit_that_is_taken_back_is_none(stage: Stage) -> None:
    """The same content under the same id is ours, whatever happened between."""
    project = stage()
    project.done("prepare")
    schema = record(project)["schema"]
    field_added(project)
    project.done("prepare")
    save(project, schema=schema)
    assert project.plan()["schema_changes"] == []
    project.done("import")
    project.verified()


def test_an_edit_that_is_in_nobodys_way_is_told_and_stays(stage: Stage) -> None:
    """The design asks for no write; verification names it until it is accepted."""
    project = stage()
    project.done("prepare")
    told = field_added(project)
    before = record(project)
    ended = project.done("import")
    assert told in ended.err
    assert record(project) == before
    assert project.codes() == ["component_changed"]
    project.decide_edit("record", "schema.badge", "theirs", kind="component")
    project.verified()


def test_what_is_decided_to_be_reused_is_left_as_it_is(stage: Stage) -> None:
    """The import goes on, on the component as the developer has it."""
    project = stage()
    project.done("prepare")
    field_added(project)
    redesign(project)
    before = record(project)
    project.decide_conflict("record", "reuse", kind="component")
    assert project.plan()["in_the_way"] == []
    project.done("import")
    assert record(project) == before
    assert len(project.stories()) == 6


def replaced(project: StagedProject, **changes: object) -> dict:
    """Delete our component and put another of its name in its place."""
    there = record(project)
    project.api("DELETE", f"/components/{there['id']}")
    body = {
        key: there[key]
        for key in ("name", "display_name", "is_root", "is_nestable", "schema")
    }
    project.api("POST", "/components", {"component": {**body, **changes}})
    return record(project)


def test_a_component_that_took_the_place_of_ours_is_not_ours(stage: Stage) -> None:
    """Its id is another: it is never written to, and one that differs is refused."""
    project = stage()
    project.done("prepare")
    theirs = replaced(project, schema={"motto": {"type": "text", "pos": 0}})
    redesign(project)
    ended = project.run("prepare")
    assert (ended.code, "`record`" in ended.err) == (1, True)
    assert record(project) == theirs
    assert project.count("update component") == 0


def test_one_that_took_its_place_and_fits_is_used_as_it_is(stage: Stage) -> None:
    """As any equal component of somebody else: reused, and never altered."""
    project = stage()
    project.done("prepare")
    theirs = replaced(project, display_name="Theirs now")
    redesign(project)
    project.done("import")
    assert record(project) == theirs
    made = project.rows("SELECT made, destination_id FROM made WHERE name = 'record'")
    assert made == [(0, theirs["id"])]


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_change_of_ours_that_a_kill_left_open_is_ours(
    stage: Stage, mode: str
) -> None:
    """Applied or not, what stands is what we wrote or were about to write."""
    fault = Fault(CHANGE_COMPONENT, mode, then_dead=True)
    project = stage(fault)
    project.done("prepare")
    redesign(project)
    assert project.run("prepare").code != 0
    assert ("component", "record") in project.open_intents()
    fault.over()
    assert project.plan()["in_the_way"] == []
    project.done("import")
    assert record(project)["schema"]["cover"]["display_name"] == "The cover"
    assert project.open_intents() == []
    project.verified()


def test_an_edit_after_a_kill_is_not_taken_for_ours(stage: Stage) -> None:
    """A create that was applied, and edited before the next run, stays as it is."""
    fault = Fault(("POST", r"/components$"), CUT, item="record", then_dead=True)
    project = stage(fault)
    assert project.run("prepare").code != 0
    fault.over()
    component_named(project)
    before = record(project)
    project.done("import")
    assert record(project) == before


# datasources


def moody(stage: Stage, site: Path, *faults: Fault) -> StagedProject:
    """Return a project whose records draw a field from the datasource `moods`."""
    project = stage(*faults, content=site)
    chosen = "encoding: option_datasource\n        datasource: moods\n"
    project.decide("design.yaml", "encoding: option\n", chosen)
    return project


def another_mood(project: StagedProject) -> None:
    """Let the design want an option more than was written."""
    old = "id: '22222222222222222222222222222222'\n            label: loud\n"
    new = "          - id: '33333333333333333333333333333333'\n            label: odd\n"
    project.decide("design.yaml", old, old + new)


def test_nothing_is_put_into_a_datasource_of_somebody_else(
    stage: Stage, moody_site: Path
) -> None:
    """Neither into a filled nor into an empty one; the sentence names it."""
    project = moody(stage, moody_site)
    project.datasource("moods", "grave")
    (shown,) = project.plan()["in_the_way"]
    assert (shown["kind"], shown["what"]) == ("datasource", "moods")
    assert "create_datasource_entries" not in project.plan()["calls"]
    number = project.mark()
    for command in ("prepare", "import"):
        ended = project.run(command)
        assert (ended.code, "`moods`" in ended.err) == (1, True)
    assert project.entries() == ["grave"]
    assert {each.method for each in project.since(number)} == {"GET"}


def test_a_datasource_of_ours_that_is_reused_gets_nothing(
    stage: Stage, moody_site: Path
) -> None:
    """It stays as somebody changed it, and an option that is new waits."""
    project = moody(stage, moody_site)
    project.done("prepare")
    (own,) = project.space.datasources
    entry = {"datasource_id": own, "name": "grave", "value": "grave"}
    project.api("POST", "/datasource_entries", {"datasource_entry": entry})
    another_mood(project)
    project.decide_conflict("moods", "reuse", kind="datasource")
    project.done("prepare")
    assert project.entries() == ["calm", "loud", "grave"]


def test_an_entry_that_somebody_took_out_of_ours_is_not_put_back(
    stage: Stage, moody_site: Path
) -> None:
    """It is named until a person decides."""
    project = moody(stage, moody_site)
    project.done("prepare")
    project.api("DELETE", f"/datasource_entries/{min(project.space.entries)}")
    ended = project.done("import")
    assert "`entries.calm` was taken out there and is left out" in ended.err
    assert project.entries() == ["loud"]
    assert project.codes() == ["datasource_changed"]
    project.decide_edit("moods", "entries.calm", "ours", kind="datasource")
    project.done("import")
    assert sorted(project.entries()) == ["calm", "loud"]
    project.verified()


def test_a_datasource_that_is_gone_is_a_difference(
    stage: Stage, moody_site: Path
) -> None:
    project = moody(stage, moody_site)
    project.done("prepare")
    (own,) = project.space.datasources
    project.api("DELETE", f"/datasources/{own}")
    assert "datasource_gone" in project.codes()


def test_an_option_that_is_new_is_added_to_ours(stage: Stage, moody_site: Path) -> None:
    """What nobody touched grows with the design."""
    project = moody(stage, moody_site)
    project.done("prepare")
    another_mood(project)
    assert project.plan()["calls"]["create_datasource_entries"] == 1
    project.done("prepare")
    assert project.entries() == ["calm", "loud", "odd"]
    assert project.done("import", "--json").code == 0
    project.verified()


@pytest.mark.parametrize("mode", [CUT, UNSENT])
@pytest.mark.parametrize("grown", [False, True])
def test_entries_that_a_kill_left_out_are_added_by_the_next_run(
    stage: Stage, moody_site: Path, grown: bool, mode: str
) -> None:
    """A part of what was intended, new or in addition, is still ours."""
    at = (3,) if grown else (2,)
    fault = Fault(CREATE_ENTRY, mode, at=at, then_dead=True)
    project = moody(stage, moody_site, fault)
    if grown:
        project.done("prepare")
        another_mood(project)
    assert project.run("prepare").code != 0
    fault.over()
    assert project.plan()["in_the_way"] == []
    project.done("prepare")
    assert project.entries() == ["calm", "loud", *(["odd"] if grown else [])]
    assert project.open_intents() == []
