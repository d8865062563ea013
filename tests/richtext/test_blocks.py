"""Blocks partition a document, whatever is proposed and whatever people do to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import JsonObject
from cmsmig.errors import UsageError
from cmsmig.richtext.blocks.block_runs import (
    Block,
    Blocks,
    Heuristic,
    Heuristics,
    accepted,
    fits,
    merged,
    needs_review,
    nodes_of,
    propose_blocks,
    rejected,
    retyped,
    split,
)
from cmsmig.richtext.blocks.outline import BlockKind, Outline, kinds_of, outline_of
from cmsmig.richtext.native import NativeEngine
from tests.support.cases import cases
from tests.support.richtext.block_account import wrong_blocks
from tests.support.richtext.bodies import SEARCH, bodies

heuristics = st.builds(
    Heuristics, st.frozensets(st.sampled_from(Heuristic)), st.integers(1, 6)
)
_block = st.integers(0, 5)
edits = st.one_of(
    st.tuples(st.just("merge"), _block),
    st.tuples(st.just("split"), _block, st.integers(0, 3)),
    st.tuples(st.just("retype"), _block, st.sampled_from(BlockKind)),
    st.tuples(st.just("reject"), _block),
    st.just(("accept",)),
)


def converted(html: str) -> tuple[JsonObject, Outline]:
    document = NativeEngine().from_html(html).document
    return document, outline_of(document)


def edited(
    blocks: Blocks, edit: Sequence[Any], outline: Outline, rules: Heuristics
) -> Blocks:
    """Return blocks after an edit: its name, the number of the block, and more."""
    name, *given = edit
    if name == "accept":
        return accepted(blocks)
    if name == "retype":
        return retyped(blocks, given[0], BlockKind(given[1]), outline)
    if name == "reject":
        return rejected(blocks, given[0], outline, rules)
    return merged(blocks, *given) if name == "merge" else split(blocks, *given)


@cases(__file__, "blocks.yaml")
def test_what_is_proposed_and_edited(case: dict[str, Any]) -> None:
    """The blocks, why each is one, and how it came to be; or why an edit is refused."""
    _, outline = converted(case["html"])
    rules = Heuristics(frozenset(map(Heuristic, case["rules"])), case.get("level", 2))
    blocks, said = propose_blocks(outline, rules), ""
    try:
        for edit in case.get("edits", ()):
            blocks = edited(blocks, edit, outline, rules)
    except UsageError as refusal:
        said = str(refusal)
    assert said == case.get("says", "")
    assert needs_review(blocks) is case["review"]
    assert case["blocks"] == [
        {
            "kind": str(block.kind),
            "nodes": block.nodes,
            "how": str(block.how),
            "why": block.why,
        }
        for block in blocks
    ]


@SEARCH
@given(bodies, heuristics, st.lists(edits, max_size=5))
def test_blocks_hold_the_document(
    html: str, rules: Heuristics, made: list[tuple[Any, ...]]
) -> None:
    """Proposed, and after any edits, refused ones among them; each says why."""
    document, outline = converted(html)
    blocks = propose_blocks(outline, rules)
    assert wrong_blocks(document, blocks) == []
    assert all(block.why.endswith(".") for block in blocks)
    assert propose_blocks(outline, rules) == blocks
    for edit in made:
        try:
            blocks = edited(blocks, edit, outline, rules)
        except UsageError as refusal:
            assert str(refusal).endswith(".")  # noqa: PT017
        assert wrong_blocks(document, blocks) == []


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
    _, outline = converted(
        '<p>One</p><figure><div><img src="a.png" alt="A"></div></figure>'
        f'<iframe src="https://v.example/1"></iframe><p>{"long " * 30}</p>'
    )
    shown = [node.text for node in outline]
    assert shown[:3] == ["One", "A", "https://v.example/1"]
    assert all(len(text) <= 80 for text in shown)
