"""How near an import comes to the allowed rate, and how near its forecast to it.

usage: pace.py [--only RATE/LATENCY] [--again] [--work DIR]

A site of 400 items and 600 images is pulled and decided on once. Then, for each rate
(calls a second) and latency (milliseconds that every answer of every host takes
longer), `plan` and `import` run as processes of their own against a sandbox of its
own. From the sandbox's history: the time from the first to the last quota call of the
import, over the least that so many calls may take; the calls and seconds of the plan
beside it; the 429s.

Results are kept in reports/pace/ and not measured again as long as the code is the
same, unless `--again`. Exits 1 when an import took more than 1.02 times the least,
any 429 was answered, or a forecast was off by a call or by more than 2 percent.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.support.sites.exact import write_load_site

ROOT = Path(__file__).resolve().parents[3]
STATE = ROOT / "reports" / "pace"
COMMAND = [sys.executable, "-m", "cmsmig.cli"]
SETTINGS = ((60, 0), (60, 5), (60, 30), (6, 0), (6, 50), (6, 300))
"""Calls a second, and milliseconds; the short ones first."""
MOST = 1.02
"""Times the least that so many calls may take at the rate."""
FORECAST_OFF = 0.02
ALWAYS = 1_000_000_000
ABOVE = ("notebook", "terminal", "display", "review", "survey", "evidence")
"""What no import's pace depends on."""
COLUMNS = (
    "rate", "latency ms", "calls", "planned", "429s", "least s", "took s", "ratio",
    "planned s", "off %", "import ms CPU a call", "sandbox ms CPU a call", "load",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One import as the sandbox and the machine saw it."""

    rate: int
    latency: int
    """Milliseconds."""
    calls: int
    refused: int
    seconds: float
    """From the first to the last quota call."""
    planned_calls: int
    planned_seconds: float
    cpu: float
    """Seconds of the import's process, its start included."""
    sandbox_cpu: float
    load: tuple[float, float]
    """The machine's load of the last minute, before and after."""

    @property
    def least(self) -> float:
        return self.calls / self.rate

    @property
    def ratio(self) -> float:
        return self.seconds / self.least

    @property
    def off(self) -> float:
        return self.planned_seconds / self.seconds - 1

    @property
    def fine(self) -> bool:
        return (
            self.ratio <= MOST
            and self.refused == 0
            and self.planned_calls == self.calls
            and abs(self.off) <= FORECAST_OFF
        )

    def row(self) -> tuple[object, ...]:
        return (
            self.rate, self.latency, self.calls, self.planned_calls, self.refused,
            f"{self.least:.1f}", f"{self.seconds:.2f}", f"{self.ratio:.4f}",
            f"{self.planned_seconds:.1f}", f"{self.off * 100:+.2f}",
            f"{self.cpu / self.calls * 1000:.1f}",
            f"{self.sandbox_cpu / self.calls * 1000:.1f}",
            f"{self.load[0]:.1f} to {self.load[1]:.1f}",
        )  # fmt: skip


def main() -> int:
    """Measure what is asked for and print the table; return the exit code."""
    asked = _arguments()
    wanted = [each for each in SETTINGS if asked.only in ("", "{}/{}".format(*each))]
    if not wanted:
        sys.exit(f"--only is one of {', '.join('{}/{}'.format(*s) for s in SETTINGS)}")
    path = STATE / f"runs-{_code()}.json"
    STATE.mkdir(parents=True, exist_ok=True)
    kept = json.loads(path.read_text()) if path.exists() else {}
    with _work_folder(asked.work) as work:
        for rate, latency in wanted:
            name = f"{rate}/{latency}"
            if name in kept and not asked.again:
                continue
            sys.stderr.write(f"{name}\n")
            kept[name] = asdict(measure(work, rate, latency))
            path.write_text(json.dumps(kept, indent=1))
    runs = [Run(**kept["{}/{}".format(*each)]) for each in wanted]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * len(COLUMNS))
    for run in runs:
        print("| " + " | ".join(map(str, run.row())) + " |")
    return 0 if all(run.fine for run in runs) else 1


def measure(work: Path, rate: int, latency: int) -> Run:
    """Plan and import into a fresh space."""
    folder = Path(tempfile.mkdtemp(dir=work, prefix="run-"))
    project = folder / "project"
    shutil.copytree(_prepared(work), project, copy_function=os.link)
    load = os.getloadavg()[0]
    with sandbox(work / "content", folder, rate, latency) as served:
        # A hard link would carry the next run's addresses into this one.
        (project / ".env").unlink()
        shutil.copy(folder / "sandbox.env", project / ".env")
        plan, _ = run(project, "plan", "--json")
        before = served.history()
        imported, cpu = run(project, "import", "--json")
        history = served.history()[len(before) :]
    if imported["accounting"]["failed"] or imported["failed_assets"]:
        sys.exit(f"Not everything was imported: {imported['accounting']}")
    times = [each["time"] for each in history if each["quota"]]
    shutil.rmtree(folder)
    return Run(
        rate=rate,
        latency=latency,
        calls=len(times),
        refused=sum(each["status"] == 429 for each in history),
        seconds=max(times) - min(times),
        planned_calls=plan["calls"]["total"],
        planned_seconds=plan["seconds"]["at_rate"],
        cpu=cpu,
        sandbox_cpu=served.cpu,
        load=(load, os.getloadavg()[0]),
    )


def _prepared(work: Path) -> Path:
    """Return the project that was pulled and decided on, made once."""
    project, content = work / "prepared", work / "content"
    if (project / "decisions" / "blocks.yaml").exists():
        return project
    write_load_site(content)
    with sandbox(content, work, 60, 0):
        run(project, "init")
        shutil.copy(work / "sandbox.env", project / ".env")
        run(project, "pull")
        run(project, "decide", "--accept-proposals", "--reviewer", "pace")
    return project


@dataclass
class Served:
    """A sandbox in a process of its own."""

    address: str
    process: int
    """The number of its process."""
    cpu: float = 0.0
    """Seconds of its process, known when it has ended."""
    peak: int = 0
    """Kilobytes that it held at most, known when it has ended."""

    def page(self, name: str) -> Any:
        """Return a page of the sandbox's own."""
        with urllib.request.urlopen(f"{self.address}/_sandbox/{name}") as answer:
            return json.load(answer)

    def history(self) -> list[dict]:
        """Return every request that it answered so far."""
        return self.page("history")["history"]

    def cpu_so_far(self) -> float:
        """Return the seconds of its process until now; 0 where nobody tells."""
        told = Path(f"/proc/{self.process}/stat")
        if not told.exists():
            return 0.0
        user, system = told.read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def summary(self) -> dict:
        """Return how many requests it answered so far, by kind."""
        return self.page("summary")


@contextmanager
def sandbox(
    content: Path, folder: Path, rate: int, latency: int, *, origin_rate: int = 6000
) -> Iterator[Served]:
    """Serve the site; every answer takes `latency` milliseconds longer."""
    faults = folder / "faults.json"
    slow = {"fault": "slow", "seconds": latency / 1000, "times": ALWAYS}
    faults.write_text(json.dumps({"faults": [slow] if latency else []}))
    process = subprocess.Popen(
        [*COMMAND, "sandbox", "--content", str(content), "--rate", str(rate),
         "--origin-rate", str(origin_rate), "--faults", str(faults),
         "--env-file", str(folder / "sandbox.env")],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        announced = json.loads(process.stdout.readline())
        address = announced["base_url"].removesuffix("/v1")
        served = Served(address, process.pid)
        yield served
    finally:
        process.send_signal(signal.SIGTERM)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    served.cpu, served.peak = used.ru_utime + used.ru_stime, used.ru_maxrss


def run(project: Path, *arguments: str) -> tuple[dict, float]:
    """Run one command; return its JSON document, if any, and its CPU seconds."""
    output = project.parent / "output"
    with output.open("w") as out, (project.parent / "said").open("w") as said:
        process = subprocess.Popen(
            [*COMMAND, "--project", str(project), *arguments],
            stdout=out,
            stderr=said,
            env={**os.environ, "CMSMIG_STATE_DIR": str(project.parent / "state")},
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        told = (project.parent / "said").read_text()[-600:]
        sys.exit(f"{arguments[0]} ended with {process.returncode}: {told}")
    document = json.loads(output.read_text()) if "--json" in arguments else {}
    return document, used.ru_utime + used.ru_stime


@contextmanager
def _work_folder(chosen: Path | None) -> Iterator[Path]:
    if chosen is not None:
        chosen.mkdir(parents=True, exist_ok=True)
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="cmsmig-pace-") as folder:
        yield Path(folder)


def _code() -> str:
    """Return a digest of the code that a result depends on."""
    package = ROOT / "cmsmig"
    sources = sorted(
        path
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ABOVE
    )
    read = b"".join(each.read_bytes() for each in (*sources, Path(__file__)))
    return hashlib.sha256(read).hexdigest()[:16]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="RATE/LATENCY")
    parser.add_argument("--again", action="store_true", help="measure anew")
    parser.add_argument("--work", type=Path, help="keep the pulled site here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
