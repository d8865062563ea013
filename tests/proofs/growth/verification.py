"""What a verification takes at the services' rates, and what it asks for.

usage: verification.py [--items N] [--french] [--folder DIR]

A site is imported without quota, its published items published; with `--french` each
item has a second language as fields. Then `verify` runs at 6 management calls a second,
twice: what readers see is compared once and kept. It runs once more with a delivery
side that fails, so that each story takes a call of its own: that run has no quota, and
the time at 6 calls a second is computed from its calls.
"""

from __future__ import annotations

import argparse
import getpass
import sys
import tempfile
from collections import Counter
from pathlib import Path

from cmsmig.sandbox.server import environment_file_text
from tests.proofs.growth.growth import COLLECTIONS, written
from tests.proofs.growth.site import GrowingSite
from tests.proofs.measuring.processes import MEGABYTE, MOST, NO_QUOTA, Project, project
from tests.proofs.measuring.results import print_table, tell
from tests.support.rehearsal import write_env

RATE = 6
UNREAD = {"fault": "empty", "route": "delivered stories", "times": 16}
"""Fails for all that is asked for at once, and so the rest is read singly."""


def main() -> int:
    """Measure, print the table, and return 1 for a difference or a 429."""
    asked = _arguments()
    site = GrowingSite(asked.items, COLLECTIONS, french=asked.french)
    languages = ("fr-fr",) if asked.french else ()
    served = {"rate": NO_QUOTA, "origin_rate": NO_QUOTA, "languages": languages}
    asked.folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=asked.folder) as work,
        project(Path(work), written(site, asked.folder), **served) as here,
    ):
        here.decided()
        here.edit({"publish: nothing": "publish: what_is_live"})
        if asked.french:
            here.edit({"\nlocales:": "\nlanguages: fields\nlocales:"})
        tell(f"import: {here.run('import', '--json').seconds:.0f} s")
        rows = [
            _row(here, f"through delivery, {which}", RATE)
            for which in ("first", "again")
        ]
        here.served.page("faults", {"faults": [UNREAD]})
        rows.append(_row(here, "by the management side", MOST))
    print_table(rows)
    return int(any(row["differences"] or row["429s"] for row in rows))


def _row(here: Project, name: str, rate: int) -> dict[str, object]:
    """Verify at a rate; return what it took."""
    write_env(here.folder, environment_file_text(here.served.announced, rate))
    before, mark = here.served.summary(), len(here.served.history())
    took = here.run("verify", "--json", codes=(0, 4))
    asked = Counter(each["service"] for each in here.served.history()[mark:])
    found = took.document
    refused = here.served.summary()["refused_for_rate"] - before["refused_for_rate"]
    return {
        "verify": name,
        "stories": found["compared"]["stories"],
        "public": found["compared"]["public"],
        "s": f"{took.seconds:.1f}",
        "at 6 a second, s": f"{max(took.seconds, took.calls / RATE):.0f}",
        "CPU s": f"{took.cpu:.1f}",
        "peak MB": f"{took.peak / MEGABYTE:.0f}",
        "management calls": took.calls,
        "delivery calls": asked["cdn"],
        "429s": refused,
        "differences": len([*found["differences"], *found["kept"]]),
        "sandbox CPU s": f"{took.sandbox_cpu:.1f}",
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000, metavar="N")
    parser.add_argument("--french", action="store_true")
    default = Path(tempfile.gettempdir(), f"cmsmig-growth-{getpass.getuser()}")
    parser.add_argument("--folder", type=Path, default=default, help="kept here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
