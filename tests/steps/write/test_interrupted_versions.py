"""A run that was killed between the two versions of a story: what editors had is put
back first, whatever else was decided or done meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.steps.faults import CUT, REFUSED, UPDATE_STORY, Fault
from tests.support.steps.item_states import CHANGED, SLUGS, public, relive
from tests.support.steps.staged_project import StagedProject

Open = Callable[..., StagedProject]
WORDS = "Live anew."


def shown_only() -> Fault:
    """Return the fault of a run that dies when visitors have their version."""
    return Fault(UPDATE_STORY, CUT, item=WORDS, then_dead=True)


def interrupted(open_desk: Open, fault: Fault) -> tuple[StagedProject, object]:
    """Return a project whose run died in between, and what editors had before."""
    project = open_desk("mirror", fault)
    project.done("import")
    before = project.stories()[CHANGED].content
    relive(project, WORDS)
    assert project.run("import").code == 7
    fault.over()
    assert WORDS in str(project.stories()[CHANGED].content)
    return project, before


def test_editors_get_theirs_back_though_nothing_is_to_be_published_any_more(
    open_desk: Open,
) -> None:
    """Visitors keep what the killed run gave them; the calls are those of the plan."""
    project, before = interrupted(open_desk, shown_only())
    project.decide("collections.yaml", "publish: what_is_live", "publish: nothing")
    calls, mark = project.plan()["calls"], project.mark()
    told = (calls["settle_versions"], calls["put_back_versions"])
    assert (*told, calls["update_stories"]) == (1, 1, 0)
    assert project.count("update story", mark) == 0
    project.done("import")
    assert project.count("update story", mark) == 1
    assert project.stories()[CHANGED].content == before
    assert WORDS in public(project)
    assert project.open_intents() == []
    assert project.done("import", "--json").document["writes"] == 0


def test_a_pilot_without_the_item_puts_it_back_too(open_desk: Open) -> None:
    """Nobody is left with an unfinished story for as long as the pilot takes."""
    project, before = interrupted(open_desk, shown_only())
    project.run("import", "--limit", "1")
    assert project.stories()[CHANGED].content == before


def test_an_edit_in_between_stays_and_the_rest_is_put_back(open_desk: Open) -> None:
    """No conflict with what they never saw; visitors get no edit."""
    project, before = interrupted(open_desk, shown_only())
    project.edit(CHANGED, position="4711")
    project.run("import")
    assert json.loads(json.dumps(before)) | {"position": "4711"} == dict(
        project.stories()[CHANGED].content
    )
    assert "4711" not in public(project)
    assert WORDS in public(project)


def test_an_edit_of_what_visitors_were_given_stays_and_waits(open_desk: Open) -> None:
    """Somebody worked on in what the killed run left: theirs is not written over."""
    project, _ = interrupted(open_desk, shown_only())
    words = {"type": "text", "text": "Edited in between."}
    paragraph = {"type": "paragraph", "content": [words]}
    theirs = {"type": "doc", "content": [paragraph]}
    project.edit(CHANGED, text=theirs)
    project.run("import")
    story = project.stories()[CHANGED]
    assert story.content["text"] == theirs
    assert story.name.endswith("anew")
    assert "Edited in between." not in public(project)
    assert project.open_intents() == []


def test_an_edit_that_was_to_stay_above_is_put_back(open_desk: Open) -> None:
    """The intent holds it: nowhere else was it kept."""
    fault = shown_only()
    project = open_desk("mirror", fault)
    project.done("import")
    project.edit(CHANGED, position="4711")
    project.decide_edit(CHANGED, "published", "ours")
    relive(project, WORDS)
    before = project.stories()[CHANGED].content
    assert project.run("import").code == 7
    fault.over()
    assert "4711" not in str(project.stories()[CHANGED].content)
    project.done("import")
    assert project.stories()[CHANGED].content == before
    assert "4711" not in public(project)
    assert project.open_intents() == []


def test_a_newer_version_for_editors_is_written_over_what_is_put_back(
    open_desk: Open,
) -> None:
    """The killed run's story counts as ours, so that nothing waits for a decision."""
    project, _ = interrupted(open_desk, shown_only())
    relive(project, "Live once more.")
    project.done("import")
    assert "Live once more." in public(project)
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


def test_a_refused_version_leaves_nothing_open(open_desk: Open) -> None:
    """Nothing was written, so there is nothing to put back; the reason is listed."""
    fault = Fault(UPDATE_STORY, REFUSED, item=WORDS)
    project = open_desk("mirror", fault)
    project.done("import")
    before = project.stories()[CHANGED].content
    relive(project, WORDS)
    assert project.run("import").code == 1
    (failed,) = project.status()["failed"]
    assert failed["reason"] == "not_published"
    assert "is not to our liking" in failed["explanation"]
    assert (project.open_intents(), project.stories()[CHANGED].content) == ([], before)
    project.done("import")
    assert WORDS in public(project)


def test_a_refused_version_of_editors_is_put_back_by_the_next_run(
    open_desk: Open,
) -> None:
    """Visitors have theirs already, so the intent stays open, and no other story
    waits for it."""
    fault = Fault(UPDATE_STORY, REFUSED, at=(-1,))
    project = open_desk("mirror", fault)
    project.done("import")
    before = project.stories()[CHANGED].content
    relive(project, WORDS)
    fault.seen, fault.at = 0, (2,)
    assert project.run("import").code == 1
    (failed,) = project.status()["failed"]
    assert failed["reason"] == "not_published"
    assert WORDS in public(project)
    assert [kind for kind, _ in project.open_intents()] == ["show"]
    project.done("import")
    assert project.stories()[CHANGED].content == before
    assert (WORDS in public(project), project.open_intents()) == (True, [])
    project.verified()


def test_an_edit_while_another_story_is_written_is_seen(open_desk: Open) -> None:
    """Each story is read right before it is written, not when the step began."""
    fault = Fault(UPDATE_STORY, CUT, item=WORDS)
    project = open_desk("mirror", fault, settings="in_flight = 1")
    project.done("import")
    other = f"records/{SLUGS['queued changes']}"
    relive(project, WORDS, "changed", "queued changes")
    fault.before = lambda _: project.edit(other, position="4711")
    assert project.run("import").code == 1
    assert WORDS in public(project)
    assert WORDS not in public(project, other)
    assert project.stories()[other].content["position"] == "4711"


@pytest.mark.parametrize("at", [1, 2])
def test_what_visitors_were_given_is_not_given_again(open_desk: Open, at: int) -> None:
    """The killed run's publication counts: what is left is one write, or none."""
    fault = Fault(UPDATE_STORY, CUT, at=(-1,), then_dead=True)
    project = open_desk("mirror", fault)
    project.done("import")
    before = project.stories()[CHANGED].content
    relive(project, WORDS)
    fault.at = (fault.seen + at,)
    assert project.run("import").code == 7
    fault.over()
    planned, mark = project.plan()["calls"], project.mark()
    assert planned.get("show_versions", 0) == 0
    project.done("import")
    assert project.count("update story", mark) == planned.get("put_back_versions", 0)
    assert project.count("update story", mark) == 2 - at
    assert (project.stories()[CHANGED].content, WORDS in public(project)) == (
        before,
        True,
    )
    project.verified()
    assert project.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize("at", [1, 2])
def test_a_rollback_takes_back_what_was_killed_in_between(
    open_desk: Open, at: int
) -> None:
    """What the story holds is ours, whichever version it is."""
    fault = Fault(UPDATE_STORY, CUT, at=(-1,), then_dead=True)
    project = open_desk("mirror", fault)
    project.done("import")
    relive(project, WORDS)
    fault.at = (fault.seen + at,)
    assert project.run("import").code == 7
    fault.over()
    project.done("rollback", "--json")
    assert project.stories() == {}
