"""What editors do at the origin between two pulls, done to what was pulled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.steps.staged_project import StagedProject

Item = dict[str, Any]


def edit_items(
    project: StagedProject,
    change: Callable[[Item], Item | None],
    folders: tuple[str, ...] = (),
) -> None:
    """Replace each pulled item by what `change` makes of it; None takes it away."""
    for folder in folders or ("items", "live"):
        for path in (project.folder / "raw" / folder).glob("*.json"):
            write_items(
                path, [new for each in read_items(path) if (new := change(each))]
            )


def read_items(path: Path) -> list[Item]:
    """Return the items of a set."""
    items: list[Item] = json.loads(path.read_text())["items"]
    return items


def write_items(path: Path, items: list[Item]) -> None:
    """Write a set as a pull does, an item a line."""
    lines = ",\n".join(json.dumps(each) for each in items)
    path.write_text(f'{{"items": [\n{lines}\n]}}')


def delete_item(project: StagedProject, slug: str) -> list[Item]:
    """Delete an item at the origin; return its records for `put_back`."""
    gone: list[Item] = []

    def drop(item: Item) -> Item | None:
        if item["fieldData"]["slug"] != slug:
            return item
        gone.append(item)
        return None

    edit_items(project, drop)
    return gone


def put_back(project: StagedProject, records: list[Item]) -> None:
    """Undo a deletion."""
    for folder, record in zip(("items", "live"), records, strict=True):
        (path,) = (project.folder / "raw" / folder).glob("*.json")
        write_items(path, [*read_items(path), record])


def mark(project: StagedProject, slug: str, **state: object) -> None:
    """Give an item another state at the origin, such as `isArchived`."""
    edit_items(
        project,
        lambda item: {**item, **state} if item["fieldData"]["slug"] == slug else item,
    )


def decide_gone(project: StagedProject, what: str, action: str) -> None:
    """Decide about what is gone at the origin, in place of what was decided."""
    path = project.folder / "decisions" / "conflicts.yaml"
    text = path.read_text().partition("\ngone:")[0]
    path.write_text(
        f"{text}\ngone:\n  - {{from: origin, what: '{what}', action: {action}}}\n"
    )
