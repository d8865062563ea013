"""What becomes of schemas at the origin between two pulls, done to what was pulled."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.steps.origin_edits import write_items
from tests.support.steps.staged_project import StagedProject

EVENTS = "a" * 24
"""The collection that comes."""


def fields(
    project: StagedProject, change: Callable[[list[dict[str, Any]]], object]
) -> None:
    """Change the schema of the records at the origin."""
    (path,) = [
        each
        for each in (project.folder / "raw" / "collections").glob("*.json")
        if EVENTS not in each.name
    ]
    schema = json.loads(path.read_text())
    change(schema["fields"])
    path.write_text(json.dumps(schema))


def field(project: StagedProject, slug: str, **changes: object) -> None:
    """Give a field other facts, or add one."""

    def change(listed: list[dict[str, Any]]) -> None:
        found = [each for each in listed if each["slug"] == slug]
        if not found:
            found = [{"id": "f" * 24, "slug": slug, "isRequired": False}]
            listed += found
        found[0].update(changes)

    fields(project, change)


def choices(*options: dict[str, str]) -> Callable[[StagedProject], None]:
    return lambda project: field(
        project, "mood", validations={"options": list(options)}
    )


def add_collection(project: StagedProject) -> None:
    raw = project.folder / "raw"
    listed = json.loads((raw / "collections.json").read_text())
    listed["collections"].append({"id": EVENTS})
    (raw / "collections.json").write_text(json.dumps(listed))
    both = [
        {"id": letter * 24, "slug": slug, "displayName": slug, "type": "PlainText"}
        for letter, slug in (("b", "name"), ("c", "slug"))
    ]
    schema = {"id": EVENTS, "displayName": "Events", "singularName": "Event"}
    schema |= {
        "slug": "events",
        "fields": [{**each, "isRequired": True} for each in both],
    }
    (raw / "collections" / f"{EVENTS}.json").write_text(json.dumps(schema))
    (path,) = (raw / "items").glob("*.json")
    item = json.loads(path.read_text())["items"][0]
    item |= {"id": "d" * 24, "fieldData": {"name": "Fair", "slug": "fair"}}
    for kind in ("items", "live"):
        write_items(raw / kind / f"{EVENTS}.json", [item])
