"""How several processes share one budget, as the sandbox counts.

usage: quota.py [--part sharing|busy|burst|two] [--seconds N]

sharing  three processes read and one imports through one budget at 6 calls a second,
         for N seconds (60): calls in a second as the service counts them, and 429s
busy     the same while another process keeps one core busy
burst    the same four meet a storm of 429s, without `Retry-After` and with it: who
         sent what meanwhile, and when each continues
two      a second import on the same ledger while the first one works

All of them by default; `--part` may be given again. Exits 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.proofs.measuring.processes import COMMAND, Project, project
from tests.proofs.measuring.results import broken, print_table, wait_for
from tests.support.sites.exact import write_load_site

RATE = 6
IMPORT = "import"
CALLERS = ("reader 1", "reader 2", "reader 3", IMPORT)
READER = "tests.proofs.budget.quota_reader"
BUSY = "while True: pass"
LEAST_USED = 0.8
"""Which share of the allowed calls is used at least, on a machine with other work."""
STORMS = ((4, None), (3, 5.0))
"""How many 429s in a row, and the `Retry-After` in seconds."""
CALM = 4.0
"""Seconds of undisturbed work before each storm."""
IN_FLIGHT = 0.3
"""Seconds after the first 429 in which what was sent before it may still arrive."""


@dataclass(frozen=True)
class World:
    """A project that was pulled and decided on, and processes that work on it."""

    project: Project

    def start(self, name: str) -> subprocess.Popen[str]:
        """Start the import or a reader."""
        folder = str(self.project.folder)
        command = [sys.executable, "-m", READER, folder, name]
        if name == IMPORT:
            command = [*COMMAND, "--project", folder, "import", "--json"]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if name == IMPORT else subprocess.DEVNULL,
            text=True,
            env={**os.environ, **self.project.settings},
        )

    def all_started(self) -> list[subprocess.Popen[str]]:
        """Start everybody; return when each has made a call."""
        callers = [self.start(name) for name in CALLERS]
        wait_for(lambda: {*map(who, self.calls())} >= {*CALLERS}, "each makes a call")
        return callers

    def calls(self) -> list[dict]:
        """Return what drew on the quota so far, oldest first."""
        return [each for each in self.project.served.history() if each["quota"]]


@contextmanager
def world(items: int, images: int) -> Iterator[World]:
    """Serve a site of so many items and images, pulled and decided on."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-quota-") as work:
        content = Path(work, "content")
        write_load_site(content, items, images)
        with project(Path(work), content, rate=RATE) as here:
            here.decided()
            yield World(here)


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy meanwhile."""
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(process.pid))})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def who(call: dict) -> str:
    """Return which process sent a call; readers put their names into a filter."""
    name = call["query"].get("with_slug")
    return name if name in CALLERS else IMPORT


def interrupted(process: subprocess.Popen[str]) -> int:
    """Ask a process to end; return its exit code."""
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    return process.returncode


def ended(process: subprocess.Popen[str]) -> tuple[int, dict, str]:
    """Return the exit code of an import, its accounting and what it said."""
    output, said = process.communicate(timeout=120)
    done = json.loads(output)["accounting"] if process.returncode == 0 else {}
    return process.returncode, done, said


def sharing(seconds: float, *, busy: bool) -> list[str]:
    """Let four processes share the budget for a while; return what is wrong."""
    with world(400, 600) as here, busy_core() if busy else nullcontext():
        callers = here.all_started()
        time.sleep(seconds)  # The length of the measurement itself.
        load = os.getloadavg()[0]
        *reading, importing = map(interrupted, callers)
        calls, summary = here.calls(), here.project.served.summary()
    begin = max(min(c["time"] for c in calls if who(c) == name) for name in CALLERS)
    calls = [call for call in calls if 0 <= call["time"] - begin < seconds]
    times = [call["time"] for call in calls]
    shares = Counter(map(who, calls))
    print(f"calls {len(calls)} in {seconds:g} s, {len(calls) / seconds:.2f} a second")
    print(f"fullest second as the service counts: {summary['fullest_second']}")
    print(f"fullest 1.000 s wherever they begin: {fullest(times)}")
    print(f"in flight at once, at most: {summary['most_in_flight']}; load: {load:.1f}")
    print_table(
        {
            "process": name,
            "calls": shares[name],
            "share": f"{shares[name] / len(calls):.1%}",
            "longest without, s": f"{longest_pause(calls, name):.2f}",
        }
        for name in CALLERS
    )
    fewest = min(shares[name] for name in CALLERS)
    return broken(
        {
            f"no second holds more than {RATE}": summary["fullest_second"] <= RATE,
            "no 429 is answered": summary["refused_for_rate"] == 0,
            "the rate is used": len(calls) >= LEAST_USED * RATE * seconds,
            "each has half of an equal share or more": (
                fewest >= len(calls) / len(CALLERS) / 2
            ),
            "everybody ends as asked": importing == 5 and not any(reading),
        }
    )


def longest_pause(calls: list[dict], name: str) -> float:
    """Return the most seconds between two calls of a process."""
    own = [call["time"] for call in calls if who(call) == name]
    return max((after - before for before, after in pairwise(own)), default=0.0)


def burst() -> list[str]:
    """Refuse several calls in a row; return what is wrong."""
    wrong: list[str] = []
    with world(60, 0) as here:
        *readers, importing = here.all_started()
        for times, asked in STORMS:
            time.sleep(CALM)
            wrong += storm(here, times, asked)
        for each in readers:
            interrupted(each)
        code, done, _ = ended(importing)
        fullest_second = here.project.served.summary()["fullest_second"]
    print(f"the import afterwards: exit code {code}, {done}")
    print(f"fullest second as the service counts: {fullest_second}")
    return wrong + broken(
        {
            "the import has lost nothing": (code, done.get("created")) == (0, 60),
            f"no second holds more than {RATE}": fullest_second <= RATE,
        }
    )


def storm(here: World, times: int, asked: float | None) -> list[str]:
    """Let one storm pass, print what everybody did, and return what is wrong."""
    fault = {"fault": "too_many", "times": times}
    before, page = len(here.calls()), here.project.served.page
    page("faults", {"faults": [{**fault, "retry_after": asked} if asked else fault]})
    wait_for(lambda: len(page("faults")["given"]) == times, "the storm is over")
    wait_for(
        lambda: back_again(here.calls()[before:]).keys() >= {*CALLERS}, "all go on"
    )
    calls = here.calls()[before:]
    refused = [call["time"] for call in calls if call["status"] == 429]
    back, first = back_again(calls), refused[0]
    meanwhile = [call for call in calls if first <= call["time"] <= refused[-1]]
    pauses = [after - each for each, after in pairwise([*refused, min(back.values())])]
    print(
        f"\n{times} 429s, Retry-After: {asked}; pauses: {[round(p, 2) for p in pauses]}"
    )
    print_table(
        {
            "process": name,
            "sent meanwhile": Counter(map(who, meanwhile))[name],
            "continues after s": f"{back[name] - first:.2f}",
        }
        for name in CALLERS
    )
    least = [asked or 2.0**number for number in range(len(pauses))]
    others = [
        call
        for call in meanwhile
        if call["status"] != 429 and call["time"] > first + IN_FLIGHT
    ]
    return broken(
        {
            "one call a pause, the probe": not others,
            "no pause is too short": all(
                pause >= wanted for pause, wanted in zip(pauses, least, strict=True)
            ),
        }
    )


def back_again(calls: list[dict]) -> dict[str, float]:
    """Return when each caller was first answered after the last 429."""
    back: dict[str, float] = {}
    for call in reversed(calls):
        if call["status"] == 429:
            break
        back[who(call)] = call["time"]
    return back


def two() -> list[str]:
    """Import twice at the same time; return what is wrong."""
    with world(40, 0) as here:
        first = here.start(IMPORT)
        wait_for(
            lambda: any(call["route"] == "create story" for call in here.calls()),
            "the first import creates",
        )
        refused, _, said = ended(here.start(IMPORT))
        working = first.poll() is None
        code, done, _ = ended(first)
    print(f"the second ends with {refused} and says: {said}")
    print(f"the first ends with {code}: {done}")
    return broken(
        {
            "the second ends with 6": refused == 6,
            "at once, while the first works": working,
            "it says who holds the ledger": f"process {first.pid} " in said,
            "the first creates everything": (code, done.get("created")) == (0, 40),
        }
    )


PARTS: dict[str, Callable[[float], list[str]]] = {
    "sharing": lambda seconds: sharing(seconds, busy=False),
    "busy": lambda seconds: sharing(seconds, busy=True),
    "burst": lambda _: burst(),
    "two": lambda _: two(),
}


def main() -> int:
    """Run the chosen parts; return the exit code."""
    chosen = _arguments()
    wrong: list[str] = []
    for part in chosen.part or PARTS:
        print(f"# {part}", flush=True)
        wrong += [f"{part}: {what}" for what in PARTS[part](chosen.seconds)]
    for what in wrong:
        print(f"BROKEN {what}")
    return 1 if wrong else 0


def fullest(times: list[float]) -> int:
    """Return the most that any second holds, wherever it begins."""
    ordered = sorted(times)
    return max(
        sum(begin <= time < begin + 1 for time in ordered[index : index + 10 * RATE])
        for index, begin in enumerate(ordered)
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", action="append", choices=PARTS, default=[])
    parser.add_argument("--seconds", type=float, default=60.0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
