"""Steps of cases that expect something, and the values that only a run knows."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.support.sandbox.history import Entry
from tests.support.steps.expectations import insist
from tests.support.steps.scenario.changes import asset, own
from tests.support.steps.staged_project import StagedProject, exactly_one_of_everything

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario


VISITORS = "/v2/cdn/stories"


def shown(project: StagedProject, path: str) -> dict[str, Any] | None:
    """Return a story or folder as it is in the space, None if it is not there."""
    found = [
        each
        for each in project.space.stories.values()
        if each.deleted_at is None and project.space.full_slug(each) == path
    ]
    if not found:
        return None
    (story,) = found
    return {
        **story.body,
        "id": story.story_id,
        "uuid": story.uuid,
        "name": story.name,
        "content": story.content,
        "published": story.published_content,
        "unpublished changes": story.unpublished_changes,
        "visitors": f"{story.published_name} {story.published_content}",
    }


def stories(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect parts of stories and folders by path; None: it is not there."""
    found = {path: shown(scenario.project, path) for path in expected}
    insist(found, expected)


def paths(scenario: Scenario, *expected: str) -> None:
    """Expect just these stories."""
    assert sorted(scenario.project.stories()) == sorted(expected)


def folders(scenario: Scenario, *expected: str) -> None:
    assert scenario.project.folders() == sorted(expected)


def published(scenario: Scenario, *expected: str) -> None:
    """Expect that visitors get just these stories."""
    found = [
        path
        for path, each in scenario.project.stories().items()
        if each.published_content is not None
    ]
    assert sorted(found) == sorted(expected)


def components(scenario: Scenario, expected: dict[str, Any]) -> None:
    found = {e["name"]: e for e in scenario.project.space.components.values()}
    insist(found, expected)


def entries(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect just these labels of the datasource entries, by value."""
    every = scenario.project.space.entries.values()
    assert {each["value"]: each["name"] for each in every} == expected


def options(scenario: Scenario, *expected: str) -> None:
    """Expect just these options of the field `mood` of the records."""
    field = scenario.project.space.component("record")["schema"]["mood"]
    assert [each["value"] for each in field["options"]] == [*expected]


def assets(scenario: Scenario, expected: dict[str, Any]) -> None:
    insist({n: asset(scenario.project, n).body for n in expected}, expected)


def counts(scenario: Scenario, expected: dict[str, int]) -> None:
    """Expect how many records of a kind the space has; stories without folders, or
    those `in` one."""
    space = scenario.project.space
    kinds = ("components", "assets", "datasources", "entries", "asset_folders")
    found = {kind: len(getattr(space, kind)) for kind in kinds}
    found["stories"] = len(scenario.project.stories())
    found["folders"] = len(scenario.project.folders())
    paths = scenario.project.stories()
    found.update(Counter(f"in {path.rpartition('/')[0]}" for path in paths))
    insist(found, expected)


def requests(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect how many requests of a route or method the last command made.

    `other writes` counts what changes the space and is not named, `total` what draws
    on the budget, `lists of visitors` and `lists of drafts` what the delivery side is
    asked for.
    """
    entries = scenario.project.since(scenario.mark)
    found = Counter(each.route for each in entries)
    found.update(each.method for each in entries)
    found["other writes"] = sum(
        each.method != "GET" and each.route not in expected for each in entries
    )
    found["total"] = sum(each.quota for each in entries)
    found["lists of visitors"] = sum(map(_is_of_visitors, entries))
    listed = sum(each.path == VISITORS for each in entries)
    found["lists of drafts"] = listed - found["lists of visitors"]
    insist({key: found[key] for key in expected}, expected)


def _is_of_visitors(entry: Entry) -> bool:
    return entry.path == VISITORS and entry.query.get("version") != "draft"


def order(scenario: Scenario, route: str, *expected: str) -> None:
    """Expect what the last command asked of a route, in order."""
    entries = scenario.project.since(scenario.mark)
    assert [each.subject for each in entries if each.route == route] == [*expected]


def sent(scenario: Scenario, expected: dict[str, list[str]]) -> None:
    """Expect just these writes of the last command to stories, in order."""
    entries = [
        each
        for each in scenario.project.since(scenario.mark)
        if each.route in ("update story", "publish story")
    ]
    found: dict[str, list[str]] = {}
    for path in expected:
        number = str(own(scenario.project, path))
        found[path] = [e.route for e in entries if number in e.path.split("/")]
    insist(found, expected)


def asked(scenario: Scenario, *expected: str) -> None:
    """Expect just these requests of the last command: method, path and query."""
    start = f"/spaces/{scenario.project.space.space_id}"
    found = []
    for each in scenario.project.since(scenario.mark):
        query = "&".join(f"{name}={each.query[name]}" for name in sorted(each.query))
        path = each.path.partition(start)[2] + ("?" if query else "") + query
        found.append(f"{each.method} {path}".strip())
    assert sorted(found) == sorted(expected)


def plan_shows(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect parts of the plan as JSON."""
    scenario.document = scenario.project.plan()
    scenario.hash = scenario.document["hash"]
    insist(scenario.document, expected)


def status_shows(scenario: Scenario, expected: dict[str, Any]) -> None:
    insist(scenario.project.status(), expected)


def field_changes(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect just these outcomes of fields of components, folders and datasources,
    each in the plan that is printed, too."""
    planned, printed = scenario.project.plan(), scenario.project.run("plan").out
    found = {each["field"]: each["outcome"] for each in planned["schema_changes"]}
    found |= {each["field"]: "conflict" for each in planned["edit_conflicts"]}
    names = {field.rpartition(".")[2] for field in found}
    assert all(name in printed.lower() for name in names)
    assert found == expected


def conflicts(scenario: Scenario, *expected: list[str]) -> None:
    """Expect just these conflicts of edits: what, and the field."""
    listed = scenario.project.plan()["edit_conflicts"]
    found = [[each["what"], each["field"]] for each in listed]
    assert [each for each in found if each[1] != "published"] == [*expected]


def publications_waiting(scenario: Scenario, *expected: Any) -> None:
    """Expect that the publications of so many stories, or of just these, wait."""
    listed = scenario.project.plan()["edit_conflicts"]
    found = [each["what"] for each in listed if each["field"] == "published"]
    assert found == [*expected] or [len(found)] == [*expected], found


def failed(scenario: Scenario, expected: dict[str, Any]) -> None:
    """Expect just these failed items: reason and explanation by path."""
    query = "SELECT full_slug, reason, explanation FROM item WHERE status = 'failed'"
    rows = scenario.project.rows(query)
    found = {path: f"{reason}: {why}" for path, reason, why in rows}
    assert found.keys() == expected.keys()
    insist(found, expected)


def failed_for(scenario: Scenario, *reasons: str, items: int, why: Any = None) -> None:
    """Expect so many failed items, and their reasons."""
    rows = scenario.project.rows(
        "SELECT reason, explanation FROM item WHERE status = 'failed'"
    )
    assert (len(rows), {reason for reason, _ in rows}) == (items, {*reasons})
    for _, explanation in rows:
        insist(explanation, explanation if why is None else why)


def rows(scenario: Scenario, query: str, *, are: list[list[Any]]) -> None:
    """Expect rows of the ledger."""
    assert [[*row] for row in scenario.project.rows(query)] == are


def differences(scenario: Scenario, *expected: Any) -> None:
    """Expect just these differences of a verification."""
    ended = scenario.project.run("verify", "--json")
    assert ended.code == (4 if expected else 0), ended.err
    insist(ended.document["differences"], [*expected])


def codes(scenario: Scenario, *expected: str) -> None:
    """Expect just these codes of differences of a verification."""
    assert scenario.project.codes() == sorted(expected)


def kept(scenario: Scenario, *expected: Any) -> None:
    """Expect just these edits that are kept, and no difference of a verification."""
    insist(scenario.project.kept(), [*expected])


def kept_codes(scenario: Scenario, *expected: str) -> None:
    """Expect just these codes of edits that are kept, and no difference."""
    found = {each["code"] for each in scenario.project.kept()}
    assert sorted(found) == sorted(expected)


def verified(scenario: Scenario) -> None:
    scenario.project.verified()


def nothing_left(scenario: Scenario) -> None:
    """Expect that another import writes nothing, and that no intent is open."""
    document = scenario.project.done("import", "--json").document
    assert document["writes"] == 0
    assert scenario.project.open_intents() == []


def one_of_everything(scenario: Scenario) -> None:
    exactly_one_of_everything(scenario.project)


def open_intents(scenario: Scenario, *expected: str) -> None:
    """Expect just these kinds of open intents."""
    assert [kind for kind, _ in scenario.project.open_intents()] == [*expected]


def hits(scenario: Scenario, expected: int) -> None:
    """Expect how often the first fault came."""
    assert scenario.faults[0].hits == expected


def remember(scenario: Scenario, *names: str) -> None:
    """Keep the content of stories, the whole `space` (also under a longer name), all
    `components` or `groups`, or the `id of` a story, for `as remembered`."""
    for name in names:
        scenario.remembered[name] = copy.deepcopy(_present(scenario.project, name))


def as_remembered(scenario: Scenario, *names: str) -> None:
    for name in names:
        found, kept = _present(scenario.project, name), scenario.remembered[name]
        if name == "groups":
            found = {path: found[path] for path in kept}
        assert found == kept, name


def _present(project: StagedProject, name: str) -> Any:
    if name.startswith("space"):
        return project.comparable()
    if name.startswith("id of "):
        return own(project, name.removeprefix("id of "))
    if name == "groups":
        return {path: each.group_id for path, each in project.stories().items()}
    if name == "components":
        return [dict(each) for each in project.space.components.values()]
    return project.stories()[name].content


def space_is_between(scenario: Scenario, least: str, most: str) -> None:
    """Expect all that was remembered first, and nothing but what was afterwards."""
    for part, rows in scenario.project.comparable().items():
        assert [
            row for row in scenario.remembered[least][part] if row not in rows
        ] == []
        assert [row for row in rows if row not in scenario.remembered[most][part]] == []


def visitors_query(scenario: Scenario, name: str, expected: Any) -> None:
    """Expect a query parameter of the last command's lists of visitors."""
    entries = scenario.project.since(scenario.mark)
    insist([e.query.get(name) for e in entries if _is_of_visitors(e)], expected)


VALUES: dict[str, Callable[[Scenario, Any], Any]] = {
    "uuid": lambda scenario, path: (shown(scenario.project, path) or {})["uuid"],
    "id": lambda scenario, path: own(scenario.project, path),
    "content": lambda scenario, where: content(scenario.project, *where.split()),
    "document": lambda scenario, path: within(scenario.document, path),
    "hash": lambda scenario, length: scenario.hash[: int(length or 0) or None],
    "seen": lambda scenario, field: _seen(scenario.project, field),
    "item": lambda scenario, slug: item_id(scenario.project, slug),
    "remembered": lambda scenario, name: scenario.remembered[name],
}
"""Values by the tags that name them."""


def within(value: Any, path: str) -> Any:
    """Return a part of a document, such as `left.0.seen`."""
    for key in path.split(".") if path else ():
        value = value[int(key) if key.isdigit() else key]
    return value


def content(project: StagedProject, path: str, where: str) -> Any:
    """Return a part of the content of a story."""
    return copy.deepcopy(within(project.stories()[path].content, where))


def _seen(project: StagedProject, field: str) -> str:
    """Return how a conflict was seen, by its field."""
    (found,) = [e for e in project.plan()["edit_conflicts"] if e["field"] == field]
    return str(found["seen"])


def item_id(project: StagedProject, slug: str) -> str:
    """Return the id of an item at the origin."""
    (found,) = {
        each["id"]
        for path in (project.folder / "raw" / "items").glob("*.json")
        for each in json.loads(path.read_text())["items"]
        if each["fieldData"]["slug"] == slug
    }
    return str(found)
