"""A body as blocks: each its component, together exactly the body."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.bodies import block_values
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.convert.linking import link_story, resolve_links
from cmsmig.mapping.decisions.body_reviews import BodyKey, body_facts, review_of
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.design import BlockRole, Design, Encoding
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.propose.block_designs import (
    block_components,
    missing_roles,
    split_design,
    with_blocks,
)
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.propose.proposals import propose_block_designs as block_designs
from cmsmig.richtext.blocks.block_runs import (
    Blocks,
    Heuristic,
    Heuristics,
    merged,
    propose_blocks,
)
from cmsmig.richtext.blocks.outline import BlockKind, outline_of
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.native import NativeEngine
from tests.support.mapping.drafting import (
    POSTS,
    content_type,
    context,
    draft_story,
    field,
    item,
    key,
    routes,
)
from tests.support.mapping.split_documents import blocks_in

EVERYTHING = Heuristics(frozenset(Heuristic))
BODY = field("body", Encoding.RICHTEXT, "RichText")
RAW = Design((content_type(BODY),), block_designs())
EVERY_BLOCK = BlocksDecision(
    (BodyChoice("posts", POSTS, "body").splitting(BodyMode.BLOCKS, EVERYTHING),)
)
DESIGN = split_design(with_blocks(RAW, EVERY_BLOCK), EVERY_BLOCK)
NAMES = block_components(DESIGN)
PICTURE = '<figure><div><img src="a.png" alt="A"></div></figure>'
FIGURE = (
    '<figure class="w-richtext-figure-type-image" data-rt-type="image">'
    '<a href="/posts/two"><div><img src="a.png" alt="A"></div></a>'
    '<figcaption>See <a href="/posts/two">two</a></figcaption></figure>'
)


def converted(html: str) -> JsonObject:
    return NativeEngine().from_html(html).document


def valued(document: JsonObject, blocks: Blocks) -> list[Json]:
    return block_values(document, blocks, NAMES, lambda path: f"uid {path}")


def test_each_kind_becomes_its_component() -> None:
    """The content of a block is in the fields of its component."""
    html = (
        f"<p>a</p>{PICTURE}<p>b</p>{PICTURE}{PICTURE}<blockquote><p>q</p></blockquote>"
        '<pre><code class="language-py">x\ny</code></pre>'
        "<table><tr><td>c</td></tr></table>"
        '<iframe src="https://v.example/1"></iframe>'
        "<div data-rt-embed-type='true'><b>raw</b></div>"
    )
    document = converted(html)
    values = valued(document, propose_blocks(outline_of(document), EVERYTHING))
    assert [block["component"] for block in values if isinstance(block, dict)] == [
        "text_block",
        "figure",
        "text_block",
        "gallery",
        "quote",
        "code_block",
        "table_block",
        "embed",
        "html_embed",
    ]
    known = {body.name: body.body["schema"] for body in component_bodies(DESIGN)}
    for block in blocks_in(values):
        schema = known[str(block["component"])]
        assert isinstance(schema, dict)
        assert block.keys() - {"_uid", "component"} <= schema.keys()
    _, picture, _, gallery, quote, code, *_ = values
    assert isinstance(picture, dict)
    assert picture["image"]["filename"] == "a.png"
    assert picture["image"]["meta_data"] == {}
    assert [each["component"] for each in gallery["images"]] == ["figure", "figure"]
    assert quote["text"]["content"][0]["type"] == "paragraph"
    assert (code["code"], code["language"]) == ("x\ny", "language-py")


def test_a_field_of_blocks_holds_only_what_it_may_need() -> None:
    """The whitelist follows from the rules that are on and the blocks decided on."""
    rules = Heuristics(frozenset((Heuristic.HEADINGS, Heuristic.IMAGES)))
    decision = BlocksDecision(
        (BodyChoice("posts", POSTS, "body").splitting(BodyMode.BLOCKS, rules),)
    )
    assert whitelist(decision) == {"text_block", "figure"}
    where = BodyKey(POSTS, "one", "", "body")
    document = converted(PICTURE + PICTURE)
    facts = body_facts("", outline_of(document))
    merging = merged(propose_blocks(facts.outline, rules), 0)
    review = review_of(where, facts, rules, merging)
    grown = BlocksDecision(decision.bodies, reviews={where: review})
    assert missing_roles(RAW, decision) == (BlockRole.TEXT,)
    assert missing_roles(RAW, grown) == (BlockRole.TEXT, BlockRole.GALLERY)
    assert whitelist(grown) == {"text_block", "figure", "gallery"}


def whitelist(decision: BlocksDecision) -> set[str]:
    design = split_design(with_blocks(RAW, decision), decision)
    bodies_by_name = {body.name: body.body for body in component_bodies(design)}
    field = bodies_by_name["post"]["schema"]["body"]
    assert (field["type"], field["restrict_components"]) == ("bloks", True)
    return set(field["component_whitelist"])


def test_texts_of_blocks_offer_what_the_body_does() -> None:
    """A field that is no text any more has no rule of texts."""
    rules: JsonObject = {"style_options": [{"name": "lead", "value": "lead"}]}
    body = replace(BODY, rules={**rules, "allow_custom_attributes": True})
    raw = replace(RAW, content_types=(content_type(body),))
    design = split_design(with_blocks(raw, EVERY_BLOCK), EVERY_BLOCK)
    found = {each.name: each.body["schema"] for each in component_bodies(design)}
    assert "style_options" not in found["post"]["body"]
    for text in (found["text_block"]["text"], found["quote"]["text"]):
        assert text["allow_custom_attributes"]
        assert text["style_options"][0]["value"] == "lead"


def test_a_gallery_holds_pictures_whatever_they_are_called() -> None:
    """Renamed in the design, the component is allowed under its new name."""
    text = with_blocks(RAW, EVERY_BLOCK)
    renamed = Design(
        text.content_types,
        tuple(
            block
            if block.role is not BlockRole.FIGURE
            else replace(block, component="photo")
            for block in text.blocks
        ),
    )
    found = {body.name: body.body["schema"] for body in component_bodies(renamed)}
    assert found["gallery"]["images"]["component_whitelist"] == ["photo"]


def test_components_of_blocks_have_unused_names() -> None:
    """A name of the design or of another component in the space is not taken."""
    taken = Design((replace(content_type(BODY), component="quote"),), block_designs())
    other: JsonObject = {"name": "gallery", "schema": {}, "is_nestable": True}
    space = SpaceFacts(components={"gallery": other})
    names = block_components(with_blocks(taken, EVERY_BLOCK, space))
    assert (names[BlockKind.QUOTE], names[BlockKind.GALLERY]) == (
        "quote_2",
        "gallery_2",
    )
    ours = {each.name: each.body for each in component_bodies(DESIGN)}
    again = with_blocks(RAW, EVERY_BLOCK, SpaceFacts(components=ours))
    assert block_components(again) == NAMES


def drafted(html: Json) -> StoryDraft:
    """Return the draft of an item with this body, split by every rule."""
    record = item({"body": html})
    place = BodyKey(POSTS, "one", record.key.locale_id, "body")
    outline = outline_of(converted(html if isinstance(html, str) else ""))
    split_up = {place: propose_blocks(outline, EVERYTHING)} if html else {}
    around = replace(
        context(DESIGN.content_types[0], places=PLACES, assets=ASSETS),
        design=DESIGN,
        blocks=split_up,
    )
    return draft_story(record, DESIGN.content_types[0], around)


PLACES = {key("one"): Place("posts", "one", 1), key("two"): Place("posts", "zwei", 2)}
HOMES = {
    target: ExistingStory(f"uuid-{target.item_id}", place.full_slug)
    for target, place in PLACES.items()
}
ROUTES = routes(PLACES, {key("two"): "two"})
ASSETS = {"a.png": UploadedAsset(7, "https://assets.example/a.png")}


def test_what_is_no_body_is_one_text_and_a_loss() -> None:
    """A value of another type is carried as text, and listed."""
    made = drafted({"x": 1})
    assert [each["component"] for each in made.content["body"]] == ["text_block"]
    assert [each.loss.kind for each in made.losses] == ["wrong-type"]


def test_losses_are_those_of_the_body() -> None:
    """Splitting loses nothing that one rich text does not lose."""
    html = f'<p style="color:red">a</p>{FIGURE}<script>x()</script>'
    one = context(RAW.content_types[0], places=PLACES, assets=ASSETS)
    whole = draft_story(item({"body": html}), RAW.content_types[0], one)
    assert drafted(html).losses == whole.losses
    assert whole.losses


def test_links_inside_of_blocks_lead_to_stories() -> None:
    """In texts, quotes and tables, in a figure's link and caption, in raw HTML."""
    link = '<a href="/posts/two">two</a>'
    html = (
        f"<p>{link}</p><blockquote>{link}</blockquote>{FIGURE}"
        f"<table><tr><td>{link}</td></tr></table>"
        f"<div data-rt-embed-type='true'><b>{link}</b></div>"
    )
    story = drafted(html)
    linked = link_story(story, HOMES, ROUTES)
    assert resolve_links(story.draft, HOMES, ROUTES).links == 6
    text = json.dumps(linked["body"])
    assert text.count('"uuid": "uuid-two"') == 4
    figure = linked["body"][2]
    assert figure["link"]["linktype"] == "story"
    assert figure["link"]["id"] == "uuid-two"
    assert 'href=\\"/posts/zwei\\"' in text
    assert "/posts/two" not in text
    assert [each["_uid"] for each in linked["body"]] == [
        each["_uid"] for each in drafted(html).content["body"]
    ]


def test_the_guide_lists_every_proposed_block_with_its_fields() -> None:
    text = Path(__file__).parents[2].joinpath("docs", "front-end.md").read_text("utf-8")
    table = text.partition("| Block | Fields |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", table, re.M)
    listed = {name: {*re.findall(r"`(\w+)`", fields)} for name, fields in rows}
    assert listed == {each.component: {*each.schema} for each in DESIGN.blocks}
