"""The embeds in rich text bodies, and what a decision does with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.propose.proposals import propose_embeds
from cmsmig.richtext.engine import NO_EMBED_CHOICES, Lenient
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.prepare.embeds import host_of, hosts_of

FIGURE = "figure"
LINKED_IMAGE = "linked-image"
PICTURES = frozenset((LINKED_IMAGE, FIGURE))
"""The kinds that are pictures: never raw HTML, nor a bare link."""


@dataclass(frozen=True, slots=True)
class EmbedSort:
    """All embeds of one kind and one signature."""

    kind: str
    signature: str
    """The first host in the embed, or empty when it holds no address."""
    count: int
    bodies: int
    example: str
    """The beginning of the first one's HTML or address."""


def embeds_of(html: str) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, signature, HTML or address) of each embed in a body.

    The converter itself finds them: under a policy that drops every kind, what it
    lists as dropped is what it recognises as an embed.
    """
    engine = Lenient(NativeEngine())
    kinds = dict.fromkeys(propose_embeds().kinds, Treatment.DROP)
    for loss in engine.from_html(html, EmbedPolicy(kinds)).losses:
        if loss.kind in kinds and loss.kind not in PICTURES:
            yield loss.kind, signature_of(loss.what), loss.what
    for block in blocks_of(engine.from_html(html).document):
        if block.get("component") == NO_EMBED_CHOICES.figure_component:
            yield from _pictured(block)


def signature_of(html: str) -> str:
    """Return the first host that an embed names, or empty; as conversion does."""
    return next(hosts_of(parse(html)), "") or host_of(html)


def blocks_of(document: Json) -> Iterator[JsonObject]:
    """Yield the blocks in a rich text document, in its order."""
    stack: list[Json] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(reversed(node))
        elif isinstance(node, dict) and node.get("type") == "blok":
            attrs = node.get("attrs")
            body = attrs.get("body") if isinstance(attrs, dict) else None
            listed = body if isinstance(body, list) else []
            yield from (block for block in listed if isinstance(block, dict))
        elif isinstance(node, dict):
            stack.append(node.get("content"))


def offered_for(kind: str) -> tuple[Treatment, ...]:
    """Return what a kind may become."""
    if kind in PICTURES:
        return (Treatment.COMPONENT, Treatment.PICTURE)
    return tuple(each for each in Treatment if each is not Treatment.PICTURE)


def treatment_of(kind: str, host: str, decision: EmbedsDecision) -> Treatment:
    """Return what a decision does with embeds; their host beats their kind."""
    if host in decision.signatures:
        return decision.signatures[host]
    return decision.kinds.get(kind, propose_embeds().kinds[kind])


def _pictured(block: JsonObject) -> Iterator[tuple[str, str, str]]:
    if "link" in block:
        yield LINKED_IMAGE, "", _address(block["link"], "url")
    if not {"caption", "alignment", "size"}.isdisjoint(block):
        yield FIGURE, "", _address(block.get("image"), "filename")


def _address(value: Json, name: str) -> str:
    address = value.get(name) if isinstance(value, dict) else ""
    return address if isinstance(address, str) else ""
