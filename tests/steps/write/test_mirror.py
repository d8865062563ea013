"""Two layers: what visitors see and what editors work on, under each item set."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.steps.editor_edits import change_texts
from tests.support.steps.faults import CUT, UNSENT, UPDATE_STORY, Fault
from tests.support.steps.item_states import (
    CHANGED,
    SLUGS,
    STATES,
    public,
    relive,
)
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import StagedProject

RULE = "    archived: skip\n"
NAMES = {slug: state for state, slug in SLUGS.items()}


def layers(project: StagedProject) -> dict[str, tuple[str, str]]:
    """Return what visitors and what editors see of each state: `old`, `new`."""

    def told(name: str, content: object) -> str:
        fresh = "Not shown yet." in str(content)
        assert fresh is name.endswith("anew")
        return "new" if fresh else "old"

    found: dict[str, tuple[str, str]] = {}
    for path, story in project.stories().items():
        slug = path.rpartition("/")[2]
        state = NAMES.get(slug, "changed")
        shown = "-"
        if story.published_content is not None:
            shown = told(story.published_name, story.published_content)
        found[state] = (shown, told(story.name, story.content))
    return found


def reasons(project: StagedProject) -> dict[str, str]:
    """Return why each state was left out."""
    rows = project.rows("SELECT name, reason FROM item WHERE status = 'skipped'")
    by_name = {f"Record {slug.rpartition('-')[2]}": s for slug, s in NAMES.items()}
    return {by_name[name.removesuffix(" anew")]: reason for name, reason in rows}


PUBLIC = {"published": ("old", "old")}
STAGED = {
    "published": ("old", "old"),
    "changed": ("new", "new"),
    "draft": ("-", "old"),
    "unpublished": ("-", "old"),
    "queued": ("-", "old"),
    "queued changes": ("new", "new"),
}
TABLE: dict[str, tuple[dict[str, tuple[str, str]], dict[str, str]]] = {
    "live": (
        dict.fromkeys(("published", "changed", "queued changes"), ("old", "old")),
        dict.fromkeys(("draft", "unpublished", "queued"), "not_live"),
    ),
    "staged": (STAGED, {}),
    "staged_published_only": (
        {state: STAGED[state] for state in ("published", "changed", "queued changes")},
        dict.fromkeys(("draft", "unpublished", "queued"), "not_live"),
    ),
    "mirror": (
        {**STAGED, "changed": ("old", "new"), "queued changes": ("old", "new")},
        {},
    ),
}
"""What visitors and editors see of each state, and why the others are left out."""


@pytest.mark.parametrize("items", TABLE)
def test_each_state_under_each_item_set(
    open_desk: Callable[..., StagedProject], items: str
) -> None:
    """Read back from both layers; the calls are those of the plan, and none again."""
    project = open_desk(items)
    planned, mark = project.plan()["calls"], project.mark()
    project.done("import")
    seen, left = TABLE[items]
    archived = {"archived": "archived", "archived live": "archived_live"}
    assert layers(project) == seen
    assert reasons(project) == left | archived
    assert set(seen) | set(reasons(project)) == set(STATES)
    routes = {
        "create_stories": "create story",
        "publish_stories": "publish story",
    }
    for call, route in routes.items():
        assert project.count(route, mark) - 1 * (
            call == "create_stories"
        ) == planned.get(call, 0)
    updates = planned["update_stories"] + planned.get("show_versions", 0)
    assert project.count("update story", mark) == updates
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0
    assert project.plan()["calls"].get("show_versions", 0) == 0


def test_the_address_of_a_page_does_not_move_before_it_is_published(
    open_desk: Callable[..., StagedProject],
) -> None:
    """A story has one slug: the unpublished one waits, and is told."""
    project = open_desk("mirror")
    plan = project.plan()
    (listed,) = plan["slug_changes"]
    assert (listed["full_slug"], listed["origin"]) == (CHANGED, "another-slug")
    assert any("The slug `another-slug` is an unpublished" in n for n in plan["notes"])
    project.done("import")
    assert CHANGED in project.stories()
    assert "records/another-slug" not in project.stories()


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("as_drafts", ("-", "new")), ("as_live", ("old", "new"))],
)
def test_archived_and_still_online_has_its_own_choice(
    open_desk: Callable[..., StagedProject], choice: str, expected: tuple[str, str]
) -> None:
    """A draft, or as any other live item."""
    project = open_desk("mirror")
    project.decide("collections.yaml", RULE, f"{RULE}    archived_live: {choice}\n")
    project.done("import")
    assert layers(project)["archived live"] == expected
    assert reasons(project) == {"archived": "archived"}
    project.verified()


def test_queued_items_are_published_where_that_is_decided(
    open_desk: Callable[..., StagedProject],
) -> None:
    """As the next publish of the site would."""
    project = open_desk("mirror")
    project.decide("collections.yaml", RULE, f"{RULE}    queued: publish\n")
    project.done("import")
    seen = layers(project)
    assert seen["queued"] == ("old", "old")
    assert seen["queued changes"] == ("new", "new")
    project.verified()


@pytest.mark.parametrize("mode", [CUT, UNSENT])
@pytest.mark.parametrize("at", range(1, 12))
def test_a_run_that_dies_between_the_layers_is_taken_up(
    open_desk: Callable[..., StagedProject], mode: str, at: int
) -> None:
    """Whatever write it was: the next run ends with both, and writes no more."""
    fault = Fault(UPDATE_STORY, mode, at=(at,), then_dead=True)
    project = open_desk("mirror", fault)
    ended = project.run("import")
    fault.over()
    assert (ended.code != 0) is bool(fault.hits)
    project.done("import")
    assert layers(project) == TABLE["mirror"][0]
    project.verified()
    assert project.open_intents() == []
    assert project.done("import", "--json").document["writes"] == 0


def test_what_editors_save_there_stays_above_what_visitors_see(
    open_desk: Callable[..., StagedProject],
) -> None:
    """An edit over both layers is kept, and never shown by us."""
    project = open_desk("mirror")
    project.done("import")
    project.edit(CHANGED, position="-4711")
    project.done("import")
    assert project.stories()[CHANGED].content["position"] == "-4711"
    assert "-4711" not in public(project)


def test_an_item_that_is_decided_on_and_not_there_is_named(
    open_desk: Callable[..., StagedProject],
) -> None:
    """A mistyped id decides nothing, so somebody has to know; twice is refused."""
    project = open_desk("mirror")
    one = "      - item: nobody\n        take: skip\n"
    project.decide("collections.yaml", RULE, f"{RULE}    apart:\n{one}")
    assert any("has no item `nobody`" in each for each in project.plan()["notes"])
    project.decide("collections.yaml", one, one + one)
    ended = project.run("plan")
    assert ended.code == 2
    assert "decides twice about the item nobody" in ended.err


QUEUED = f"records/{SLUGS['queued changes']}"


def publish_queued(project: StagedProject) -> None:
    """Publish the item with queued changes at the origin."""
    (staged,) = (project.folder / "raw" / "items").glob("*.json")
    newest = {
        each["id"]: each
        for each in json.loads(staged.read_text())["items"]
        if each["fieldData"]["slug"] == SLUGS["queued changes"]
    }
    edit_items(project, lambda item: newest.get(item["id"], item), ("live",))


def test_an_unfinished_edit_is_not_published_with_what_the_origin_publishes(
    open_desk: Callable[..., StagedProject],
) -> None:
    """Visitors keep what they have until it is decided, and get ours alone then."""
    project = open_desk("mirror")
    project.done("import")
    project.edit(QUEUED, position="-4711")
    before = public(project, QUEUED)
    publish_queued(project)
    planned, mark = project.run("plan", "--json").document["calls"], project.mark()
    assert "publish_stories" not in planned
    project.run("import")
    assert project.count("publish story", mark) == 0
    assert public(project, QUEUED) == before
    project.decide_edit(QUEUED, "published", "ours")
    project.done("import")
    assert "Not shown yet." in public(project, QUEUED)
    assert "-4711" not in public(project, QUEUED)
    assert project.stories()[QUEUED].content["position"] == "-4711"


def test_once_it_is_published_at_the_origin_visitors_get_it(
    open_desk: Callable[..., StagedProject],
) -> None:
    """One publication, no other write; with the slug that is live now by decision."""
    project = open_desk("mirror")
    project.done("import")
    path = QUEUED
    publish_queued(project)
    planned, mark = project.plan()["calls"], project.mark()
    assert (planned["publish_stories"], planned["update_stories"]) == (1, 0)
    assert "show_versions" not in planned
    project.done("import")
    assert project.count("publish story", mark) == 1
    assert project.count("update story", mark) == 0
    assert "Not shown yet." in public(project, path)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_what_is_live_anew_is_shown_below_what_editors_are_at(
    open_desk: Callable[..., StagedProject],
) -> None:
    """Both layers are written again, and only of that story."""
    project = open_desk("mirror")
    project.done("import")
    before = project.stories()[CHANGED].content
    relive(project, "Live anew.")
    (change,) = project.done("changes", "--json").document["origin"]
    assert change["what"] == CHANGED
    assert "is live in another version" in change["text"]
    planned, mark = project.plan()["calls"], project.mark()
    assert (planned["show_versions"], planned.get("publish_stories", 0)) == (2, 0)
    project.done("import")
    assert project.count("update story", mark) == 2
    assert "Live anew." in public(project)
    assert project.stories()[CHANGED].content == before
    project.verified()
    assert project.done("changes", "--json").document["origin"] == []


def test_an_edit_there_waits_for_nothing_and_is_not_lost_by_a_new_version(
    open_desk: Callable[..., StagedProject],
) -> None:
    """Somebody's unfinished work is not written over: by decision both stand."""
    project = open_desk("mirror")
    project.done("import")
    project.edit(CHANGED, position="-4711")
    relive(project, "Live anew.")
    ended = project.run("import")
    assert ended.code == 1
    assert project.stories()[CHANGED].content["position"] == "-4711"
    assert "Live anew." not in public(project)
    (failed,) = project.status()["failed"]
    assert failed["reason"] == "not_published"
    project.decide_edit(CHANGED, "published", "ours")
    project.done("import")
    assert "Live anew." in public(project)
    assert "-4711" not in public(project)
    assert project.stories()[CHANGED].content["position"] == "-4711"


def test_a_dry_run_lists_what_visitors_will_see_change(
    open_desk: Callable[..., StagedProject],
) -> None:
    """Each story by its path: new pages, and what changes on those they know."""
    project = open_desk("mirror")
    first = project.plan()["publications"]
    assert {each["visitors"] for each in first} == {"new"}
    assert {each["full_slug"] for each in first if each["below_edits"]} == {
        CHANGED,
        f"records/{SLUGS['queued changes']}",
    }
    project.done("import")
    assert project.plan()["publications"] == []
    relive(project, "Live anew.")
    mark = project.mark()
    told = project.done("publish", "--dry-run", "--json").document["plan"]
    assert told["publications"] == [
        {
            "item": told["publications"][0]["item"],
            "full_slug": CHANGED,
            "visitors": "renewed",
            "below_edits": True,
            "fields": ["text"],
        }
    ]
    said = project.done("publish", "--dry-run")
    above = "editors see newer changes above it"
    assert f"published: {CHANGED}: renewed: text; {above}" in said.out
    assert not any(each.method != "GET" for each in project.since(mark))


def test_a_story_that_somebody_renamed_keeps_its_name(
    open_desk: Callable[..., StagedProject],
) -> None:
    """What visitors see is renewed below it; no later run takes the name away."""
    project = open_desk("mirror")
    project.done("import")
    own = project.stories()[CHANGED].story_id
    project.api("PUT", f"/stories/{own}", {"story": {"name": "Renamed there"}})
    relive(project, "Live anew.")
    project.done("import")
    assert "Live anew." in public(project)
    assert "Renamed there" not in public(project)
    assert project.stories()[CHANGED].name == "Renamed there"
    relive(project, "Live once more.")
    project.done("import")
    assert project.stories()[CHANGED].name == "Renamed there"


def test_tags_are_those_of_what_visitors_see(
    open_desk: Callable[..., StagedProject],
) -> None:
    """A story has one list of tags; an edit that is not live names none, neither in the
    item nor in what it refers to."""
    project = open_desk("mirror")
    order = "    order_field: position\n"
    project.decide("design.yaml", order, f"{order}    tags_by: related\n")

    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == "another-slug":
            item["fieldData"]["related"] = []
        return item

    edit_items(project, change, ("items",))
    project.done("import")
    tags = {path: each.body.get("tag_list") for path, each in project.stories().items()}
    assert tags[CHANGED]
    assert not [
        each for found in tags.values() for each in found or () if "anew" in each
    ]
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


@pytest.fixture
def edited(open_desk: Callable[..., StagedProject]) -> tuple[StagedProject, str]:
    """A mirrored site after its import, and the path of a story that an editor then
    changed."""
    project = open_desk("mirror")
    project.done("import")
    path = f"records/{SLUGS['published']}"
    project.edit(path, position="-4711")
    return project, path


def test_an_unfinished_edit_of_a_story_with_one_version_is_not_shown(
    edited: tuple[StagedProject, str],
) -> None:
    """Visitors get what is live at the origin; the edit stays above it."""
    project, path = edited
    project.decide_edit(path, "published", "ours")
    assert project.done("import", "--json").document["writes"] == 0
    assert "-4711" not in public(project, path)
    change_texts(project, "Live anew.")
    planned, mark = project.run("plan", "--json").document["calls"], project.mark()
    project.done("import")
    assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
    assert "Live anew." in public(project, path)
    assert "-4711" not in public(project, path)
    assert project.stories()[path].content["position"] == "-4711"
    assert project.codes() == ["field_value"]
    assert project.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize("is_shown", [False, True])
def test_an_edit_that_is_taken_back_leaves_nothing_to_publish(
    edited: tuple[StagedProject, str], is_shown: bool
) -> None:
    """The import that writes ours publishes it too, as the plan names it."""
    project, path = edited
    if is_shown:
        project.api("GET", f"/stories/{project.stories()[path].story_id}/publish")
    project.decide_edit(path, "*", "ours")
    planned, mark = project.plan()["calls"], project.mark()
    assert (planned["update_stories"], planned["publish_stories"]) == (1, 1)
    project.done("import")
    assert sum(1 for each in project.since(mark) if each.quota) == planned["total"]
    assert not project.stories()[path].unpublished_changes
    assert "-4711" not in public(project, path)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_an_edit_that_is_to_be_taken_back_does_not_go_live_before(
    edited: tuple[StagedProject, str],
) -> None:
    """`publish` alone writes no update: visitors keep what they have."""
    project, path = edited
    project.decide_edit(path, "*", "ours")
    project.done("publish")
    assert "-4711" not in public(project, path)
    project.done("import")
    assert project.stories()[path].content.get("position") != "-4711"
    project.verified()
