"""No request publishes a folder: the service would publish every draft below it."""

from __future__ import annotations

from pathlib import Path

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.steps.staged_project import Stage


def test_no_request_ever_publishes_or_unpublishes_a_folder(
    stage: Stage, small_site: Path
) -> None:
    """Nor does a rollback need one."""
    asked: list[Call] = []

    async def watch(call: Call, answer: Next) -> Reply:
        if "/stories/" in call.path:
            asked.append(call)
        return await answer(call)

    project = stage(watch, content=small_site)
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    project.decide("collections.yaml", "publish: what_is_live", "publish: nothing")
    project.decide("design.yaml", "folder_name: Notes", "folder_name: Our notes")
    project.done("import")
    folders = {
        str(own) for own, story in project.space.stories.items() if story.is_folder
    }
    assert len(folders) == 5
    project.done("rollback")
    of_folders = [
        each
        for each in asked
        if each.path.partition("/stories/")[2].partition("/")[0] in folders
    ]
    # One that is renamed is read right before.
    assert {each.method for each in of_folders} == {"GET", "PUT", "DELETE"}
    for each in of_folders:
        assert not each.path.endswith("publish")
        assert each.parameter("publish") is None
        assert each.method != "PUT" or "publish" not in each.document()
