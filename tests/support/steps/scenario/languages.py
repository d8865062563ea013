"""Steps of cases about items in several languages: as stories, and as fields of one."""

from __future__ import annotations

import json
import urllib.request
from typing import TYPE_CHECKING, Any

from tests.support.steps.expectations import insist
from tests.support.steps.origin_edits import edit_items
from tests.support.steps.scenario.changes import item_states, origin, own

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario


def locale_of(scenario: Scenario, *, is_french: bool) -> str:
    """Return the `cmsLocaleId` of one of the site's two languages."""
    path = scenario.project.folder / "raw" / "sites.json"
    (site,) = json.loads(path.read_text())["sites"]
    (secondary,) = site["locales"]["secondary"]
    found = secondary if is_french else site["locales"]["primary"]
    return str(found["cmsLocaleId"])


def origin_in_french(scenario: Scenario, changes: Any, **more: Any) -> None:
    """Change fields of items in French, which are known by their slugs there."""
    origin(scenario, changes, locale=locale_of(scenario, is_french=True), **more)


def origin_in_english(scenario: Scenario, changes: Any, **more: Any) -> None:
    origin(scenario, changes, locale=locale_of(scenario, is_french=False), **more)


def item_states_in_french(scenario: Scenario, changes: Any, **more: Any) -> None:
    item_states(scenario, changes, locale=locale_of(scenario, is_french=True), **more)


def no_french_at_origin(scenario: Scenario) -> None:
    """Let the origin have its primary language alone."""
    french = locale_of(scenario, is_french=True)
    path = scenario.project.folder / "raw" / "sites.json"
    body = json.loads(path.read_text())
    body["sites"][0]["locales"]["secondary"] = []
    path.write_text(json.dumps(body))
    edit_items(
        scenario.project, lambda item: None if item["cmsLocaleId"] == french else item
    )


def german_at_origin(scenario: Scenario) -> None:
    """Let the origin have a third language, which no item has."""
    path = scenario.project.folder / "raw" / "sites.json"
    body = json.loads(path.read_text())
    (french,) = body["sites"][0]["locales"]["secondary"]
    german = french | {"id": "de", "cmsLocaleId": "de", "tag": "de-DE"}
    german |= {"subdirectory": "de", "displayName": "German (Germany)"}
    body["sites"][0]["locales"]["secondary"].append(german)
    path.write_text(json.dumps(body))


def delivery(scenario: Scenario, path: str, *, language: str = "", has: Any) -> None:
    """Expect parts of a story as visitors get it in a language."""
    project = scenario.project
    base = project.handle.announcement["base_url"].removesuffix("/v1")
    token = project.space.public_token
    url = f"{base}/v2/cdn/stories/{path}?token={token}&language={language}"
    with urllib.request.urlopen(url) as answer:
        insist(json.load(answer)["story"], has)


def shown_in_french(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Let visitors get other names or slugs of stories in French."""
    space = scenario.project.space
    for path, names in changes.items():
        story = scenario.project.stories()[path]
        space.changing(story)
        rows = story.translations(public=True)
        story.published_translations = [{**each, **names} for each in rows]


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
    scenario.project.doctor("UPDATE story_record SET group_id = ''")
