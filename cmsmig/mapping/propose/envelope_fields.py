"""Item metadata outside the fields, such as dates, imported on request."""

from __future__ import annotations

import re

from cmsmig.mapping.decisions.design import Encoding, FieldDesign

ENVELOPE = (
    ("id", "Origin id"),
    ("cmsLocaleId", "Origin locale"),
    ("createdOn", "Created on"),
    ("lastUpdated", "Last updated"),
    ("lastPublished", "Last published"),
    ("isDraft", "Is draft"),
    ("isArchived", "Is archived"),
)
"""Wire names and titles of the values that have no place of their own."""


def envelope_fields() -> list[FieldDesign]:
    """Return a text field for each value of the envelope."""
    return [
        FieldDesign(
            name, "envelope", f"origin-{_add_dashes(name)}", Encoding.ENVELOPE, title
        )
        for name, title in ENVELOPE
    ]


def _add_dashes(name: str) -> str:
    return re.sub(r"([A-Z])", r"-\1", name).lower()
