"""Drawn sites in drawn ways: each leaves the content that the plain way leaves.

usage: determinism.py [--count N] [--seed WORD] [--state FOLDER]

An example is one site, migrated twice: in the plain way in a process of its own,
whose hashes are others, and here with other orders of items, collections, locales
and keys, other sizes of pages and batches, more or fewer requests at once, answers
in another order, and up to three interruptions. Space, ledger, decisions, redirects
and raw cache have to be equal. Work goes on where it stopped, from the start when
the code has changed since. A failing example is made smaller and printed. Exits 1
with findings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.support.same_content.left import assert_same
from tests.support.same_content.runs import (
    Plainly,
    all_ended,
    another_process,
    migrated,
)
from tests.support.same_content.sites import PLAIN_ORDERS, Site, sites
from tests.support.same_content.smaller import smallest
from tests.support.same_content.ways import PLAIN, Arrangement, arrangements

ROOT = Path(__file__).resolve().parents[3]
SLICE = 20
"""Examples that are drawn from one seed."""


def main() -> int:
    """Go on with the work, report, and return the exit code."""
    options = _options()
    os.nice(10)
    options.state.mkdir(parents=True, exist_ok=True)
    path = options.state / f"{options.seed}.json"
    state = _state(path)
    with another_process() as plainly:
        while sum(state["slices"].values()) < options.count:
            name = f"{options.seed}:{len(state['slices'])}"
            seen, finding = _slice(name, plainly)
            state["slices"][name] = seen.pop("examples", 0)
            state["findings"] += [f"{name}: {finding}"] if finding else []
            state["seen"] = dict(Counter(state["seen"]) + seen)
            path.write_text(json.dumps(state, indent=1))
            print(_line(state), flush=True)
    for finding in state["findings"]:
        print(finding)
    return int(bool(state["findings"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Migrate drawn sites in drawn ways.")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", default="one")
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "determinism")
    return parser.parse_args()


def _state(path: Path) -> dict:
    code = hashlib.sha256()
    own = sorted((ROOT / "tests" / "support" / "same_content").glob("*.py"))
    for each in (*own, *sorted((ROOT / "cmsmig").rglob("*.py"))):
        if each.relative_to(ROOT).parts[1] not in ("notebook", "cli.py", "run"):
            code.update(each.read_bytes())
    fresh = {"code": code.hexdigest()[:12], "slices": {}, "seen": {}, "findings": []}
    if path.is_file():
        held = json.loads(path.read_text())
        if held["code"] == fresh["code"]:
            return held
        print("The code has changed: from the start again.", flush=True)
    return fresh


def _slice(name: str, plainly: Plainly) -> tuple[Counter[str], str]:
    """Return what was drawn from one seed, and the first that fails, made smaller."""
    seen: Counter[str] = Counter()
    failing: list[tuple[Site, Arrangement]] = []

    def fails(site: Site, way: Arrangement) -> bool:
        plain = plainly(site)
        try:
            left = migrated(site, way)
            seen.update(examples=1, interruptions=left.broken, **_traits(way))
            assert_same(plain.result(), left, way)
        except Exception as error:  # whatever it is, it is a finding
            told[:] = [f"{type(error).__name__}: {str(error)[:2000]}"]
            return True
        return False

    @seed(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    @settings(
        max_examples=SLICE,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(site=sites(), way=arrangements())
    def same(site: Site, way: Arrangement) -> None:
        if not failing and fails(site, way):
            failing.append((site, way))

    began = time.monotonic()
    told: list[str] = []
    same()
    finding = ""
    if failing:
        site, way = smallest(*failing[0], fails)
        finding = "\n".join([*told, repr(site), repr(way)])
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


def _line(state: dict) -> str:
    done = sum(state["slices"].values())
    seen = ", ".join(f"{name} {count}" for name, count in sorted(state["seen"].items()))
    return f"{done} examples ({seen}), {len(state['findings'])} findings"


if __name__ == "__main__":
    sys.exit(main())
