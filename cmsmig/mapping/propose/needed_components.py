"""Which components the stories of some collections can be made of."""

from __future__ import annotations

from collections.abc import Iterator, Set

from cmsmig.mapping.decisions.design import (
    BlockRole,
    ContentTypeDesign,
    Design,
    Encoding,
)

_BODIES = frozenset((Encoding.RICHTEXT, Encoding.MARKDOWN_AS_RICHTEXT, Encoding.BLOCKS))
"""Fields whose conversion puts blocks into texts."""
_IN_TEXTS = frozenset(
    (BlockRole.HTML, BlockRole.EMBED, BlockRole.FIGURE, BlockRole.OTHER)
)
"""The blocks that it may put there; those of the project's own rules are others."""


def needed_components(design: Design, collections: Set[str]) -> frozenset[str]:
    """Return the names of the components that the stories of some collections need:
    their content types, and the blocks that their fields may hold."""
    found: set[str] = set()
    for content_type in design.content_types:
        if content_type.collection_id in collections:
            found.add(content_type.component)
            found.update(_blocks(design, content_type))
            found.update(s.component for s in content_type.sections if s.component)
    return frozenset(found)


def _blocks(design: Design, content_type: ContentTypeDesign) -> Iterator[str]:
    fields = content_type.fields
    bodies = any(field.encoding in _BODIES for field in fields)
    videos = any(field.encoding is Encoding.VIDEO_BLOCK for field in fields)
    listed = {name for field in fields for name in field.components}
    for block in design.blocks:
        if (
            (bodies and block.role in _IN_TEXTS)
            or (videos and block.role is BlockRole.EMBED)
            or block.component in listed
        ):
            yield block.component
