"""Whole migrations of content folders against the sandbox, as a table.

usage: rehearse.py [--shaped] FOLDER_OF_SITES [WORK_FOLDER]

Each folder below FOLDER_OF_SITES that holds a `sites.json` is served by a
sandbox of its own and moved with the commands an operator would use. Exits 1
when a site is not accounted for, differs, or breaks a rule of the destination.
With --shaped each collection gets a shape: folders by its first field that can name
them, tags by the next, and its first item as start page; the trees are written beside.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import yaml

from cmsmig.mapping.select.named_places import NAMING_TYPES

COMMAND = [sys.executable, "-m", "cmsmig.cli"]
COLUMNS = (
    "site", "items", "created", "skipped", "failed", "assets", "bodies", "references",
    "dangling", "differences", "violations", "429s", "writes again", "seconds",
    "losses by kind",
)  # fmt: skip


def main(sites: Path, work: Path, *, shaped: bool = False) -> int:
    """Rehearse every site and print the table; return the exit code."""
    rows = [
        rehearse(each.parent, work / each.parent.name, shaped=shaped)
        for each in sorted(sites.glob("*/sites.json"))
    ]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for row in rows:
        print("| " + " | ".join(str(row[name]) for name in COLUMNS) + " |")
    return 0 if rows and all(fine(row) for row in rows) else 1


def fine(row: dict) -> bool:
    """Return whether a site moved without anything to explain."""
    return not any(
        row[name] for name in ("failed", "differences", "violations", "writes again")
    )


def rehearse(site: Path, folder: Path, *, shaped: bool = False) -> dict:
    """Move one site and return its row."""
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with sandbox(site, folder) as address:
        run(folder, "init")
        (folder / ".env").write_text((folder / "sandbox.env").read_text())
        run(folder, "pull")
        run(folder, "decide", "--accept-proposals", "--reviewer", "rehearsal")
        if shaped:
            shape(folder)
        first = run(folder, "import", "--json")
        again = run(folder, "import", "--json")
        found = run(folder, "verify", "--json", codes=(0, 4))
        summary = get(f"{address}/_sandbox/summary")
    if shaped:
        write_tree(folder)
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
        "differences": len(found["differences"]),
        "violations": sum(summary["violations"].values()),
        "429s": summary["refused_for_rate"],
        "writes again": again["writes"],
        "seconds": round(time.monotonic() - started),
        "losses by kind": listed(first["plan"]["losses_by_kind"]),
    }


def shape(folder: Path) -> None:
    """Give each content type folders, tags and a start page, where it has fields and
    items for them."""
    path = folder / "decisions" / "design.yaml"
    design = yaml.safe_load(path.read_text())
    for each in design["content_types"]:
        own = each["collection_id"]
        naming = [f["origin"] for f in each["fields"] if f["type"] in NAMING_TYPES]
        items = json.loads((folder / "raw" / "items" / f"{own}.json").read_text())
        slugs = [item["fieldData"].get("slug") for item in items["items"]]
        chosen = dict(zip(("folder_by", "tags_by"), naming, strict=False))
        # What a folder is named by would go below it.
        if not naming and slugs and slugs[0]:
            chosen["start_page"] = slugs[0]
        each.update(chosen)
    path.write_text(yaml.safe_dump(design, allow_unicode=True, sort_keys=False))


def write_tree(folder: Path) -> None:
    """Write the path that each story has, and the one that its page had."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        rows = db.execute(
            "SELECT home.full_slug, item.name FROM item JOIN home ON home.id = home_id"
        )
        lines = sorted(f"{path}  ({name})" for path, name in rows)
    (folder / "tree.txt").write_text("\n".join(lines) + "\n")


@contextmanager
def sandbox(site: Path, folder: Path) -> Iterator[str]:
    """Serve a site and yield the address of the sandbox's own pages."""
    rates = ["--rate", "60", "--origin-rate", "6000"]
    process = subprocess.Popen(
        [*COMMAND, "sandbox", "--content", str(site), *rates,
         "--env-file", str(folder / "sandbox.env")],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        announcement = json.loads(process.stdout.readline())
        yield announcement["base_url"].removesuffix("/v1")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def run(folder: Path, *arguments: str, codes: tuple[int, ...] = (0, 1)) -> dict:
    """Run one command; return its JSON document, or nothing."""
    ended = subprocess.run(
        [*COMMAND, "--project", str(folder), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "CMSMIG_STATE_DIR": str(folder / "state")},
        check=False,
    )
    if ended.returncode not in codes:
        sys.exit(f"{folder.name}: {arguments[0]} ended with {ended.returncode}: "
                 f"{ended.stderr[-600:]}")  # fmt: skip
    return json.loads(ended.stdout) if "--json" in arguments else {}


def get(address: str) -> dict:
    """Return a JSON page of the sandbox."""
    with urllib.request.urlopen(address) as answer:
        return json.load(answer)


def listed(counts: dict) -> str:
    """Return counts as one cell."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each != "--shaped"]
    work_folder = Path(given[1] if len(given) > 1 else tempfile.mkdtemp())
    sys.exit(main(Path(given[0]), work_folder, shaped="--shaped" in sys.argv))
