"""How time and memory of each step grow with the site.

usage: growth.py [--sizes N ...] [--one-collection] [--folder DIR] [--until STEP]
                 [--rebuild]

For each size a site is made and served by a sandbox without quota; then pull, decide,
plan, plan again, import, import again and verify run as processes of their own. Tells
time, processor time, peak memory and calls of each, and the exponent of time and
memory from each size to the next: 1 is linear.

With `--rebuild`, the ledger is lost after one import, in a space with as many stories
of others as ours, half of them in our folders; then it is rebuilt from the space.

A size's result and its site are kept in the folder. A size is not measured again as
long as the code is the same; one that was interrupted begins again, with the site that
is there.
"""

from __future__ import annotations

import argparse
import getpass
import hashlib
import math
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import httpx

from tests.proofs.growth.site import GrowingSite
from tests.proofs.measuring.processes import MEGABYTE, NO_QUOTA, Project, project
from tests.proofs.measuring.results import Kept, print_table, tell

SIZES = (1_000, 10_000, 100_000)
COLLECTIONS = 20
STEPS: dict[str, tuple[str, ...]] = {
    "pull": ("pull",),
    "decide": ("decide", "--accept-proposals", "--reviewer", "growth"),
    "plan": ("plan", "--json"),
    "plan again": ("plan", "--json"),
    "import": ("import", "--json"),
    "import again": ("import", "--json"),
    "verify": ("verify", "--json"),
    "rebuild": ("rebuild", "--json"),
}
IMPORTED = ("pull", "decide", "import")
Figures = Mapping[str, float]


def main() -> int:
    """Measure what is asked for and print the tables."""
    asked = _arguments()
    collections = 1 if asked.one_collection else COLLECTIONS
    if wrong := [size for size in asked.sizes if size < 1 or size % collections]:
        sys.exit(f"A size is a multiple of {collections}: {wrong[0]} is none.")
    wanted = list(STEPS)[: list(STEPS).index(asked.until) + 1]
    if asked.rebuild:
        wanted = [*IMPORTED, "rebuild"]
    done = {}
    for size in sorted(set(asked.sizes)):
        site = GrowingSite(size, collections)
        done[size] = _measured_once(site, asked.folder, wanted)
        print(f"\n{size:,} items, collections: {collections}")
        print_table(_row(name, took) for name, took in done[size].items())
    for (small, before), (large, after) in pairwise(done.items()):
        print(f"\nExponents from {small:,} to {large:,} items")
        print_table(
            _exponents(name, before[name], after[name], large / small) for name in after
        )
    return 0


def _measured_once(
    site: GrowingSite, folder: Path, wanted: Sequence[str]
) -> dict[str, Figures]:
    """Return the steps of a size: those that are kept, or measured now."""
    kept = Kept(folder / f"result-{site.items}-{site.collections}", above=())
    if not set(wanted) <= set(kept.results):
        for name, took in measure(site, folder, wanted):
            kept.add(name, took)
    return {name: kept.results[name] for name in wanted}


def measure(
    site: GrowingSite, folder: Path, wanted: Sequence[str]
) -> Iterator[tuple[str, Figures]]:
    """Yield the steps, taken against a sandbox of their own."""
    with at_work(site, folder) as here:
        for name in wanted:
            tell(f"{site.items} items, {site.collections} collections: {name}")
            if name == "rebuild":
                _lose_ledger(here, site.items)
            took = here.run(*STEPS[name])
            tell(f"  {took.seconds:.1f} s")
            yield name, took.figures()


@contextmanager
def at_work(site: GrowingSite, folder: Path) -> Iterator[Project]:
    """Serve a site without quota, with a project that was begun and nothing more."""
    work = folder / f"work-{site.items}-{site.collections}"
    shutil.rmtree(work, ignore_errors=True)
    with project(
        work, written(site, folder), rate=NO_QUOTA, origin_rate=NO_QUOTA
    ) as here:
        yield here
    served = here.served
    tell(f"  the sandbox: {served.cpu:.1f} s CPU, {served.peak / 1000:.0f} MB")
    shutil.rmtree(work)


def written(site: GrowingSite, folder: Path) -> Path:
    """Return the site's content folder, made once as long as its maker is the same."""
    maker = Path(__file__).with_name("site.py").read_bytes()
    name = f"site-{site.items}-{site.collections}{'-french' if site.french else ''}"
    content = folder / f"{name}-{hashlib.sha256(maker).hexdigest()[:8]}"
    if not content.exists():
        tell(f"{site.items} items, {site.collections} collections: made")
        arriving = folder / f"arriving-{name}"
        shutil.rmtree(arriving, ignore_errors=True)
        site.write(arriving)
        arriving.rename(content)
    return content


def _lose_ledger(here: Project, others: int) -> None:
    """Delete the ledger, and add stories of others of a content type of ours."""
    for path in here.folder.glob("ledger.sqlite*"):
        path.unlink()
    known = here.served.announced
    with httpx.Client(
        base_url=f"{known['base_url']}/spaces/{known['space_id']}",
        headers={"Authorization": known["destination_token"]},
        trust_env=False,
    ) as client:
        folder = client.get("/stories?folder_only=1").json()["stories"][0]
        ours = client.get("/stories?story_only=1").json()["stories"][0]
        for number in range(others):
            story = {
                "name": "Other",
                "slug": f"other-{number}",
                "content": {"component": ours["content_type"], "_uid": f"o-{number}"},
                "parent_id": folder["id"] if number % 2 else 0,
            }
            client.post("/stories", json={"story": story}).raise_for_status()


def _row(name: str, took: Figures) -> dict[str, object]:
    calls = took["calls"]
    each, busy = (
        f"{1000 * took[name] / calls:.2f}" if calls else "-"
        for name in ("seconds", "cpu")
    )
    return {
        "step": name,
        "s": f"{took['seconds']:.1f}",
        "CPU s": f"{took['cpu']:.1f}",
        "peak MB": f"{took['peak'] / MEGABYTE:.0f}",
        "all processes MB": f"{took['together'] / MEGABYTE:.0f}",
        "calls": calls,
        "ms a call": each,
        "CPU ms a call": busy,
        "sandbox CPU s": f"{took['sandbox_cpu']:.1f}",
    }


def _exponents(
    name: str, before: Figures, after: Figures, times: float
) -> dict[str, object]:
    """Return how figures grow from one size to another, so many times as large."""
    shown = {"time": "seconds", "CPU": "cpu", "peak memory": "peak",
             "all processes": "together"}  # fmt: skip
    return {"step": name} | {
        column: f"{math.log(after[key] / before[key], times):.2f}"
        for column, key in shown.items()
        if before[key] and after[key]
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N")
    parser.add_argument("--one-collection", action="store_true")
    parser.add_argument("--until", choices=STEPS, default="verify", metavar="STEP")
    parser.add_argument("--rebuild", action="store_true", help="rebuild alone")
    default = Path(tempfile.gettempdir(), f"cmsmig-growth-{getpass.getuser()}")
    parser.add_argument("--folder", type=Path, default=default, help="kept here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
