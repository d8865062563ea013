"""Hostile sites and services: nobody inside is asked, and no token is told.

usage: hostile.py [--part addresses|tokens] [--work DIR]

addresses  a site whose items name addresses that point inward, in every way of writing
           one, and redirects there; real listeners on this machine count who comes
tokens     services that give the tokens back in every disguise, in bodies, headers,
           redirects and errors; whole runs of commands and notebooks, then a search
           through all that they printed and left

Both by default; `--part` may be given again. Connects to loopback alone, which
is enforced. Exits 1 with findings.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.proofs.hostile import addresses as hostileaddresses
from tests.proofs.hostile import tokens as hostiletokens

Part = Callable[[Path], list[str]]
"""Works in a folder, tells what it does, and returns the findings."""
PARTS: dict[str, Part] = {
    "addresses": hostileaddresses.run,
    "tokens": hostiletokens.run,
}


def main() -> int:
    """Run the parts and return the exit code."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--part", action="append", choices=PARTS, default=[])
    options.add_argument("--work", type=Path)
    chosen = options.parse_args()
    work = chosen.work or Path(tempfile.mkdtemp(prefix="cmsmig-hostile-"))
    findings: list[str] = []
    for name in chosen.part or PARTS:
        print(f"== {name}", flush=True)
        (work / name).mkdir(parents=True, exist_ok=True)
        found = PARTS[name](work / name)
        findings += [f"{name}: {each}" for each in found]
    for each in findings:
        print(f"FINDING {each}")
    print(f"{len(findings)} findings; work in {work}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
