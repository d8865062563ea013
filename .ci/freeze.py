"""Print the exact versions of everything the project needs, for constraints.txt.

Run with the environment's interpreter: what is installed and not needed is left
out. Names and versions only, so that the file serves with any package index.
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = ("test", "check")


def declared() -> Iterator[Requirement]:
    """Yield what the project itself asks for."""
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["optional-dependencies"][extra] for extra in EXTRAS]
    for text in [*project["dependencies"], *(one for group in groups for one in group)]:
        yield Requirement(text)


def needed(parent: Requirement) -> Iterator[Requirement]:
    """Yield what one installed distribution needs on this machine."""
    for text in distribution(parent.name).requires or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(
            marker.evaluate({"extra": extra}) for extra in ("", *parent.extras)
        ):
            yield requirement


def main() -> int:
    """Walk what is needed, from the project outwards."""
    versions: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    queue = list(declared())
    while queue:
        each = queue.pop()
        name = canonicalize_name(each.name)
        if (name, frozenset(each.extras)) in seen:
            continue
        seen.add((name, frozenset(each.extras)))
        try:
            versions[name] = distribution(each.name).version
            queue += needed(each)
        except PackageNotFoundError:
            print(f"{name} is needed and not installed", file=sys.stderr)
            return 1
    for name, version in sorted(versions.items()):
        print(f"{name}=={version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
