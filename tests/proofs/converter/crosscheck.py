"""Every body of every site against the official converter, as a table.

Needs Node; the official package is installed on demand, as pinned. Exits 1 when there
are unexplained bodies, 2 without Node or bodies.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from cmsmig.errors import OfficialError
from cmsmig.steps.decide.cross_check import CrossCheck, Verdict, cross_check
from tests.proofs.converter.sites import bodies_of_sites
from tests.proofs.measuring.results import print_table
from tests.support.richtext.recorded import difference

COLUMNS = ("site", "bodies", *Verdict)


def main(arguments: list[str]) -> int:
    """Compare, print; return the exit code."""
    try:
        found = asyncio.run(_checked(Path(arguments[0])))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2
    counts = {
        name: {verdict: check.count(verdict) for verdict in Verdict}
        for name, check in found.items()
    }
    print_table(
        {"site": name, "bodies": check.bodies, **counts[name]}
        for name, check in found.items()
    )
    for name, check in found.items():
        print(f"\n{name}: deviations")
        for each in check.deviations():
            print(f"  {each.bodies:5} {each.name}")
        _tell(check)
    if not any(check.bodies for check in found.values()):
        print(f"There are no bodies in {arguments[0]}.", file=sys.stderr)
        return 2
    return int(any(each[Verdict.UNEXPLAINED] for each in counts.values()))


async def _checked(folder: Path) -> dict[str, CrossCheck]:
    sites = bodies_of_sites(folder)
    return {name: await cross_check(tuple(bodies)) for name, bodies in sites.items()}


def _tell(check: CrossCheck) -> None:
    """Print what failed, and both documents of what nothing explains."""
    for each in check.of(Verdict.OFFICIAL_FAILED):
        print(f"  OFFICIAL FAILED {each.key}: {each.why}")
    for each in check.of(Verdict.UNEXPLAINED):
        print(difference(each.official, each.ours, f"  UNEXPLAINED {each.key}"))
