"""How several processes share one budget, as the sandbox counts.

usage: quota.py [--part sharing|busy] [--seconds N]

sharing  three processes read and one imports through one budget at 6 calls a second,
         for N seconds (60): calls in a second as the service counts them, and 429s
busy     the same while another process keeps one core busy

Both by default. Exits 1 when a promise is broken.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

from tests.proofs.measuring.processes import COMMAND, Project, project
from tests.proofs.measuring.results import broken, print_table, wait_for
from tests.support.sites.exact import write_load_site
from tests.support.wire.virtual_time import fullest_window

RATE = 6
IMPORT = "import"
CALLERS = ("reader 1", "reader 2", "reader 3", IMPORT)
READER = "tests.proofs.budget.quota_reader"
BUSY = "while True: pass"
LEAST_USED = 0.8
"""Which share of the allowed calls is used at least, on a machine with other work."""


def start(here: Project, name: str) -> subprocess.Popen[str]:
    """Start the import or a reader."""
    folder = str(here.folder)
    command = [sys.executable, "-m", READER, folder, name]
    if name == IMPORT:
        command = [*COMMAND, "--project", folder, "import", "--json"]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **here.settings},
    )


def calls_of(here: Project) -> list[dict]:
    """Return what drew on the quota so far, oldest first."""
    return [each for each in here.served.history() if each["quota"]]


@contextmanager
def decided() -> Iterator[Project]:
    """Serve a site that takes a while to import, pulled and decided on."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-quota-") as work:
        content = Path(work, "content")
        write_load_site(content)
        with project(Path(work), content, rate=RATE) as here:
            here.decided()
            yield here


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


def sharing(seconds: float, *, busy: bool) -> list[str]:
    """Let four processes share the budget for a while; return what is wrong."""
    with decided() as here, busy_core() if busy else nullcontext():
        callers = [start(here, name) for name in CALLERS]
        wait_for(lambda: {*map(who, calls_of(here))} >= {*CALLERS}, "each makes a call")
        time.sleep(seconds)  # The length of the measurement itself.
        load = os.getloadavg()[0]
        *reading, importing = map(interrupted, callers)
        calls, summary = calls_of(here), here.served.summary()
    begin = max(min(c["time"] for c in calls if who(c) == name) for name in CALLERS)
    calls = [call for call in calls if 0 <= call["time"] - begin < seconds]
    times = [call["time"] for call in calls]
    shares = Counter(map(who, calls))
    print(f"calls {len(calls)} in {seconds:g} s, {len(calls) / seconds:.2f} a second")
    print(f"fullest second as the service counts: {summary['fullest_second']}")
    print(f"fullest 1.000 s wherever they begin: {fullest_window(times, 1.0)}")
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


PARTS = ("sharing", "busy")


def main() -> int:
    """Run the chosen parts; return the exit code."""
    chosen = _arguments()
    wrong: list[str] = []
    for part in chosen.part or PARTS:
        print(f"# {part}", flush=True)
        broken_here = sharing(chosen.seconds, busy=part == "busy")
        wrong += [f"{part}: {what}" for what in broken_here]
    for what in wrong:
        print(f"BROKEN {what}")
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", action="append", choices=PARTS, default=[])
    parser.add_argument("--seconds", type=float, default=60.0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
