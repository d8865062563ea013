"""What comes, goes and moves on either side after an import, day after day.

Each day is one change, told by the plan, and an import: with the calls that it takes
beside the four that read the space, and with what is there afterwards.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmsmig.evidence.evidence import evidence_json, gather
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.steps.origin_edits import (
    Item,
    delete_item,
    edit_items,
)
from tests.support.steps.origin_schemas import (
    add_collection,
    choices,
    field,
    fields,
)
from tests.support.steps.staged_project import StagedProject

LISTS = ("space", "components", "stories", "assets", "releases", "validate token")
READS = Counter({f"GET {each}": 1 for each in LISTS})
CALM = {"name": "calm", "id": "1" * 32}
LOUD = {"name": "loud", "id": "2" * 32}
ODD = {"name": "odd", "id": "3" * 32}


@dataclass(frozen=True)
class Day:
    """One change, and what comes of it."""

    change: Callable[[StagedProject], object]
    calls: dict[str, int]
    """Of the import, beside those that read the space."""
    told: str = ""
    """By `plan`, also where it refuses."""
    changes: str = ""
    """By `changes`."""
    added: str = ""
    """By `decide --accept-proposals`, which comes before the import then."""
    code: int = 0
    """Of the import."""


@dataclass(frozen=True)
class Told:
    """What was told and asked on a day."""

    plan: str
    changes: str
    added: str
    code: int
    calls: dict[str, int]
    there: dict[str, bool]
    """Which stories are there, and whether visitors see them."""


def play(staged: StagedProject, day: Day) -> Told:
    """Change something, look, decide what the origin has more, and import."""
    day.change(staged)
    changes = staged.run("changes").out if day.changes else ""
    plan = staged.run("plan")
    added = ""
    if day.added:
        added = staged.run("decide", "--accept-proposals", "--reviewer", "Ann").out
    mark = staged.mark()
    ended = staged.run("import")
    asked = Counter(f"{each.method} {each.route}" for each in staged.since(mark))
    assert staged.open_intents() == []
    there = {
        path: story.published_content is not None
        for path, story in staged.stories().items()
    }
    text = plan.out + plan.err
    return Told(text, changes, added, ended.code, dict(asked - READS), there)


# what somebody changes


def name_item(staged: StagedProject) -> None:
    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == "record-1":
            item["fieldData"]["name"] = "The first"
        return item

    edit_items(staged, change)


def move_item(staged: StagedProject) -> None:
    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == "record-2":
            item["fieldData"]["slug"] = "second"
        return item

    edit_items(staged, change)


def decide_move(staged: StagedProject) -> None:
    staged.decide_edit("records/record-2", "slug", "ours")


def unpublish(staged: StagedProject) -> None:
    delete_item(staged, "record-4")
    staged.decide_gone("records/record-4", "unpublish", "origin")


def recreate(staged: StagedProject) -> None:
    staged.decide_gone("records/record-5", "recreate")


def leave_out(staged: StagedProject) -> None:
    staged.delete("records/record-6")
    staged.decide_gone("records/record-6", "leave_out")


def move_there(staged: StagedProject) -> None:
    """Rename a story, give it another slug and another folder."""
    above = {"name": "Archive", "slug": "archive", "is_folder": True}
    folder = staged.api("POST", "/stories", {"story": above})["story"]
    own = staged.stories()["records/record-1"].story_id
    record = {"name": "Theirs", "slug": "theirs", "parent_id": folder["id"]}
    staged.api("PUT", f"/stories/{own}", {"story": record})


def add_field(staged: StagedProject) -> None:
    field(staged, "subtitle", displayName="Subtitle", type="PlainText")

    def change(item: Item) -> Item:
        if item["fieldData"]["slug"] == "record-3":
            item["fieldData"]["subtitle"] = "A subtitle"
        return item

    edit_items(staged, change)


def remove_field(staged: StagedProject) -> None:
    def change(listed: list[dict[str, Any]]) -> None:
        listed[:] = [each for each in listed if each["slug"] != "subtitle"]

    def empty(item: Item) -> Item:
        item["fieldData"].pop("subtitle", None)
        return item

    fields(staged, change)
    edit_items(staged, empty)


def without_field(staged: StagedProject) -> None:
    """Take the field out of the design, as the refusal said."""
    path = staged.folder / "decisions" / "design.yaml"
    text = path.read_text()
    start = text.index("      - origin: subtitle")
    path.write_text(text[:start] + text[text.index("blocks:", start) :])


def edit_design(old: str, new: str) -> Callable[[StagedProject], None]:
    return lambda staged: staged.decide("design.yaml", old, new)


WEBHOOKS = {"GET webhook endpoints": 1}
"""Asked for where something is to be published."""
COMPONENT = {"GET component": 1, "PUT update component": 1}


def stories(count: int, **more: int) -> dict[str, int]:
    """Return the calls of so many updates: listed before, published after."""
    each = {"PUT update story": count, "GET publish story": count}
    return {"GET stories": 1, **WEBHOOKS, **each, **more}


DAYS: dict[str, Day] = {
    "renamed": Day(name_item, stories(1), changes="name: `Record 1` -> `The first`"),
    "slug changed": Day(
        move_item,
        {"GET stories": 1},
        told="would move a page that visitors may know: ours is `second`",
        changes="slug: `record-2` -> `second`",
        code=1,
    ),
    "slug decided": Day(decide_move, {**stories(1), "GET story": 1}),
    "field added": Day(
        add_field,
        {**stories(1), **COMPONENT},
        told="Nothing is designed for the field Subtitle",
        added="added: field `subtitle` of `records`",
    ),
    "field renamed": Day(
        lambda staged: field(staged, "cover", displayName="Picture"),
        {},
        told="The origin calls the field `cover` of `records` `Picture` now; for "
        "editors it stays `Cover` until",
    ),
    "design changed": Day(
        edit_design("display_name: Cover", "display_name: Picture"),
        COMPONENT,
        told="`schema.cover.display_name` will be changed from `Cover` to `Picture`",
        changes="schema.cover.display_name: `Cover` -> `Picture`",
    ),
    "option added": Day(
        choices(CALM, LOUD, ODD),
        COMPONENT,
        told="Nothing is decided about the option odd",
        added="added: option `odd` of field `mood` of `records`",
    ),
    "option renamed": Day(
        choices({**CALM, "name": "quiet"}, LOUD, ODD),
        {},
        told="the option `calm` of the field `mood` of `records` `quiet` now; for "
        "editors it stays `calm` until",
    ),
    "option removed": Day(
        choices(CALM, ODD),
        {},
        told="no longer has the option `loud` of the field `mood` of `records`",
    ),
    "field retyped": Day(
        lambda staged: field(staged, "plates", type="PlainText"),
        {},
        told="field plates: its type is PlainText at the origin, not MultiImage; write",
        added="to decide: design.yaml: collection records: field plates",
        code=2,
    ),
    "field typed as before": Day(
        lambda staged: field(staged, "plates", type="MultiImage"), {}
    ),
    "field removed": Day(
        remove_field,
        {},
        told="field subtitle: the origin has no such field;",
        added="to decide: design.yaml: collection records: field subtitle",
        code=2,
    ),
    "field taken out": Day(
        without_field,
        {**stories(1), **COMPONENT},
        told="component `record`: `schema.subtitle` will be removed",
        changes="content.subtitle: `A subtitle` -> nothing",
    ),
    "collection added": Day(
        add_collection,
        {"GET components": 1, "POST create component": 1, "POST create story": 2},
        told="Nothing is decided about the collection Events",
        added="added: collection `events`; content type `event`",
    ),
    "component renamed": Day(
        edit_design("component: record\n", "component: entry\n"),
        # The folder, too: new stories in it get the component that the design has.
        stories(6, **{"POST create component": 1, "GET story": 1})
        | {"PUT update story": 7},
        told="The component `record` of an earlier design stays in the space",
        changes="content.component: `record` -> `entry`",
    ),
    "moved there": Day(move_there, {}, changes="folder: `records` -> `archive`"),
    "gone, kept": Day(
        lambda staged: delete_item(staged, "record-3"),
        {},
        told="records/record-3: It was deleted at the origin. Its story is kept.",
        changes="records/record-3 is no longer part of what is imported",
    ),
    "gone, deleted": Day(
        lambda staged: staged.decide_gone("records/record-3", "delete", "origin"),
        {
            **{"GET stories": 2, "PUT update story": 2, "GET publish story": 2},
            "DELETE delete story": 1,
            **WEBHOOKS,
        },
        told="Its story is to be deleted.",
    ),
    "gone, unpublished": Day(
        unpublish,
        {
            "GET stories": 2,
            "GET story": 1,
            "PUT update story": 1,
            "GET unpublish story": 1,
        },
        told="Its story is to be unpublished.",
    ),
    "gone there": Day(
        lambda staged: staged.delete("records/record-5"),
        {"GET story": 1},
        told="no longer has what an import brought (1 story (records/record-5))",
        changes="records/record-5 is gone from the stories of the space",
        code=1,
    ),
    "gone there, made again": Day(
        recreate,
        {
            **{**stories(2), "GET components": 1, "GET story": 2},
            "POST create story": 1,
        },
    ),
    "gone there, left out": Day(leave_out, {**stories(1), "GET story": 1}),
}


@dataclass(frozen=True)
class Played:
    """All days, one after the other."""

    staged: StagedProject
    told: dict[str, Told]


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
    moody_site: Path,
    decided_project: Callable[[Path], Path],
) -> Iterator[Played]:
    """Import, and live through every day."""
    folder = tmp_path_factory.mktemp("days")
    with running_sandbox(SandboxOptions(content=moody_site, rate=500)) as handle:
        project = folder / "project"
        shutil.copytree(decided_project(moody_site), project)
        write_env(project, environment_file_text(dict(handle.announcement), 500))
        staged = StagedProject(Rehearsal(handle, project, folder / "state"))
        staged.decide(
            "collections.yaml", "publish: nothing\n", "publish: what_is_live\n"
        )
        staged.done("import")
        yield Played(staged, {name: play(staged, day) for name, day in DAYS.items()})


@pytest.mark.parametrize("name", DAYS)
def test_a_day(played: Played, name: str) -> None:
    """Told beforehand, done with the calls that it takes, and no more."""
    day, told = DAYS[name], played.told[name]
    assert day.told in told.plan
    assert day.changes in told.changes
    assert day.added in told.added
    assert (told.code, told.calls) == (day.code, day.calls)


def test_what_is_there_after_each_day(played: Played) -> None:
    """Moved by decision, kept, taken away, made again: nothing else comes or goes."""
    there = {name: each.there for name, each in played.told.items()}
    assert "records/record-2" in there["slug changed"]
    assert "records/second" in there["slug decided"]
    assert "events/fair" in there["collection added"]
    assert "archive/theirs" in there["gone there, left out"]
    assert there["gone, kept"]["records/record-3"]
    assert "records/record-3" not in there["gone, deleted"]
    assert there["gone, unpublished"]["records/record-4"] is False
    assert "records/record-5" not in there["gone there"]
    assert "records/record-5" in there["gone there, made again"]
    assert sorted(there["gone there, left out"]) == [
        *("archive/theirs", "events/fair"),
        *(f"records/{each}" for each in ("record-4", "record-5", "second")),
    ]


def test_old_addresses_lead_on_or_need_a_target(played: Played) -> None:
    """What moved is led to; what was taken away is listed."""
    project = Project(played.staged.folder)
    settings = load_settings(project, {}, need_origin=False)
    migration = open_migration(project, settings)
    told = evidence_json(gather(project, migration, settings.space_id, None))
    redirects = told["redirects"]
    needed = [each["old"] for each in redirects["needs_a_target"]]
    assert needed == ["/records/record-3", "/records/record-4"]
    assert [each["old"] for each in redirects["without_a_new_page"]] == [
        "/records/record-6"
    ]
    assert (redirects["moved"], redirects["kept"]) == (2, 3)


def test_what_differs_in_the_end_is_what_somebody_did_there(played: Played) -> None:
    """One story was renamed and moved there; nothing is left to do for the others."""
    staged = played.staged
    found = staged.run("verify", "--json").document["differences"]
    assert all("theirs" in each["text"] for each in found), found
    assert staged.done("import", "--json").document["writes"] == 0
