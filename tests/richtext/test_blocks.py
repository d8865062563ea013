"""Blocks partition a document, whatever is proposed and whatever people do to them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.richtext.blocks.outline import (
    BlockKind,
    Outline,
    kinds_of,
    outline_of,
)
from cmsmig.richtext.blocks.proposals import (
    Block,
    Blocks,
    Heuristic,
    Heuristics,
    How,
    accepted,
    fits,
    merged,
    needs_review,
    nodes_of,
    propose_blocks,
    rejected,
    retyped,
    runs_of,
    split,
)
from cmsmig.richtext.native import NativeEngine
from tests.support.richtext.block_account import wrong_blocks
from tests.support.richtext.bodies import bodies

EVERYTHING = Heuristics(frozenset(Heuristic))
STORY = (
    "<p>One</p><h2>Two</h2><p>Three</p>"
    '<figure><div><img src="a.png" alt="A"></div></figure>'
    '<p>Four</p><img src="b.png"><img src="c.png">'
    '<iframe src="https://v.example/1"></iframe>'
    "<div data-rt-embed-type='true'><b>raw</b></div>"
    "<blockquote>Said</blockquote><pre><code>x = 1</code></pre>"
    "<table><tr><td>Cell</td></tr></table><h3>Five</h3><p>Six</p>"
)

chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
heuristics = st.builds(
    Heuristics, st.frozensets(st.sampled_from(Heuristic)), st.integers(1, 6)
)


def converted(html: str) -> tuple[JsonObject, Outline]:
    document = NativeEngine().from_html(html).document
    return document, outline_of(document)


def proposed(html: str, *on: Heuristic, level: int = 2) -> Blocks:
    return propose_blocks(converted(html)[1], Heuristics(frozenset(on), level))


def shapes(blocks: Blocks) -> list[tuple[str, int]]:
    return [(str(block.kind), block.nodes) for block in blocks]


def changed(data: st.DataObject, blocks: Blocks, outline: Outline) -> Blocks:
    index = data.draw(st.integers(0, len(blocks) - 1))
    edit = data.draw(st.sampled_from(("merge", "split", "retype", "reject", "accept")))
    if edit == "merge":
        return merged(blocks, index)
    if edit == "split":
        return split(blocks, index, data.draw(st.integers(0, 3)))
    if edit == "retype":
        kind = data.draw(st.sampled_from(BlockKind))
        return retyped(blocks, index, kind, outline)
    if edit == "reject":
        return rejected(blocks, index, outline, EVERYTHING)
    return accepted(blocks)


@chosen
@given(bodies, heuristics, st.data())
def test_blocks_hold_the_document(
    html: str, rules: Heuristics, data: st.DataObject
) -> None:
    """Proposed, and after any edits, refused ones among them; each says why."""
    document, outline = converted(html)
    blocks = propose_blocks(outline, rules)
    assert wrong_blocks(document, blocks) == []
    assert all(block.why.endswith(".") for block in blocks)
    assert propose_blocks(outline, rules) == blocks
    for _ in range(data.draw(st.integers(1, 5))):
        try:
            blocks = changed(data, blocks, outline)
        except UsageError as refusal:
            assert str(refusal).endswith(".")  # noqa: PT017
        assert wrong_blocks(document, blocks) == []


def test_nothing_switched_on_is_one_text() -> None:
    """Without rules a body stays one text block, which needs no review."""
    blocks = proposed(STORY)
    assert shapes(blocks) == [("text", len(converted(STORY)[1]))]
    assert not needs_review(blocks)
    assert blocks[0].why == "No rule splits this body."


def test_everything_switched_on() -> None:
    """Each structure becomes a block of its kind; level-3 headings stay in a text."""
    assert shapes(propose_blocks(converted(STORY)[1], EVERYTHING)) == [
        ("text", 1),
        ("text", 2),
        ("image", 1),
        ("text", 1),
        ("gallery", 2),
        ("embed", 1),
        ("html", 1),
        ("quote", 1),
        ("code", 1),
        ("table", 1),
        ("text", 2),
    ]


@pytest.mark.parametrize(
    ("rule", "kinds"),
    [
        (Heuristic.HEADINGS, ["text", "text"]),
        (Heuristic.IMAGES, ["text", "image", "text", "image", "image", "text"]),
        (Heuristic.GALLERIES, ["text", "gallery", "text"]),
        (Heuristic.EMBEDS, ["text", "embed", "html", "text"]),
        (Heuristic.QUOTES, ["text", "quote", "text"]),
        (Heuristic.CODE, ["text", "code", "text"]),
        (Heuristic.TABLES, ["text", "table", "text"]),
    ],
)
def test_one_rule_alone(rule: Heuristic, kinds: list[str]) -> None:
    """A rule splits off its own kind and leaves all else in the text."""
    assert [str(block.kind) for block in proposed(STORY, rule)] == kinds


@pytest.mark.parametrize(
    ("level", "texts"), [(1, 1), (2, 2), (3, 3), (4, 3), (5, 3), (6, 3)]
)
def test_the_heading_level(level: int, texts: int) -> None:
    """Headings of the chosen level or higher begin a text block."""
    assert len(proposed(STORY, Heuristic.HEADINGS, level=level)) == texts


def test_a_heading_in_front_makes_no_empty_block() -> None:
    """A body that begins with a heading has as many blocks as headings."""
    html = "<h2>A</h2><p>a</p><h1>B</h1><p>b</p>"
    blocks = proposed(html, Heuristic.HEADINGS)
    assert shapes(blocks) == [("text", 2), ("text", 2)]
    assert blocks[1].why == "A heading of level 1 begins here."


def test_pictures_inside_of_lists_stay_there() -> None:
    """Only what stands at the top level is split off."""
    html = '<ul><li>a<img src="a.png"></li></ul><p>b</p>'
    assert shapes(proposed(html, *Heuristic)) == [("text", 2)]


def test_merging_pictures_makes_a_gallery() -> None:
    """Two picture blocks merge to a gallery, a picture and a text to text."""
    html = '<img src="a.png"><img src="b.png"><p>c</p>'
    blocks = proposed(html, Heuristic.IMAGES)
    gallery = merged(blocks, 0)
    assert gallery[0] == Block(BlockKind.GALLERY, 2, "Merged by hand.", How.MERGED)
    assert shapes(merged(gallery, 0)) == [("text", 3)]
    assert shapes(split(gallery, 0, 1)) == [("image", 1), ("image", 1), ("text", 1)]


def test_a_rejected_block_joins_the_text_around_it() -> None:
    """The text before and after takes it up, except where a heading begins."""
    rules = Heuristics(frozenset((Heuristic.HEADINGS, Heuristic.IMAGES)))
    html = '<p>a</p><img src="a.png"><p>b</p><img src="b.png"><h2>C</h2>'
    _, outline = converted(html)
    blocks = propose_blocks(outline, rules)
    assert shapes(blocks) == [
        ("text", 1), ("image", 1), ("text", 1), ("image", 1), ("text", 1),
    ]  # fmt: skip
    once = rejected(blocks, 1, outline, rules)
    assert shapes(once) == [("text", 3), ("image", 1), ("text", 1)]
    assert once[0].how is How.REJECTED
    assert shapes(rejected(once, 1, outline, rules)) == [("text", 4), ("text", 1)]


def test_a_rejected_heading_split_goes_back_to_the_text_before() -> None:
    """The text block that a heading began is a part of the one before again."""
    _, outline = converted("<p>a</p><h2>B</h2><p>b</p>")
    rules = Heuristics(frozenset((Heuristic.HEADINGS,)))
    blocks = propose_blocks(outline, rules)
    assert shapes(rejected(blocks, 1, outline, rules)) == [("text", 3)]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda blocks, outline: merged(blocks, 2), "the last block"),
        (lambda blocks, outline: split(blocks, 1, 1), "this one holds 1"),
        (lambda blocks, outline: split(blocks, 0, 2), "this one holds 2"),
        (
            lambda blocks, outline: retyped(blocks, 0, BlockKind.QUOTE, outline),
            "can't be of kind `quote`; it can be text",
        ),
        (
            lambda blocks, outline: rejected(blocks, 0, outline, EVERYTHING),
            "No text stands before",
        ),
        (lambda blocks, outline: merged(blocks, 7), "no block 8; it has 3"),
        (lambda blocks, outline: merged(blocks, -1), "no block 0"),
    ],
)
def test_edits_that_cannot_be_made_say_why(edit: object, said: str) -> None:
    """A refused edit is one sentence, and changes nothing."""
    _, outline = converted('<p>a</p><p>b</p><img src="a.png"><p>c</p>')
    blocks = propose_blocks(outline, Heuristics(frozenset((Heuristic.IMAGES,))))
    assert callable(edit)
    with pytest.raises(UsageError, match=said):
        edit(blocks, outline)


def test_what_a_run_may_become() -> None:
    """One node may be its own kind, pictures a gallery, and anything a text."""
    _, outline = converted('<p>a</p><img src="a.png"><img src="b.png"><hr>')
    assert kinds_of(outline[:1]) == (BlockKind.TEXT,)
    assert kinds_of(outline[1:2]) == (BlockKind.TEXT, BlockKind.IMAGE)
    assert kinds_of(outline[1:3]) == (BlockKind.TEXT, BlockKind.GALLERY)
    assert kinds_of(outline) == (BlockKind.TEXT,)


def test_blocks_of_another_document_are_refused() -> None:
    """Counts that do not add up are never cut into nodes."""
    document, outline = converted("<p>a</p>")
    with pytest.raises(UsageError, match="hold 2 parts and the body has 1"):
        nodes_of(document, (Block(BlockKind.TEXT, 2),))
    assert not fits((Block(BlockKind.IMAGE, 1),), outline)


def test_outlines_show_what_a_block_begins_with() -> None:
    """Texts, alt texts, addresses and HTML, cut to a line."""
    _, outline = converted(STORY)
    shown = [node.text for node in outline]
    assert shown[:4] == ["One", "Two", "Three", "A"]
    assert "https://v.example/1" in shown
    assert all(len(text) <= 80 for text in shown)
    blocks = propose_blocks(outline, EVERYTHING)
    assert [run[0].text for run in runs_of(outline, blocks)][:2] == ["One", "Two"]
