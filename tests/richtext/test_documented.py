"""What the documentation says of rich text is what the package does."""

from __future__ import annotations

import re
from pathlib import Path

from cmsmig.richtext.parity.deviations import DEVIATIONS
from tests.support import example_rules

DOCUMENT = Path(__file__).parents[2] / "docs" / "rich-text.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")


def test_the_document_lists_every_deviation_in_order() -> None:
    """The table says of each what the package's own table says."""
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", TEXT, re.M)
    told = [(str(rule.name), rule.official, rule.instead) for rule in DEVIATIONS]
    assert [row for row in rows if row[0] in dict.fromkeys(t[0] for t in told)] == told


def test_the_document_shows_the_example_of_rules() -> None:
    """The example that the document shows is the one that is tested."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    assert f"```python\n{example}```" in TEXT
