"""Whole migrations of content folders against the sandbox, as a table.

usage: rehearse.py FOLDER_OF_SITES [WORK_FOLDER]

Each folder below FOLDER_OF_SITES that holds a `sites.json` is served by a
sandbox of its own and moved with the commands an operator would use. Exits 1
when a site is not accounted for, differs, or breaks a rule of the destination.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COMMAND = [sys.executable, "-m", "cmsmig.cli"]
COLUMNS = (
    "site", "items", "created", "skipped", "failed", "assets", "bodies", "references",
    "dangling", "differences", "violations", "429s", "writes again", "seconds",
    "losses by kind",
)  # fmt: skip


def main(sites: Path, work: Path) -> int:
    """Rehearse every site and print the table; return the exit code."""
    rows = [
        rehearse(each.parent, work / each.parent.name)
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


def rehearse(site: Path, folder: Path) -> dict:
    """Move one site and return its row."""
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with sandbox(site, folder) as address:
        run(folder, "init")
        (folder / ".env").write_text((folder / "sandbox.env").read_text())
        run(folder, "pull")
        run(folder, "decide", "--accept-proposals", "--reviewer", "rehearsal")
        first = run(folder, "import", "--json")
        again = run(folder, "import", "--json")
        found = run(folder, "verify", "--json", codes=(0, 4))
        summary = get(f"{address}/_sandbox/summary")
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
    chosen = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
    sys.exit(main(Path(sys.argv[1]), chosen))
