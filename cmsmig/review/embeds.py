"""The embeds in rich text bodies, and what a decision does with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.propose.proposals import propose_embeds
from cmsmig.richtext.engine import Lenient
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import EmbedPolicy, Treatment, Unclosed
from cmsmig.richtext.prepare.embeds import host_of, hosts_of

FIGURE = "figure"
LINKED_IMAGE = "linked-image"
COMPONENT = "component"
"""The kind of instances of the designer's components."""
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


def embeds_of(
    html: str, unclosed: Unclosed = Unclosed.KEEP
) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, signature, HTML or address) of each embed in a body.

    The converter itself tells: under a policy that drops every kind, what it
    lists as dropped is what it recognises as an embed.
    """
    engine = Lenient(NativeEngine())
    kinds = dict.fromkeys(propose_embeds().kinds, Treatment.DROP)
    for loss in engine.from_html(html, EmbedPolicy(kinds, unclosed=unclosed)).losses:
        if loss.kind in kinds and loss.kind not in PICTURES:
            yield loss.kind, signature_of(loss.what), loss.what
    policy = EmbedPolicy(unclosed=unclosed)
    for block in blocks_of(engine.from_html(html, policy).document):
        if block.get("component") == policy.figure_component:
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


def treatment_of(embed: EmbedSort, decision: EmbedsDecision) -> Treatment:
    """Return what a decision does with a sort of embeds; its host beats its kind."""
    if embed.signature in decision.signatures:
        return decision.signatures[embed.signature]
    return decision.kinds.get(embed.kind, propose_embeds().kinds[embed.kind])


def _pictured(block: JsonObject) -> Iterator[tuple[str, str, str]]:
    if "link" in block:
        yield LINKED_IMAGE, "", _linked_address(block)
    if not {"caption", "alignment", "size"}.isdisjoint(block):
        image = block.get("image")
        shown = image.get("filename") if isinstance(image, dict) else ""
        yield FIGURE, "", shown if isinstance(shown, str) else ""


def _linked_address(block: JsonObject) -> str:
    link = block.get("link")
    url = link.get("url") if isinstance(link, dict) else ""
    return url if isinstance(url, str) else ""
