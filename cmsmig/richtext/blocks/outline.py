"""A document's outline: what block rules read of its top-level nodes, and what
kinds of block can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.plain_text import visible_text

_EXCERPT = 80


class BlockKind(StrEnum):
    """What a block becomes at the destination."""

    TEXT = "text"
    IMAGE = "image"
    GALLERY = "gallery"
    EMBED = "embed"
    HTML = "html"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class BlockNames:
    """The components that a document's `blok` nodes may hold."""

    html: str = "html_embed"
    embed: str = "embed"
    figure: str = "figure"


DEFAULT_NAMES = BlockNames()


@dataclass(frozen=True, slots=True)
class NodeOutline:
    """What the rules read of one top-level node."""

    type: str
    role: BlockKind
    """The kind the node could be a block of on its own; else TEXT."""
    level: int = 0
    """Of a heading, 1 to 6; else 0."""
    component: str = ""
    """Of a `blok` with one component; else empty."""
    text: str = ""
    """The beginning of what it shows, by which an editor recognises it."""


Outline = tuple[NodeOutline, ...]


_NODE_ROLES: Mapping[str, BlockKind] = {
    "image": BlockKind.IMAGE,
    "table": BlockKind.TABLE,
    "blockquote": BlockKind.QUOTE,
    "code_block": BlockKind.CODE,
}


def outline_of(document: JsonObject, names: BlockNames = DEFAULT_NAMES) -> Outline:
    """Return what proposing needs to know of a document: small, and picklable."""
    return tuple(_outlined(node, names) for node in top_nodes(document))


def top_nodes(document: JsonObject) -> tuple[JsonObject, ...]:
    """Return a document's top-level nodes."""
    content = document.get("content")
    listed = content if isinstance(content, list) else []
    return tuple(node for node in listed if isinstance(node, dict))


def component_of(node: JsonObject) -> JsonObject | None:
    """Return the one component that a `blok` node holds, if it holds one."""
    attributes = node.get("attrs") if node.get("type") == "blok" else None
    body = attributes.get("body") if isinstance(attributes, dict) else None
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict):
        return body[0]
    return None


def kinds_of(run: Outline) -> tuple[BlockKind, ...]:
    """Return the kinds that can hold a run of nodes; TEXT always."""
    if len(run) == 1 and run[0].role is not BlockKind.TEXT:
        return (BlockKind.TEXT, run[0].role)
    if len(run) > 1 and all(node.role is BlockKind.IMAGE for node in run):
        return (BlockKind.TEXT, BlockKind.GALLERY)
    return (BlockKind.TEXT,)


def _outlined(node: JsonObject, names: BlockNames) -> NodeOutline:
    kind = str(node.get("type", ""))
    held = component_of(node)
    component = str(held.get("component", "")) if held is not None else ""
    return NodeOutline(
        type=kind,
        role=_role(kind, component, names),
        level=_level(node) if kind == "heading" else 0,
        component=component,
        text=_excerpt(node, held),
    )


def _role(kind: str, component: str, names: BlockNames) -> BlockKind:
    if component:
        blocks = {
            names.figure: BlockKind.IMAGE,
            names.embed: BlockKind.EMBED,
            names.html: BlockKind.HTML,
        }
        return blocks.get(component, BlockKind.TEXT)
    return _NODE_ROLES.get(kind, BlockKind.TEXT)


def _level(node: JsonObject) -> int:
    attributes = node.get("attrs")
    level = attributes.get("level") if isinstance(attributes, dict) else None
    return level if isinstance(level, int) else 0


def _excerpt(node: JsonObject, held: JsonObject | None) -> str:
    """Return the beginning of a node's text, or of its component or picture."""
    text = visible_text(node)
    if not text and held is not None:
        text = _of_component(held)
    if not text and node.get("type") == "image":
        text = _of_picture(node.get("attrs"))
    short = " ".join(text[: 4 * _EXCERPT].split())
    return short if len(short) <= _EXCERPT else f"{short[: _EXCERPT - 1]}…"


def _of_component(held: JsonObject) -> str:
    for name in ("url", "caption", "html"):
        value = held.get(name)
        text = visible_text(value) if isinstance(value, dict) else value
        if isinstance(text, str) and text.strip():
            return text
    return _of_picture(held.get("image"))


def _of_picture(value: Json) -> str:
    if not isinstance(value, dict):
        return ""
    found = (value.get(name) for name in ("alt", "src", "filename"))
    return next((text for text in found if isinstance(text, str) and text), "")
