"""Component bodies as they go over the wire, and when an existing one will do."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.compare.component_fields import equal_component
from cmsmig.mapping.decisions.design import (
    Design,
    Encoding,
    FieldDesign,
    SectionDesign,
)
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.mapping.propose.proposals import propose_blocks
from tests.support.mapping.design_builders import designed, make_type

COLORS = (("1", "Red"), ("2", "Red (2)"))


def design(*fields: FieldDesign) -> Design:
    """Return a design of posts with these fields, and people beside them."""
    people = make_type("c2", component="person", folder="people")
    return Design((make_type("c1", *fields), people), propose_blocks())


def post(*fields: FieldDesign) -> JsonObject:
    """Return the wire body of the posts' content type."""
    bodies = {one.name: one.body for one in component_bodies(design(*fields))}
    return bodies["post"]


def schema_of(*fields: FieldDesign) -> JsonObject:
    """Return the wire schema of the posts' content type."""
    schema = post(*fields)["schema"]
    assert isinstance(schema, dict)
    return schema


def test_a_content_type_is_root_and_a_block_is_nestable() -> None:
    """The names go over the wire as they are in the design."""
    bodies = component_bodies(design())
    assert [
        (one.name, one.body["name"], one.body["is_root"], one.body["is_nestable"])
        for one in bodies
    ] == [
        ("html_embed", "html_embed", False, True),
        ("embed", "embed", False, True),
        ("figure", "figure", False, True),
        ("post", "post", True, False),
        ("person", "person", True, False),
    ]


def test_universal_is_both_booleans() -> None:
    """The wire has no flag of its own for it."""
    found = component_bodies(
        Design((replace(make_type(), universal=True),), propose_blocks())
    )
    assert (found[-1].body["is_root"], found[-1].body["is_nestable"]) == (True, True)
    assert "universal" not in found[-1].body


@pytest.mark.parametrize(
    ("encoding", "kind", "expected"),
    [
        (Encoding.TEXT, "PlainText", {"type": "text"}),
        (Encoding.TEXTAREA, "PlainText", {"type": "textarea"}),
        (Encoding.MARKDOWN, "PlainText", {"type": "markdown"}),
        (Encoding.ASSET, "Image", {"type": "asset", "filetypes": ["images"]}),
        (Encoding.MULTIASSET, "MultiImage", {"type": "multiasset"}),
        (Encoding.ASSET, "File", {"type": "asset"}),
        (Encoding.NUMBER, "Number", {"type": "number"}),
        (Encoding.DATETIME, "DateTime", {"type": "datetime"}),
        (Encoding.DATE, "DateTime", {"type": "datetime", "disable_time": True}),
        (Encoding.BOOLEAN, "Switch", {"type": "boolean"}),
        (Encoding.PRICE_AMOUNT, "Price", {"type": "number"}),
        (Encoding.JSON_TEXT, "SkuValues", {"type": "textarea"}),
        (
            Encoding.COLOR_PLUGIN,
            "Color",
            {"type": "custom", "field_type": "storyblok-colorpicker"},
        ),
        (
            Encoding.VIDEO_BLOCK,
            "VideoLink",
            {"type": "bloks", "component_whitelist": ["embed"]},
        ),
    ],
)
def test_each_encoding_has_its_field_definition(
    encoding: Encoding, kind: str, expected: JsonObject
) -> None:
    """Type and what decides about values, as the destination's tools write them."""
    found = schema_of(designed("f", encoding, kind))["f"]
    assert isinstance(found, dict)
    assert expected.items() <= found.items()
    assert found["display_name"] == "F"


def test_every_encoding_has_a_definition_of_a_current_type() -> None:
    """The deprecated `image` and `file` are never written."""
    assert set(FIELD_BODIES) == set(Encoding)
    types = {body["type"] for body in FIELD_BODIES.values()}
    assert not types & {"image", "file", "link"}


def test_relations_name_the_content_type_they_point_to() -> None:
    """One story is an option, several are options; both hold UUIDs, none required."""
    one = replace(
        designed("author", Encoding.RELATION, "Reference"),
        target_collection="c2",
        required=True,
    )
    many = replace(one, key="authors", encoding=Encoding.RELATIONS)
    lost = replace(one, key="ghost", target_collection="c9")
    schema = schema_of(one, many, lost)
    assert schema["author"] == {
        "type": "option",
        "source": "internal_stories",
        "use_uuid": True,
        "display_name": "Author",
        "filter_content_type": ["person"],
        "pos": 0,
    }
    assert schema["authors"] == {
        "type": "options",
        "source": "internal_stories",
        "use_uuid": True,
        "is_reference_type": True,
        "entry_appearance": "card",
        "allow_advanced_search": True,
        "display_name": "Author",
        "filter_content_type": ["person"],
        "pos": 1,
    }
    ghost = schema["ghost"]
    assert isinstance(ghost, dict)
    assert "filter_content_type" not in ghost


def test_options_are_labels_inline_or_in_a_datasource() -> None:
    """A datasource is shared by the fields that name it."""
    inline = replace(designed("a", Encoding.OPTION, "Option"), options=COLORS)
    shared = replace(
        inline, key="b", encoding=Encoding.OPTION_DATASOURCE, datasource="colors"
    )
    other = replace(shared, key="c", options=(("9", "Red"), ("8", "Blue")))
    schema = schema_of(inline, shared, other)
    assert schema["a"] == {
        "type": "option",
        "display_name": "A",
        "options": [
            {
                "_uid": "8ef639d4-86cf-5ea9-b776-e14001bdf3c4",
                "name": "Red",
                "value": "Red",
            },
            {
                "_uid": "2ec46c34-35da-5900-8fe4-e3dab20515b9",
                "name": "Red (2)",
                "value": "Red (2)",
            },
        ],
        "pos": 0,
    }
    assert schema["b"] == {
        "type": "option",
        "source": "internal",
        "display_name": "A",
        "datasource_slug": "colors",
        "pos": 1,
    }
    (datasource,) = datasource_bodies(design(inline, shared, other))
    assert (datasource.slug, [value for _, value in datasource.entries]) == (
        "colors",
        ["Red", "Red (2)", "Blue"],
    )


def test_a_section_stands_before_its_first_field() -> None:
    """It holds keys and no value, and positions run through both."""
    content_type = replace(
        make_type(
            "c1",
            designed("a", Encoding.TEXT),
            designed("b", Encoding.TEXT),
            designed("c", Encoding.TEXT),
        ),
        sections=(SectionDesign("section_seo", "SEO", ("b", "c")),),
    )
    body = component_bodies(Design((content_type,), ()))[0].body
    schema = body["schema"]
    assert isinstance(schema, dict)
    assert list(schema) == ["a", "section_seo", "b", "c"]
    assert schema["section_seo"] == {
        "type": "section",
        "display_name": "SEO",
        "keys": ["b", "c"],
        "pos": 1,
    }


def stored(*fields: FieldDesign) -> JsonObject:
    """Return a component as the service would give it back."""
    body = copy.deepcopy(post(*fields))
    body |= {"id": 7, "real_name": "post", "created_at": "2024-01-01", "color": None}
    schema = body["schema"]
    assert isinstance(schema, dict)
    for number, definition in enumerate(schema.values()):
        assert isinstance(definition, dict)
        definition |= {"id": f"x{number}", "pos": 9 - number, "translatable": False}
    return body


FIELDS = (
    replace(designed("title", Encoding.TEXT), required=True),
    replace(designed("kind", Encoding.OPTION, "Option"), options=COLORS),
    replace(designed("author", Encoding.RELATION, "Reference"), target_collection="c2"),
    designed("photo", Encoding.ASSET, "Image"),
    designed("video", Encoding.VIDEO_BLOCK, "VideoLink"),
)


def test_a_restriction_by_name_has_the_shape_of_the_editor() -> None:
    """The unused list is there and empty; with nothing chosen, the flags alone."""
    video = designed("video", Encoding.VIDEO_BLOCK, "VideoLink")
    flags = {"restrict_components": True, "restrict_type": ""}
    lists = {"component_whitelist": ["embed"], "component_denylist": []}
    assert restriction(schema_of(video)["video"]) == flags | lists
    bare = Design((make_type("c1", video),), ())
    (body,) = component_bodies(bare)
    schema = body.body["schema"]
    assert isinstance(schema, dict)
    assert restriction(schema["video"]) == flags


def restriction(definition: Json) -> JsonObject:
    assert isinstance(definition, dict)
    return {
        name: value
        for name, value in definition.items()
        if name.startswith(("restrict", "component_"))
    }


@pytest.mark.parametrize(
    ("theirs", "fits"),
    [
        ({"restrict_components": False, "restrict_type": ""}, True),
        ({"restrict_components": True, "restrict_type": ""}, True),
        ({"component_whitelist": "embed,teaser", "component_denylist": None}, True),
        ({"component_whitelist": [], "component_denylist": ["teaser"]}, True),
        ({"component_whitelist": [], "component_denylist": ["embed"]}, False),
        ({"restrict_type": "groups", "component_group_whitelist": ["u"]}, False),
        ({"restrict_type": "tags", "component_tag_denylist": [7]}, False),
    ],
)
def test_a_restriction_of_the_space_fits_if_it_takes_our_blocks(
    theirs: JsonObject, fits: bool
) -> None:
    existing = stored(*FIELDS)
    schema = existing["schema"]
    assert isinstance(schema, dict)
    video = schema["video"]
    assert isinstance(video, dict)
    flags_alone = {name: video[name] for name in video if name[:9] != "component"}
    schema["video"] = flags_alone | theirs
    assert equal_component(existing, post(*FIELDS)) == fits


def test_what_the_service_adds_does_not_make_a_component_different() -> None:
    """Ids, positions, names, more fields and more options do no harm."""
    existing = stored(*FIELDS)
    schema = existing["schema"]
    assert isinstance(schema, dict)
    schema["extra"] = {"type": "text", "pos": 99}
    schema["tab-1"] = {"type": "tab", "keys": ["title"]}
    kind = schema["kind"]
    assert isinstance(kind, dict)
    assert isinstance(kind["options"], list)
    kind["options"].append({"_uid": "u", "name": "Blue", "value": "Blue"})
    kind["source"] = ""
    assert equal_component(existing, post(*FIELDS))


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("title", {"type": "textarea"}),
        ("title", {"required": False}),
        ("title", {"max_length": 10}),
        ("title", {"regex": "^a"}),
        ("kind", {"options": [{"name": "Red", "value": "Red"}]}),
        ("kind", {"source": "internal"}),
        ("author", {"use_uuid": False}),
        ("author", {"required": True}),
        ("author", {"filter_content_type": ["page"]}),
        ("photo", {"filetypes": ["videos"]}),
        ("video", {"component_whitelist": ["teaser"]}),
        ("extra", {"type": "text", "required": True}),
    ],
)
def test_a_component_that_would_refuse_or_change_our_values_is_different(
    field: str, change: JsonObject
) -> None:
    """Another type, a tighter restriction, fewer options, a new required field."""
    existing = stored(*FIELDS)
    schema = existing["schema"]
    assert isinstance(schema, dict)
    before = schema.get(field, {})
    assert isinstance(before, dict)
    schema[field] = before | change
    assert not equal_component(existing, post(*FIELDS))


def test_a_missing_field_or_another_flag_makes_a_component_different() -> None:
    """A nestable block is no content type, whatever its fields are."""
    existing = stored(*FIELDS)
    assert not equal_component(existing | {"is_root": False}, post(*FIELDS))
    assert not equal_component(existing | {"is_nestable": True}, post(*FIELDS))
    assert not equal_component(existing | {"schema": {}}, post(*FIELDS))
    assert not equal_component({}, post(*FIELDS))
