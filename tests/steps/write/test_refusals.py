"""One refused request never stops an import: what depends on it is listed with a
reason, everything else arrives, and a rerun completes once the cause is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cmsmig.canonical import JsonObject
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import REFUSED, Fault

CHOSEN = "encoding: option_datasource\n        datasource: kinds\n"
"""Makes the one field of options of the small site draw from a datasource."""


def refusing(method: str, path: str, item: str = "") -> Fault:
    """Return a service that answers 422 to every matching request."""
    return Fault((method, path), REFUSED, at=(), item=item)


def imported(desk: Desk) -> JsonObject:
    """Import with a refusal: exit code 1, and nothing of it stops the run."""
    ended = desk.run("import", "--json")
    assert ended.code == 1, ended.err
    (outcome,) = desk.rows("SELECT outcome FROM run ORDER BY id DESC LIMIT 1")
    assert outcome == ("done",)
    found: JsonObject = ended.document
    return found


def refused(document: Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["what"]) for each in document["refused"]]


def failed(desk: Desk) -> dict[str, tuple[str, str]]:
    """Return reason and explanation of the failed items, by path."""
    rows = desk.rows(
        "SELECT full_slug, reason, explanation FROM item WHERE status = 'failed'"
    )
    return {slug: (reason, why) for slug, reason, why in rows}


def completed(desk: Desk, fault: Fault, stories: int) -> None:
    """Let the service take everything, import again, and verify all of it."""
    fault.over()
    desk.done("import")
    assert len(desk.stories()) == stories
    assert desk.open_intents() == []
    desk.verified()
    number = desk.mark()
    desk.done("import")
    written = [each for each in desk.since(number) if each.method != "GET"]
    assert written == []


def in_collections(desk: Desk) -> dict[str, int]:
    """Return how many stories there are by folder."""
    found: dict[str, int] = {}
    for path in desk.stories():
        folder = path.rpartition("/")[0]
        found[folder] = found.get(folder, 0) + 1
    return found


def test_show(stage: Stage, small_site: Path) -> None:
    desk = stage(content=small_site)
    desk.done("import")
    print(in_collections(desk), desk.components(), desk.folders(), desk.entries())
    print((desk.folder/"decisions"/"design.yaml").read_text())
    assert 0
