"""Steps of cases about stories of one item in several languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.steps.scenario_changes import own

if TYPE_CHECKING:
    from tests.support.steps.scenario import Scenario


def alternates(scenario: Scenario, items: int) -> None:
    """Expect so many items in two languages, each story the other's only alternate."""
    pairs = scenario.project.rows(
        "SELECT min(full_slug), max(full_slug) FROM items WHERE story_id IS NOT NULL "
        "GROUP BY collection_id, item_id HAVING count(*) = 2"
    )
    assert len(pairs) == items
    for pair in pairs:
        for path, other in (pair, pair[::-1]):
            number = own(scenario.project, path)
            story = scenario.project.api("GET", f"/stories/{number}")["story"]
            assert [each["full_slug"] for each in story["alternates"]] == [other]
    groups = {each.group_id for each in scenario.project.stories().values()}
    assert len(groups) == len(scenario.project.stories()) - items


def no_alternates(scenario: Scenario, path: str) -> None:
    """Let the service take a group and make nothing of it."""
    group = scenario.project.stories()[path].group_id
    scenario.project.space.alternates[group].clear()


def groups_apart(scenario: Scenario) -> None:
    """Put each story into a group of its own, as its creation did once."""
    space = scenario.project.space
    for story in scenario.project.stories().values():
        space.displace(story)
        story.body["group_id"] = space.new_uuid()
        space.place(story)
    scenario.project.doctor("UPDATE home SET group_id = ''")


STEPS: dict[str, Callable[..., None]] = {
    "alternates": alternates,
    "no alternates": no_alternates,
    "groups apart": groups_apart,
}
