"""How near an import comes to the allowed rate, and how near its forecast to it.

usage: pace.py [--only RATE/LATENCY]

A site of 400 items and 600 images is pulled and decided on for each rate (calls a
second) and latency (milliseconds that every answer of every host takes longer); then
`plan` and `import` run as processes of their own. From the sandbox's history: the time
from the first to the last quota call of the import, over the least that so many calls
may take; the calls and seconds that the plan names; the 429s.

Results are kept in reports/pace/ and not measured again as long as the code is the
same. Exits 1 when an import took more than 1.02 times the least, any 429 was answered,
or a forecast was off by a call or by more than 2 percent.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import ROOT, Kept, print_table
from tests.support.sites.exact import write_load_site

SETTINGS = ("60/0", "60/5", "60/30", "6/0", "6/50", "6/300")
"""Calls a second, and milliseconds; the short ones first."""
MOST = 1.02
"""Times the least that so many calls may take at the rate."""
MOST_OFF = 2.0
"""Percent by which a forecast may be off."""
ALWAYS = 1_000_000_000


def main() -> int:
    """Measure what is asked for and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=SETTINGS, action="append")
    rows = list(_rows(parser.parse_args().only or SETTINGS))
    print_table(rows)
    return 0 if all(map(is_fine, rows)) else 1


def _rows(wanted: list[str]) -> Iterator[dict[str, Any]]:
    kept = Kept(ROOT / "reports" / "pace" / "runs")
    for name in wanted:
        if name not in kept.results:
            sys.stderr.write(f"{name}\n")
            kept.add(name, paced(*map(int, name.split("/"))))
        yield kept.results[name]


def is_fine(row: Mapping[str, Any]) -> bool:
    """Return whether an import was as fast as it may be, and as forecast."""
    return (
        row["ratio"] <= MOST
        and row["429s"] == 0
        and row["planned"] == row["calls"]
        and abs(row["off %"]) <= MOST_OFF
    )


def paced(rate: int, latency: int) -> dict[str, Any]:
    """Plan and import into a fresh space; return the row of the table."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-pace-") as work:
        content, load = Path(work, "content"), os.getloadavg()[0]
        write_load_site(content)
        with project(Path(work), content, rate=rate) as here:
            here.decided()
            slow = {"fault": "slow", "seconds": latency / 1000, "times": ALWAYS}
            here.served.page("faults", {"faults": [slow] if latency else []})
            plan = here.run("plan", "--json").document
            before = len(here.served.history())
            took = here.run("import", "--json")
            history = here.served.history()[before:]
    done = took.document
    if done["accounting"]["failed"] or done["failed_assets"]:
        sys.exit(f"Not everything was imported: {done['accounting']}")
    times = [each["time"] for each in history if each["quota"]]
    seconds, least = max(times) - min(times), len(times) / rate
    return {
        "rate": rate,
        "latency ms": latency,
        "calls": len(times),
        "planned": plan["calls"]["total"],
        "429s": sum(each["status"] == 429 for each in history),
        "least s": round(least, 1),
        "took s": round(seconds, 2),
        "ratio": round(seconds / least, 4),
        "planned s": round(plan["seconds"]["at_rate"], 1),
        "off %": round((plan["seconds"]["at_rate"] / seconds - 1) * 100, 2),
        "CPU s": round(took.cpu, 2),
        "sandbox CPU s": round(took.sandbox_cpu, 2),
        "load": f"{load:.1f} to {os.getloadavg()[0]:.1f}",
    }


if __name__ == "__main__":
    sys.exit(main())
