"""How time and memory of each step grow with the site.

usage: growth.py [--sizes N ...] [--one-collection] [--folder DIR] [--until STEP]
                 [--again] [--in-flight N] [--rebuild]

For each size a site is made and served by a sandbox without quota; then pull, decide,
plan, plan again, import, import again and verify run as processes of their own. Tells
time, processor time, peak memory and calls of each, and the exponent of time and
memory from each size to the next: 1 is linear.

With `--rebuild`, the ledger is lost after one import, in a space with as many stories
of others as ours, half of them in our folders; then it is rebuilt from the space.

A size's result and its site are kept in the folder. A size is not measured again as
long as the code is the same, unless `--again`; one that was interrupted begins anew,
with the site that is there.
"""

from __future__ import annotations

import argparse
import getpass
import hashlib
import http.client
import json
import math
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from tests.proofs.budget.pace import COMMAND, ROOT, Served, sandbox
from tests.proofs.growth.measured import measured
from tests.proofs.growth.site import GrowingSite

SIZES = (1_000, 10_000, 100_000)
COLLECTIONS = 20
ACCEPT = ("decide", "--accept-proposals", "--reviewer", "growth")
STEPS: dict[str, tuple[str, ...]] = {
    "pull": ("pull",),
    "decide": ACCEPT,
    "plan": ("plan", "--json"),
    "plan again": ("plan", "--json"),
    "import": ("import", "--json"),
    "import again": ("import", "--json"),
    "verify": ("verify", "--json"),
    "rebuild": ("rebuild", "--json"),
}
IMPORTED = ("pull", "decide", "import")
NO_QUOTA = 1_000_000
SETTINGS = {"CMSMIG_DESTINATION_RATE": "1000", "CMSMIG_ORIGIN_RATE": "100000"}
"""The most that the settings take; the sandbox itself refuses nothing."""
MEGABYTE = 1_000_000
COLUMNS = (
    "step", "s", "CPU s", "peak MB", "all processes MB", "calls", "ms a call",
    "CPU ms a call", "sandbox CPU s",
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One step at one size."""

    seconds: float
    cpu: float
    peak: int
    """Bytes, of the largest process."""
    together: int
    """Bytes, of all processes at once."""
    calls: int
    """To the destination, as the sandbox counts them."""
    sandbox_cpu: float

    def row(self, name: str) -> tuple[object, ...]:
        each = [f"{1000 * took / self.calls:.2f}" if self.calls else "-"
                for took in (self.seconds, self.cpu)]  # fmt: skip
        return (
            name, f"{self.seconds:.1f}", f"{self.cpu:.1f}",
            f"{self.peak / MEGABYTE:.0f}", f"{self.together / MEGABYTE:.0f}",
            self.calls, *each, f"{self.sandbox_cpu:.1f}",
        )  # fmt: skip


def main() -> int:
    """Measure what is asked for and print the tables."""
    asked = _arguments()
    collections = 1 if asked.one_collection else COLLECTIONS
    if wrong := [size for size in asked.sizes if size < 1 or size % collections]:
        sys.exit(f"A size is a multiple of {collections}: {wrong[0]} is none.")
    asked.folder.mkdir(parents=True, exist_ok=True)
    done = {}
    for size in sorted(set(asked.sizes)):
        site = GrowingSite(size, collections)
        done[size] = _measured_once(site, asked)
        print_size(site, done[size])
    print_exponents(done)
    return 0


def _measured_once(site: GrowingSite, asked: argparse.Namespace) -> dict[str, Step]:
    """Return the steps of a size: those that are kept, or measured now."""
    name = f"{site.items}-{site.collections}-{asked.in_flight}"
    path = asked.folder / f"result-{name}-{_code()}.json"
    wanted = list(STEPS)[: list(STEPS).index(asked.until) + 1]
    if asked.rebuild:
        wanted = [*IMPORTED, "rebuild"]
    kept = json.loads(path.read_text()) if path.exists() else {}
    if asked.again or not set(wanted) <= set(kept):
        kept = {
            step: asdict(took)
            for step, took in measure(site, asked.folder, wanted, asked.in_flight)
        }
        path.write_text(json.dumps(kept, indent=1))
    return {step: Step(**kept[step]) for step in wanted}


@dataclass(frozen=True)
class AtWork:
    """A project beside a sandbox that serves its site without quota."""

    folder: Path
    settings: dict[str, str]
    served: Served

    @property
    def project(self) -> Path:
        return self.folder / "project"

    def step(self, *arguments: str) -> Step:
        """Run one command to its end; ends the program where that fails."""
        calls, busy = self.served.summary()["quota"], self.served.cpu_so_far()
        command = [*COMMAND, "--project", str(self.project), *arguments]
        took = measured(command, self.settings)
        if took.code:
            sys.exit(f"{arguments} ended with {took.code}: {took.said[-600:]}")
        return Step(
            took.seconds,
            took.cpu,
            took.peak,
            took.together,
            self.served.summary()["quota"] - calls,
            self.served.cpu_so_far() - busy,
        )

    def lose_ledger(self, others: int) -> None:
        """Delete the ledger, and add stories of others of a content type of ours."""
        for path in self.project.glob("ledger.sqlite*"):
            path.unlink()
        secrets = (self.project / ".env").read_text().splitlines()
        known = dict(line.split("=", 1) for line in secrets if "=" in line)
        base = f"/v1/spaces/{known['CMSMIG_SPACE_ID']}"
        host = self.served.address.removeprefix("http://")
        with closing(http.client.HTTPConnection(host)) as line:

            def ask(method: str, path: str, body: object = None) -> dict:
                headers = {
                    "Authorization": known["CMSMIG_DESTINATION_TOKEN"],
                    "Content-Type": "application/json",
                }
                line.request(method, f"{base}/{path}", json.dumps(body), headers)
                answer = line.getresponse()
                read = json.loads(answer.read())
                if answer.status >= 300:
                    sys.exit(f"{method} {path} was answered with {read}")
                return read

            (folder, *_) = ask("GET", "stories?folder_only=1")["stories"]
            (ours, *_) = ask("GET", "stories?story_only=1")["stories"]
            for number in range(others):
                content = {"component": ours["content_type"], "_uid": f"o-{number}"}
                parent = folder["id"] if number % 2 else 0
                story = {"name": "Other", "slug": f"other-{number}"}
                story |= {"content": content, "parent_id": parent}
                ask("POST", "stories", {"story": story})


@contextmanager
def at_work(site: GrowingSite, folder: Path, in_flight: int) -> Iterator[AtWork]:
    """Serve a site, with a project that was begun and nothing more."""
    work = folder / f"work-{site.items}-{site.collections}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    content = written(site, folder)
    settings = {
        **SETTINGS,
        "CMSMIG_STATE_DIR": str(work / "state"),
        "CMSMIG_IN_FLIGHT": str(in_flight),
    }
    with sandbox(content, work, NO_QUOTA, 0, origin_rate=NO_QUOTA) as served:
        here = AtWork(work, settings, served)
        here.step("init")
        shutil.copy(work / "sandbox.env", here.project / ".env")
        yield here
    tell(f"  the sandbox: {served.cpu:.1f} s CPU, {served.peak / 1000:.0f} MB")
    shutil.rmtree(work)


def measure(
    site: GrowingSite, folder: Path, wanted: Sequence[str], in_flight: int
) -> Iterator[tuple[str, Step]]:
    """Yield the steps, taken against a sandbox of their own."""
    with at_work(site, folder, in_flight) as here:
        for name in wanted:
            tell(f"{site.items} items, {site.collections} collections: {name}")
            if name == "rebuild":
                here.lose_ledger(site.items)
            step = here.step(*STEPS[name])
            tell(f"  {step.seconds:.1f} s")
            yield name, step


def written(site: GrowingSite, folder: Path) -> Path:
    """Return the site's content folder, made once as long as its maker is the same."""
    maker = Path(__file__).with_name("site.py").read_bytes()
    name = f"site-{site.items}-{site.collections}"
    content = folder / f"{name}-{hashlib.sha256(maker).hexdigest()[:8]}"
    if not content.exists():
        tell(f"{site.items} items, {site.collections} collections: made")
        arriving = folder / f"arriving-{name}"
        shutil.rmtree(arriving, ignore_errors=True)
        site.write(arriving)
        arriving.rename(content)
    return content


def print_size(site: GrowingSite, steps: dict[str, Step]) -> None:
    """Print what the steps took at one size."""
    print(f"\n{site.items:,} items, collections: {site.collections}\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name, step in steps.items():
        print("| " + " | ".join(map(str, step.row(name))) + " |", flush=True)


def print_exponents(done: dict[int, dict[str, Step]]) -> None:
    """Print how time, processor time and memory grow from each size to the next."""
    for (small, before), (large, after) in pairwise(done.items()):
        print(f"\nExponents from {small:,} to {large:,} items\n")
        print(
            "| step | time | CPU | peak memory | all processes |\n|---|---|---|---|---|"
        )
        for name, step in after.items():
            sides = zip(
                asdict(step).items(), asdict(before[name]).values(), strict=True
            )
            grown = {
                key: math.log(now / then, large / small) if now and then else 0.0
                for (key, now), then in sides
            }
            shown = (grown[key] for key in ("seconds", "cpu", "peak", "together"))
            print(f"| {name} | " + " | ".join(f"{each:.2f}" for each in shown) + " |")


def tell(line: str) -> None:
    """Write a line about what is under way."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stderr.flush()


def _code() -> str:
    """Return a digest of the code that a result depends on."""
    sources = [*(ROOT / "cmsmig").rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    read = b"".join(path.read_bytes() for path in sorted(sources))
    return hashlib.sha256(read).hexdigest()[:12]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, metavar="N")
    parser.add_argument("--one-collection", action="store_true")
    parser.add_argument("--until", choices=STEPS, default="verify", metavar="STEP")
    parser.add_argument("--again", action="store_true", help="measure anew")
    parser.add_argument("--rebuild", action="store_true", help="rebuild alone")
    parser.add_argument("--in-flight", type=int, default=8, metavar="N")
    default = Path(tempfile.gettempdir(), f"cmsmig-growth-{getpass.getuser()}")
    parser.add_argument("--folder", type=Path, default=default, help="kept here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
