"""The example in examples/fleet: two sites, two workers, one engine.

A Prefect server and two workers run as processes on loopback; two sandbox sites go to
a space each. Exits with 1 unless both sites are whole and both workers had work. The
logs stay in build/fleet.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.proofs.measuring.processes import COMMAND, measured
from tests.proofs.measuring.results import broken, print_table, wait_for
from tests.support.rehearsal import write_env
from tests.support.sandbox.observed import running_sandbox
from tests.support.sites.exact import write_small_site

ROOT = Path(__file__).resolve().parents[3]
BIN = ROOT / ".venv-fleet" / "bin"
EXAMPLE = ROOT / "examples" / "fleet"
WORK = ROOT / "build" / "fleet"
HOST = "127.0.0.1"
SITES = ("abbey", "brewery")
WORKERS = ("machine-1", "machine-2")
RATE = 6
"""Calls a second that each space accepts, as the service's larger plans do."""
MINUTES = 15
QUIET = {
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "DO_NOT_TRACK": "1",
    "PREFECT_WORKER_QUERY_SECONDS": "2",
    "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
}
"""Nothing is sent outside this machine; new work is seen within two seconds."""


def main() -> int:
    """Run the fleet; return the exit code."""
    # So that a stop of this process stops all that it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    shutil.rmtree(WORK, ignore_errors=True)
    python = str(BIN / "python")
    mypy = [sys.executable, "-m", "mypy", "--python-executable", python]
    subprocess.run([*mypy, "examples/fleet"], cwd=ROOT, check=True)
    with _serving(), _engine() as api:
        _call(api, "python", "register.py", str(WORK / "fleet.toml"))
        _call(api, "prefect", "deployment", "run", "all-sites/all-sites")
        wait_for(lambda: _ended(api), "all sites have ended", MINUTES * 60, every=5)
        rows = json.loads(_ask(api, "/artifacts/all-sites/latest")["data"])
    print_table(rows)
    wrong = broken(
        {
            "the table has each site": [row["site"] for row in rows] == [*SITES],
            "each is whole": {
                (row["state"], row["created"], row["open"]) for row in rows
            }
            == {("Completed", 47, 0)},
            "both workers were at work": all(map(_began, WORKERS)),
        }
    )
    for what in wrong:
        print(f"BROKEN {what}")
    return int(bool(wrong))


@contextmanager
def _serving() -> Iterator[None]:
    """Serve a sandbox for each site, and lay out its decided project."""
    write_small_site(WORK / "content")
    content = WORK / "content"
    lines = ""
    with ExitStack() as stack:
        for space, name in enumerate(SITES, 5001):
            options = SandboxOptions(
                content=content, rate=RATE, origin_rate=6000, space_id=space
            )
            handle = stack.enter_context(running_sandbox(options))
            project = WORK / "sites" / name
            _cmsmig(project, "init")
            served = dict(handle.announcement)
            write_env(project, environment_file_text(served, RATE))
            _cmsmig(project, "pull")
            _cmsmig(project, "decide", "--accept-proposals", "--reviewer", "a person")
            lines += f'[[site]]\nname = "{name}"\nproject = "{project}"\n'
            lines += f"space = {space}\n"
        (WORK / "fleet.toml").write_text(lines)
        yield


def _cmsmig(project: Path, *arguments: str) -> None:
    state = {"CMSMIG_STATE_DIR": str(WORK / "state")}
    measured([*COMMAND, "--project", str(project), *arguments], state)


@contextmanager
def _engine() -> Iterator[str]:
    """Run a server and the workers, one run at a time each; stop them at the end."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = str(free.getsockname()[1])
    api = f"http://{HOST}:{port}/api"
    with ExitStack() as stack:
        server = ("server", "start", "--host", HOST, "--port", port)
        process = stack.enter_context(_running(api, "server", server))
        wait_for(lambda: _answers(api, process), "the server answers")
        _call(api, "prefect", "work-pool", "create", "cmsmig", "--type", "process")
        for name in WORKERS:
            worker = ("worker", "start", "--pool", "cmsmig", "--name", name)
            # Three runs at once: the sites, and the one that waits for them.
            limit = "2" if name == WORKERS[0] else "1"
            stack.enter_context(_running(api, name, (*worker, "--limit", limit)))
        yield api


@contextmanager
def _running(
    api: str, name: str, arguments: tuple[str, ...]
) -> Iterator[subprocess.Popen[bytes]]:
    with (WORK / f"{name}.log").open("w") as log:
        process = subprocess.Popen(
            [str(BIN / "prefect"), *arguments],
            env=_environment(api) | {"CMSMIG_STATE_DIR": str(WORK / name)},
            stdout=log,
            stderr=log,
            cwd=WORK,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(60)


def _environment(api: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CMSMIG_")}
    own = {"PREFECT_HOME": str(WORK / "engine"), "PREFECT_API_URL": api, **QUIET}
    return {**kept, **own, "FLEET_CMSMIG": str(BIN / "cmsmig")}


def _call(api: str, *command: str) -> None:
    """Run a command of the engine's environment to its end."""
    ended = subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        env=_environment(api),
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
    )
    if ended.returncode:
        sys.exit(f"{' '.join(command)}: {ended.stdout}{ended.stderr}")


def _ask(api: str, path: str, body: object = None) -> dict:
    """Return what the server answers; a body is posted."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        api + path, data, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def _answers(api: str, process: subprocess.Popen[bytes]) -> bool:
    if process.poll() is not None:
        sys.exit(f"The server ended; its log is in {WORK}.")
    try:
        return bool(_ask(api, "/health"))
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _ended(api: str) -> bool:
    """Return whether the run that makes the table has ended."""
    wanted = {"flows": {"name": {"any_": ["all-sites"]}}}
    runs = _ask(api, "/flow_runs/filter", wanted)
    return any(run["state_type"] in ("COMPLETED", "FAILED", "CRASHED") for run in runs)


def _began(worker: str) -> bool:
    """Return whether a worker ran a site, or the run that waits for them."""
    return "' - Beginning" in (WORK / f"{worker}.log").read_text()


if __name__ == "__main__":
    sys.exit(main())
