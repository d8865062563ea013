"""What an editor does to a story between a killed run and the next one stays."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.steps.editor_edits import (
    FIELDS,
    cases,
    change_texts,
    edit,
    value,
    write_site,
)
from tests.support.steps.faults import (
    CREATE_STORY,
    CUT,
    PUBLISH_STORY,
    UPDATE_STORY,
    Fault,
)
from tests.support.steps.staged_project import Stage, StagedProject

CASES = cases(
    # The group that the service gave a story is known from its answer alone.
    tuple(each for each in FIELDS if each != "group_id"),
    two_versions=False,
)


@dataclass
class Unconfirmed:
    """A service that creates stories and never says so: what a run that is killed after
    each create leaves."""

    over: bool = False

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Be the sandbox's middleware."""
        is_look = call.parameter("with_slug") is not None
        if self.over or b"is_folder" in call.body:
            return await answer(call)
        if call.method == "POST" and re.search(CREATE_STORY[1], call.path):
            await answer(call)
            return json_reply(201, {})
        return json_reply(200, {}) if is_look else await answer(call)


@pytest.fixture
def unconfirmed(stage: Stage, tmp_path: Path) -> StagedProject:
    """Return a project whose stories were all created without a record of it."""
    content = tmp_path / "content"
    write_site(content, CASES)
    service = Unconfirmed()
    project = stage(service, content=content)
    assert project.run("import").code == 1
    service.over = True
    assert len(project.open_intents()) == len(project.stories()) == len(CASES)
    return project


@pytest.mark.parametrize("command", ["import", "rollback"])
def test_a_story_that_was_created_and_edited_is_one_story_with_its_edit(
    unconfirmed: StagedProject, command: str
) -> None:
    """Whatever field it is: also where it has another address since."""
    project = unconfirmed
    known = {case: project.stories()[case.path].story_id for case in CASES}
    held = {case: edit(project, known[case], case.field) for case in CASES}
    if command == "import":
        planned, mark = project.run("plan", "--json").document["calls"], project.mark()
        project.run("import")
        assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
        project.run("import")
    plan = project.run("rollback", "--json").document
    assert {each.story_id for each in project.stories().values()} == {*known.values()}
    assert [c for c in CASES if value(project, known[c], c.field) != held[c]] == []
    fields = {each["what"]: each["fields"] for each in plan["left"]}
    paths = {each.story_id: path.strip("/") for path, each in project.stories().items()}
    told = {case: fields[paths[known[case]]] for case in CASES}
    # A rollback that finds an edited content does not know what was sent of it.
    assert [
        case for case in CASES if not {case.listed_as, "content"} & {*told[case]}
    ] == []


@pytest.mark.parametrize("items", ["staged", "mirror"])
def test_what_an_editor_unpublished_after_a_kill_stays_so(
    stage: Stage, tmp_path: Path, items: str
) -> None:
    """Until it is decided: the plan, the import and the verification say the same."""
    write_site(tmp_path / "content", cases(("name",), two_versions=items == "mirror"))
    path = f"records/record-{2 if items == 'mirror' else 1}"
    request = UPDATE_STORY if items == "mirror" else PUBLISH_STORY
    item = '"publish"' if items == "mirror" else ""
    fault = Fault(request, CUT, item=item, then_dead=True)
    project = stage(fault, content=tmp_path / "content", settings="in_flight = 1")
    unknowns = project.space.unknowns
    project.space.unknowns = replace(unknowns, publication_changes_date=True)
    project.decide("collections.yaml", "items: staged\n", f"items: {items}\n")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    assert project.run("import").code == 7
    fault.over()
    own = project.stories()[path]
    assert own.published is not None
    project.api("GET", f"/stories/{own.story_id}/unpublish")
    planned, mark = project.run("plan", "--json").document["calls"], project.mark()
    project.done("import")
    assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
    assert project.stories()[path].published is None
    assert project.codes() == ["not_published"]
    project.decide_edit(path, "published", "ours")
    project.done("import")
    assert project.stories()[path].published is not None
    project.verified()


@pytest.fixture
def updated(stage: Stage, tmp_path: Path) -> StagedProject:
    """Return a project whose origin took back what a killed run wrote."""
    write_site(tmp_path / "content", cases(("name",), two_versions=False))
    fault = Fault(UPDATE_STORY, CUT, item="Another text", then_dead=True)
    project = stage(fault, content=tmp_path / "content")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    shutil.copytree(project.folder / "raw", tmp_path / "raw")
    change_texts(project, "Another text")
    assert project.run("import").code == 7
    fault.over()
    shutil.copytree(tmp_path / "raw", project.folder / "raw", dirs_exist_ok=True)
    return project


def texts(project: StagedProject) -> str:
    """Return the content of all stories."""
    return json.dumps([each.content for each in project.stories().values()])


@pytest.mark.parametrize("field", ["name", "content.position", "slug"])
def test_what_a_killed_run_wrote_is_ours_where_an_editor_changed_another_field(
    updated: StagedProject, field: str
) -> None:
    """A rollback names the edit alone, and an import writes what the origin has."""
    project = updated
    (own,) = (each.story_id for each in project.stories().values())
    held = edit(project, own, field)
    (left,) = (
        each
        for each in project.run("rollback", "--plan", "--json").document["left"]
        if each["kind"] == "story"
    )
    assert left["fields"] == [field]
    assert "Another text" in texts(project)
    planned, mark = project.run("plan", "--json").document["calls"], project.mark()
    project.done("import")
    assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
    assert "Another text" not in texts(project)
    assert value(project, own, field) == held
    assert project.open_intents() == []
    assert project.done("import", "--json").document["writes"] == 0


def test_an_update_of_a_killed_run_is_ours_also_where_the_origin_takes_it_back(
    updated: StagedProject,
) -> None:
    """No edit of an editor: the next import writes what the origin has, and shows it to
    visitors."""
    project = updated
    assert "Another text" in texts(project)
    planned, mark = project.run("plan", "--json").document["calls"], project.mark()
    project.done("import")
    assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
    assert "Another text" not in texts(project)
    assert project.open_intents() == []
    project.verified()
