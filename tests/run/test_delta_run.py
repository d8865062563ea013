"""`cmsmig run --refresh` without a terminal: log, hooks, and every exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from cmsmig.ledger.lease import lease
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.settings import Project
from tests.support.cli.bad_input import Rig
from tests.support.rehearsal import Ended
from tests.support.timelimit import patience

KEYS = ["time", "level", "step", "item", "call", "wait", "outcome"]
KEEPS = """\
import os, sys
from pathlib import Path
Path("message.json").write_bytes(sys.stdin.buffer.read())
Path("environ.txt").write_text("\\n".join(sorted(os.environ)))
"""
FAILS = "import sys\nprint('no such pager')\nsys.exit(3)\n"


@dataclass
class Receiver:
    """An address on loopback that keeps what it is sent."""

    url: str = ""
    status: int = 204
    bodies: list[dict] = field(default_factory=list)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Return a receiver that answers until the test is over."""
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            kept.bodies.append(json.loads(self.rfile.read(size)))
            self.send_response(kept.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_port}/hooks/a-key-in-its-path?of=mine"
    yield kept
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass(frozen=True)
class Night:
    """How an unattended run ended, and what it left."""

    code: int
    lines: list[str]
    err: str
    folder: Path

    @property
    def log(self) -> list[dict]:
        """Return the events."""
        text = (self.folder / "log.jsonl").read_text("ascii")
        return [json.loads(line) for line in text.splitlines()]


@dataclass(frozen=True)
class Site:
    """A project on a sandbox, run at night."""

    rig: Rig
    reports: Path

    @property
    def command(self) -> tuple[str, ...]:
        """Return the arguments of a run."""
        return ("run", "--reports", str(self.reports), "--run-id", "night")

    def start(self) -> subprocess.Popen[str]:
        """Start a delta run in a session without a terminal."""
        project = ("--project", self.rig.folder)
        return subprocess.Popen(
            [sys.executable, "-m", "cmsmig.cli", *project, *self.command, "--refresh"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "CMSMIG_STATE_DIR": str(self.rig.state)},
        )

    def ended(self, process: subprocess.Popen[str]) -> Night:
        """Wait for a run to end."""
        out, err = process.communicate(timeout=patience() * 2)
        return self._night(Ended(process.returncode, out, err))

    def alone(self, number: str) -> Night:
        """Run one notebook of a delta run in this process; 01 takes `--refresh`."""
        refresh = ("--refresh",) if number == "01" else ()
        return self._night(self.rig.run(*self.command, "--only", number, *refresh))

    def _night(self, ended: Ended) -> Night:
        return Night(
            ended.code, ended.out.splitlines(), ended.err, self.reports / "night"
        )

    def message(self) -> dict:
        """Return what the command was given."""
        return json.loads((self.rig.folder / "message.json").read_text("utf-8"))

    def notify(self, script: str, url: str) -> None:
        """Set both hooks: a command that runs `script`, and an address."""
        (self.rig.folder / "hook.py").write_text(script)
        toml = self.rig.folder / "cmsmig.toml"
        command = json.dumps([sys.executable, "hook.py"])
        table = f'\n[notify]\ncommand = {command}\nurl = "{url}"\n'
        toml.write_text(toml.read_text() + table)


@pytest.fixture
def site(rig: Callable[..., Rig], tmp_path: Path) -> Site:
    """Return a project that is pulled and decided, nothing imported."""
    return Site(rig(), tmp_path / "reports")


def test_a_night_brings_what_moved_and_tells_of_it(
    site: Site, receiver: Receiver
) -> None:
    """Pulled again, imported, verified, reported: code 0, last lines, log, hooks."""
    site.rig.done("import")
    site.notify(KEEPS, receiver.url)
    _edit_origin(site.rig, b"A place", b"Another place")
    night = site.ended(site.start())
    assert (night.code, night.err.count("Traceback")) == (0, 0), night.err
    assert night.lines[-3:] == [
        "outcome: 0, done",
        "differences: 0",
        f"report: {night.folder / 'report.html'}",
    ]
    ran = sorted(path.name[:2] for path in night.folder.glob("*.ipynb"))
    assert ran == ["01", "04", "05", "06", "07"]
    assert [line for line in night.lines if line.startswith("in 6 = created 6 ")]
    assert "Another place" in json.dumps(site.rig.comparable())
    _assert_log_is_sound(site, night)
    assert receiver.bodies == [site.message()]
    (message,) = receiver.bodies
    assert (message["exit_code"], message["differences"]) == (0, 0)
    assert message["counts"]["in"] == message["counts"]["created"] == 6
    assert message["report"] == str(night.folder / "report.html")
    assert message["log"] == str(night.folder / "log.jsonl")
    names = (site.rig.folder / "environ.txt").read_text().splitlines()
    assert "PATH" in names
    assert [name for name in names if name.startswith("CMSMIG_")] == []


def _assert_log_is_sound(site: Site, night: Night) -> None:
    """Every line whole; steps, items, calls and the end; neither token nor content."""
    assert {tuple(line) for line in night.log} == {tuple(KEYS)}
    # The token may not list the static pages.
    unusual = [line["call"] for line in night.log if line["level"] != "info"]
    assert [call.rpartition("/")[2] for call in unusual] == ["pages"]
    steps = {line["step"] for line in night.log}
    assert steps >= {"run", "01_inspect_origin", "pull", "stories", "verify"}
    assert night.log[-1]["outcome"] == "exit 0: done"
    assert [line for line in night.log if (line["item"] or "").endswith("spot")]
    calls = [line for line in night.log if (line["call"] or "").count(": PUT /v1/")]
    assert [line["outcome"] for line in calls] == ["200"]
    text = (night.folder / "log.jsonl").read_text("ascii")
    assert "Another place" not in text
    for name, value in site.rig.handle.announcement.items():
        assert not name.endswith("token") or value not in text


def test_a_hook_that_fails_is_reported_and_changes_no_code(
    site: Site, receiver: Receiver
) -> None:
    """Both kinds fail: a sentence for each, without the key; the code stays 0."""
    site.notify(FAILS, receiver.url)
    receiver.status = 500
    night = site.alone("01")
    assert night.code == 0, night.err
    # Each line begins with its time.
    failed = [line for line in night.err.splitlines() if " notify: " in line]
    assert len(failed) == 2
    assert "it ended with 3, no such pager" in failed[0]
    assert "127.0.0.1 did not learn of the end (it answered 500)" in failed[1]
    assert (
        "a-key-in-its-path" not in night.err + (night.folder / "log.jsonl").read_text()
    )
    assert [line["level"] for line in night.log[-2:]] == ["warning", "warning"]
    assert len(receiver.bodies) == 1


def _lists_are_refused(call: Call, reply: Reply) -> Reply:
    return replace(reply, status=400) if call.path.endswith("/items") else reply


@pytest.mark.parametrize(
    ("cause", "code", "at"),
    [
        # What cannot be read stops the run.
        ("refusal", 1, "01_inspect_origin"),
        # Nothing is accepted at night: the plan stops and says what is missing.
        ("no decisions", 3, "04_prepare_destination"),
        # At once, never by waiting.
        ("held", 6, "01_inspect_origin"),
    ],
)
def test_a_night_that_cannot_go_on_ends_with_its_code(
    site: Site, receiver: Receiver, cause: str, code: int, at: str
) -> None:
    """Hooks and log know."""
    if cause == "refusal":
        site.rig.faults.append(_lists_are_refused)
    elif cause == "no decisions":
        (site.rig.folder / "decisions" / "collections.yaml").unlink()
    with ExitStack() as stack:
        if cause == "held":
            lock = Project(site.rig.folder).lock
            stack.enter_context(lease(lock, "another run"))
        _assert_ends_with(site, receiver, code, at)


def test_a_difference_ends_with_4(site: Site, receiver: Receiver) -> None:
    """A file that an editor replaced in the space is counted in the last lines."""
    site.rig.done("import")
    assets = site.rig.handle.state.space.assets
    assets[min(assets)].data = b"other bytes"
    night = _assert_ends_with(site, receiver, 4, "07_verify_and_redirect")
    assert night.lines[-2:] == [
        "differences: 1",
        f"report: {night.folder / 'report.html'}",
    ]
    assert receiver.bodies[0]["differences"] == 1


def test_a_stop_ends_with_5_and_the_next_night_continues(
    site: Site, receiver: Receiver
) -> None:
    """SIGTERM in the middle of the stories: the hook knows, nothing is lost."""
    running: list[subprocess.Popen[str]] = []

    def stop(call: Call, reply: Reply) -> Reply:
        if call.method == "POST" and call.path.endswith("/stories") and running:
            running.pop().send_signal(signal.SIGTERM)
        return reply

    site.rig.faults.append(stop)
    site.notify(KEEPS, receiver.url)
    with _holding_back(site.rig, running) as begin:
        process = site.start()
        begin(process)
        night = site.ended(process)
    assert night.code == 5, night.err
    assert (
        night.lines[-3]
        == "outcome: 5, interrupted; the same command continues from there"
    )
    assert [each["exit_code"] for each in receiver.bodies] == [5]
    assert site.message()["exit_code"] == 5
    assert night.log[-1]["outcome"].startswith("exit 5: ")
    assert site.ended(site.start()).code == 0
    assert [
        line for line in site.rig.done("status").out.splitlines() if "created 6" in line
    ]


@contextmanager
def _holding_back(
    rig: Rig, running: list[subprocess.Popen[str]]
) -> Iterator[Callable[[subprocess.Popen[str]], None]]:
    """Let a fault know the process before any request is answered."""
    known = threading.Event()

    def wait(call: Call, reply: Reply) -> Reply:
        known.wait(patience())
        return reply

    rig.faults.insert(0, wait)

    def begin(process: subprocess.Popen[str]) -> None:
        running.append(process)
        known.set()

    yield begin
    rig.faults.remove(wait)


def test_a_refused_token_ends_with_7(
    site: Site, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file holds the token that was refused."""
    token = "expired-0b1c2d3e4f"
    monkeypatch.setenv("CMSMIG_DESTINATION_TOKEN", token)
    night = _assert_ends_with(site, receiver, 7, "04_prepare_destination")
    held = [path for path in night.folder.rglob("*") if token in path.read_text()]
    assert (held, token in night.err) == ([], False)


def _assert_ends_with(site: Site, receiver: Receiver, code: int, at: str) -> Night:
    """Run a night; the code, the last lines, the log and both hooks agree."""
    site.notify(KEEPS, receiver.url)
    night = site.alone(at[:2])
    assert night.code == code, night.err
    assert night.lines[-3].startswith(f"outcome: {code}, ")
    assert night.lines[-1].startswith(f"report: {night.folder}/")
    assert [line for line in night.err.splitlines() if line.startswith(f"{at} stopped")]
    assert night.log[-1] | {"time": ""} == {
        "time": "",
        "level": "error",
        "step": "run",
        "item": None,
        "call": None,
        "wait": 0.0,
        "outcome": f"exit {code}: {site.message()['outcome']}",
    }
    assert [each["exit_code"] for each in receiver.bodies] == [code]
    assert receiver.bodies == [site.message()]
    return night


def _edit_origin(rig: Rig, old: bytes, new: bytes) -> None:
    """Let the origin's items hold another text from now on."""

    def edit(call: Call, reply: Reply) -> Reply:
        items = "/items" in call.path and call.path.startswith("/v2/")
        return replace(reply, body=reply.body.replace(old, new)) if items else reply

    rig.faults.append(edit)
