"""How several processes share one budget, as the sandbox counts and they tell.

usage: quota.py [--part sharing|busy|burst|two] [--seconds N]

sharing  three processes read and one imports through one budget at 6 calls a second,
         for N seconds (60): calls in a second as the service counts them, and 429s
busy     the same while another process keeps one core busy
burst    the same four meet a storm of 429s, without `Retry-After` and with it: who
         sent what and when, and what everybody said about waiting
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
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tests.proofs.measuring.printed import broken, wait_for
from tests.proofs.measuring.served import COMMAND, Project, project
from tests.support.sites.exact import write_load_site

RATE = 6
READERS = ("reader 1", "reader 2", "reader 3")
IMPORT = "import"
CALLERS = (*READERS, IMPORT)
READER = "tests.proofs.budget.quota_reader"
BUSY = "while True: pass"
LEAST_USED = 0.8
"""Which share of the allowed calls is used at least, on a machine with other work."""
STORMS = ((4, None), (3, 5.0))
"""How many 429s in a row, and the `Retry-After` in seconds."""
CALM = 4.0
"""Seconds of undisturbed work before each storm."""
UNDER_WAY = 0.3
"""Seconds after the first 429 in which what was sent before it may still arrive."""


@dataclass
class Caller:
    """One process and what it says, with the time when it said it."""

    name: str
    process: subprocess.Popen[str]
    said: list[tuple[float, str]] = field(default_factory=list)
    reading: threading.Thread | None = None

    def listen(self) -> None:
        """Keep every line of its standard error."""
        for line in self.process.stderr or ():
            self.said.append((time.time(), line.strip()))

    def end(self, number: signal.Signals, within: float = 30.0) -> tuple[int, str]:
        """Ask it to end; return its exit code and its output."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.ended(within)

    def ended(self, within: float) -> tuple[int, str]:
        """Return its exit code and its output when it has ended."""
        output = self.process.stdout.read() if self.process.stdout else ""
        code = self.process.wait(within)
        if self.reading is not None:
            self.reading.join()
        return code, output


@dataclass(frozen=True)
class World:
    """A project that was pulled and decided on, and processes that work on it."""

    project: Project

    def start(self, name: str) -> Caller:
        """Start the import or a reader."""
        folder = str(self.project.folder)
        arguments = [*COMMAND, "--project", folder, "import", "--json"]
        if name != IMPORT:
            arguments = [sys.executable, "-m", READER, folder, name]
        process = subprocess.Popen(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.project.settings},
        )
        caller = Caller(name, process)
        caller.reading = threading.Thread(target=caller.listen, daemon=True)
        caller.reading.start()
        return caller

    def page(self, name: str, body: object = None) -> dict:
        """Return a page of the sandbox's own; with a body, set it."""
        return self.project.served.page(name, body)

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
        core = min(os.sched_getaffinity(process.pid))
        os.sched_setaffinity(process.pid, {core})
    try:
        yield
    finally:
        process.kill()
        process.wait()


def who(call: dict) -> str:
    """Return which process sent a call; readers put their names into a filter."""
    return call["query"].get("excluding_slugs") or IMPORT


def begun(calls: list[dict]) -> bool:
    """Tell whether each process has made a call."""
    return {who(call) for call in calls} == set(CALLERS)


def sharing(seconds: float, *, busy: bool) -> list[str]:
    """Let four processes share the budget for a while; return what is wrong."""
    with world(400, 600) as here, busy_core() if busy else nullcontext():
        before = len(here.calls())
        load = os.getloadavg()[0]
        callers = [here.start(name) for name in CALLERS]
        wait_for(lambda: begun(here.calls()[before:]), "each has made a call")
        time.sleep(seconds)  # The length of the measurement itself.
        load = max(load, os.getloadavg()[0])
        *reading, (code, _) = [each.end(signal.SIGINT) for each in callers]
        calls = here.calls()[before:]
        summary = here.page("summary")
    last = max(min(c["time"] for c in calls if who(c) == name) for name in CALLERS)
    calls = [call for call in calls if 0 <= call["time"] - last < seconds]
    times = [call["time"] for call in calls]
    refused = sum(call["status"] == 429 for call in calls)
    print(f"calls {len(calls)} in {seconds:g} s, {len(calls) / seconds:.2f} a second")
    print(f"fullest second as the service counts: {summary['fullest_second']}")
    print(f"fullest second in the history: {max(Counter(map(int, times)).values())}")
    print(f"fullest 1.000 s wherever they begin: {fullest(times)}")
    print(f"429s {refused}; under way at once, at most: {summary['most_in_flight']}")
    print(f"load of the machine at most: {load:.1f}")
    shares = Counter(map(who, calls))
    for name in CALLERS:
        own = [call["time"] for call in calls if who(call) == name]
        longest = max((b - a for a, b in pairwise(own)), default=seconds)
        share = shares[name] / len(calls)
        print(f"  {name}: {len(own)} calls, {share:.1%}, never {longest:.2f} s without")
    promised = {
        f"no second holds more than {RATE}": summary["fullest_second"] <= RATE,
        "no 429 is answered": summary["refused_for_rate"] == 0,
        "the rate is used": len(calls) >= LEAST_USED * RATE * seconds,
        "nobody has less than half of an equal share": min(
            shares[name] for name in CALLERS
        ) >= len(calls) / len(CALLERS) / 2,
        "everybody ends as asked": code == 5 and {c for c, _ in reading} == {0},
    }  # fmt: skip
    return broken(promised)


def burst() -> list[str]:
    """Refuse several calls in a row; return what is wrong."""
    wrong: list[str] = []
    with world(60, 0) as here:
        callers = [here.start(name) for name in CALLERS]
        wait_for(lambda: begun(here.calls()), "each has made a call")
        for times, asked in STORMS:
            time.sleep(CALM)
            wrong += storm(here, callers, times, asked)
        for each in callers[:-1]:
            each.end(signal.SIGINT)
        code, output = callers[-1].ended(120)
        done = json.loads(output)["accounting"] if code == 0 else {}
        fullest_second = here.page("summary")["fullest_second"]
    print(f"the import afterwards: exit code {code}, {done}")
    print(f"fullest second as the service counts: {fullest_second}")
    return wrong + broken(
        {
            "the import has lost nothing": (code, done.get("created")) == (0, 60),
            f"no second holds more than {RATE}": fullest_second <= RATE,
        }
    )


def storm(
    here: World, callers: list[Caller], times: int, asked: float | None
) -> list[str]:
    """Let one storm pass, print what everybody did, and return what is wrong."""
    entry: dict = {"fault": "too_many", "times": times}
    if asked is not None:
        entry["retry_after"] = asked
    before = len(here.calls())
    here.page("faults", {"faults": [entry]})
    wait_for(lambda: len(here.page("faults")["given"]) == times, "the storm is over")
    wait_for(
        lambda: len(back_again(here.calls()[before:])) == len(CALLERS), "all go on"
    )
    calls = here.calls()[before:]
    refused = [call for call in calls if call["status"] == 429]
    first, last = refused[0]["time"], refused[-1]["time"]
    after = [call for call in calls if call["time"] > last]
    header = "without Retry-After" if asked is None else f"with Retry-After: {asked:g}"
    print(f"{times} 429s {header}; seconds since the first one:")
    meanwhile = [call for call in calls if first <= call["time"] <= last]
    for call in [*meanwhile, *after[:6]]:
        at = call["time"] - first
        print(f"  {at:7.2f}  {call['status']}  {who(call)}: {call['subject']}")
    back = back_again(calls)
    for caller in callers:
        sent = Counter(call["status"] for call in meanwhile if who(call) == caller.name)
        told = [
            f"{at - first:.2f} {text}"
            for at, text in caller.said
            if first <= at <= last + 3 and "waiting" in text
        ]
        on = back[caller.name] - first
        print(f"  {caller.name}: sent {dict(sent)}, goes on at {on:.2f}")
        for line in told:
            print(f"      {line}")
    pauses = [b["time"] - a["time"] for a, b in pairwise([*refused, after[0]])]
    print(f"  pauses: {', '.join(f'{pause:.2f}' for pause in pauses)}")
    least = [asked or 0.0 for _ in pauses]
    if asked is None:
        least = [2.0**number for number in range(len(pauses))]
    others = [
        c for c in meanwhile if c["status"] != 429 if c["time"] > first + UNDER_WAY
    ]
    return broken(
        {
            "one call a pause, the probe": not others,
            "no pause is too short": all(
                a >= b for a, b in zip(pauses, least, strict=True)
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
        started = time.monotonic()
        second = here.start(IMPORT)
        refused, _ = second.ended(60)
        took = time.monotonic() - started
        working = first.process.poll() is None
        code, output = first.ended(120)
        done = json.loads(output)["accounting"] if code == 0 else {}
        created = Counter(call["route"] for call in here.calls())["create story"]
    told = " ".join(text for _, text in second.said)
    print(f"the second ends with {refused} after {took:.1f} s and says: {told}")
    print(f"the first ends with {code}: {done}; stories and folders created: {created}")
    return broken(
        {
            "the second ends with 6": refused == 6,
            "at once, while the first works": working,
            "it says who holds the ledger": f"process {first.process.pid} " in told,
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
