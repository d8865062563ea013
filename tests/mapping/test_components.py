"""Component bodies as they go over the wire, and when an existing one will do."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import yaml

from cmsmig.canonical import JsonObject
from cmsmig.mapping.compare.component_fields import equal_component
from cmsmig.mapping.decisions.decision_files import from_text
from cmsmig.mapping.decisions.design import Design, Encoding
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.mapping.propose.proposals import propose_block_designs
from tests.support.cases import cases, part
from tests.support.mapping.design_builders import make_type

FIELDS: list[JsonObject] = [
    {"key": "title", "encoding": "text", "required": True},
    {
        **{"key": "kind", "encoding": "option", "type": "Option"},
        "options": [{"id": "1", "label": "Red"}, {"id": "2", "label": "Red (2)"}],
    },
    {
        **{"key": "author", "encoding": "relation", "type": "Reference"},
        "target_collection": "c2",
    },
    {"key": "photo", "encoding": "asset", "type": "Image"},
    {"key": "video", "encoding": "video_block", "type": "VideoLink"},
]


def design(
    fields: list[JsonObject], sections: list[JsonObject] | None = None
) -> Design:
    """Return a design of posts with these fields, as in design.yaml, and people."""
    listed = []
    for each in fields:
        key = str(each.get("key", "f"))
        plain = {"origin": key, "key": key, "display_name": key.title()}
        listed.append({"type": "PlainText", **plain, **each})
    posts = {"collection": "posts", "collection_id": "c1", "component": "post"}
    names = {"display_name": "Post", "folder": "posts", "folder_name": "Posts"}
    content = {**posts, **names, "fields": listed, "sections": sections or []}
    text = yaml.safe_dump({"content_types": [content], "blocks": []})
    (post,) = from_text(text, "design.yaml", Design).content_types
    people = make_type("c2", component="person", folder="people")
    return Design((post, people), propose_block_designs())


def bodies(of: Design) -> dict[str, Any]:
    return {each.name: each.body for each in component_bodies(of)}


@cases(__file__, "components.yaml")
def test_what_goes_over_the_wire(case: dict[str, Any]) -> None:
    made = design(case["fields"], case.get("sections"))
    if "blocks" in case:
        made = replace(made, blocks=())
    schema, wanted = bodies(made)["post"]["schema"], case["schema"]
    assert [*schema] == [*wanted]
    assert part(schema, wanted) == wanted
    for key in case.get("whole", ()):
        assert schema[key] == wanted[key]
    found = {
        each.slug: [value for _, value in each.entries]
        for each in datasource_bodies(made)
    }
    assert found == case.get("datasources", {})


def test_a_content_type_is_root_a_block_is_nestable_and_universal_is_both() -> None:
    """The names go over the wire as they are in the design."""
    made = design([])
    found = bodies(replace(made, content_types=(replace(make_type(), universal=True),)))
    flags = {
        name: (body["name"], body["is_root"], body["is_nestable"])
        for name, body in bodies(made).items()
    }
    blocks = ("html_embed", "embed", "figure")
    assert flags == {name: (name, False, True) for name in blocks} | {
        name: (name, True, False) for name in ("post", "person")
    }
    assert (found["post"]["is_root"], found["post"]["is_nestable"]) == (True, True)
    assert "universal" not in found["post"]


def test_every_encoding_has_a_definition_of_a_current_type() -> None:
    """The deprecated `image` and `file` are never written."""
    assert set(FIELD_BODIES) == set(Encoding)
    types = {body["type"] for body in FIELD_BODIES.values()}
    assert not types & {"image", "file", "link"}


@cases(__file__, "equal_components.yaml")
def test_whether_a_component_of_the_space_will_do(case: dict[str, Any]) -> None:
    """One as the service gives it back: with ids, its own positions and defaults."""
    ours = bodies(design(FIELDS))["post"]
    theirs = copy.deepcopy(ours)
    theirs |= {"id": 7, "real_name": "post", "created_at": "2024-01-01", "color": None}
    for number, definition in enumerate(theirs["schema"].values()):
        definition |= {"id": f"x{number}", "pos": 9 - number, "translatable": False}
    for key, change in case.get("schema", {}).items():
        changed = theirs["schema"].get(key, {}) | change
        kept = {name: value for name, value in changed.items() if value is not None}
        theirs["schema"][key] = kept
    assert equal_component(theirs | case.get("component", {}), ours) == case["equal"]
    assert not equal_component({}, ours)
