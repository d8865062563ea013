"""A Prefect server and its workers as processes on loopback, and what they tell."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.measuring.results import wait_for

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / ".venv-fleet" / "bin"
EXAMPLE = ROOT / "examples" / "fleet"
HOST = "127.0.0.1"
QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_WORKER_QUERY_SECONDS": "2",
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
}
"""Nothing is sent outside this machine; new work is seen within two seconds."""


@dataclass(frozen=True)
class Engine:
    """A server that answers."""

    folder: Path
    api: str

    def environment(self, **more: str) -> dict[str, str]:
        """Return what a process of the engine needs to know."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("CMSMIG_")}
        own = {"PREFECT_HOME": str(self.folder), "PREFECT_API_URL": self.api, **QUIET}
        own["FLEET_CMSMIG"] = str(BIN / "cmsmig")
        return {**kept, **own, **more}

    def call(self, *command: str) -> None:
        """Run a command of the engine's environment to its end."""
        ended = subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            env=self.environment(),
            cwd=EXAMPLE,
            capture_output=True,
            text=True,
        )
        if ended.returncode:
            sys.exit(f"{' '.join(command)}: {ended.stdout}{ended.stderr}")

    def ask(self, path: str, body: object = None, method: str = "") -> object:
        """Return what the server answers; a body is posted."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.api + path,
            data,
            {"Content-Type": "application/json"},
            method=method or ("GET" if data is None else "POST"),
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")

    def runs(self) -> dict[str, dict]:
        """Return the latest run of each deployment by the run's name."""
        found = self.ask("/flow_runs/filter", {"sort": "EXPECTED_START_TIME_ASC"})
        return {run["parameters"].get("name", "all-sites"): run for run in found}

    def table(self) -> list[dict]:
        """Return the rows of the latest table of all sites."""
        return json.loads(self.ask("/artifacts/all-sites/latest")["data"])

    def states(self, run: dict) -> list[dict]:
        """Return the states of a run, oldest first."""
        found = self.ask(f"/flow_run_states/?flow_run_id={run['id']}")
        return sorted(found, key=lambda state: state["timestamp"])


@contextmanager
def running_engine(folder: Path, machines: tuple[str, ...]) -> Iterator[Engine]:
    """Run a server and a worker for each machine; stop all of them at the end.

    Each machine has a request budget of its own, as two machines have.
    """
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    engine = Engine(folder, f"http://{HOST}:{port}/api")
    folder.mkdir(parents=True)
    server = ("server", "start", "--host", HOST, "--port", str(port))
    with ExitStack() as stack:
        process = stack.enter_context(_running(engine, "server", server))
        wait_for(lambda: _answers(engine, process), "the server answers")
        engine.call("prefect", "work-pool", "create", "cmsmig", "--type", "process")
        for name in machines:
            worker = ("worker", "start", "--pool", "cmsmig", "--name", name)
            state = str(folder.parent / name)
            stack.enter_context(
                _running(
                    engine,
                    name,
                    (*worker, "--limit", "3" if len(machines) == 1 else "2"),
                    CMSMIG_STATE_DIR=state,
                )
            )
        yield engine


@contextmanager
def _running(
    engine: Engine, name: str, arguments: tuple[str, ...], **more: str
) -> Iterator[subprocess.Popen[bytes]]:
    with (engine.folder.parent / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            [str(BIN / "prefect"), *arguments],
            env=engine.environment(**more),
            stdout=log,
            stderr=log,
            cwd=engine.folder,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def left_running(engine: Engine) -> list[int]:
    """Return the processes that still live in this engine's surroundings."""
    mark = f"PREFECT_HOME={engine.folder}".encode()
    return [pid for pid in _processes() if mark in _read(pid, "environ").split(b"\0")]


def processes_of(project: Path) -> list[int]:
    """Return the processes of a `cmsmig run` on a project, its kernels included."""
    roots = [
        pid
        for pid in _processes()
        if str(project).encode() in (words := _read(pid, "cmdline").split(b"\0"))
        if b"run" in words
    ]
    below = [p for p in _processes() if _parent(p) in roots]
    return [*roots, *below]


def _parent(pid: int) -> int:
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def _processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _answers(engine: Engine, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        sys.exit(f"The server ended; its log is in {engine.folder.parent}.")
    try:
        return engine.ask("/health") is True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
