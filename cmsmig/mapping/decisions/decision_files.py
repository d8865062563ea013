"""The five decision files: from types to documents and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions import blocks_document
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.conflicts import (
    ConflictsDecision,
)
from cmsmig.mapping.decisions.decision_records import read_record, record_body
from cmsmig.mapping.decisions.design import BlockRole, Design
from cmsmig.mapping.decisions.yaml_documents import (
    edited,
    read_document,
    write_document,
)
from cmsmig.richtext.blocks.outline import BlockNames
from cmsmig.richtext.policy import EmbedPolicy

Decision = (
    CollectionsDecision | Design | BlocksDecision | EmbedsDecision | ConflictsDecision
)
D = TypeVar(
    "D",
    CollectionsDecision,
    Design,
    BlocksDecision,
    EmbedsDecision,
    ConflictsDecision,
)

FILE_NAMES: Mapping[type[Decision], str] = {
    CollectionsDecision: "collections.yaml",
    Design: "design.yaml",
    BlocksDecision: "blocks.yaml",
    EmbedsDecision: "embeds.yaml",
    ConflictsDecision: "conflicts.yaml",
}
"""The file that each kind of decision is stored in, in the order to take them."""


def to_text(decision: Decision) -> str:
    """Return a decision as the text of its file: stable, and made to be diffed."""
    text = write_document(record_body(decision), _HEADERS[type(decision)])
    if isinstance(decision, BlocksDecision):
        return text + blocks_document.reviews_text(decision.reviews)
    return text


def text_with(text: str, before: D, after: D) -> str:
    """Return the text of a file, which says `before`, so that it says `after`.

    What `after` has more is added, and all else stays byte for byte as people wrote
    it; only a text of an unusual form is written anew.
    """
    kind = type(after)
    head, rest = text, ""
    if isinstance(after, BlocksDecision):
        head, _ = blocks_document.split_text(text)
        rest = text[len(head) :]
    root = read_document(head, FILE_NAMES[kind])
    found = edited(head, root, record_body(before), record_body(after))
    if found is not None and _says(found + rest, after):
        return found + rest
    return to_text(after)


def _says(text: str, decision: D) -> bool:
    try:
        return from_text(text, "", type(decision)) == decision
    except DecisionsError:
        return False


def decided_value(decision: Decision) -> object:
    """Return what of a decision counts: not who took it, nor what is said for its
    readers."""
    plain = replace(decision, reviewed=None)
    if isinstance(plain, BlocksDecision) and (reviews := plain.reviews):
        text = to_text(replace(plain, reviews={}))
        return [text, [reviews[key].decided for key in sorted(reviews)]]
    return to_text(plain)


def from_text(text: str, where: str, kind: type[D]) -> D:
    """Return the decision that `text` holds; `where` names the file.

    Raises `DecisionsError` naming the file, the line, what is wrong there and
    what is allowed. Keys that are left out have the proposals' defaults.
    """
    found = read_decision(text, where, kind)
    if not isinstance(found, kind):
        raise TypeError(f"{kind.__name__} has no document")
    return found


def read_decision(text: str, where: str, kind: type[Decision]) -> Decision:
    """Return what `from_text` does, for a kind that is known only as it runs."""
    if kind is BlocksDecision:
        text, entries = blocks_document.split_text(text)
        document = read_document(text, where)
        return blocks_document.read_blocks(document, entries, where)
    return read_record(kind, read_document(text, where), where)


def embed_policy(decision: EmbedsDecision, design: Design) -> EmbedPolicy:
    """Return the policy for the conversion, with the design's component names."""
    found = EmbedPolicy(dict(decision.kinds), dict(decision.signatures))
    html, embed, figure = (
        design.block(role)
        for role in (BlockRole.HTML, BlockRole.EMBED, BlockRole.FIGURE)
    )
    return replace(
        found,
        unclosed=decision.unclosed,
        components={each.component_id: each for each in decision.components},
        html_component=html.component if html else found.html_component,
        embed_component=embed.component if embed else found.embed_component,
        embed_fields=(
            found.embed_fields.intersection(embed.schema)
            if embed
            else found.embed_fields
        ),
        figure_component=figure.component if figure else found.figure_component,
    )


def block_names(design: Design) -> BlockNames:
    """Return the components that documents converted for `design` hold."""
    policy = embed_policy(EmbedsDecision(), design)
    return BlockNames(
        html=policy.html_component,
        embed=policy.embed_component,
        figure=policy.figure_component,
    )


_HEADERS: Mapping[type[Decision], str] = {
    CollectionsDecision: (
        "What is taken along.\n"
        "languages (of an item): folders | fields\n"
        "missing_language (of what an item refers to): primary | leave_out\n"
        "items: live | staged | staged_published_only | mirror\n"
        "drafts: as_drafts | skip      archived: skip | as_drafts\n"
        "archived_live (archived, page still online): as_archived | skip | as_drafts\n"
        "  | as_live\n"
        "queued (goes live with the next publish): as_drafts | skip | publish\n"
        "publish: nothing | what_is_live\n"
        "apart: single items, each with `item: ID` and `take: skip | draft | live |\n"
        "  staged | mirror`"
    ),
    Design: (
        "Content types, folders and blocks of the destination.\n"
        "Every origin field stands under `fields` or, with its reason, `left_out`.\n"
        "date_field and order_field name origin fields; without them stories go by\n"
        "the items' creation. folder_by and tags_by name origin fields, too;\n"
        "start_page is an item's slug."
    ),
    BlocksDecision: (
        "How the bodies of each RichText field are stored, and what each body is\n"
        "split into.\n"
        "mode: one_richtext | blocks\n"
        "split: headings | images | embeds | tables | quotes | code | galleries\n"
        "reviews: a body's blocks, `nodes` of its top level each; while `by` is empty\n"
        "nobody has accepted them. Text under `slug` and `begins` is for readers."
    ),
    EmbedsDecision: (
        "What becomes of what rich text has no node for, by kind and by host.\n"
        "html | component | link | drop (listed as a loss)\n"
        "figure and linked-image: component | picture (an image node, the rest "
        "listed)\nunclosed, of embeds that hold the rest of their body: keep | end\n"
        "components: the block of each designer's component, and the field of each of\n"
        "its properties (type: text | number | boolean | link | richtext); a property\n"
        "without a field is listed as a loss"
    ),
    ConflictsDecision: (
        "What to do where the destination already holds something in our place.\n"
        "kind: story (action: skip | reuse | rename, to rename_to)\n"
        "kind: component | datasource (action: reuse, which leaves it as it is)\n"
        "edits: both sides changed a field (take: ours | theirs); `seen` binds the\n"
        "decision to the edit that was shown\n"
        "gone: from origin (action: keep | unpublish | delete) or from destination\n"
        "(action: recreate | leave_out); what: a path, a name, or '*' for all"
    ),
}
