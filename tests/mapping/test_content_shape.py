"""The shape of content that is kept: which kinds of value each field has."""

from __future__ import annotations

from pydantic import TypeAdapter

from cmsmig.mapping.convert.content_shape import ContentShape, shape_of


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
