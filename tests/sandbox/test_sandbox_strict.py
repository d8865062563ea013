"""What a save refuses in the values of a story, and what it stores all the same."""

from __future__ import annotations

import itertools

import pytest

COUNT = itertools.count()
KINDS = (
    "text",
    "number",
    "boolean",
    "richtext",
    "bloks",
    "multiasset",
    "asset",
    "multilink",
)
NUMBER = "must be a string with numbers and allow '-' and '.'"
DOCUMENT = "must be a prosemirror document"
DOC = {"type": "doc", "content": [{"type": "paragraph"}]}


@pytest.fixture(scope="session", autouse=True)
def strict(shared_desk):
    """Make a content type with a field of each checked type, and a block."""
    schema = {kind: {"type": kind} for kind in KINDS}
    schema["head"] = {"type": "text"}
    schema["number"]["translatable"] = True
    shared_desk.component("strict", schema)
    card = {"head": {"type": "text", "required": True}, "n": {"type": "number"}}
    shared_desk.component("strict_card", card)


def save(desk, content, method="POST", **query):
    """Make a story with this content, or replace a story's content by it."""
    slug = f"strict-{next(COUNT)}"
    content = {"component": "strict", "_uid": "root", **content}
    if method == "POST":
        body = {"story": {"name": slug, "slug": slug, "content": content}}
        return desk.space.post("/stories", json=body, params=query)
    sound = {"component": "strict", "_uid": "root"}
    own = desk.story(slug, sound).json()["story"]["id"]
    body = {"story": {"content": content}}
    return desk.space.put(f"/stories/{own}", json=body, params=query)


def said(key, wrong, component="strict"):
    return f"The value of the field {key} in the component {component} {wrong}"


def node(*blocks):
    return {"type": "doc", "content": [_blok(blocks)]}


def _blok(blocks):
    return {"type": "blok", "attrs": {"id": "i", "body": [*blocks]}}


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("key", "value", "wrong"),
    [
        ("number", 1, NUMBER),
        ("number", 1.5, NUMBER),
        ("number", "1e5", NUMBER),
        ("number", "+1", NUMBER),
        ("number", " 1", NUMBER),
        ("number", "1\n", NUMBER),
        ("number", "٣", NUMBER),
        ("number", "1.2.3", NUMBER),
        ("number", None, NUMBER),
        ("boolean", "true", "must be true or false"),
        ("boolean", 0, "must be true or false"),
        ("boolean", "", "must be true or false"),
        ("richtext", "", DOCUMENT),
        ("richtext", "<p>x</p>", DOCUMENT),
        ("richtext", {"type": "paragraph"}, DOCUMENT),
        ("richtext", [DOC], DOCUMENT),
        ("bloks", "", "must be an array"),
        ("bloks", {}, "must be an array"),
        ("multiasset", "", "must be an array"),
        ("multiasset", {}, "must be an array"),
        ("asset", "", "must be an object"),
        ("asset", [], "must be an object"),
        ("multilink", "", "must be an object"),
        ("multilink", "/x", "must be an object"),
    ],
)
def test_a_value_of_a_wrong_form_is_refused(desk, method, key, value, wrong):
    """With 422, the field, the component and the block; nothing is stored."""
    before = {own: s.content for own, s in desk.handle.state.space.stories.items()}
    reply = save(desk, {key: value}, method)
    assert reply.status_code == 422
    assert reply.json() == {"error": {"base": [f"Block root: {said(key, wrong)}"]}}
    after = {own: s.content for own, s in desk.handle.state.space.stories.items()}
    made = {"component": "strict", "_uid": "root"}
    assert {**after, **before} == after
    assert [each for own, each in after.items() if own not in before] in ([], [made])


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"number": "", "boolean": False, "text": ""},
        {"number": "-1.50", "boolean": True},
        {"number": ".5", "bloks": [], "multiasset": []},
        {"number": "-", "richtext": DOC, "asset": {}, "multilink": {}},
        dict.fromkeys(("richtext", "bloks", "multiasset", "asset", "multilink")),
        {"number__i18n__fr": 3, "richtext__i18n__fr": "", "boolean__i18n__fr": "x"},
        {"text": 5, "unheard": 1},
    ],
)
def test_what_no_rule_excludes_is_saved(desk, method, fields):
    """Empty values, null where it is as good as absent, and translated keys."""
    reply = save(desk, fields, method)
    assert reply.status_code in {200, 201}, reply.text
    assert {**reply.json()["story"]["content"], **fields} == (
        reply.json()["story"]["content"]
    )


@pytest.mark.parametrize("wrap", [lambda b: {"bloks": b}, lambda b: {"richtext": b}])
def test_nested_blocks_count_in_rich_text_too(desk, wrap):
    """A blank required field and a number are refused at any depth, each named."""
    cards = [
        {"component": "strict_card", "_uid": "a", "head": "  "},
        {"component": "strict_card", "_uid": "b", "head": "x", "n": 3},
    ]
    inner = {"component": "strict", "_uid": "in", "richtext": node(*cards)}
    value = [inner] if "bloks" in wrap([]) else node(inner)
    blank = said("head", "can't be blank", "strict_card")
    number = said("n", NUMBER, "strict_card")
    refused = save(desk, wrap(value))
    assert refused.status_code == 422
    assert refused.json() == {
        "error": {"base": [f"Block a: {blank}", f"Block b: {number}"]}
    }
    desk.unknown(value_refusal="block")
    assert save(desk, wrap(value)).json() == {
        "errors": {"a": [blank], "b": [number]},
    }


def test_an_older_space_validates_a_put_that_asks_for_it(desk):
    """There `strict_mode=1` in a PUT's query enforces; a POST has no such thing."""
    desk.unknown(strict=False)
    assert save(desk, {"number": 1}).status_code == 201
    assert save(desk, {"number": 1}, strict_mode="1").status_code == 201
    assert save(desk, {"number": 1}, "PUT").status_code == 200
    assert save(desk, {"number": 1}, "PUT", strict_mode="0").status_code == 200
    assert save(desk, {"number": 1}, "PUT", strict_mode="1").status_code == 422
    card = {"bloks": [{"component": "strict_card", "_uid": "a"}]}
    assert save(desk, card).status_code == 201
    assert save(desk, card, "PUT", strict_mode="1").status_code == 422


@pytest.mark.parametrize("kind", ["bloks", "richtext"])
@pytest.mark.parametrize("refuses", [False, True])
def test_a_component_that_its_field_is_closed_to(desk, kind, refuses):
    """Is saved and published, or refused: the sources disagree."""
    name = f"walled_{kind}_{refuses}".lower()
    limits = {"restrict_components": True, "restrict_type": ""}
    limits["component_whitelist"] = ["strict"]
    desk.component(name, {"body": {"type": kind, **limits}})
    desk.unknown(refuses_barred=refuses)

    def story(block, publish):
        blocks = [{"component": block, "_uid": "2", "head": "x"}]
        value = blocks if kind == "bloks" else node(*blocks)
        content = {"component": name, "_uid": "1", "body": value}
        body = {"story": {"name": name, "slug": f"{name}-{block}", "content": content}}
        return desk.space.post("/stories", json={**body, **publish})

    assert story("strict", {}).status_code == 201
    reply = story("strict_card", {"publish": 1})
    if refuses:
        said = "The component(s) strict_card are not allowed in the field body"
        assert (reply.status_code, reply.json()) == (422, {"error": {"base": [said]}})
        assert desk.kinds == []
    else:
        assert (reply.status_code, desk.kinds) == (201, ["barred_component"])
        assert reply.json()["story"]["published"] is True


def test_groups_and_tags_close_a_field_as_well(desk):
    """A group stands for those below it; a tag is a number here, a text there."""

    def group(name, **more):
        body = {"component_group": {"name": name, **more}}
        reply = desk.space.post("/component_groups", json=body)
        return reply.json()["component_group"]

    outer = group("outer")
    inner, other = group("inner", parent_id=outer["id"]), group("other")
    tag = {"internal_tag": {"name": "t", "object_type": "component"}}
    tagged = desk.space.post("/internal_tags", json=tag).json()["internal_tag"]["id"]
    desk.component("in_group", {}, component_group_uuid=inner["uuid"])
    desk.component("in_other", {}, component_group_uuid=other["uuid"])
    desk.component("with_tag", {}, internal_tag_ids=[str(tagged)])
    on = {"type": "bloks", "restrict_components": True}
    fields = {
        "groups": {"component_group_whitelist": [outer["uuid"]]},
        "tags": {"component_tag_denylist": [tagged]},
    }
    schema = {k: {**on, "restrict_type": k, **lists} for k, lists in fields.items()}
    desk.component("closed_ways", {**schema, "names": on})
    blocks = [{"component": name} for name in ("in_group", "in_other", "with_tag")]

    def value(key):
        return [{**block, "_uid": f"{key}{block['component']}"} for block in blocks]

    values = {key: value(key) for key in ("groups", "tags", "names")}
    story = {"component": "closed_ways", "_uid": "1", **values}
    assert desk.story("closed-by-groups", story).status_code == 201
    found = desk.handle.state.recorder.violations[desk.since :]
    assert [(each.kind, each.where, each.what) for each in found] == [
        ("barred_component", "stories/closed-by-groups: content.groups", "in_other"),
        ("barred_component", "stories/closed-by-groups: content.groups", "with_tag"),
        ("barred_component", "stories/closed-by-groups: content.tags", "with_tag"),
    ]


def test_a_save_stores_content_as_it_is(desk):
    """No default, no pruning; a no-op reads back the same."""
    desk.component("filled", {"t": {"type": "text", "default_value": "x"}})
    content = {"component": "filled", "_uid": "1", "gone": {"a": [None, ""]}}
    own = desk.story("as-it-is", content).json()["story"]["id"]
    read = desk.space.get(f"/stories/{own}").json()["story"]["content"]
    assert read == content
    put = desk.space.put(f"/stories/{own}", json={"story": {"content": read}})
    assert put.json()["story"]["content"] == content


def test_a_save_gives_each_block_a_uid_of_its_own(desk):
    """At every depth, in unknown components too; those that are alone stay."""
    twice = {"component": "strict", "_uid": "root"}
    unknown = {"component": "unheard", "rows": [{"component": "strict"}]}
    content = {
        "component": "strict",
        "_uid": "root",
        "_editable": "<!--#x-->",
        "bloks": [
            {"component": "strict", "richtext": node(twice, {"component": "strict"})},
            {"component": "strict", "_uid": "kept", "_editable": "x"},
            unknown,
        ],
        "asset": {"alt": None, "meta_data": {"component": "x"}},
    }
    reply = desk.story("uids", content)
    assert reply.status_code == 201, reply.text
    stored = reply.json()["story"]["content"]
    first, kept, other = stored["bloks"]
    inner = first["richtext"]["content"][0]["attrs"]["body"]
    blocks = [stored, first, *inner, kept, other, other["rows"][0]]
    uids = [block["_uid"] for block in blocks]
    assert len({*uids}) == len(blocks)
    assert all(uids)
    assert (stored["_uid"], kept["_uid"]) == ("root", "kept")
    assert stored["asset"] == content["asset"]
    assert not [block for block in blocks if "_editable" in block]
    again = desk.space.put(
        f"/stories/{reply.json()['story']['id']}", json={"story": {"content": stored}}
    )
    assert again.json()["story"]["content"] == stored
