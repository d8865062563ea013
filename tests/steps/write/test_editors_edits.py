"""What an editor changed of a story stays, in every field and with both versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.steps.editor_edits import (
    Edited,
    cases,
    change_texts,
    edit,
    value,
    write_site,
)
from tests.support.steps.origin_edits import Item, decide_gone, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

CASES = cases(two_versions=True)


@pytest.fixture(scope="session")
def edited_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited") / "content"
    write_site(folder, CASES)
    return folder


@pytest.fixture
def mirrored(stage: Stage, edited_site: Path) -> StagedProject:
    """Return a project with both versions of every story imported."""
    project = stage(content=edited_site)
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    return project


def ids(project: StagedProject) -> dict[Edited, int]:
    stories = project.stories()
    return {case: stories[case.path].story_id for case in CASES}


def _is_of(item: Item, case: Edited) -> bool:
    return f"records/{item['fieldData']['slug']}" == case.path


def kept_by_rollback(project: StagedProject) -> dict[int, set[str]]:
    """Return the fields for which a rollback would keep stories, by number."""
    plan = project.run("rollback", "--plan", "--json").document
    paths = {path.strip("/"): each.story_id for path, each in project.stories().items()}
    return {
        paths[each["what"]]: set(each["fields"])
        for each in plan["left"]
        if each["kind"] == "story" and each["what"] in paths
    }


def test_an_edit_survives_new_versions_and_updates_and_a_rollback_keeps_it(
    mirrored: StagedProject,
) -> None:
    """Whatever else of the story an import writes, once or twice."""
    project, known = mirrored, ids(mirrored)
    held = {case: edit(project, known[case], case.field) for case in CASES}
    for folders in (("live",), ("items",), ("items", "live")):
        change_texts(project, "Written anew.", *folders)
        project.run("import")
        lost = [
            case
            for case in CASES
            if value(project, known[case], case.field) != held[case]
        ]
        assert lost == []
    left = kept_by_rollback(project)
    assert [case for case in CASES if case.listed_as not in left[known[case]]] == []


def test_what_is_gone_at_the_origin_is_deleted_only_where_no_editor_changed_it(
    stage: Stage, edited_site: Path
) -> None:
    """Also after an update of ours since; a save without a change is no edit."""
    project = stage(content=edited_site)
    position = "    order_field: position\n"
    project.decide("design.yaml", position, f"{position}    tags_by: related\n")
    project.done("import")
    known, edited = ids(project), {}
    for case in CASES:
        if case.has_two_versions:
            edited[case] = edit(project, known[case], case.field)
    change_texts(project, "Written anew.")
    project.run("import")
    saved = next(case for case in CASES if case not in edited)
    story = project.stories()[saved.path]
    body = {"story": {"content": story.content, "tag_list": story.body["tag_list"]}}
    project.api("PUT", f"/stories/{story.story_id}", body)
    last = CASES[-2]
    edit_items(project, lambda item: item if _is_of(item, last) else None)
    decide_gone(project, "*", "delete")
    project.run("import")
    there = {each.story_id for each in project.stories().values()}
    assert {case for case in CASES if known[case] in there} == {*edited, last}
    assert [c for c in edited if value(project, known[c], c.field) != edited[c]] == []
