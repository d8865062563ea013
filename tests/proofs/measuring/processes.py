"""Processes with their time and memory: a sandbox, and a project's commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cmsmig.sandbox.server import environment_file_text
from tests.support.rehearsal import write_env

MEGABYTE = 1_000_000
_ROOT = Path(__file__).parents[3]
_LAUNCHER = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process took, its children included."""

    seconds: float
    cpu: float
    """Seconds, user and system."""
    peak: int = 0
    """Bytes, of the largest process alone."""
    together: int = 0
    """Bytes of all its processes at once, looked at now and then; 0: unknown."""
    calls: int = 0
    """To the destination, as its sandbox counts them."""
    sandbox_cpu: float = 0.0
    """Seconds of the sandbox's processor meanwhile."""
    code: int = 0
    output: str = ""
    said: str = ""
    """Standard error."""

    @property
    def document(self) -> dict:
        """Return the JSON document on standard output."""
        return json.loads(self.output)

    def figures(self) -> dict[str, float]:
        """Return what was measured, by name."""
        texts = ("code", "output", "said")
        return {name: each for name, each in asdict(self).items() if name not in texts}


def measured(
    command: Sequence[str],
    settings: Mapping[str, str] | None = None,
    *,
    codes: Sequence[int] = (0,),
) -> Measured:
    """Run a command; end the program where its exit code is none of these."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-measured-") as folder:
        result, out, said = (Path(folder) / each for each in ("result", "out", "said"))
        with out.open("w") as output, said.open("w") as complaints:
            subprocess.run(
                [sys.executable, "-I", "-S", str(_LAUNCHER), str(result), *command],
                stdout=output,
                stderr=complaints,
                env={**os.environ, **(settings or {})},
                check=True,
            )
        took = Measured(
            **json.loads(result.read_text()),
            output=out.read_text(),
            said=said.read_text(),
        )
    if took.code not in codes:
        sys.exit(f"{' '.join(command)} ended with {took.code}: {took.said[-600:]}")
    return took


COMMAND = [sys.executable, "-m", "cmsmig.cli"]
NO_QUOTA = 1_000_000
MOST = 1000
"""Calls a second: the most that the settings take."""


@dataclass
class Served:
    """A sandbox in a process of its own."""

    announced: Mapping[str, str]
    process: int
    """The number of its process."""
    cpu: float = 0.0
    """Seconds of its process, known when it has ended."""
    peak: int = 0
    """Kilobytes that it held at most, known when it has ended."""

    def page(self, name: str, body: object = None) -> Any:
        """Return a page of the sandbox's own; with a body, set it."""
        top = self.announced["base_url"].removesuffix("/v1")
        data = None if body is None else json.dumps(body).encode()
        method = "GET" if data is None else "PUT"
        request = urllib.request.Request(f"{top}/_sandbox/{name}", data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def history(self) -> list[dict]:
        """Return every request that it answered so far."""
        return self.page("history")["history"]

    def summary(self) -> dict:
        """Return how many requests it answered so far, by kind."""
        return self.page("summary")

    def cpu_so_far(self) -> float:
        """Return the seconds of its process until now; 0 where that is not known."""
        stat = Path(f"/proc/{self.process}/stat")
        if not stat.exists():
            return 0.0
        user, system = stat.read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def sandbox(
    content: Path | None,
    *,
    rate: int,
    origin_rate: int = 60_000,
    languages: Sequence[str] = (),
) -> Iterator[Served]:
    """Serve a content folder, or the sample site."""
    command = [sys.executable, "-m", "tests.support.sandbox"]
    command += [f"--rate={rate}", f"--origin-rate={origin_rate}"]
    command += [f"--content={content.absolute()}"] if content else []
    command += [f"--language={each}" for each in languages]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=_ROOT)
    try:
        assert process.stdout is not None
        served = Served(json.loads(process.stdout.readline()), process.pid)
        yield served
    finally:
        process.send_signal(signal.SIGTERM)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    served.cpu, served.peak = used.ru_utime + used.ru_stime, used.ru_maxrss


@dataclass(frozen=True)
class Project:
    """A project that points at a sandbox."""

    work: Path
    """Holds the project and its state."""
    served: Served

    @property
    def folder(self) -> Path:
        return self.work / "project"

    @property
    def settings(self) -> dict[str, str]:
        """Return what its commands find in their environment."""
        return {
            "CMSMIG_STATE_DIR": str(self.work / "state"),
            "CMSMIG_ORIGIN_RATE": "100000",
        }

    def run(self, *arguments: str, codes: Sequence[int] = (0,)) -> Measured:
        """Run a command; end the program where its exit code is none of these."""
        calls, busy = self.served.summary()["quota"], self.served.cpu_so_far()
        command = [*COMMAND, "--project", str(self.folder), *arguments]
        took = measured(command, self.settings, codes=codes)
        return replace(
            took,
            calls=self.served.summary()["quota"] - calls,
            sandbox_cpu=self.served.cpu_so_far() - busy,
        )

    def decided(self, *rules: str) -> None:
        """Pull and accept the proposals."""
        self.run("pull")
        self.run("decide", "--accept-proposals", "--reviewer", "a person", *rules)

    def edit(self, changes: Mapping[str, str]) -> None:
        """Replace parts of `collections.yaml`."""
        path = self.folder / "decisions" / "collections.yaml"
        text = path.read_text()
        for old, new in changes.items():
            text = text.replace(old, new)
        path.write_text(text)


@contextmanager
def project(work: Path, content: Path | None, **served: Any) -> Iterator[Project]:
    """Begin a project that points at a sandbox; takes what `sandbox` takes."""
    with sandbox(content, **served) as it:
        made = Project(work, it)
        made.run("init")
        rate = min(served["rate"], MOST)
        write_env(made.folder, environment_file_text(it.announced, rate))
        yield made
