"""What an import asks for that has nothing, or one thing, to do: that and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

READS = [
    "GET ",
    "GET ",
    "GET /assets?page=1&per_page=100",
    "GET /components",
    "GET /releases",
    "GET /stories?page=1&per_page=100",
]
"""The token and the space, its components and releases, one page of stories and one
of files."""


def requests(project: StagedProject, since: int) -> list[str]:
    """Return the requests of a service by method, path and query, sorted."""
    found = []
    for each in project.since(since):
        assert each.service == "destination"
        path = each.path.partition(f"/spaces/{project.space.space_id}")[2]
        query = "&".join(
            f"{name}={value}" for name, value in sorted(each.query.items())
        )
        found.append(f"{each.method} {path}{'?' if query else ''}{query}")
    return sorted(found)


def rerun(project: StagedProject, code: int = 0) -> list[str]:
    mark = project.mark()
    assert project.run("import").code == code
    return requests(project, mark)


def test_nothing_to_do_is_five_reads(stage: Stage) -> None:
    """As often as it is run."""
    project = stage()
    project.done("import")
    assert rerun(project) == rerun(project) == READS


def a_field(data: dict[str, Any]) -> None:
    data["position"] = 4711


def a_body(data: dict[str, Any]) -> None:
    data["text"] = "<p>Written anew.</p>"


def a_reference(data: dict[str, Any]) -> None:
    data["related"] = [*data["related"], data["next"]]


@pytest.mark.parametrize("change", [a_field, a_body, a_reference])
def test_one_item_is_one_look_and_one_write(
    stage: Stage, change: Callable[[dict[str, Any]], None]
) -> None:
    """Its state is listed, it is written, and no other story is asked about."""
    project = stage()
    project.done("import")
    own = project.stories()["records/record-2"].story_id

    def change_one(item: Item) -> Item:
        if item["fieldData"]["slug"] == "record-2":
            change(item["fieldData"])
        return item

    edit_items(project, change_one)
    look = f"GET /stories?by_ids={own}&page=1&per_page=100"
    assert rerun(project) == sorted([*READS, look, f"PUT /stories/{own}"])
    assert rerun(project) == READS
