"""From a body's blocks comes the body again."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.mapping.convert.bodies import block_values
from cmsmig.richtext.blocks.outline import BlockKind, outline_of, top_nodes
from cmsmig.richtext.blocks.proposals import (
    Heuristic,
    Heuristics,
    merged,
    propose_blocks,
    split,
)
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.schema.validate import documents_in, problems
from tests.support.mapping.split_documents import blocks_in, document_nodes
from tests.support.richtext.bodies import bodies

NAMES = {kind: "figure" if kind is BlockKind.IMAGE else str(kind) for kind in BlockKind}

chosen = settings(
    derandomize=True,
    deadline=None,
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
heuristics = st.builds(
    Heuristics, st.frozensets(st.sampled_from(Heuristic)), st.integers(1, 6)
)


def without_ids(value: Json) -> Json:
    """Leave out the ids of `blok` nodes, which blocks have no place for."""
    if isinstance(value, list):
        return [without_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    copy = {name: without_ids(each) for name, each in value.items()}
    attributes = copy.get("attrs")
    if copy.get("type") == "blok" and isinstance(attributes, dict):
        copy["attrs"] = {"body": attributes["body"]}
    return copy


@chosen
@given(bodies, heuristics, st.data())
def test_blocks_hold_exactly_the_document(
    html: str, rules: Heuristics, data: st.DataObject
) -> None:
    """Node for node the document; what blocks hold is valid, and no two of them
    share an identifier."""
    document = NativeEngine().from_html(html).document
    blocks = propose_blocks(outline_of(document), rules)
    if len(blocks) > 1 and data.draw(st.booleans()):
        blocks = merged(blocks, data.draw(st.integers(0, len(blocks) - 2)))
    if blocks[0].nodes > 1 and data.draw(st.booleans()):
        blocks = split(blocks, 0, 1)
    values = block_values(document, blocks, NAMES, lambda path: f"uid {path}")
    assert without_ids(list(document_nodes(values, NAMES))) == without_ids(
        list(top_nodes(document))
    )
    assert len(values) == len(blocks)
    for _, inner in documents_in({"body": values}):
        assert problems(inner) == ()
    uids = [block["_uid"] for block in blocks_in(values)]
    assert len(set(map(str, uids))) == len(uids)
