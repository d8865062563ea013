"""What the documentation says of encodings is what a design may hold."""

from __future__ import annotations

import re
from pathlib import Path

from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.mapping.propose.field_types import FIELD_TYPES

TEXT = (Path(__file__).parents[2] / "docs" / "decision-files.md").read_text("utf-8")
FOLLOWS = {Encoding.BLOCKS}
"""What no `design.yaml` holds."""


def test_the_document_lists_every_encoding_with_its_field() -> None:
    """The type at the destination, and each origin type that may have it."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| `(\w+)` \|", TEXT, re.M)
    listed = {name: (of, kind) for name, of, kind in rows}
    assert listed.keys() == {str(each) for each in set(Encoding) - FOLLOWS}
    for encoding in set(Encoding) - FOLLOWS:
        of, kind = listed[encoding]
        assert kind == FIELD_BODIES[encoding]["type"], encoding
        for origin_type, row in FIELD_TYPES.items():
            assert (encoding not in row.encodings) or origin_type in of, encoding
