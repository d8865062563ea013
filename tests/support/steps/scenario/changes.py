"""Steps of cases that change something, at the origin and in the space."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.steps import faults
from tests.support.steps.faults import Fault
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import StagedProject

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario

REQUESTS = {
    "create story": faults.CREATE_STORY,
    "update story": faults.UPDATE_STORY,
    "publish story": faults.PUBLISH_STORY,
    "create component": faults.CREATE_COMPONENT,
    "sign": faults.SIGN,
}


def fault(request: str, mode: str, *, at: Iterable[int] = (1,), **more: Any) -> Fault:
    """Return a fault of a request that has a name, or of a method and a path."""
    return Fault(requested(request), mode, at=tuple(at), **more)


def requested(request: str) -> tuple[str, str]:
    """Return method and path of a request."""
    method, _, path = request.partition(" ")
    return REQUESTS.get(request, (method, path))


def faults_over(scenario: Scenario) -> None:
    for each in scenario.faults:
        each.over()


def fault_again(
    scenario: Scenario, *at: int, request: str = "", mode: str = ""
) -> None:
    """Let the first fault come again, counted from now on, also at another request."""
    first = scenario.faults[0]
    first.request = requested(request) if request else first.request
    first.mode = mode or first.mode
    first.seen, first.hits, first.at = 0, 0, at


# at the origin


def origin(
    scenario: Scenario,
    changes: dict[str, dict[str, Any] | None],
    *,
    sets: Iterable[str] = (),
    locale: str = "",
) -> None:
    """Change fields of items, known by their slugs; None deletes one."""
    _change_items(
        scenario,
        {slug: values and {"fieldData": values} for slug, values in changes.items()},
        sets,
        locale,
    )


def item_states(
    scenario: Scenario,
    changes: dict[str, dict[str, Any]],
    *,
    sets: Iterable[str] = (),
    locale: str = "",
) -> None:
    """Change keys of items that are no fields, such as `isArchived`."""
    _change_items(scenario, changes, sets, locale)


def _change_items(
    scenario: Scenario,
    changes: dict[str, dict[str, Any] | None],
    sets: Iterable[str],
    locale: str,
) -> None:
    remaining = set(changes)

    def change(item: Item) -> Item | None:
        slug = item["fieldData"]["slug"]
        if slug not in changes or locale not in ("", item["cmsLocaleId"]):
            return item
        remaining.discard(slug)
        values = changes[slug]
        return None if values is None else merged(item, values)

    edit_items(scenario.project, change, tuple(sets))
    assert not remaining, remaining


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return a record with other values, also within its records."""
    values = {
        key: merged(old[key], value)
        if isinstance(value, dict) and isinstance(old.get(key), dict)
        else value
        for key, value in new.items()
    }
    return {**old, **values}


def every_item(
    scenario: Scenario, values: dict[str, Any], *, sets: Iterable[str] = ()
) -> None:
    """Change fields of all items."""
    edit_items(
        scenario.project,
        lambda item: {**item, "fieldData": {**item["fieldData"], **values}},
        tuple(sets),
    )


# in the space, as editors and developers do


def own(project: StagedProject, path: str) -> int:
    """Return the id of a story or folder by its path."""
    (found,) = [
        number
        for number, each in project.space.stories.items()
        if each.deleted_at is None and project.space.full_slug(each) == path
    ]
    return int(found)


def edit_there(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Save stories with some of their content changed."""
    for path, values in changes.items():
        scenario.project.edit(path, **values)


def save_there(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Save stories or folders with parts of their records changed."""
    project = scenario.project
    for path, values in changes.items():
        number = own(project, path)
        story = project.space.stories[number]
        body = {**story.body, **values} if story.is_folder else values
        project.api("PUT", f"/stories/{number}", {"story": body})


def make_there(scenario: Scenario, record: dict[str, Any]) -> None:
    scenario.project.api("POST", "/stories", {"story": record})


def delete_there(scenario: Scenario, *paths: str) -> None:
    for path in paths:
        scenario.project.api("DELETE", f"/stories/{own(scenario.project, path)}")


def restore_there(scenario: Scenario, path: str) -> None:
    """Take a story out of the trash, as it was."""
    space = scenario.project.space
    (story,) = [
        each
        for each in space.stories.values()
        if each.deleted_at is not None and space.full_slug(each) == path
    ]
    story.deleted_at = None
    space.place(story)


def publish_there(scenario: Scenario, path: str) -> None:
    number = own(scenario.project, path)
    scenario.project.api("GET", f"/stories/{number}/publish")


def unpublish_there(scenario: Scenario, path: str) -> None:
    number = own(scenario.project, path)
    scenario.project.api("GET", f"/stories/{number}/unpublish")


def save_component(
    scenario: Scenario,
    name: str,
    *,
    fields: dict[str, dict[str, Any] | None] | None = None,
    **changes: Any,
) -> None:
    """Save a component with attributes of fields changed; None takes a field out."""
    found = scenario.project.space.component(name)
    schema = dict(found["schema"])
    for key, attributes in (fields or {}).items():
        schema[key] = {**schema.get(key, {}), **(attributes or {})}
        if attributes is None:
            del schema[key]
    body = {"name": name, "schema": schema, **changes}
    scenario.project.api("PUT", f"/components/{found['id']}", {"component": body})


def make_component(scenario: Scenario, body: dict[str, Any]) -> None:
    scenario.project.api("POST", "/components", {"component": body})


def delete_component(scenario: Scenario, name: str) -> None:
    number = scenario.project.space.component(name)["id"]
    scenario.project.api("DELETE", f"/components/{number}")


def save_entries(scenario: Scenario, labels: dict[str, str]) -> None:
    """Give entries of the datasource other labels; a new value is a new entry."""
    space = scenario.project.space
    (source,) = space.datasources
    numbers = {each["value"]: each["id"] for each in space.entries.values()}
    for value, name in labels.items():
        entry = {"name": name, "value": value, "datasource_id": source}
        body = {"datasource_entry": entry}
        if value in numbers:
            path = f"/datasource_entries/{numbers[value]}"
            scenario.project.api("PUT", path, body)
        else:
            scenario.project.api("POST", "/datasource_entries", body)


def asset(project: StagedProject, name: str) -> Any:
    """Return the asset of a file by the end of its name."""
    (found,) = [e for e in project.space.assets.values() if e.key.endswith(name)]
    return found


def save_asset(scenario: Scenario, name: str, **changes: Any) -> None:
    number = asset(scenario.project, name).asset_id
    scenario.project.api("PUT", f"/assets/{number}", {"asset": changes})


def delete_asset(scenario: Scenario, name: str) -> None:
    number = asset(scenario.project, name).asset_id
    scenario.project.api("DELETE", f"/assets/{number}")


def asset_record(scenario: Scenario, name: str, **values: Any) -> None:
    """Let the service show other values of a file."""
    asset(scenario.project, name).body.update(values)


def asset_bytes(scenario: Scenario, name: str, *, hold: str | None = None) -> None:
    """Let a file have other bytes, or none."""
    asset(scenario.project, name).data = hold and hold.encode()


def space_has(scenario: Scenario, **values: Any) -> None:
    """Let the space have other facts, such as its `default_root`."""
    for name, value in values.items():
        setattr(scenario.project.space, name, value)


def unknowns(scenario: Scenario, **values: Any) -> None:
    """Let the service do what no source tells."""
    space = scenario.project.space
    space.unknowns = replace(space.unknowns, **values)


# in the project folder


def ledger(scenario: Scenario, statement: str) -> None:
    """Change the ledger by hand: what a killed run left."""
    scenario.project.doctor(statement)


def lose_ledger(scenario: Scenario) -> None:
    for path in scenario.project.folder.glob("ledger.sqlite*"):
        path.unlink()


def lose_decisions(scenario: Scenario) -> None:
    shutil.rmtree(Path(scenario.project.folder) / "decisions")
