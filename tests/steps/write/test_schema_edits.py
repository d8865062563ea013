"""Components and datasources of ours that somebody changed: field by field."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmsmig.canonical import fingerprint
from cmsmig.ledger.bodies import dump_body, load_body
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.faults import CUT, UNSENT, Fault
from tests.support.steps.staged_project import Stage, StagedProject

QUIET = {"written", "kept", "agreed", "stays"}


def record(project: StagedProject) -> Any:
    """Return the component of the records as it stands in the space."""
    (found,) = [
        each for each in project.space.components.values() if each["name"] == "record"
    ]
    return found


def save(project: StagedProject, **changes: object) -> None:
    """Save the component of the records as a developer would, parts of it changed."""
    number = record(project)["id"]
    project.api("PUT", f"/components/{number}", {"component": changes})


def save_fields(project: StagedProject, **fields: dict[str, Any] | None) -> None:
    """Save attributes of schema fields; None takes a field out."""
    schema = dict(record(project)["schema"])
    for key, attributes in fields.items():
        if attributes is None:
            del schema[key]
        else:
            schema[key] = {**schema.get(key, {}), **attributes}
    save(project, schema=schema)


def entries(project: StagedProject) -> dict[str, str]:
    """Return the labels of all datasource entries by value."""
    return {each["value"]: each["name"] for each in project.space.entries.values()}


def save_entry(project: StagedProject, value: str, name: str) -> None:
    """Give an entry another label, as an editor would; a new value is a new entry."""
    own = [each for each in project.space.entries.values() if each["value"] == value]
    (source,) = project.space.datasources
    body = {"datasource_entry": {"name": name, "value": value, "datasource_id": source}}
    if own:
        project.api("PUT", f"/datasource_entries/{own[0]['id']}", body)
    else:
        project.api("POST", "/datasource_entries", body)


def moody(stage: Stage, site: Path, *faults: object) -> StagedProject:
    """Return a project whose records draw a field from the datasource `moods`."""
    project = stage(*faults, content=site)
    chosen = "encoding: option_datasource\n        datasource: moods\n"
    project.decide("design.yaml", "encoding: option\n", chosen)
    project.done("prepare")
    return project


LOUD = "          - id: '22222222222222222222222222222222'\n            label: loud\n"
ODD = "          - id: '33333333333333333333333333333333'\n            label: odd\n"


def label_cover(project: StagedProject, label: str = "The cover") -> None:
    """Let the design call a field of the records something else."""
    project.decide("design.yaml", "display_name: Cover", f"display_name: {label}")


def name_records(project: StagedProject) -> None:
    """Let the design call the component of the records something else."""
    project.decide(
        "design.yaml", "display_name: Record\n", "display_name: Our record\n"
    )


def changes(project: StagedProject) -> dict[str, str]:
    """Return what the plan says of each field, and insist on one line for each."""
    plan, lines = project.plan(), project.run("plan").out
    listed = {each["field"]: each["outcome"] for each in plan["schema_changes"]}
    listed |= {each["field"]: "conflict" for each in plan["edit_conflicts"]}
    assert all(f"`{field}`" in lines for field in listed)
    return listed


def differing(project: StagedProject) -> set[str]:
    """Return the fields that a verification finds, each with values and decision."""
    ended = project.run("verify", "--json")
    found = [
        each
        for each in ended.document["differences"]
        if each["code"] in ("component_changed", "datasource_changed")
    ]
    assert all("There it is `" in each["text"] for each in found)
    return {each["where"] for each in found}


def test_what_each_side_changed_alone_stands(stage: Stage, moody_site: Path) -> None:
    """A developer's field, label and flag, an editor's entries, and all of ours."""
    project = moody(stage, moody_site)
    save_fields(
        project, badge={"type": "text", "pos": 40}, cover={"description": "1200 wide"}
    )
    save(project, icon="block")
    save_entry(project, "calm", "Calm!")
    save_entry(project, "grave", "Grave")
    label_cover(project)
    name_records(project)
    project.decide("design.yaml", LOUD, LOUD + ODD)
    assert changes(project) == {
        "schema.cover.display_name": "written",
        "display_name": "written",
        "entries.odd": "written",
        "schema.badge": "kept",
        "schema.cover.description": "kept",
        "icon": "kept",
        "entries.calm": "kept",
        "entries.grave": "kept",
    }
    planned, number = project.plan(), project.mark()
    ended = project.done("import", "--plan", planned["hash"])
    assert "`schema.badge` was added there and stays" in ended.err
    calls = [each for each in project.since(number) if each.quota]
    assert planned["calls"]["total"] == len(calls)
    stands = record(project)
    assert stands["schema"]["badge"]["pos"] == 40
    assert stands["schema"]["cover"]["description"] == "1200 wide"
    assert stands["schema"]["cover"]["display_name"] == "The cover"
    assert (stands["icon"], stands["display_name"]) == ("block", "Our record")
    assert entries(project) == {
        "calm": "Calm!",
        "loud": "loud",
        "grave": "Grave",
        "odd": "odd",
    }
    number = project.mark()
    project.done("import")
    assert {each.method for each in project.since(number)} == {"GET"}
    kept = {"schema.badge", "schema.cover.description", "icon"}
    assert differing(project) == kept | {"entries.calm", "entries.grave"}
    for field in sorted(kept):
        project.decide_edit("record", field, "theirs", kind="component")
    project.decide_edit("moods", "*", "theirs", kind="datasource")
    project.verified()


def test_what_both_changed_alike_is_noted(stage: Stage, moody_site: Path) -> None:
    """Nothing is sent, and the next change of ours is written as any other."""
    project = moody(stage, moody_site)
    save_fields(project, cover={"display_name": "The cover"})
    save(project, display_name="Our record")
    save_entry(project, "odd", "odd")
    label_cover(project)
    name_records(project)
    project.decide("design.yaml", LOUD, LOUD + ODD)
    assert set(changes(project).values()) == {"agreed"}
    assert len(changes(project)) == 3
    number = project.mark()
    project.done("prepare")
    assert {each.method for each in project.since(number)} <= {"GET", "POST"}
    assert project.count("update component") == 2, "the developer's alone"
    assert changes(project) == {}
    project.decide("design.yaml", "display_name: The cover", "display_name: A cover")
    assert changes(project) == {"schema.cover.display_name": "written"}


@pytest.mark.parametrize("take", ["ours", "theirs"])
def test_what_both_changed_otherwise_waits_for_a_decision(
    stage: Stage, moody_site: Path, take: str
) -> None:
    """The rest is written, the stories too; each conflict is named, and decided."""
    project = moody(stage, moody_site)
    project.decide("design.yaml", LOUD, LOUD + ODD)
    save_fields(project, cover={"display_name": "Their cover"})
    save(project, display_name="Their record")
    save_entry(project, "odd", "Odd!")
    label_cover(project)
    name_records(project)
    project.decide("design.yaml", "display_name: Position", "display_name: Place")
    fields = {"schema.cover.display_name", "display_name", "entries.odd"}
    assert changes(project) == {
        **dict.fromkeys(fields, "conflict"),
        "schema.position.display_name": "written",
    }
    listed = {each["field"]: each for each in project.plan()["edit_conflicts"]}
    moved = {
        (where, each["field"])
        for where, found in project.done("changes", "--json").document.items()
        for each in found
        if "field" in each
    }
    assert moved == {
        *(("destination", field) for field in fields),
        *(("decisions", field) for field in changes(project)),
    }
    cover = listed["schema.cover.display_name"]
    assert (cover["base"], cover["ours"]) == ("Cover", "The cover")
    assert (cover["theirs"], cover["what"]) == ("Their cover", "record")
    for _ in range(2):
        ended = project.run("import")
        assert ended.code == 1
        assert "3 fields wait for a decision" in ended.err
        assert "there it is `Their cover`" in ended.err
    assert record(project)["schema"]["position"]["display_name"] == "Place"
    assert record(project)["schema"]["cover"]["display_name"] == "Their cover"
    assert len(project.stories()) == 6
    assert differing(project) == fields
    for field, each in listed.items():
        project.decide_edit(each["what"], field, take, each["seen"], kind=each["kind"])
    project.done("import")
    mine = take == "ours"
    assert record(project)["display_name"] == ("Our record" if mine else "Their record")
    assert entries(project)["odd"] == ("odd" if mine else "Odd!")
    project.verified()
    number = project.mark()
    project.done("import")
    assert {each.method for each in project.since(number)} == {"GET"}


def test_a_decision_about_an_edit_does_not_hold_for_another_one(stage: Stage) -> None:
    project = stage()
    project.done("prepare")
    save_fields(project, cover={"display_name": "Their cover"})
    label_cover(project)
    (found,) = project.plan()["edit_conflicts"]
    field, seen = found["field"], found["seen"]
    project.decide_edit("record", field, "ours", seen, kind="component")
    assert changes(project) == {field: "written"}
    save_fields(project, cover={"display_name": "Another cover"})
    assert changes(project) == {field: "conflict"}
    assert project.run("prepare").code == 1
    assert record(project)["schema"]["cover"]["display_name"] == "Another cover"


@pytest.mark.parametrize("take", ["ours", "theirs"])
def test_a_field_in_use_that_somebody_took_out_is_decided(
    stage: Stage, take: str
) -> None:
    """Stories are made with its values, which show once the field is back."""
    project = stage()
    project.done("prepare")
    save_fields(project, position=None)
    assert changes(project) == {"schema.position": "conflict"}
    ended = project.run("import")
    assert ended.code == 1
    assert "stories hold values that no editor sees" in ended.err
    assert len(project.stories()) == 6
    assert all("position" in each.content for each in project.stories().values())
    project.decide_edit("record", "schema.position", take, "absent", kind="component")
    project.done("import")
    assert ("position" in record(project)["schema"]) == (take == "ours")
    assert project.done("verify", "--json").document["differences"] == []


@pytest.mark.parametrize("take", ["ours", "theirs"])
@pytest.mark.parametrize("source", ["component", "datasource"])
def test_an_option_that_the_design_lost_stays_until_it_is_decided(
    stage: Stage, moody_site: Path, source: str, take: str
) -> None:
    if source == "datasource":
        project = moody(stage, moody_site)
        what, field = "moods", "entries.odd"
    else:
        project = stage(content=moody_site)
        what, field = "record", "schema.mood.options.odd"
    project.decide("design.yaml", LOUD, LOUD + ODD)
    project.done("prepare")
    project.decide("design.yaml", LOUD + ODD, LOUD)
    for _ in range(2):
        assert changes(project) == {field: "stays"}
        ended = project.done("prepare")
        assert f"`{field}` is no longer an option and stays" in ended.err
    project.decide_edit(what, field, take, kind=source)
    project.done("prepare")
    options = record(project)["schema"]["mood"].get("options", [])
    there = [*entries(project)] or [each["value"] for each in options]
    assert there == ["calm", "loud", *(["odd"] if take == "theirs" else [])]
    assert field not in differing(project)


class Meanwhile:
    """Does something once, before the answer to a read of one component."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.do: Callable[[], None] | None = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if self.do and call.method == "GET" and re.search(self.path, call.path):
            done, self.do = self.do, None
            done()
        return await answer(call)


def test_what_is_saved_while_an_import_runs_is_merged_too(
    stage: Stage, moody_site: Path
) -> None:
    """A component and the entries are read again right before they are written."""
    saving = Meanwhile(r"/components/\d+$")
    labelling = Meanwhile(r"/datasource_entries$")
    project = moody(stage, moody_site, saving, labelling)
    project.decide("design.yaml", LOUD, LOUD + ODD)
    label_cover(project)
    name_records(project)

    def save_there() -> None:
        stands = record(project)
        badge = {"type": "text", "pos": 40}
        stands["schema"] = {**stands["schema"], "badge": badge}
        stands["display_name"] = "Their record"

    def label_after_plan() -> None:
        labelling.do = label_there

    def label_there() -> None:
        for entry in project.space.entries.values():
            entry["name"] = f"{entry['name']}!"

    planned = project.plan()
    saving.do, labelling.do = save_there, label_after_plan
    ended = project.run("import", "--plan", planned["hash"])
    assert ended.code == 1
    assert "there it is `Their record`" in ended.err
    stands = record(project)
    assert stands["schema"]["cover"]["display_name"] == "The cover"
    assert (stands["display_name"], "badge" in stands["schema"]) == (
        "Their record",
        True,
    )
    assert changes(project) == {
        "schema.badge": "kept",
        "display_name": "conflict",
        "entries.calm": "kept",
        "entries.loud": "kept",
    }
    assert entries(project) == {"calm": "calm!", "loud": "loud!", "odd": "odd"}


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_merged_write_that_was_cut_goes_on_under_the_same_plan(
    stage: Stage, mode: str
) -> None:
    """Theirs is theirs before and after, applied or not."""
    fault = Fault(("PUT", r"/components/\d+$"), mode, item="Our record", then_dead=True)
    project = stage(fault)
    project.done("prepare")
    save_fields(project, badge={"type": "text", "pos": 40})
    label_cover(project)
    name_records(project)
    planned = project.plan()
    assert project.run("import", "--plan", planned["hash"]).code != 0
    assert ("component", "record") in project.open_intents()
    fault.over()
    project.done("import", "--plan", planned["hash"])
    assert record(project)["display_name"] == "Our record"
    print(changes(project), entries(project))
    assert changes(project) == {"schema.badge": "kept"}
    assert project.open_intents() == []


def older(schema: dict[str, Any]) -> None:
    """Make field definitions as earlier versions wrote them, in place."""
    for definition in schema.values():
        definition.pop("restrict_type", None)
        definition.pop("component_denylist", None)
        for option in definition.get("options", ()):
            option.pop("_uid", None)


@pytest.mark.parametrize("recorded", ["by field", "as a fingerprint alone"])
def test_components_in_the_shape_of_earlier_versions_are_ours_and_unedited(
    stage: Stage, moody_site: Path, recorded: str
) -> None:
    """A rerun writes nothing for the shape alone; the next change keeps the rows."""
    project = stage(content=moody_site)
    order = "    order_field: position\n"
    project.decide("design.yaml", order, order + FACTS)
    project.done("import")
    restricted = record(project)["schema"]["facts"]
    assert (restricted["restrict_type"], restricted["component_denylist"]) == ("", [])
    for each in project.space.components.values():
        older(each["schema"])
    for name, body, sent in project.rows(
        "SELECT name, body, body_hash FROM made WHERE kind = 'component'"
    ):
        assert sent
        kept = load_body(body)
        older(kept["schema"])
        kept.pop("answered", None)
        if recorded == "by field":
            change = "UPDATE made SET body = ? WHERE kind = 'component' AND name = ?"
            project.doctor(change, dump_body(kept), name)
        else:
            kept = {key: kept[key] for key in SENT if key in kept}
            change = "UPDATE made SET body = '', body_hash = ? WHERE name = ?"
            project.doctor(change, fingerprint(kept), name)
    before = [dict(each) for each in project.space.components.values()]
    planned = project.plan()
    assert "update_components" not in planned["calls"]
    assert (planned["in_the_way"], planned["schema_changes"]) == ([], [])
    project.done("import")
    assert [*project.space.components.values()] == before
    project.verified()
    project.decide("design.yaml", LOUD, LOUD + ODD)
    project.decide("design.yaml", "display_name: Mood", "display_name: The mood")
    project.done("prepare")
    rows = record(project)["schema"]["mood"]["options"]
    assert [each["value"] for each in rows] == ["calm", "loud", "odd"]
    assert ["_uid" in each for each in rows] == [False, False, True]
    project.verified()


FACTS = """    sections:
      - key: facts
        display_name: Facts
        component: facts
        fields: [position]
"""
SENT = ("name", "display_name", "schema", "is_root", "is_nestable")
