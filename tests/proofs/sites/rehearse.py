"""Whole migrations of content folders against the sandbox, as a table.

usage: rehearse.py [--shaped] FOLDER_OF_SITES [WORK_FOLDER]

Each folder below FOLDER_OF_SITES that holds a `sites.json` is served by a
sandbox of its own and moved with the commands an operator would use. Exits 1
when a site is not accounted for, differs, or breaks a rule of the destination.
With --shaped each collection gets a shape: folders by its first field that can name
them, tags by the next, and its first item as start page; the trees are written to
the work folder.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import print_table
from tests.proofs.sites.ways import decide

RATE = 60


def main() -> int:
    """Rehearse every site and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shaped", action="store_true")
    parser.add_argument("sites", type=Path)
    parser.add_argument("work", type=Path, nargs="?")
    asked = parser.parse_args()
    work = asked.work or Path(tempfile.mkdtemp())
    rows = [
        rehearse(each.parent, work / each.parent.name, shaped=asked.shaped)
        for each in sorted(asked.sites.glob("*/sites.json"))
    ]
    print_table(rows)
    return 0 if rows and all(map(is_fine, rows)) else 1


def is_fine(row: dict) -> bool:
    """Return whether a site moved without anything to explain."""
    return not any(
        row[name] for name in ("failed", "differences", "violations", "writes again")
    )


def rehearse(site: Path, work: Path, *, shaped: bool = False) -> dict:
    """Move one site and return its row."""
    started = time.monotonic()
    with project(work, site, rate=RATE) as here:
        decide(here, "shaped" if shaped else "whole")
        first = here.run("import", "--json", codes=(0, 1)).document
        again = here.run("import", "--json", codes=(0, 1)).document
        found = here.run("verify", "--json", codes=(0, 4)).document
        summary = here.served.summary()
    if shaped:
        write_tree(here.folder)
    done = first["accounting"]
    return {
        "site": site.name,
        "items": done["in"],
        "created": done["created"],
        "skipped": done["skipped"],
        "failed": done["failed"] + first["failed_assets"],
        "assets": found["compared"]["assets"],
        "bodies": found["compared"]["documents"],
        "references": found["compared"]["relations"],
        "dangling": listed(first["plan"]["dangling_by_cause"]),
        "differences": len([*found["differences"], *found["kept"]]),
        "violations": sum(summary["violations"].values()),
        "429s": summary["refused_for_rate"],
        "writes again": again["writes"],
        "seconds": round(time.monotonic() - started),
        "losses by kind": listed(first["plan"]["losses_by_kind"]),
    }


def write_tree(folder: Path) -> None:
    """Write the path that each story has, and the one that its page had."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        rows = db.execute(
            "SELECT home.full_slug, item.name FROM item JOIN home ON home.id = home_id"
        )
        lines = sorted(f"{path}  ({name})" for path, name in rows)
    (folder / "tree.txt").write_text("\n".join(lines) + "\n")


def listed(counts: dict) -> str:
    """Return counts as one cell."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


if __name__ == "__main__":
    sys.exit(main())
