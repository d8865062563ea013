"""Steps of cases about changes of schemas at the origin, and of their designs."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import yaml

from tests.support.steps.origin_edits import write_items

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario

EVENTS = "a" * 24
"""The collection that comes."""


def _change_fields(
    scenario: Scenario, change: Callable[[list[dict[str, Any]]], object]
) -> None:
    """Change the schema of the records."""
    for path in (scenario.project.folder / "raw" / "collections").glob("*.json"):
        schema = json.loads(path.read_text())
        if schema["slug"] == "records":
            change(schema["fields"])
            path.write_text(json.dumps(schema))


def origin_field(scenario: Scenario, slug: str, **changes: object) -> None:
    """Give a field other facts, or add one."""

    def change(listed: list[dict[str, Any]]) -> None:
        found = [each for each in listed if each["slug"] == slug]
        if not found:
            found = [{"id": "f" * 24, "slug": slug, "isRequired": False}]
            listed += found
        found[0].update(changes)

    _change_fields(scenario, change)


def origin_field_gone(scenario: Scenario, slug: str) -> None:
    """Take a field out; items hold it no more."""

    def change(listed: list[dict[str, Any]]) -> None:
        listed[:] = [each for each in listed if each["slug"] != slug]

    _change_fields(scenario, change)
    for path in (scenario.project.folder / "raw").glob("[il]*/*.json"):
        items = json.loads(path.read_text())["items"]
        for item in items:
            item["fieldData"].pop(slug, None)
        write_items(path, items)


def not_designed(scenario: Scenario, slug: str) -> None:
    """Take a field out of the design, as a refusal said."""
    path = scenario.project.folder / "decisions" / "design.yaml"
    body = yaml.safe_load(path.read_text())
    for each in body["content_types"]:
        each["fields"] = [one for one in each["fields"] if one["origin"] != slug]
    path.write_text(yaml.safe_dump(body, sort_keys=False))


def collection_at_origin(scenario: Scenario) -> None:
    """Add a collection `events` with an item `fair`."""
    raw = scenario.project.folder / "raw"
    listed = json.loads((raw / "collections.json").read_text())
    listed["collections"].append({"id": EVENTS})
    (raw / "collections.json").write_text(json.dumps(listed))
    both = [
        {"id": letter * 24, "slug": slug, "displayName": slug, "type": "PlainText"}
        for letter, slug in (("b", "name"), ("c", "slug"))
    ]
    fields = [{**each, "isRequired": True} for each in both]
    schema = {"id": EVENTS, "displayName": "Events", "singularName": "Event"}
    text = json.dumps({**schema, "slug": "events", "fields": fields})
    (raw / "collections" / f"{EVENTS}.json").write_text(text)
    (path,) = (raw / "items").glob("*.json")
    item = json.loads(path.read_text())["items"][0]
    item |= {"id": "d" * 24, "fieldData": {"name": "Fair", "slug": "fair"}}
    for kind in ("items", "live"):
        write_items(raw / kind / f"{EVENTS}.json", [item])
