"""Steps of cases that decide something, and what is decided already."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import yaml

from tests.support.steps.expectations import insist

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario

DECISIONS = {
    "published": ("collections.yaml", "publish: nothing", "publish: what_is_live"),
    "unpublished": ("collections.yaml", "publish: what_is_live", "publish: nothing"),
    "mirror": ("collections.yaml", "items: staged\n", "items: mirror\n"),
    "live": ("collections.yaml", "items: staged\n", "items: live\n"),
    "asset folder": ("design.yaml", "asset_folder: ''", "asset_folder: Old site"),
    "staged": ("collections.yaml", "items: staged\n", "items: staged\n"),
    "staged published only": (
        "collections.yaml",
        "items: staged\n",
        "items: staged_published_only\n",
    ),
    "moods": (
        "design.yaml",
        "encoding: option\n",
        "encoding: option_datasource\n        datasource: moods\n",
    ),
    "language fields": (
        "collections.yaml",
        "\nlocales:",
        "\nlanguages: fields\nlocales:",
    ),
}
"""Decisions that many cases make, by the word for them."""


def decision(scenario: Scenario, name: str, *, old: str, new: str) -> None:
    scenario.project.decide(name, old, new)


def design(scenario: Scenario, changes: dict[str, str]) -> None:
    """Replace texts of the design."""
    for old, new in changes.items():
        scenario.project.decide("design.yaml", old, new)


def add_to_design(scenario: Scenario, text: str) -> None:
    """Add keys to the content type of the records."""
    after = "    order_field: position\n"
    rows = "".join(f"    {line}\n" for line in text.splitlines())
    scenario.project.decide("design.yaml", after, after + rows)


def decided(scenario: Scenario, *names: str) -> None:
    for name in names:
        scenario.project.decide(*DECISIONS[name])


def decide_collection(scenario: Scenario, name: str, **values: Any) -> None:
    """Decide otherwise about one collection."""
    path = scenario.project.folder / "decisions" / "collections.yaml"
    body = yaml.safe_load(path.read_text())
    for each in body["collections"]:
        if each["collection"] == name:
            each.update(values)
    path.write_text(yaml.safe_dump(body, sort_keys=False))


def _adding(part: str) -> Callable[..., None]:
    """Return the step that adds a decision to a part of `conflicts.yaml`."""

    def add(scenario: Scenario, record: dict[str, str]) -> None:
        scenario.project.decide_about(part, **record)

    return add


edit_decided = _adding("edits")
gone_decided = _adding("gone")
conflict_decided = _adding("conflicts")


def conflicts_end(scenario: Scenario, take: str) -> None:
    """Decide every conflict of an edit that the plan names, as it was seen."""
    listed = scenario.project.plan()["edit_conflicts"]
    assert listed
    for each in listed:
        shown = {name: each[name] for name in ("kind", "what", "field", "seen")}
        scenario.project.decide_about("edits", **shown, take=take)


def decisions_hold(scenario: Scenario, name: str, **expected: Any) -> None:
    """Expect parts of a decision file, by its keys."""
    path = scenario.project.folder / "decisions" / name
    insist(yaml.safe_load(path.read_text()), expected)


def decide_keys(scenario: Scenario, name: str, **values: Any) -> None:
    """Write other values of keys of a decision file; None takes a key out."""
    path = scenario.project.folder / "decisions" / name
    body = yaml.safe_load(path.read_text()) | values
    kept = {key: value for key, value in body.items() if value is not None}
    path.write_text(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True))


def _review(scenario: Scenario, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change the reviews of bodies that are split."""
    path = scenario.project.folder / "decisions" / "blocks.yaml"
    body = yaml.safe_load(path.read_text())
    body["reviews"] = change(body["reviews"])
    path.write_text(yaml.safe_dump(body, sort_keys=False, allow_unicode=True))


def one_block(scenario: Scenario, slug: str, *, by: str) -> None:
    """Decide that a body stays one block."""

    def change(listed: list[Any]) -> list[Any]:
        for each in listed:
            if each["slug"] == slug:
                nodes = sum(block["nodes"] for block in each["blocks"])
                one = {"kind": "text", "nodes": nodes, "how": "rejected", "begins": "x"}
                each.update(by=by, blocks=[one])
        return listed

    _review(scenario, change)


def no_review(scenario: Scenario, slug: str) -> None:
    _review(scenario, lambda listed: [e for e in listed if e["slug"] != slug])
