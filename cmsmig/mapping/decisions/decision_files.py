"""The decision files: from types to documents and back.

`blocks.yaml` says how each field's bodies are stored, then has an entry for each body
that was decided on. Entries are written and read by the thousand, so that those in the
form we write need no YAML reader.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import yaml

from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.body_reviews import (
    HEAD,
    BodyKey,
    BodyReview,
    DecidedBlock,
    rules_of,
)
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.cleaning import CleaningDecision
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.decisions.decision_records import node_at, read_record, record_body
from cmsmig.mapping.decisions.design import BlockRole, Decision, Design
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.mapping.decisions.yaml_documents import (
    edited,
    read_document,
    write_document,
)
from cmsmig.richtext.blocks.block_runs import How
from cmsmig.richtext.blocks.outline import BlockKind, BlockNames
from cmsmig.richtext.policy import EmbedPolicy

D = TypeVar("D", bound=Decision)

FILE_NAMES: Mapping[type[Decision], str] = {
    CollectionsDecision: "collections.yaml",
    Design: "design.yaml",
    BlocksDecision: "blocks.yaml",
    EmbedsDecision: "embeds.yaml",
    ConflictsDecision: "conflicts.yaml",
    RedirectsDecision: "redirects.yaml",
    CleaningDecision: "cleaning.yaml",
}
"""The file that each kind of decision is stored in, in the order to take them."""


_REVIEWS = "\nreviews:\n"

_TEXT = r'("(?:[^"\\]|\\.)*")\n'
_ENTRY = re.compile(
    r"  - slug: "
    + _TEXT
    + "".join(f"    {name}: {_TEXT}" for name in HEAD[1:])
    + r"    blocks:\n((?:      - .*\n)+)\Z"
)
_BLOCK = re.compile(
    r'      - \{kind: ([a-z]+), nodes: ([0-9]{1,6}), how: ([a-z]+), begins: (".*")\}\n'
)


def to_text(decision: Decision) -> str:
    """Return a decision as the text of its file: stable, and made to be diffed."""
    text = write_document(record_body(decision), _HEADERS[type(decision)])
    if isinstance(decision, BlocksDecision) and (reviews := decision.reviews):
        entries = [reviews[key].text for key in sorted(reviews)]
        return "".join([text, _REVIEWS.lstrip(), *entries])
    return text


def text_with(text: str, before: D, after: D) -> str:
    """Return the text of a file, which says `before`, so that it says `after`.

    What `after` has more is added, and all else stays byte for byte as people wrote
    it; only a text of an unusual form is written whole.
    """
    kind = type(after)
    head, rest = text, ""
    if isinstance(after, BlocksDecision):
        head, _ = split_text(text)
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
    """Return what of a decision counts: not who took it, nor the notes for its
    readers."""
    plain = replace(decision, reviewed=None)
    if isinstance(plain, CleaningDecision):
        return [each.effect for _, each in plain.accepted]
    if isinstance(plain, BlocksDecision) and (reviews := plain.reviews):
        text = to_text(replace(plain, reviews={}))
        return [text, [reviews[key].decided for key in sorted(reviews)]]
    return to_text(plain)


def from_text(text: str, where: str, kind: type[D]) -> D:
    """Return the decision that `text` holds; `where` names the file.

    Raises `DecisionsError` naming the file, the line, what is wrong there and
    what is allowed. Keys that are left out have the proposals' defaults.
    """
    head, entries = split_text(text) if kind is BlocksDecision else (text, [])
    document = read_document(head, where)
    decision = read_record(kind, document, where)
    if isinstance(decision, BlocksDecision):
        return replace(decision, reviews=_read_reviews(document, entries, where))
    return decision


def embed_policy(decision: EmbedsDecision, design: Design) -> EmbedPolicy:
    """Return the policy for the conversion, with the design's component names."""
    found = EmbedPolicy(dict(decision.kinds), dict(decision.signatures))
    html, embed, figure = (
        design.block(role)
        for role in (BlockRole.HTML, BlockRole.EMBED, BlockRole.FIGURE)
    )
    return replace(
        found,
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


def _read_reviews(
    document: yaml.Node, entries: Sequence[tuple[int, str]], where: str
) -> Mapping[BodyKey, BodyReview]:
    """Return the reviews in `blocks.yaml`.

    `entries` are those that `split_text` took from the document; `where` names
    the file. Raises `DecisionsError` naming the line and what is wrong there.
    """
    found: dict[BodyKey, BodyReview] = {}
    apart = (
        each
        for index, (before, piece) in enumerate(entries)
        for each in _entry(index, before, piece, where)
    )
    for review, line in chain(_reviews(document, where), apart):
        if review.key in found:
            raise DecisionsError(
                f"{where}, line {line}: the field `{review.key.field}` of the item "
                f"{review.key.item_id} is decided twice."
            )
        found[review.key] = review
    return found


def split_text(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the part before the bodies' entries, and each entry with the number
    of lines before it. A file that another program wrote may have no such parts."""
    head, found, tail = text.partition(_REVIEWS)
    if not found or re.search(r"^[^ \n#]", tail, re.MULTILINE):
        return text, []
    head += "\n"
    line = head.count("\n") + 1
    entries: list[tuple[int, str]] = []
    for piece in re.split(r"(?m)^(?=  - )", tail):
        if piece:
            entries.append((line, piece))
        line += piece.count("\n")
    return head, entries


def _entry(
    index: int, before: int, piece: str, where: str
) -> Iterator[tuple[BodyReview, int]]:
    if (review := _quickly(piece)) is not None:
        yield review, before + 1
        return
    # Blank lines in front keep the numbers of the lines that errors name.
    text = "\n" * (before - 1) + f"reviews:\n{piece}"
    yield from _reviews(read_document(text, where), where, index)


def _quickly(piece: str) -> BodyReview | None:
    """Return the entry in a text that is byte for byte as we write it, else None."""
    match = _ENTRY.match(piece)
    if match is None:
        return None
    *head, blocks = match.groups()
    try:
        review = BodyReview(
            **dict(zip(HEAD, map(json.loads, head), strict=True)),
            blocks=tuple(
                DecidedBlock(BlockKind(kind), int(nodes), How(way), json.loads(begins))
                for kind, nodes, way, begins in _BLOCK.findall(blocks)
            ),
        )
        rules_of(review.rules)
    except ValueError:
        return None
    sound = all(block.nodes for block in review.blocks)
    return review if sound and review.text == piece else None


def _reviews(
    document: yaml.Node, where: str, first: int = 0
) -> Iterator[tuple[BodyReview, int]]:
    """Yield the reviews that a document lists, each with its line; `first` is the
    number of the first one."""
    listed = node_at(document, ("reviews",))
    nodes = listed.value if isinstance(listed, yaml.SequenceNode) else ()
    for index, node in enumerate(nodes, start=first):
        review = read_record(BodyReview, node, where, ("reviews", index))
        yield review, node.start_mark.line + 1


_HEADERS: Mapping[type[Decision], str] = {
    CollectionsDecision: (
        "What is migrated.\n"
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
        "Every origin field is under `fields` or, with its reason, `left_out`.\n"
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
        "they are not accepted. Text under `slug` and `begins` is for readers."
    ),
    EmbedsDecision: (
        "How to store what rich text has no node for, by kind and by host.\n"
        "html | component | link | drop (listed as a loss)\n"
        "figure and linked-image: component | picture (an image node, the rest is "
        "listed)"
    ),
    ConflictsDecision: (
        "What to do where the destination already holds something in our place.\n"
        "kind: story (action: skip | reuse | rename, to rename_to)\n"
        "kind: folder (action: skip, which imports nothing into it | rename)\n"
        "kind: component | datasource (action: reuse, which leaves it as it is)\n"
        "edits: both sides changed a field (take: ours | theirs); `seen` binds the\n"
        "decision to the edit that was shown\n"
        "gone: from origin (action: keep | unpublish | delete) or from destination\n"
        "(action: recreate | leave_out); what: a path, a name, or '*' for all"
    ),
    RedirectsDecision: (
        "What happens to addresses of the old site that no item explains.\n"
        "action: keep (the new site has a page there) | move (301, to `to`) | gone "
        "(410)\n"
        "old: a path, or /above/(.*) for all below one; to: a new path, an old path\n"
        "that is followed, or another site's address; %1 is what (.*) matched\n"
        "host: such as https://www.example.com, before each new path\n"
        "The origin's own rules belong next to this file, as redirects.csv."
    ),
    CleaningDecision: (
        "What changes in values while they move, in this order; raw/ stays as it is.\n"
        "kind: merge_values (fields, values, to) | replace (find, to, regex, within:\n"
        "  texts | links) | headings (top, close_jumps, drop_empty) | trim | alt_text\n"
        "  (alts) | set_value (fields, value) | empty_value (fields)\n"
        "Each may name collections, fields, locales, items, and the words of a "
        "search.\n"
        "Without `reviewed` (by, at, how) it is a proposal and changes nothing."
    ),
}
