"""Find words that make code and docs hard to read; fail where one is new.

`words.txt` has one rule a line: a regular expression, a bar, what to write. Rules
after the line `# still there` do not fail: their number is printed.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
KINDS = (".py", ".ipynb", ".md", ".toml", ".sh")
LATER = "# still there"


def main() -> int:
    """Print each place that holds a word, and how many the rest are."""
    strict, _, later = (HERE / "words.txt").read_text("utf-8").partition(LATER)
    failing, counted = rules(strict), rules(later)
    places: list[str] = []
    left: Counter[str] = Counter()
    for path, number, line in lines():
        for pattern, plain in failing:
            if found := pattern.search(line):
                places.append(f"{path}:{number}: {found[0]!r}: write {plain}")
        left.update(pattern.pattern for pattern, _ in counted if pattern.search(line))
    print(*places, sep="\n")
    print(f"{len(places)} words to replace; {left.total()} lines hold a word of later")
    return int(bool(places))


def rules(text: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns, as whole words, and what to write."""
    pairs = [line.rpartition("|") for line in text.splitlines() if "|" in line]
    return [
        (re.compile(rf"(?<![A-Za-z])(?:{pattern.strip()})(?![A-Za-z])", re.I), plain)
        for pattern, _, plain in pairs
        if not pattern.startswith("#")
    ]


def lines() -> Iterator[tuple[str, int, str]]:
    """Yield each line of the tracked texts."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        if name.endswith(KINDS) and not name.startswith(".ci/") and Path(name).exists():
            text = Path(name).read_text("utf-8", errors="replace")
            for number, line in enumerate(text.splitlines(), start=1):
                yield name, number, line


if __name__ == "__main__":
    sys.exit(main())
