from __future__ import annotations

import itertools
import uuid

import pytest

NOWHERE = str(uuid.UUID(int=1))
LINK = {"href": "/x", "uuid": None, "anchor": None, "target": None, "linktype": "url"}
COUNT = itertools.count()


@pytest.fixture(scope="session", autouse=True)
def everything(shared_desk):
    """Make a content type with a field of each type."""
    relation = {"source": "internal_stories", "filter_content_type": ["everything"]}
    schema = {
        "text": {"type": "text", "translatable": True},
        "area": {"type": "textarea"},
        "mark": {"type": "markdown"},
        "rich": {"type": "richtext"},
        "number": {"type": "number"},
        "date": {"type": "datetime"},
        "flag": {"type": "boolean"},
        "pick": {"type": "option", "options": [{"name": "A", "value": "a"}]},
        "picks": {"type": "options", "options": [{"name": "A", "value": "a"}]},
        "one": {"type": "option", **relation},
        "many": {"type": "options", "is_reference_type": True, **relation},
        "file": {"type": "asset"},
        "files": {"type": "multiasset"},
        "link": {"type": "multilink"},
        "body": {"type": "bloks"},
        "group": {"type": "section", "keys": ["text"]},
    }
    shared_desk.component("everything", schema, is_nestable=True)
    shared_desk.component("page_only", {}, is_nestable=False)
    shared_desk.component("block_only", {}, is_root=False)


def stored(desk, **fields):
    """Store a story with these fields and return what the sandbox noted."""
    content = {"component": "everything", "_uid": "root", **fields}
    reply = desk.story(f"violation-{next(COUNT)}", content)
    assert reply.status_code == 201, reply.text
    return desk.kinds


def document(*nodes):
    return {"type": "doc", "content": list(nodes)}


def paragraph(*nodes):
    return {"type": "paragraph", "content": list(nodes)}


def text(value="x", *marks):
    return {"type": "text", "text": value, **({"marks": list(marks)} if marks else {})}


def item(*nodes):
    return {
        "type": "bullet_list",
        "content": [{"type": "list_item", "content": [*nodes]}],
    }


EMPTY_ASSET = {"id": None, "alt": None, "filename": "", "fieldtype": "asset"}
EMPTY_LINK = {"id": "", "url": "", "linktype": "story", "cached_url": ""} | {
    "fieldtype": "multilink"
}
OUTER_IMAGE = {"type": "image", "attrs": {"id": None, "src": "https://else.example/a"}}


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "", "area": "", "mark": "", "number": "", "date": "", "pick": ""},
        {"number": "-1.50", "date": "2024-02-29 23:59", "flag": False, "pick": "a"},
        {"picks": ["a"], "many": [], "one": "", "body": [], "files": []},
        {"file": EMPTY_ASSET, "link": EMPTY_LINK, "rich": None},
        {"file": {**EMPTY_ASSET, "filename": "https://x/a", "is_external_url": True}},
        {"link": {**EMPTY_LINK, "linktype": "url", "url": "https://x"}},
        {"text__i18n__fr": "bonjour", "text__i18n__pt_br": "dia", "_editable": ""},
        {"rich": document({"type": "paragraph"})},
        {"rich": document(paragraph(text("x", {"type": "link", "attrs": LINK})))},
        {"rich": document(item(paragraph(text())), OUTER_IMAGE)},
        {"body": [{"component": "block_only", "_uid": "b"}]},
    ],
)
def test_sound_content_is_not_noted(desk, fields):
    """Filled and empty values in their proper forms bring no violation."""
    assert stored(desk, **fields) == []


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"unheard": "x"}, "unknown_field"),
        ({"area__i18n__fr": "x"}, "not_translatable"),
        ({"text__i18n__de": "x"}, "unknown_language"),
        ({"body": [{"component": "unheard", "_uid": "b"}]}, "unknown_component"),
        ({"body": [{"component": "page_only", "_uid": "b"}]}, "not_nestable"),
        ({"body": [{"component": "block_only"}]}, "missing_uid"),
        ({"body": [{"component": "block_only", "_uid": "root"}]}, "repeated_uid"),
        ({"group": "x"}, "value_of_a_section"),
        ({"text": 1}, "not_a_string"),
        ({"area": ["x"]}, "not_a_string"),
        ({"date": "2024-01-01T10:00:00Z"}, "datetime_form"),
        ({"date": "2024-01-01"}, "datetime_form"),
        ({"date": "2024-02-30 10:00"}, "datetime_form"),
        ({"pick": "b"}, "option_value"),
        ({"picks": ["a", "b"]}, "option_value"),
        ({"picks": "a"}, "option_form"),
        ({"one": NOWHERE}, "dangling_relation"),
        ({"many": [NOWHERE]}, "dangling_relation"),
        ({"file": {"filename": "x"}}, "asset_form"),
        ({"file": {**EMPTY_ASSET, "filename": "https://x/a.png"}}, "missing_file"),
        ({"files": [{**EMPTY_ASSET, "filename": "https://x/a"}]}, "missing_file"),
        ({"link": {"url": "https://x", "linktype": "url"}}, "link_form"),
        ({"link": {**EMPTY_LINK, "linktype": "page"}}, "link_form"),
        ({"link": {**EMPTY_LINK, "id": NOWHERE}}, "dangling_link"),
    ],
)
def test_each_silent_fault_is_noted(desk, fields, kind):
    """The story is stored with 201 and the violation list names the fault."""
    assert kind in stored(desk, **fields)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"body": {"component": "block_only"}}, "bloks_form"),
        ({"number": 12.5}, "number_form"),
        ({"number": "1e21"}, "number_form"),
        ({"number": "nan"}, "number_form"),
        ({"flag": "true"}, "boolean_form"),
        ({"files": EMPTY_ASSET}, "asset_form"),
    ],
)
def test_an_older_space_stores_what_newer_ones_refuse(desk, fields, kind):
    """The story is stored with 201 and the violation list names the fault."""
    desk.unknown(strict=False)
    assert kind in stored(desk, **fields)


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (paragraph(OUTER_IMAGE), "image_in_paragraph"),
        (paragraph(text("")), "empty_text"),
        (paragraph(paragraph()), "richtext_content"),
        (text(), "richtext_content"),
        ({"type": "iframe"}, "richtext_node"),
        ({"type": "doc", "content": [paragraph()]}, "richtext_node"),
        ({"type": "blockquote"}, "richtext_empty_node"),
        (item(), "richtext_empty_node"),
        (item({"type": "heading", "attrs": {"level": 2}}), "richtext_content"),
        ({"type": "heading", "attrs": {"level": 7}}, "richtext_attribute"),
        ({"type": "heading", "content": [text()]}, "richtext_attribute"),
        ({"type": "image", "attrs": {}}, "richtext_attribute"),
        ({"type": "blok", "attrs": {"id": "i"}}, "richtext_attribute"),
        ({"type": "paragraph", "html": "x"}, "richtext_node_key"),
        ({"type": "paragraph", "text": "x"}, "richtext_node_key"),
        (paragraph(text("x", {"type": "big"})), "richtext_mark"),
        (paragraph(text("x", {"type": "bold"}, {"type": "bold"})), "richtext_mark"),
        (paragraph(text("x", {"type": "bold"}, {"type": "code"})), "richtext_mark"),
        (
            {"type": "code_block", "content": [text("x", {"type": "bold"})]},
            "richtext_mark",
        ),
        (
            paragraph(text("x", {"type": "link", "attrs": {"href": "/x"}})),
            "link_attributes",
        ),
        (
            paragraph(
                text("x", {"type": "link", "attrs": {**LINK, "linktype": "page"}})
            ),
            "link_attributes",
        ),
        (
            paragraph(
                text(
                    "x",
                    {
                        "type": "link",
                        "attrs": {**LINK, "linktype": "story", "uuid": NOWHERE},
                    },
                )
            ),
            "dangling_link",
        ),
    ],
)
def test_each_fault_of_a_document_is_noted(desk, node, kind):
    """A rich text document outside the editor's schema is stored and named."""
    assert kind in stored(desk, rich=document(node))


def test_a_value_that_is_no_document_is_noted(desk):
    """Where it can be stored: rich text that is not a doc node, HTML as well."""
    desk.unknown(strict=False)
    assert stored(desk, rich="<p>x</p>") == ["richtext_root"]


def test_the_content_of_a_folder_has_no_component(desk):
    """It holds the content types that the folder allows; anything else is noted."""
    types = {"content_types": ["everything"], "lock_subfolders_content_types": True}
    desk.folder("typed-folder", content=types, default_root="everything")
    assert desk.kinds == []
    desk.folder("other-folder", content={**types, "component": "everything"})
    assert desk.kinds == ["folder_content_key"]


def test_an_unknown_content_type_is_stored_in_silence(desk):
    """The service saves a story of a component that nobody created."""
    reply = desk.story("ghost", {"component": "never_made", "_uid": "1", "a": 1})
    assert reply.status_code == 201
    assert desk.kinds == ["unknown_component"]
    found = desk.handle.state.recorder.violations[-1]
    assert found.where == "stories/ghost: content"
    assert found.what == "never_made"


def test_a_block_as_content_type_is_noted(desk):
    """A story of a component that is no content type is stored and named."""
    desk.story("blocky", {"component": "block_only", "_uid": "1"})
    assert desk.kinds == ["not_a_content_type"]


def test_relations_to_stories_are_sound(desk):
    """A relation to a story of an allowed type is fine, to another it is named."""
    content = {"component": "everything", "_uid": "1"}
    good = desk.story("relation-good", content).json()["story"]["uuid"]
    other = {"component": "page_only", "_uid": "1"}
    wrong = desk.story("relation-other", other).json()["story"]["uuid"]
    link = {"type": "link", "attrs": {**LINK, "linktype": "story", "uuid": good}}
    rich = document(paragraph(text("x", link)))
    assert stored(desk, one=good, many=[good], rich=rich) == []
    assert stored(desk, many=[good, wrong]) == ["relation_content_type"]


def test_assets_in_content_need_their_file(desk):
    """A signed but not uploaded file, a wrong id and another form are named."""
    signed = desk.sign()
    asset = {"alt": "", "fieldtype": "asset", "filename": signed["public_url"]}
    image = {"type": "image", "attrs": {"id": None, "src": signed["public_url"]}}
    assert stored(desk, file={**asset, "id": signed["id"]}) == ["missing_file"]
    desk.since += 1
    assert stored(desk, rich=document(image)) == ["missing_file"]
    desk.since += 1
    desk.upload(signed)
    sound = {**asset, "id": signed["id"]}
    assert stored(desk, file=sound, files=[sound], rich=document(image)) == []
    assert stored(desk, file={**asset, "id": 5}) == ["asset_id"]
    desk.since += 1
    bare = {**sound, "filename": signed["pretty_url"]}
    assert stored(desk, file=bare) == ["asset_address_form"]


def test_blocks_inside_rich_text_are_inspected(desk):
    """A blok node's blocks are looked into as nested blocks are."""
    block = {"component": "everything", "_uid": "in", "text": 3}
    node = {"type": "blok", "attrs": {"id": "i", "body": [block]}}
    assert stored(desk, rich=document(node)) == ["not_a_string"]
