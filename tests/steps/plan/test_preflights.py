"""What the destination would refuse is told by the plan, and is not sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from cmsmig.configuration.plans import (
    DESTINATION_PLANS,
    Counted,
    Limit,
    PlanLimits,
)
from cmsmig.sandbox.http.asgi import Call, Middleware, Next, Reply, json_reply
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"
BUILD = "https://build.example.com/hooks/secret-in-the-path?token=secret"


def without(project: StagedProject, name: str, *slugs: str) -> None:
    """Take a field's value from items of the pulled origin, in both sets."""
    for path in (project.folder / "raw").glob("*/*.json"):
        body = json.loads(path.read_text())
        for item in body.get("items", ()):
            if item["fieldData"]["slug"] in slugs:
                item["fieldData"].pop(name, None)
        path.write_text(json.dumps(body))


def require(project: StagedProject, key: str) -> None:
    path = project.folder / "decisions" / "design.yaml"
    text = re.sub(rf"(key: {key}\n)", r"\1        required: true\n", path.read_text())
    path.write_text(text)


def failing(project: StagedProject) -> list[dict]:
    found = [each for each in project.plan()["preflights"] if each["fails"]]
    return sorted(found, key=lambda each: each["full_slug"])


def imported_but_for(project: StagedProject, reason: str, *slugs: str) -> None:
    """Import, insist that no doomed request was sent and that all others arrived."""
    planned = project.plan()
    assert planned["items"]["failed"] == len(slugs)
    number = project.mark()
    assert project.run("import").code == 1
    refused = [each for each in project.since(number) if each.status == 422]
    assert refused == []
    assert (
        sum(each.quota for each in project.since(number)) == planned["calls"]["total"]
    )
    for slug in slugs:
        assert project.outcome(f"records/{slug}")[:2] == ("failed", reason)
    assert len(project.stories()) == 6 - len(slugs)
    assert project.codes() == ["item_failed"]


def test_a_required_field_without_a_value_is_told_by_item_and_field(
    stage: Stage,
) -> None:
    """The other items are imported; with a value the item is, too."""
    project = stage()
    require(project, "position")
    without(project, "position", "record-2", "record-5")
    found = failing(project)
    assert [(each["full_slug"], each["field"]) for each in found] == [
        ("records/record-2", "position"),
        ("records/record-5", "position"),
    ]
    first = found[0]
    assert (first["kind"], first["collection"]) == ("required_field", "records")
    assert first["item"].partition("/")[2]
    assert "decisions/design.yaml" in first["text"]
    shown = project.done("plan").out
    assert "fails: Record 2: `position` of the component `record` is required" in shown
    imported_but_for(project, "required_field", "record-2", "record-5")
    project.decide("design.yaml", "        required: true\n", "")
    project.done("import")
    project.verified()


def test_a_required_relation_of_the_space_is_told(stage: Stage) -> None:
    """Phase one writes it empty, so nothing of that type would arrive."""
    project = stage()
    project.done("prepare")
    (component,) = (
        c for c in project.space.components.values() if c["name"] == "record"
    )
    component["schema"]["next"]["required"] = True
    found = failing(project)
    assert {each["field"] for each in found} == {"next"}
    assert len(found) == 6
    assert "take `required` off that field there" in found[0]["text"]


def test_an_update_that_may_be_refused_is_told_and_sent(stage: Stage) -> None:
    """What somebody filled in there may be what the field asks for."""
    project = stage()
    project.done("import")
    (component,) = (
        c for c in project.space.components.values() if c["name"] == "record"
    )
    component["schema"]["position"]["required"] = True
    without(project, "position", "record-2")
    (found,) = project.plan()["preflights"]
    assert (found["full_slug"], found["fails"]) == ("records/record-2", False)
    number = project.mark()
    assert project.run("import").code == 1
    assert [each.status for each in project.since(number) if each.status == 422] == [
        422
    ]
    assert project.outcome("records/record-2")[:2] == ("failed", "refused")


def close_folder(project: StagedProject, name: str, *, locked: bool) -> None:
    content = {"content_types": ["page"], "lock_subfolders_content_types": locked}
    folder = {"name": name, "slug": name, "is_folder": True, "content": content}
    project.api("POST", "/stories", {"story": folder})


def test_a_folder_of_other_content_types_is_told_by_type_and_number(
    stage: Stage,
) -> None:
    """One call for the folder, none for the stories that it would refuse."""
    project = stage()
    close_folder(project, "records", locked=False)
    (found,) = failing(project)
    assert {name: found[name] for name in ("kind", "folder", "component", "count")} == {
        "kind": "folder_closed",
        "folder": "records",
        "component": "record",
        "count": 6,
    }
    assert project.plan()["calls"]["read_folders"] == 1
    slugs = [f"record-{number}" for number in range(1, 7)]
    imported_but_for(project, "folder_closed", *slugs)


@pytest.mark.parametrize("locked", [True, False])
def test_a_folder_above_decides_where_it_locks_those_below(
    stage: Stage, locked: bool
) -> None:
    """Its own stories alone are limited otherwise."""
    project = stage()
    close_folder(project, "site", locked=locked)
    project.decide("design.yaml", "folder: records", "folder: site/records")
    assert len(failing(project)) == int(locked)


RESTRICTIONS: dict[str, dict] = {
    "names": {"restrict_type": "", "component_whitelist": ["figure"]},
    "groups": {"restrict_type": "groups", "component_group_whitelist": ["other"]},
    "tags": {"restrict_type": "tags", "component_tag_denylist": [7]},
}


@pytest.mark.parametrize("by", sorted(RESTRICTIONS))
def test_a_block_that_a_field_does_not_take_is_a_warning(stage: Stage, by: str) -> None:
    """The item is sent; a service that refuses it refuses that item alone."""
    refusal = "The component(s) X are not allowed in the field text"
    strict = Strict(refusal)
    project = stage(strict)
    (path,) = (project.folder / "raw" / "items").glob("*.json")
    body = json.loads(path.read_text())
    hit = next(i for i in body["items"] if i["fieldData"]["slug"] == "record-4")
    embed = "<div class='w-embed'><form action='/x'><input name='a'></form></div>"
    hit["fieldData"]["text"] += embed
    path.write_text(json.dumps(body))
    project.done("prepare")
    (component,) = (
        c for c in project.space.components.values() if c["name"] == "record"
    )
    for each in project.space.components.values():
        each["internal_tag_ids"] = ["7"]
    restriction = {"restrict_components": True, **RESTRICTIONS[by]}
    component["schema"]["text"] |= restriction
    (found,) = project.plan()["preflights"]
    assert (found["full_slug"], found["field"]) == ("records/record-4", "text")
    assert (found["kind"], found["fails"]) == ("component_not_allowed", False)
    assert "the editor will complain and the service may refuse" in found["text"]
    assert project.run("import").code == 1
    assert project.outcome("records/record-4")[:2] == ("failed", "refused")
    assert len(project.stories()) == 5
    strict.says = ""
    component["schema"]["text"]["restrict_components"] = False
    project.done("import")
    assert len(project.stories()) == 6


@dataclass
class Strict:
    """A service that enforces what a field takes, as some spaces do."""

    says: str

    async def __call__(self, call: Call, answer: Next) -> Reply:
        creates = call.method == "POST" and call.path.endswith("/stories")
        if self.says and creates and b"record-4" in call.body:
            return json_reply(422, {"base": [self.says]})
        return await answer(call)


@pytest.mark.parametrize("taken", [True, False])
def test_a_large_story_is_a_warning_and_is_sent(stage: Stage, taken: bool) -> None:
    """No limit is published today: the service may take it, or refuse it alone."""
    project = stage()
    if taken:
        project.space.unknowns = replace(project.space.unknowns, largest_story=2**30)
    for kind in ("items", "live"):
        (path,) = (project.folder / "raw" / kind).glob("*.json")
        body = json.loads(path.read_text())
        hit = next(i for i in body["items"] if i["fieldData"]["slug"] == "record-3")
        hit["fieldData"]["text"] = f"<p>{'ü' * 2_700_000}</p>"
        path.write_text(json.dumps(body))
    planned = project.plan()
    (found,) = planned["preflights"]
    assert (found["kind"], found["full_slug"]) == ("story_size", "records/record-3")
    assert not found["fails"]
    assert "5.2 MB of JSON, and an older page allowed 5 MB" in found["text"]
    assert planned["items"]["failed"] == 0
    assert project.run("import").code == (0 if taken else 1)
    outcome = project.outcome("records/record-3")[:2]
    assert outcome == ("created", "") if taken else ("failed", "refused")
    assert len(project.stories()) == (6 if taken else 5)


def publishing(project: StagedProject) -> StagedProject:
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")
    return project


def webhook(project: StagedProject, *actions: str, **more: object) -> None:
    body = {"name": "Build", "endpoint": BUILD, "actions": list(actions), **more}
    project.api("POST", "/webhook_endpoints", {"webhook_endpoint": body})


def test_deliveries_of_webhooks_are_counted_and_no_secret_is_shown(
    stage: Stage,
) -> None:
    """Of those that are on and told of publications; by host, for one call."""
    project = publishing(stage())
    webhook(project, "story.published", "story.deleted")
    webhook(project, "story.published", endpoint="https://search.example.com/x")
    webhook(project, "story.deleted")
    webhook(project, "story.published", activated=False)
    planned = project.plan()
    (found,) = planned["preflights"]
    assert (found["kind"], found["count"], found["fails"]) == ("webhooks", 12, False)
    assert "to build.example.com, search.example.com" in found["text"]
    assert planned["calls"]["read_webhooks"] == 1
    for shown in (json.dumps(planned), project.done("plan").out):
        assert "secret" not in shown
    project.done("import")
    # Nothing is left to be published, so nobody asks.
    assert "read_webhooks" not in project.plan()["calls"]


@pytest.mark.parametrize("status", [403, 404])
def test_webhooks_that_may_not_be_seen_are_no_error(stage: Stage, status: int) -> None:
    """The plan says that they could not be read, and the import goes on."""

    async def forbidden(call: Call, answer: Next) -> Reply:
        if call.path.endswith("/webhook_endpoints"):
            return json_reply(status, {"error": "Forbidden"})
        return await answer(call)

    project = publishing(stage(forbidden))
    (found,) = project.plan()["preflights"]
    assert (found["kind"], found["fails"]) == ("not_read", False)
    project.done("import")


def test_nothing_is_asked_that_nothing_needs(stage: Stage) -> None:
    """Neither a folder nor a webhook: nothing stands there, nothing is published."""
    assert not {"read_folders", "read_webhooks"} & stage().plan()["calls"].keys()


def space_with(**keys: Any) -> Middleware:
    """Return what adds these to the space's own record, or replaces them there."""

    async def added(call: Call, answer: Next) -> Reply:
        reply = await answer(call)
        if call.method == "GET" and re.fullmatch(r"/v1/spaces/\d+", call.path):
            space = json.loads(reply.body)["space"] | keys
            return replace(reply, body=json.dumps({"space": space}).encode())
        return reply

    return added


def silent(**keys: Any) -> Middleware:
    """Return the same for a space that names no plan and no limits itself."""
    return space_with(**{"plan": "", "plan_level": None, "limits": {}} | keys)


PAGE = "the service's technical limits page of November 2026"


def test_counts_name_what_there_would_be_and_what_is_allowed(stage: Stage) -> None:
    """Stories, folders, components, and the month's requests with verification's."""
    project = stage(
        silent(), demo_space=True, settings='destination_plan = "growth-plus"'
    )
    planned = project.plan()
    source = f"{PAGE} for the plan growth_plus"
    assert planned["counts"]["stories"] == {
        "there": 1,
        "added": 6,
        "limit": None,
        "included": 100_000,
        "limit_source": source,
    }
    assert planned["counts"]["folders"]["limit"] == 1_000
    month = planned["counts"]["requests a month"]
    calls = planned["calls"]["total"] + planned["verification_calls"]
    assert (month["added"], month["limit"]) == (calls, 15_000_000)
    said = f"requests a month: {calls:,} with one verification; 4,000,000 included, at"
    assert f"{said} most 15,000,000 ({source})" in project.done("plan").out
    assert planned["sizes"]["files"] == 4
    assert planned["limits"] == []
    project.done("import")
    number = project.mark()
    project.verified()
    read = sum(each.quota for each in project.since(number))
    # The home story is not ours; the assets are listed only once some are there.
    assert abs(read - planned["verification_calls"]) <= 1


Change = Callable[[StagedProject], None]


def too_many_components(project: StagedProject) -> None:
    for number in range(1, 198):
        component = {"id": -number, "name": f"c{number}", "schema": {}}
        project.space.components[-number] = component


def a_large_file(project: StagedProject, megabytes: int) -> None:
    path = project.folder / "raw" / "files.json"
    body = json.loads(path.read_text())
    body["files"][0]["bytes"] = megabytes * 1024 * 1024
    path.write_text(json.dumps(body))


SMALLEST = f"{PAGE} for the smallest plan, since the space's plan is not known"
ORGANISATION = {"limits": {"components": 3}, "custom_upload_limit_in_mb": 90}


@pytest.mark.parametrize(
    ("answered", "change", "said"),
    [
        ({}, too_many_components, f"201 components, and 200 are allowed by {SMALLEST}"),
        (
            {"plan": "Growth", "limits": {"maxComponents": 150}},
            too_many_components,
            "201 components, and 150 are allowed by the space's own answer",
        ),
        (
            {"org": {"feature_limits": [{"key": "max_stories", "limit": "5"}]}},
            lambda project: None,
            "6 stories, and 5 are allowed by the space's own answer",
        ),
        (
            {"feature_limits": {"requests_per_month": 9}, "org": {}},
            lambda project: None,
            "requests a month, and 9 are allowed by the space's own answer",
        ),
        (
            {"org": ORGANISATION, "limits": {"components": "1000"}},
            lambda project: a_large_file(project, 95),
            "is 95.0 MB, and by the space's own answer it takes 90 MB in a file",
        ),
        (
            {"custom_upload_limit_in_mb": None},
            lambda project: a_large_file(project, 510),
            "is 510.0 MB, and an older page allowed 500 MB or 1 GB by plan; the "
            "service publishes no limit today",
        ),
    ],
)
def test_a_limit_is_told_with_its_source(
    stage: Stage, answered: dict[str, Any], change: Change, said: str
) -> None:
    """The space's own answer wins; a sentence among the limits, which fails nothing."""
    project = stage(silent(**answered))
    change(project)
    planned = project.plan()
    (sentence,) = planned["limits"]
    assert said in sentence
    assert [each["fails"] for each in planned["preflights"]] == [False]


@pytest.mark.parametrize(
    "answered",
    [
        {"plan": "growth"},
        {"limits": {"components": 1_000, "seats": 1, "blocks_per_page": 2}},
        {"limits": {"components": "600", "asset_folders": 1, "stories": None}},
        {"limits": None, "feature_limits": {"components": {"limit": 600}}, "org": None},
    ],
)
def test_what_is_within_the_spaces_limits_is_not_listed(
    stage: Stage, answered: dict[str, Any]
) -> None:
    """By the plan that it answers or by its limits; other keys do not count."""
    project = stage(silent(**answered))
    too_many_components(project)
    assert project.plan()["limits"] == []


def test_more_than_the_plan_includes_is_listed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below the maximum, it is a question of the price."""
    counts = dict(DESTINATION_PLANS["growth"].counts)
    counts[Counted.STORIES] = Limit(most=1_000, included=5)
    monkeypatch.setitem(DESTINATION_PLANS, "growth", PlanLimits(6, counts))
    project = stage(silent(plan="growth"))
    (sentence,) = project.plan()["limits"]
    assert f"6 stories, and 5 are included by {PAGE} for the plan growth" in sentence


def without_alt(project: StagedProject) -> None:
    """Take the alternative texts of files from all items of the pulled origin."""
    for path in (project.folder / "raw").glob("*/*.json"):
        path.write_text(re.sub(r'"alt": ?"[^"]*"', '"alt": null', path.read_text()))


@pytest.mark.parametrize("given", [["alt", "title"], "alt, title"])
def test_fields_that_the_space_requires_of_assets_are_listed(
    stage: Stage, given: Any
) -> None:
    """The files that lack it, until they are uploaded; none fails for it."""
    project = stage(silent(required_assest_fields=given))
    (title,) = project.plan()["preflights"]
    assert (title["kind"], title["field"]) == ("asset_field", "title")
    assert (title["count"], title["fails"]) == (4, False)
    without_alt(project)
    planned = project.plan()
    found = {each["field"]: each for each in planned["preflights"]}
    assert found.keys() == {"alt", "title"}
    assert "requires `alt` of an asset, and" in found["alt"]["text"]
    assert not found["alt"]["fails"]
    project.done("import")
    assert project.plan()["preflights"] == []


def test_the_check_shows_plan_and_limits_with_their_source(stage: Stage) -> None:
    """What is set and what the space answers; what is not published is no number."""
    own = {"plan": "Growth", "plan_level": 300, "limits": {"folders": "70"}}
    project = stage(silent(**own, custom_upload_limit_in_mb=90))
    rows = project.done("check", "--json").document["rows"]
    shown = {row["what"]: row["found"] for row in rows}
    assert shown["plan"] == "not set; the space answers Growth, level 300"
    assert shown["folders allowed"] == "70 (the space's own answer)"
    assert shown["stories allowed"] == f"25,000 ({PAGE} for the plan growth)"
    assert shown["requests a month"].startswith("1,000,000 included, at most 5,000,000")
    assert shown["largest file"] == "90 MB (the space's own answer)"
    assert shown["largest story"].startswith("no limit is published")


def release(project: StagedProject, name: str, *paths: str, **more: object) -> dict:
    """Make a release that holds changed versions of stories."""
    body = {"release": {"name": name, **more}}
    made = dict(project.api("POST", "/releases", body)["release"])
    for path in paths:
        story = project.stories()[path]
        later = {"story": {"name": "Later"}, "release_id": made["id"]}
        project.api("PUT", f"/stories/{story.story_id}", later)
    return made


def test_pending_releases_are_named_with_what_they_would_replace(stage: Stage) -> None:
    """Asked for once a plan; those that were deployed are not mentioned."""
    project = stage(demo_space=True)
    release(project, "Empty", "home")
    first = project.plan()
    (empty,) = first["preflights"]
    assert (empty["kind"], empty["count"], empty["fails"]) == ("release", 0, False)
    assert "holds no story of this import" in empty["text"]
    assert first["calls"]["read_releases"] == 1
    assert "list_released_stories" not in first["calls"]
    number = project.mark()
    project.done("import")
    assert sum(each.quota for each in project.since(number)) == first["calls"]["total"]
    winter = release(project, "Winter", RECORD)
    deployed = {"release": {"name": "Winter"}, "do_release": True}
    project.api("PUT", f"/releases/{winter['id']}", deployed)
    held = ["home", RECORD, "records/record-3"]
    release(project, "Spring", *held, release_at="2026-12-01T00:00:00.000Z")
    number = project.mark()
    planned = project.run("plan", "--json").document
    asked = [each.query.get("in_release", "") for each in project.since(number)]
    assert len([each for each in asked if each]) == 2
    assert planned["calls"]["read_releases"] == 1
    assert planned["calls"]["list_released_stories"] == 2
    counts = {
        each["text"].split("`")[1]: each["count"] for each in planned["preflights"]
    }
    assert counts == {"Empty": 0, "Spring": 2}
    (spring,) = [each["text"] for each in planned["preflights"] if each["count"]]
    for said in ("`Spring`, planned for 2026-12-01", f"`{RECORD}`"):
        assert said in spring
    assert "Deploying it replaces their drafts as a whole" in spring
    assert "note: The release `Spring`" in project.run("plan").out
    number = project.mark()
    project.run("import")
    assert (
        sum(each.quota for each in project.since(number)) == planned["calls"]["total"]
    )


@pytest.mark.parametrize(("status", "kinds"), [(403, ["not_read"]), (404, [])])
def test_releases_that_may_not_be_seen_are_no_error(
    stage: Stage, status: int, kinds: list[str]
) -> None:
    """A token without the scope is mentioned; a service without releases has none."""

    async def unseen(call: Call, answer: Next) -> Reply:
        if call.path.endswith("/releases"):
            return json_reply(status, {"error": "Forbidden"})
        return await answer(call)

    project = stage(unseen)
    planned = project.plan()
    assert [each["kind"] for each in planned["preflights"]] == kinds
    assert ("releases of the space could not be read" in str(planned)) == bool(kinds)
    project.done("import")
