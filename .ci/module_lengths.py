"""Print each module with its lines, longest first; fail above the ceiling."""

import sys
from pathlib import Path

CEILING = 400


def main(folder: str = "cmsmig") -> int:
    """Report on every module below `folder`."""
    lines = {path: len(path.read_bytes().splitlines()) for path in modules(folder)}
    for path, count in sorted(lines.items(), key=lambda each: (-each[1], each[0])):
        print(f"{count:5}  {path.as_posix()}{'  TOO LONG' if count > CEILING else ''}")
    print(f"{sum(lines.values()):5}  in {len(lines)} modules, at most {CEILING} each")
    return int(not lines or max(lines.values()) > CEILING)


def modules(folder: str) -> list[Path]:
    """Return the modules that hold anything."""
    return [path for path in Path(folder).rglob("*.py") if path.stat().st_size]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
