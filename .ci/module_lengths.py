"""Print each module with its lines, longest first, and each folder; fail above the
ceiling of a module."""

import sys
from collections import Counter
from pathlib import Path

CEILING = 400


def main(folder: str = "cmsmig") -> int:
    """Report on every module below `folder`."""
    lines = {path: len(path.read_bytes().splitlines()) for path in modules(folder)}
    for path, count in sorted(lines.items(), key=lambda each: (-each[1], each[0])):
        print(f"{count:5}  {path.as_posix()}{'  TOO LONG' if count > CEILING else ''}")
    for name, count in folders(lines).most_common():
        print(f"{count:5}  {name}/")
    print(f"{sum(lines.values()):5}  in {len(lines)} modules, at most {CEILING} each")
    tests = (path.read_bytes().count(b"\n") for path in modules("tests"))
    print(f"{sum(tests):5}  in the tests")
    return int(not lines or max(lines.values()) > CEILING)


def folders(lines: dict[Path, int]) -> Counter[str]:
    """Return the lines of the folders, each with what is right below it."""
    counted: Counter[str] = Counter()
    for path, count in lines.items():
        counted[path.parent.as_posix()] += count
    return counted


def modules(folder: str) -> list[Path]:
    """Return the modules that hold anything."""
    return [path for path in Path(folder).rglob("*.py") if path.stat().st_size]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
