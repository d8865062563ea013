"""A space that holds something already, and plans that no longer fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cmsmig.canonical import JsonObject
from tests.support.cli.bad_input import Cause, Rig, sentence
from tests.support.sandbox.control_pages import state_of
from tests.support.scripts import do


def story(rig: Rig, path: str) -> JsonObject:
    """Make a foreign story at a path, its folders with it."""
    parent, _, slug = path.rpartition("/")
    content = {"component": "page", "_uid": "theirs"}
    body = {"name": slug, "slug": slug, "content": content}
    return rig.api(
        "POST", "/stories", {"story": {**body, "parent_id": folder(rig, parent)}}
    )["story"]


NEWS = {"name": "news", "slug": "news", "content": {"component": "page"}}
SPOT = {"name": "spot", "schema": {}}
DESIGN = "decisions/design.yaml"


def folder(rig: Rig, path: str) -> int:
    """Return the id of the folder at a path, which has to be there."""
    space = rig.handle.state.space
    return next(
        (
            each.story_id
            for each in space.stories.values()
            if each.is_folder and space.full_slug(each) == path
        ),
        0,
    )


def stories(rig: Rig) -> dict[str, JsonObject]:
    """Return what the space holds by path."""
    rows = state_of(rig.handle.state.space)["stories"]
    found = [row for row in rows if isinstance(row, dict) and not row["is_folder"]]
    for row in found:
        # It holds the moment of being asked for.
        del row["preview_token"]
    return {str(row["full_slug"]): row for row in found}


def test_a_space_with_starter_content_is_no_obstacle(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """Starter components and the home story stay as they are; the rest is made."""
    started = rig(decided=False, demo_space=True)
    components = state_of(started.handle.state.space)["components"]
    (home,) = stories(started).values()
    started.decided()
    started.done("import")
    started.done("verify")
    after = state_of(started.handle.state.space)["components"]
    assert len(components) == 4
    assert [each for each in components if each not in after] == []
    assert stories(started)["home"] == home
    assert set(stories(started)) == {*stories(whole), "home"}
    assert started.done("import", "--json").document["writes"] == 0


def test_a_foreign_story_at_our_path_fails_one_item(
    rig: Callable[..., Rig], whole: Rig
) -> None:
    """It is left alone and listed, all others are made, its move is enough."""
    started = rig()
    path = next(each for each in stories(whole) if each.endswith("/note-2"))
    started.done("prepare")
    theirs = story(started, path)
    planned = started.done("plan", "--json").document
    assert [each["full_slug"] for each in planned["conflicts"]] == [path]
    ended = started.run("import", "--json")
    assert ended.code == 1
    assert sentence(ended).startswith("1 item failed")
    assert ended.document["accounting"]["failed"] == 1
    assert ended.document["accounting"]["created"] == 5
    (failed,) = started.done("status", "--json").document["failed"]
    assert failed["full_slug"] == path
    assert failed["reason"] == "conflict"
    assert path in failed["explanation"]
    left = stories(started)[path]
    assert left["content"] == theirs["content"]
    assert left["updated_at"] == theirs["updated_at"]
    started.api("DELETE", f"/stories/{theirs['id']}")
    started.done("import")
    started.done("verify")
    assert started.space() == whole.space()


def test_proposals_keep_clear_of_existing_stories(rig: Callable[..., Rig]) -> None:
    """A name that the space uses already is not proposed."""
    started = rig(decided=False)
    schema: JsonObject = {"title": {"type": "text"}}
    body: JsonObject = {"name": "spot", "schema": schema}
    started.api("POST", "/components", {"component": body})
    started.decided()
    started.done("import")
    started.done("verify")


def test_a_plan_that_is_not_known(rig: Callable[..., Rig], whole: Rig) -> None:
    """A hash that no plan has, or that is no hash, is wrong usage."""
    started = rig()
    shown = started.done("plan", "--json").document["hash"]
    for unknown in ("0123456789abcdef", "", shown[:4]):
        assert "cmsmig plan" in started.fails(2, "import", "--plan", unknown)
    assert started.writes == []
    started.done("import", "--plan", shown[:16])
    assert started.space() == whole.space()


@pytest.mark.parametrize(
    ("moved", "change"),
    [
        ("origin", {"edits": ["raw/items/*.json", "Text 1", "Text one"]}),
        (
            "design.yaml",
            {"edits": ["decisions/design.yaml", "key: line", "key: words"]},
        ),
        ("story news", {"posts": ["stories", {"story": NEWS}]}),
        ("component spot", {"posts": ["components", {"component": SPOT}]}),
    ],
    ids=["origin", "decisions", "story", "component"],
)
def test_a_plan_that_drifted_writes_nothing(
    rig: Callable[..., Rig], moved: str, change: dict[str, list]
) -> None:
    """What moved since the plan is named; a new plan is what it takes."""
    started = rig()
    shown = started.done("plan", "--json").document["hash"]
    do(change, Cause(started))
    before, asked = started.space(), len(started.writes)
    said = started.fails(1, "import", "--plan", shown)
    assert moved in said
    assert "nothing was written" in said
    assert started.space() == before
    assert started.writes[asked:] == []
    again = started.done("plan", "--json").document["hash"]
    assert again != shown
    if moved != "component spot":
        started.done("import", "--plan", again)


def test_our_own_writes_are_no_drift(rig: Callable[..., Rig], whole: Rig) -> None:
    """A plan that a run has begun still fits when it continues, and when it is done."""
    started = rig()
    shown = started.done("plan", "--json").document["hash"]
    started.done("prepare")
    for _ in range(2):
        started.done("import", "--plan", shown)
    assert started.space() == whole.space()
