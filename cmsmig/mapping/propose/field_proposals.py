"""The parts that field proposals are put together from."""

from __future__ import annotations

from cmsmig.mapping.decisions.design import Encoding, FieldDesign, LeftOutField
from cmsmig.origin.schema import Field

LONGEST_TEXT = 255
"""Characters that fit a single-line field comfortably."""

Proposal = tuple[FieldDesign, ...] | LeftOutField


def proposed(
    origin: Field, encoding: Encoding, *notes: str, key: str = ""
) -> FieldDesign:
    """Return one field of an origin field, its key still the origin's slug."""
    return FieldDesign(
        origin=origin.slug,
        origin_type=origin.type,
        key=key or origin.slug,
        encoding=encoding,
        display_name=origin.display_name or title_of(origin.slug),
        help_text=origin.help_text,
        note=" ".join(note for note in notes if note),
    )


def title_of(slug: str) -> str:
    """Return a display name made of a slug."""
    return slug.replace("-", " ").replace("_", " ").strip().capitalize() or slug
