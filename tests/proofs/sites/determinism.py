"""Drawn sites in drawn ways: each leaves the content that the plain way leaves.

usage: determinism.py [--count N] [--seed WORD]

An example is one site, migrated twice: in the plain way in a process of its own,
whose hashes are others, and here with other orders of items, collections, locales
and keys, other sizes of pages and batches, more or fewer requests at once, answers
in another order, and up to three interruptions. Space, ledger, decisions, redirects
and raw cache have to be equal. Work continues where it stopped, or from the start
when the code has changed since. A failing example is made smaller and printed. Exits 1
with findings.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.proofs.measuring.results import ROOT, Kept
from tests.support.same_content.runs import (
    Plainly,
    all_ended,
    another_process,
    assert_same,
    migrated,
)
from tests.support.same_content.sites import PLAIN_ORDERS, Site, sites
from tests.support.same_content.ways import PLAIN, Arrangement, arrangements

SLICE = 20
"""Examples that are drawn from one seed."""


def main() -> int:
    """Go on with the work, report, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", default="one")
    asked = parser.parse_args()
    os.nice(10)
    kept = Kept(ROOT / "build" / "determinism" / asked.seed)
    with another_process() as plainly:
        while sum(seen["examples"] for seen, _ in kept.results.values()) < asked.count:
            name = f"{asked.seed}:{len(kept.results)}"
            kept.add(name, _slice(name, plainly))
            _tell(kept)
    findings = [f"{name}: {each}" for name, (_, each) in kept.results.items() if each]
    print(*findings, sep="\n")
    return int(bool(findings))


def _slice(name: str, plainly: Plainly) -> tuple[Counter[str], str]:
    """Return what was drawn from one seed, and the first that fails, made smaller."""
    seen = Counter[str](examples=0)

    @seed(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    @settings(
        max_examples=SLICE,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(site=sites(), way=arrangements())
    def same(site: Site, way: Arrangement) -> None:
        plain = plainly(site)
        left = migrated(site, way)
        seen.update(examples=1, interruptions=left.broken, **_traits(way))
        assert_same(plain.result(), left, way)

    began = time.monotonic()
    finding = ""
    try:
        same()
    except Exception as error:  # whatever it is, it is a finding
        notes = getattr(error, "__notes__", [])
        finding = "\n".join([f"{type(error).__name__}: {str(error)[:2000]}", *notes])
    all_ended()
    seen["seconds"] = round(time.monotonic() - began)
    return seen, finding


def _traits(way: Arrangement) -> dict[str, int]:
    """Return in which respects a way is not the plain one."""
    orders = {
        f"{name} in another order": getattr(way.orders, name)
        != getattr(PLAIN_ORDERS, name)
        for name in ("items", "collections", "locales", "keys")
    }
    sizes = {
        name: getattr(way, name) != getattr(PLAIN, name)
        for name in ("origin_page", "listing_page", "reading", "in_flight", "batch",
                     "delays")
    }  # fmt: skip
    return {name: int(there) for name, there in (orders | sizes).items()}


def _tell(kept: Kept) -> None:
    seen = sum((Counter(each) for each, _ in kept.results.values()), Counter[str]())
    said = ", ".join(f"{count} {name}" for name, count in sorted(seen.items()))
    findings = sum(bool(each) for _, each in kept.results.values())
    print(f"{said}; {findings} findings", flush=True)


if __name__ == "__main__":
    sys.exit(main())
