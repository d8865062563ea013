"""Components in the shape that earlier versions wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmsmig.canonical import fingerprint
from cmsmig.ledger.bodies import dump_body, load_body
from tests.support.steps.staged_project import Stage, StagedProject


def record(project: StagedProject) -> Any:
    """Return the component of the records in the space."""
    (found,) = [
        each for each in project.space.components.values() if each["name"] == "record"
    ]
    return found


LOUD = "          - id: '22222222222222222222222222222222'\n            label: loud\n"
ODD = "          - id: '33333333333333333333333333333333'\n            label: odd\n"


def older(schema: dict[str, Any]) -> None:
    """Make field definitions as earlier versions wrote them, in place."""
    for definition in schema.values():
        definition.pop("restrict_type", None)
        definition.pop("component_denylist", None)
        for option in definition.get("options", ()):
            option.pop("_uid", None)


@pytest.mark.parametrize("recorded", ["by field", "as a fingerprint alone"])
def test_components_in_the_shape_of_earlier_versions_are_ours_and_unedited(
    stage: Stage, content_of: Callable[[str], Path], recorded: str
) -> None:
    """A rerun writes nothing for the shape alone; the next change keeps the rows."""
    project = stage(content=content_of("moody"))
    order = "    order_field: position\n"
    project.decide("design.yaml", order, order + FACTS)
    path = project.folder / "decisions" / "design.yaml"
    path.write_text(LOOKS.sub("", path.read_text()))
    project.done("import")
    restricted = record(project)["schema"]["facts"]
    assert (restricted["restrict_type"], restricted["component_denylist"]) == ("", [])
    for each in project.space.components.values():
        older(each["schema"])
    for name, body, sent in project.rows(
        "SELECT name, body, body_hash FROM made WHERE kind = 'component'"
    ):
        assert sent
        kept = load_body(body)
        older(kept["schema"])
        kept.pop("answered", None)
        if recorded == "by field":
            change = "UPDATE made SET body = ? WHERE kind = 'component' AND name = ?"
            project.doctor(change, dump_body(kept), name)
        else:
            kept = {key: kept[key] for key in SENT if key in kept}
            change = "UPDATE made SET body = '', body_hash = ? WHERE name = ?"
            project.doctor(change, fingerprint(kept), name)
    before = [dict(each) for each in project.space.components.values()]
    planned = project.plan()
    assert "update_components" not in planned["calls"]
    assert (planned["in_the_way"], planned["schema_changes"]) == ([], [])
    project.done("import")
    assert [*project.space.components.values()] == before
    project.verified()
    project.decide("design.yaml", LOUD, LOUD + ODD)
    project.decide("design.yaml", "display_name: Mood", "display_name: The mood")
    project.done("prepare")
    rows = record(project)["schema"]["mood"]["options"]
    assert [each["value"] for each in rows] == ["calm", "loud", "odd"]
    assert ["_uid" in each for each in rows] == [False, False, True]
    project.verified()


FACTS = """    sections:
      - key: facts
        display_name: Facts
        component: facts
        fields: [position]
"""
LOOKS = re.compile(r"^ +(icon|preview_field): .*\n", re.M)
"""What earlier versions did not propose."""
SENT = ("name", "display_name", "schema", "is_root", "is_nestable")
