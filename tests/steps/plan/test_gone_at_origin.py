"""Items that the origin no longer has: named, decided about, and counted apart."""

from __future__ import annotations

import pytest

from cmsmig.evidence.evidence import evidence_json, gather
from cmsmig.sandbox.destination.space import PackedContent
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.emptying import restored
from tests.support.steps.faults import CUT, UNSENT, Fault
from tests.support.steps.origin_edits import (
    decide_gone,
    delete_item,
    edit_items,
    mark,
    put_back,
)
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"
DELETE_STORY = ("DELETE", r"/stories/\d+$")
PUBLISHED = ("collections.yaml", "    publish: nothing", "    publish: what_is_live")


def imported(staged: StagedProject, *decisions: tuple[str, str, str]) -> StagedProject:
    for each in decisions:
        staged.decide(*each)
    staged.done("import")
    return staged


def planned_and_done(staged: StagedProject, code: int = 0) -> dict:
    """Run an import; insist on its code and on the calls that the plan said."""
    wanted = staged.run("plan", "--json").document["calls"]
    before = staged.mark()
    ended = staged.run("import", "--json")
    assert ended.code == code, ended.out + ended.err
    made = sum(1 for each in staged.since(before) if each.quota)
    assert made == wanted["total"] == ended.document["plan"]["calls"]["total"]
    assert staged.open_intents() == []
    return ended.document


def counted(staged: StagedProject) -> tuple[dict, dict]:
    """Return the accounting, which balances, and what is gone beside it."""
    found = staged.status()
    told = found["accounting"]
    assert told["in"] == sum(told[name] for name in told if name != "in")
    return told, {name: n for name, n in found["gone"].items() if n}


def report(staged: StagedProject) -> dict:
    project = Project(staged.folder)
    settings = load_settings(project, {}, need_origin=False)
    migration = open_migration(project, settings)
    return evidence_json(gather(project, migration, settings.space_id, None))


def test_a_deleted_item_is_named_and_its_story_kept(stage: Stage) -> None:
    """By default: nothing is sent, nothing dangles, the accounting tells it apart."""
    staged = imported(stage())
    delete_item(staged, "record-2")
    (told,) = staged.plan()["gone_at_origin"]
    assert (told["full_slug"], told["reason"], told["story"]) == (
        RECORD,
        "deleted",
        "kept",
    )
    assert staged.plan()["dangling"] == []
    done = planned_and_done(staged)
    assert done["writes"] == 0
    assert done["gone_at_origin"] == staged.status()["gone_at_origin"] == [told]
    assert counted(staged) == (
        {"in": 5, "created": 5, "reused": 0, "skipped": 0, "failed": 0, "open": 0},
        {"total": 1, "kept": 1},
    )
    out = staged.done("import").out.splitlines()
    assert out[-2:] == [
        "gone 1: kept 1, unpublished 0, deleted 0, undecided 0",
        "in 5 = created 5 + reused 0 + skipped 0 + failed 0",
    ]
    assert f"{RECORD}: It was deleted at the origin. Its story is kept." in "".join(out)
    assert RECORD in staged.stories()
    staged.verified()
    assert report(staged)["redirects"]["needs_a_target"] == []


def test_what_was_restored_after_its_deletion_stays(stage: Stage) -> None:
    """Also in the imports after the one that sees it first, and in a rollback."""
    staged = imported(stage())
    delete_item(staged, "record-2")
    decide_gone(staged, RECORD, "delete")
    staged.done("import")
    restored(staged, RECORD)
    for _ in range(3):
        assert staged.run("import").code == 1
        assert RECORD in staged.stories()
    staged.run("rollback")
    assert [*staged.stories()] == [RECORD]


def test_what_is_decided_to_be_deleted_is_led_to_by_nothing(stage: Stage) -> None:
    """Relations are taken out before, the story goes to the trash, once."""
    staged = imported(stage())
    record, other = delete_item(staged, "record-2"), "records/record-1"
    decide_gone(staged, RECORD, "delete")
    planned = staged.plan()
    assert planned["dangling_by_cause"] == {"gone_at_origin": 3}
    assert planned["calls"]["update_stories"] == 2
    assert planned["calls"]["delete_stories"] == 1
    assert staged.codes() == ["gone_at_origin"]
    planned_and_done(staged)
    assert RECORD not in staged.stories()
    assert staged.stories()[other].content.get("next") in ("", None)
    assert counted(staged)[1] == {"total": 1, "deleted": 1}
    assert planned_and_done(staged)["writes"] == 0
    assert counted(staged)[1] == {"total": 1, "deleted": 1}
    staged.verified()
    told = report(staged)
    assert told["redirects"]["needs_a_target"] == [
        {"old": f"/{RECORD}", "item": told["gone_at_origin"][0]["item"],
         "name": "Record 2"}
    ]  # fmt: skip

    put_back(staged, record)
    assert staged.plan()["items"]["to_create"] == 1
    planned_and_done(staged)
    assert counted(staged)[0]["created"] == 6
    assert counted(staged)[1] == {}
    assert staged.stories()[other].content["next"] == staged.stories()[RECORD].uuid
    staged.verified()


def test_what_somebody_touched_is_kept_and_listed(stage: Stage) -> None:
    """Exit 1 until somebody decides to keep it; nothing of it is sent."""
    staged = imported(stage())
    staged.edit(RECORD, position="7")
    delete_item(staged, "record-2")
    decide_gone(staged, "*", "delete")
    done = planned_and_done(staged, code=1)
    (told,) = done["gone_at_origin"]
    assert (told["story"], done["writes"]) == ("kept", 0)
    assert "somebody edited it" in told["note"]
    assert "somebody edited it" in staged.run("import").err
    assert staged.codes() == ["gone_at_origin"]
    assert staged.stories()[RECORD].content["position"] == "7"
    decide_gone(staged, RECORD, "keep")
    assert planned_and_done(staged)["writes"] == 0
    assert counted(staged)[1] == {"total": 1, "kept": 1}
    staged.verified()


def test_a_story_that_was_saved_without_a_change_is_not_touched(stage: Stage) -> None:
    """Its date says otherwise; it is looked at, and that is in the plan."""
    staged = imported(stage())
    staged.edit(RECORD)
    delete_item(staged, "record-2")
    decide_gone(staged, RECORD, "delete")
    done = planned_and_done(staged)
    assert done["plan"]["calls"]["read_gone_stories"] == 1
    assert counted(staged)[1] == {"total": 1, "deleted": 1}


class EditOnceListed:
    """Middleware that edits a story once the step has listed those to take away."""

    def __init__(self) -> None:
        self.staged: StagedProject | None = None

    async def __call__(self, call: Call, answer: Next) -> Reply:
        if self.staged is not None and call.method == "GET":
            story = self.staged.stories()[RECORD]
            if call.parameter("by_ids") == str(story.story_id):
                story.packed = PackedContent.of({**story.content, "position": "7"})
                story.updated_at = "2030-01-01T00:00:00.000Z"
                self.staged = None
        return await answer(call)


def test_an_edit_after_the_plan_is_noticed(stage: Stage) -> None:
    """The state is listed right before; who edited meanwhile keeps the story."""
    editing = EditOnceListed()
    staged = imported(stage(editing))
    delete_item(staged, "record-2")
    decide_gone(staged, RECORD, "delete")
    editing.staged = staged
    ended = staged.run("import", "--json")
    assert ended.code == 1, ended.out + ended.err
    assert "somebody edited it" in ended.document["gone_at_origin"][0]["note"]
    assert staged.stories()[RECORD].content["position"] == "7"


def test_unpublished_by_decision(stage: Stage) -> None:
    """Visitors no longer get it, editors do; an unpublished item goes the same way."""
    staged = imported(stage(), PUBLISHED, ("collections.yaml", "staged", "live"))
    edit_items(
        staged,
        lambda item: None if item["fieldData"]["slug"] == "record-2" else item,
        ("live",),
    )
    decide_gone(staged, "*", "unpublish")
    planned = staged.plan()
    assert planned["gone_at_origin"][0]["reason"] == "not_live"
    assert planned["calls"]["unpublish_stories"] == 1
    planned_and_done(staged)
    story = staged.stories()[RECORD]
    assert story.published_content is None
    told, gone = counted(staged)
    assert (told["in"], told["created"], told["skipped"]) == (6, 5, 1)
    assert gone == {"total": 1, "unpublished": 1}
    assert planned_and_done(staged)["writes"] == 0
    staged.verified()
    # What an editor publishes again is theirs.
    staged.api("GET", f"/stories/{story.story_id}/publish")
    done = planned_and_done(staged, code=1)
    assert "somebody else published it" in done["gone_at_origin"][0]["note"]
    assert staged.stories()[RECORD].published_content is not None


@pytest.mark.parametrize("mode", [CUT, UNSENT])
def test_a_run_that_is_killed_while_it_deletes_is_resumed(
    stage: Stage, mode: str
) -> None:
    """The next run looks; once is enough, and it still counts as deleted."""
    fault = Fault(DELETE_STORY, mode, then_dead=True)
    staged = imported(stage(fault))
    delete_item(staged, "record-2")
    decide_gone(staged, RECORD, "delete")
    assert staged.run("import").code != 0
    assert [kind for kind, _ in staged.open_intents()] == ["delete_gone"]
    fault.over()
    planned_and_done(staged)
    assert RECORD not in staged.stories()
    assert counted(staged)[1] == {"total": 1, "deleted": 1}
    staged.verified()


def test_gone_meanwhile_counts_as_done(stage: Stage) -> None:
    """A 404 is what was wanted."""
    fault = Fault(DELETE_STORY, CUT, at=(-1,))
    staged = imported(stage(fault))
    delete_item(staged, "record-2")
    decide_gone(staged, RECORD, "delete")
    story = staged.stories()[RECORD]
    fault.at, fault.mode = (1,), ""
    fault.before = lambda call: staged.space.stories.pop(story.story_id)
    assert staged.run("import").code == 0
    assert counted(staged)[1] == {"total": 1, "deleted": 1}


def test_every_reason_is_its_own(stage: Stage) -> None:
    """Archived, and back again; a decision of the other side decides nothing."""
    staged = imported(stage())
    mark(staged, "record-2", isArchived=True)
    decide_gone(staged, "*", "recreate")
    done = planned_and_done(staged, code=1)
    (told,) = done["gone_at_origin"]
    assert (told["reason"], told["story"]) == ("archived_live", "undecided")
    assert counted(staged) == (
        {"in": 6, "created": 5, "reused": 0, "skipped": 1, "failed": 0, "open": 0},
        {"total": 1, "undecided": 1},
    )
    mark(staged, "record-2", isArchived=False)
    assert planned_and_done(staged)["writes"] == 0
    assert counted(staged)[0]["created"] == 6
    assert staged.status()["gone_at_origin"] == []
    staged.decide("collections.yaml", "migrate: true", "migrate: false")
    decide_gone(staged, "*", "keep")
    assert planned_and_done(staged)["writes"] == 0
    assert {each["reason"] for each in staged.status()["gone_at_origin"]} == {
        "collection_not_migrated"
    }
    assert counted(staged)[1] == {"total": 6, "kept": 6}


def test_a_new_item_takes_the_place_of_a_deleted_one(stage: Stage) -> None:
    """While the old story is kept that is a conflict; deleted, it makes room."""
    staged = imported(stage())

    def renew(item: dict) -> dict:
        if item["fieldData"]["slug"] != "record-2":
            return item
        return {**item, "id": "f" * 24}

    edit_items(staged, renew)
    done = planned_and_done(staged, code=1)
    assert (done["writes"], done["accounting"]["failed"]) == (0, 1)
    (failed,) = staged.status()["failed"]
    assert "gone at the origin; decide under `gone`" in failed["explanation"]
    decide_gone(staged, RECORD, "delete")
    planned_and_done(staged)
    told, gone = counted(staged)
    assert (told["created"], told["failed"]) == (6, 0)
    assert gone == {"total": 1, "deleted": 1}
    assert RECORD in staged.stories()
    assert report(staged)["redirects"]["needs_a_target"] == []
