"""What people decided about the blocks of single bodies, as entries of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from cmsmig.canonical import fingerprint
from cmsmig.richtext.blocks.outline import BlockKind, Outline
from cmsmig.richtext.blocks.proposals import (
    RULES_VERSION,
    Blocks,
    Heuristic,
    Heuristics,
    How,
    accepted,
    runs_of,
)

IN_BULK, INDIVIDUALLY = "in bulk", "individually"

_HASH_DIGITS = 32
_FILE_HOST = re.compile(
    r"(?:https?:)?//[^/\s\"'<>]+(?=/(?:[^\s\"'<>]*/)?[0-9a-f]{24}_)"
)
"""The host of an uploaded file. It differs between an origin and its rehearsals,
where the file's path is the same."""


@dataclass(frozen=True, slots=True, order=True)
class BodyKey:
    """One body: an item's field, in one locale."""

    collection_id: str
    item_id: str
    locale_id: str
    field: str
    """The origin field's slug."""


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """What proposing and deciding needs of a body; small, and picklable."""

    content: str
    """Fingerprint of the origin's HTML and of the kinds of its top-level nodes."""
    outline: Outline


def body_facts(html: str, outline: Outline) -> BodyFacts:
    """Return the facts of a body: `html` as the origin holds it."""
    shape = [[node.type, node.component] for node in outline]
    content = fingerprint([_FILE_HOST.sub("", html), shape])
    return BodyFacts(content[:_HASH_DIGITS], outline)


@dataclass(frozen=True, slots=True)
class DecidedBlock:
    """One block of a decision, as the file holds it."""

    kind: BlockKind
    nodes: int
    how: How
    begins: str = ""
    """The beginning of its text, for readers of the file."""


@dataclass(frozen=True)
class BodyReview:
    """What was decided about one body. Without slots: it keeps its own text."""

    key: BodyKey
    content: str
    """`BodyFacts.content` of the body that it was decided on."""
    rules: str
    """The rules that had proposed, as `rules_text` writes them."""
    blocks: tuple[DecidedBlock, ...]
    slug: str = ""
    """Of the item, for readers of the file."""
    by: str = ""
    """Empty: changed by hand, and accepted by nobody yet."""
    at: str = ""
    """ISO 8601 in UTC."""
    how: str = ""
    """`individually` or `in bulk`."""

    @cached_property
    def text(self) -> str:
        """Return the entry as the file holds it: a line for each block."""
        head = (
            ("slug", self.slug),
            ("collection_id", self.key.collection_id),
            ("item", self.key.item_id),
            ("locale", self.key.locale_id),
            ("field", self.key.field),
            ("content", self.content),
            ("rules", self.rules),
            ("by", self.by),
            ("at", self.at),
            ("how", self.how),
        )
        lines = [f"    {name}: {quoted(value)}\n" for name, value in head]
        lines[0] = f"  - {lines[0].lstrip()}"
        lines.append("    blocks:\n")
        lines += [
            f"      - {{kind: {block.kind}, nodes: {block.nodes}, how: {block.how}, "
            f"begins: {quoted(block.begins)}}}\n"
            for block in self.blocks
        ]
        return "".join(lines)

    @property
    def decided(self) -> list[object]:
        """Return what a draft depends on: neither who decided nor how."""
        blocks = [[block.kind, block.nodes] for block in self.blocks]
        key = self.key
        place = [key.collection_id, key.item_id, key.locale_id, key.field]
        return [place, self.content, self.rules, bool(self.by), blocks]


def quoted(text: str) -> str:
    """Return a text in double quotes, as YAML and JSON both read it; what cannot
    be printed is escaped as YAML has it."""
    if text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    pieces = (
        json.dumps(sign, ensure_ascii=False)[1:-1]
        if sign.isprintable() or sign in "\n\r\t"
        else f"\\U{ord(sign):08x}"
        if ord(sign) > 0xFFFF
        else f"\\u{ord(sign):04x}"
        for sign in text
    )
    return f'"{"".join(pieces)}"'


def rules_text(heuristics: Heuristics) -> str:
    """Return the rules' version and what was on, such as `1 headings:2 images`."""
    names = [
        f"{each}:{heuristics.heading_level}" if each is Heuristic.HEADINGS else each
        for each in Heuristic
        if each in heuristics.on
    ]
    return " ".join([str(RULES_VERSION), *names])


def rules_of(text: str) -> tuple[int, Heuristics]:
    """Return version and heuristics of a `rules_text`. Raises `ValueError`."""
    version, *names = text.split(" ")
    on: set[Heuristic] = set()
    level = Heuristics().heading_level
    for name in names:
        name, _, number = name.partition(":")
        on.add(Heuristic(name))
        if number:
            level = int(number)
    return int(version), Heuristics(frozenset(on), level)


def review_of(
    key: BodyKey,
    facts: BodyFacts,
    heuristics: Heuristics,
    blocks: Blocks,
    *,
    slug: str = "",
    by: str = "",
    at: str = "",
    how: str = "",
) -> BodyReview:
    """Return a decision on a body's blocks: with `by` accepted, without it open."""
    if by:
        blocks = accepted(blocks)
    return BodyReview(
        key=key,
        content=facts.content,
        rules=rules_text(heuristics),
        blocks=tuple(_make_decided(blocks, facts.outline)),
        slug=slug,
        by=by,
        at=at,
        how=how,
    )


def _make_decided(blocks: Blocks, outline: Outline) -> Iterable[DecidedBlock]:
    for block, run in zip(blocks, runs_of(outline, blocks), strict=True):
        begins = next((node.text for node in run if node.text), "")
        yield DecidedBlock(block.kind, block.nodes, block.how, _shown(begins))


def _shown(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)
