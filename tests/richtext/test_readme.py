"""What README says of rich text is what the package does."""

from __future__ import annotations

import re
from pathlib import Path

from cmsmig.richtext.parity.deviations import DEVIATIONS
from tests.support import example_rules

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_every_deviation_in_order() -> None:
    """The table says of each what the package's own table says."""
    rows = re.findall(
        r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \| ([^|]+) \|$", README, re.M
    )
    told = [(str(rule.name), rule.official, rule.instead) for rule in DEVIATIONS]
    assert [row for row in rows if row[0] in dict.fromkeys(t[0] for t in told)] == told


def test_the_readme_shows_the_example_of_rules() -> None:
    """The example that the README shows is the one that is tested."""
    example = Path(example_rules.__file__).read_text(encoding="utf-8")
    assert f"```python\n{example}```" in README
