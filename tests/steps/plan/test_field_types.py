"""A field of the space whose type does not take our values is reported by the plan."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter

from cmsmig.mapping.convert.content_shape import ContentShape, shape_of
from tests.steps.plan.test_preflights import failing
from tests.support.steps.staged_project import Stage, StagedProject

FORM = "<div class='w-embed'><form action='/x'><input name='a'></form></div>"


def retype(project: StagedProject, component: str, field: str, kind: str) -> None:
    """Change the type of a field as a developer would."""
    (found,) = (c for c in project.space.components.values() if c["name"] == component)
    found["schema"][field] |= {"type": kind}


def with_form(project: StagedProject, slug: str) -> None:
    """Give the body of one record a form, which becomes a block."""
    (path,) = (project.folder / "raw" / "items").glob("*.json")
    body = json.loads(path.read_text())
    hit = next(i for i in body["items"] if i["fieldData"]["slug"] == slug)
    hit["fieldData"]["text"] += FORM
    path.write_text(json.dumps(body))


def imported_but_for(project: StagedProject, *slugs: str) -> None:
    """Import, and insist that no doomed story was sent and all others arrived."""
    number = project.mark()
    assert project.run("import").code == 1
    assert [each for each in project.since(number) if each.status == 422] == []
    for slug in slugs:
        assert project.outcome(f"records/{slug}")[:2] == ("failed", "field_type")
    assert len(project.stories()) == 6 - len(slugs)


def test_a_field_of_another_type_is_reported_and_its_items_are_not_sent(
    stage: Stage,
) -> None:
    """With the item, the field, and what the type takes."""
    project = stage()
    project.done("prepare")
    retype(project, "record", "position", "boolean")
    found = failing(project)
    assert len(found) == 6
    first = found[0]
    assert (first["kind"], first["component"]) == ("field_type", "record")
    assert (first["full_slug"], first["field"]) == ("records/record-1", "position")
    assert (
        "Record 1: `position` of the component `record` has the type `boolean` in the "
        "space, which takes yes or no, and the item has a text there" in first["text"]
    )
    imported_but_for(project, *(f"record-{number}" for number in range(1, 7)))


def test_a_field_inside_a_block_is_reported_with_where_the_block_stands(
    stage: Stage,
) -> None:
    """Only the item that has such a block fails."""
    project = stage()
    with_form(project, "record-4")
    project.done("prepare")
    retype(project, "html_embed", "html", "number")
    (found,) = failing(project)
    assert (found["full_slug"], found["component"]) == (
        "records/record-4",
        "html_embed",
    )
    assert (
        "`html` of the component `html_embed`, a block in `text`, has the type "
        "`number`" in found["text"]
    )
    imported_but_for(project, "record-4")


def test_what_the_editor_cannot_show_is_reported_and_sent(stage: Stage) -> None:
    """Whether the service refuses a document in a text field is not known."""
    project = stage()
    project.done("prepare")
    retype(project, "record", "text", "textarea")
    found = [each for each in project.plan()["preflights"] if each["field"] == "text"]
    assert [each["fails"] for each in found] == [False] * 6
    assert "has a rich text document there" in found[0]["text"]


@pytest.mark.parametrize("kind", ["number", "options"])
def test_a_relation_of_another_type_is_reported_by_what_phase_two_writes(
    stage: Stage, kind: str
) -> None:
    """In phase one the field is empty, which every type of these takes."""
    project = stage()
    project.done("prepare")
    retype(project, "record", "next", kind)
    found = [each for each in project.plan()["preflights"] if each["field"] == "next"]
    assert {each["fails"] for each in found} == {kind == "number"}


def test_a_shape_is_kept_with_its_kinds() -> None:
    """What is read back is what was kept."""
    content = {
        "component": "page",
        "_uid": "1",
        "price": "1.5",
        "none": None,
        "body": {"type": "doc", "content": []},
        "price__i18n__fr": 5,
        "blocks": [{"component": "part", "_uid": "2", "price": 7}],
    }
    shape = shape_of(content, ("near",))
    codec = TypeAdapter(ContentShape)
    assert codec.validate_json(codec.dump_json(shape)) == shape
    assert {
        (component, key): "".join(each.kinds)
        for component, fields in shape.fields.items()
        for key, each in fields.items()
    } == {
        ("page", "price"): "n",
        ("page", "none"): "z",
        ("page", "body"): "d",
        ("page", "blocks"): "l",
        ("page", "near"): "t",
        ("part", "price"): "j",
    }


def test_a_refused_update_is_reported_by_collection_item_field_and_block(
    stage: Stage,
) -> None:
    """In the ledger and in `status --json`, with the service's own words."""
    project = stage()
    with_form(project, "record-4")
    project.done("import")
    retype(project, "html_embed", "html", "number")
    (path,) = (project.folder / "raw" / "items").glob("*.json")
    path.write_text(path.read_text().replace("name='a'", "name='b'"))
    assert project.run("import").code == 1
    assert project.outcome("records/record-4")[:2] == ("failed", "refused")
    (failed,) = project.status()["failed"]
    assert failed["explanation"].startswith(
        "Record 4 of the collection `records`: `html` of block 1 (html_embed) in "
        "`text` must hold a number, digits with `-` and `.` only, and holds `"
    )
    assert (
        "The value of the field html in the component html_embed must be a string "
        "with numbers and allow '-' and '.'" in failed["explanation"]
    )
