"""The plan: what it says is what happens, and it writes nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.steps.faults import (
    CREATE_STORY,
    ERROR,
    SIGN,
    UNSENT,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.staged_project import Stage, StagedProject

_ROUTES = {
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


def happened(project: StagedProject, since: int) -> dict[str, int]:
    """Return the quota calls of a run as the plan would name them."""
    return {name: project.count(route, since) for name, route in _ROUTES.items()}


def as_planned(project: StagedProject, command: str = "import") -> dict[str, int]:
    """Run a command and hold its calls against the plan that was shown before."""
    calls = project.plan()["calls"]
    number = project.mark()
    project.done(command)
    planned = {name: calls.get(name, 0) for name in _ROUTES}
    planned["read_datasource_entries"] += calls.get("compare_datasource_entries", 0)
    assert happened(project, number) == planned
    made = calls["create_stories"] + calls.get("create_folders", 0)
    assert project.count("create story", number) == made
    quota = sum(1 for each in project.since(number) if each.quota)
    assert quota == calls["total"]
    return calls


def test_a_fresh_import_makes_exactly_the_planned_calls(
    stage: Stage, small_site: Path
) -> None:
    """Two collections, two locales: each step's calls, and their sum."""
    calls = as_planned(stage(content=small_site))
    assert (calls["create_stories"], calls["sign_uploads"]) == (47, 12)


def test_an_import_with_everything_done_makes_only_the_survey(stage: Stage) -> None:
    """The second run writes nothing, and its plan knows."""
    project = stage()
    as_planned(project)
    calls = as_planned(project)
    assert calls["total"] == 6
    assert calls["list_assets"] == 1
    assert project.plan()["items"]["already_there"] == 6


def test_the_plan_after_phase_one_counts_phase_two_only(stage: Stage) -> None:
    """Parts of an import are planned from where they stand."""
    project = stage()
    project.done("prepare")
    project.done("create")
    calls = as_planned(project, "link")
    assert (calls["create_stories"], calls["update_stories"]) == (0, 6)


def test_a_changed_decision_is_planned_as_what_it_changes(stage: Stage) -> None:
    """A new content of our own stories is an update, counted before it is sent."""
    project = stage()
    project.done("import")
    project.decide("design.yaml", "key: position", "key: rank")
    calls = as_planned(project)
    assert calls["update_stories"] == 6
    assert calls["update_components"] == 1
    project.verified()


def test_choices_in_a_datasource_are_planned_to_the_entry(
    stage: Stage, tiny_site: Path, tmp_path: Path
) -> None:
    """A datasource whose entries were only half made is completed."""
    fault = Fault(("POST", r"/datasource_entries$"), UNSENT, at=(3,), then_dead=True)
    project = stage(fault, content=with_option(tiny_site, tmp_path / "content"))
    project.decide(
        "design.yaml",
        "encoding: option\n",
        "encoding: option_datasource\n        datasource: kinds\n",
    )
    calls = project.plan()["calls"]
    assert (calls["create_datasources"], calls["create_datasource_entries"]) == (1, 3)
    assert project.run("import").code != 0
    fault.over()
    calls = as_planned(project)
    assert calls["create_datasource_entries"] == 1
    assert "create_datasources" not in calls
    assert as_planned(project)["total"] == 8
    assert project.entries() == ["Marsh", "Wood", "Hill"]


def with_option(content: Path, folder: Path) -> Path:
    """Return a copy of a content folder whose items have a choice of three."""
    shutil.copytree(content, folder)
    (schema,) = (folder / "collections").iterdir()
    body = json.loads(schema.read_text())
    names = {f"{n}" * 32: name for n, name in enumerate(("Marsh", "Wood", "Hill"))}
    options = [{"id": key, "name": name} for key, name in names.items()]
    body["fields"].append(
        {
            "id": "9" * 32,
            "isEditable": True,
            "isRequired": False,
            "type": "Option",
            "slug": "kind",
            "displayName": "Kind",
            "helpText": None,
            "validations": {"options": options},
        }
    )
    schema.write_text(json.dumps(body))
    for kind in ("items", "live"):
        for path in (folder / kind).iterdir():
            items = json.loads(path.read_text())
            for item, key in zip(items["items"], list(names) * 2, strict=True):
                item["fieldData"]["kind"] = key
            path.write_text(json.dumps(items))
    return folder


@pytest.mark.parametrize(
    ("request_kind", "at"), [(SIGN, 3), (CREATE_STORY, 4), (UPDATE_STORY, 4)]
)
def test_a_resumed_import_makes_exactly_the_planned_calls(
    stage: Stage, request_kind: tuple[str, str], at: int
) -> None:
    """What a killed run left open is looked up, and the plan counts the looks."""
    fault = Fault(request_kind, ERROR, at=(at,), then_dead=True)
    project = stage(fault)
    assert project.run("import").code == 7
    fault.over()
    before = project.plan()["calls"]
    number = project.mark()
    project.done("import")
    assert sum(1 for each in project.since(number) if each.quota) == before["total"]
    project.verified()


def test_planning_writes_nothing_there_and_only_the_plan_here(stage: Stage) -> None:
    """No request but reads; in the ledger a plan and nothing else."""
    project = stage()
    before = project.comparable()
    number = project.mark()
    planned = project.plan()
    assert {each.method for each in project.since(number)} == {"GET"}
    assert project.comparable() == before
    stored = project.rows("SELECT hash FROM plan")
    assert stored == [(planned["hash"],)]
    for table in ("item", "home", "asset", "made", "intent", "run"):
        assert project.rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_dry_run_writes_nothing(stage: Stage) -> None:
    """`import --dry-run` is the plan."""
    project = stage()
    ended = project.done("import", "--dry-run", "--json")
    assert ended.document["writes"] == 0
    assert project.stories() == {}


def test_the_hash_is_the_same_before_during_and_after_an_import(
    stage: Stage,
) -> None:
    """What our own ledger records is never drift: an interrupted import reruns."""
    fault = Fault(CREATE_STORY, ERROR, at=(4,), then_dead=True)
    project = stage(fault)
    shown = project.plan()["hash"]
    assert project.run("import", "--plan", shown).code == 7
    fault.over()
    assert project.plan()["hash"] == shown
    project.done("create")
    assert project.plan()["hash"] == shown
    project.done("import", "--plan", shown)
    assert project.plan()["hash"] == shown
    project.done("import", "--plan", shown[:16])


def test_the_hash_is_the_same_after_an_update_whose_result_was_lost(
    stage: Stage,
) -> None:
    """Our own update that a killed run never recorded is not taken for an edit."""
    fault = Fault(UPDATE_STORY, ERROR, at=(2,), then_dead=True)
    project = stage(fault)
    shown = project.plan()["hash"]
    assert project.run("import", "--plan", shown).code == 7
    fault.over()
    assert project.plan()["hash"] == shown
    project.done("import", "--plan", shown)


def test_two_projects_of_the_same_content_and_decisions_share_a_hash(
    stage: Stage,
) -> None:
    """Who decided and when does not count, what was decided does."""
    one, other = stage(), stage()
    for path in (other.folder / "decisions").iterdir():
        text = path.read_text().replace("by: a tester", "by: somebody else")
        path.write_text(text.replace("how: in bulk", "how: individually"))
    assert one.plan()["hash"] == other.plan()["hash"]
    other.decide("collections.yaml", "archived: skip", "archived: as_drafts")
    assert one.plan()["hash"] != other.plan()["hash"]


def test_the_hash_does_not_depend_on_where_the_project_lies(stage: Stage) -> None:
    """A copy of the project folder elsewhere has the same plan."""
    project = stage()
    shown = project.plan()["hash"]
    moved = project.folder.parent / "elsewhere"
    shutil.move(project.folder, moved)
    shutil.copytree(moved, project.folder)
    (project.folder / "ledger.sqlite").unlink()
    assert project.plan()["hash"] == shown
