"""What an editor changed of a story stays, in every field and with both versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.steps.desk import Desk, Stage
from tests.support.steps.editor_edits import (
    Edited,
    cases,
    change_texts,
    edit,
    value,
    write_site,
)
from tests.support.steps.origin_edits import Item, decide_gone, edit_items

CASES = cases(two_versions=True)


@pytest.fixture(scope="session")
def edited_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edited") / "content"
    write_site(folder, CASES)
    return folder


@pytest.fixture
def mirrored(stage: Stage, edited_site: Path) -> Desk:
    """Return a desk with both versions of every story imported."""
    desk = stage(content=edited_site)
    desk.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    desk.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    desk.done("import")
    return desk


def ids(desk: Desk) -> dict[Edited, int]:
    stories = desk.stories()
    return {case: stories[case.path].story_id for case in CASES}


def _is_of(item: Item, case: Edited) -> bool:
    return f"records/{item['fieldData']['slug']}" == case.path


def kept_by_rollback(desk: Desk) -> dict[int, set[str]]:
    """Return the fields for which a rollback would keep stories, by number."""
    plan = desk.run("rollback", "--plan", "--json").document
    paths = {path.strip("/"): each.story_id for path, each in desk.stories().items()}
    return {
        paths[each["what"]]: set(each["fields"])
        for each in plan["left"]
        if each["kind"] == "story" and each["what"] in paths
    }


def test_an_edit_survives_new_versions_and_updates_and_a_rollback_keeps_it(
    mirrored: Desk,
) -> None:
    """Whatever else of the story an import writes, once or twice."""
    desk, known = mirrored, ids(mirrored)
    held = {case: edit(desk, known[case], case.field) for case in CASES}
    for folders in (("live",), ("items",), ("items", "live")):
        change_texts(desk, "Written anew.", *folders)
        desk.run("import")
        lost = [
            case for case in CASES if value(desk, known[case], case.field) != held[case]
        ]
        assert lost == []
    left = kept_by_rollback(desk)
    assert [case for case in CASES if case.listed_as not in left[known[case]]] == []


def test_what_is_gone_at_the_origin_is_deleted_only_where_no_editor_changed_it(
    stage: Stage, edited_site: Path
) -> None:
    """Also after an update of ours since; a save without a change is no edit."""
    desk = stage(content=edited_site)
    position = "    order_field: position\n"
    desk.decide("design.yaml", position, f"{position}    tags_by: related\n")
    desk.done("import")
    known, edited = ids(desk), {}
    for case in CASES:
        if case.has_two_versions:
            edited[case] = edit(desk, known[case], case.field)
    change_texts(desk, "Written anew.")
    desk.run("import")
    saved = next(case for case in CASES if case not in edited)
    story = desk.stories()[saved.path]
    body = {"story": {"content": story.content, "tag_list": story.body["tag_list"]}}
    desk.api("PUT", f"/stories/{story.story_id}", body)
    last = CASES[-2]
    edit_items(desk, lambda item: item if _is_of(item, last) else None)
    decide_gone(desk, "*", "delete")
    desk.run("import")
    there = {each.story_id for each in desk.stories().values()}
    assert {case for case in CASES if known[case] in there} == {*edited, last}
    assert [c for c in edited if value(desk, known[c], c.field) != edited[c]] == []
