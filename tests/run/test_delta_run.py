"""`cmsmig run --refresh` without a terminal: its log, and every exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest

from cmsmig.errors import DifferencesError
from cmsmig.ledger.lease import lease
from cmsmig.run.outcome import meaning_of
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.settings import Project
from tests.support.cli.bad_input import Rig
from tests.support.rehearsal import Ended
from tests.support.timelimit import patience

KEYS = ["time", "level", "step", "item", "call", "wait", "outcome"]
AT_LAST = "07_verify_and_redirect"


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

    def start(self, *options: str) -> subprocess.Popen[str]:
        """Start a run in a session without a terminal."""
        project = ("--project", self.rig.folder)
        return subprocess.Popen(
            [sys.executable, "-m", "cmsmig.cli", *project, *self.command, *options],
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


@pytest.fixture
def site(rig: Callable[..., Rig], tmp_path: Path) -> Site:
    """Return a project that is pulled and decided, nothing imported."""
    return Site(rig(), tmp_path / "reports")


def test_a_night_brings_what_moved(site: Site) -> None:
    """Pulled again, imported, verified, reported: code 0, last lines, log."""
    site.rig.done("import")
    _edit_origin(site.rig, b"A place", b"Another place")
    night = site.ended(site.start("--refresh"))
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
    site: Site, cause: str, code: int, at: str
) -> None:
    """The log knows."""
    if cause == "refusal":
        site.rig.faults.append(_lists_are_refused)
    elif cause == "no decisions":
        (site.rig.folder / "decisions" / "collections.yaml").unlink()
    with ExitStack() as stack:
        if cause == "held":
            lock = Project(site.rig.folder).lock
            stack.enter_context(lease(lock, "another run"))
        _assert_ends_with(site, code, at)


def test_a_difference_ends_with_4(site: Site) -> None:
    """A file that an editor replaced in the space is counted in the last lines."""
    site.rig.done("import")
    assets = site.rig.handle.state.space.assets
    assets[min(assets)].data = b"other bytes"
    night = _assert_ends_with(site, 4, AT_LAST)
    # No terminal: each line of progress begins with its time.
    steps = [line for line in night.err.splitlines() if f"{AT_LAST}: " in line]
    assert [line.partition(":")[0] for line in night.lines[-5:-3]] == ["began", "ended"]
    first, last, *between = map(
        datetime.fromisoformat,
        [
            *(line.partition(": ")[2] for line in night.lines[-5:-3]),
            *(line.split()[0] for line in steps),
        ],
    )
    assert between
    assert all(first <= each <= last for each in between)
    assert night.lines[-2:] == [
        "differences: 1",
        f"report: {night.folder / 'report.html'}",
    ]


def test_a_stop_ends_with_5_and_the_next_night_continues(site: Site) -> None:
    """SIGTERM in the middle of the stories: nothing is lost."""
    running: list[subprocess.Popen[str]] = []

    def stop(call: Call, reply: Reply) -> Reply:
        if call.method == "POST" and call.path.endswith("/stories") and running:
            running.pop().send_signal(signal.SIGTERM)
        return reply

    site.rig.done("prepare")
    site.rig.faults.append(stop)
    with _holding_back(site.rig, running) as begin:
        process = site.start("--only", "05")
        begin(process)
        night = site.ended(process)
    assert night.code == 5, night.err
    assert (
        night.lines[-3]
        == "outcome: 5, interrupted; the same command continues from there"
    )
    assert night.log[-1]["outcome"].startswith("exit 5: ")
    assert site.alone("05").code == 0
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
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file holds the token that was refused."""
    token = "expired-0b1c2d3e4f"
    monkeypatch.setenv("CMSMIG_DESTINATION_TOKEN", token)
    night = _assert_ends_with(site, 7, "04_prepare_destination")
    held = [path for path in night.folder.rglob("*") if token in path.read_text()]
    assert (held, token in night.err) == ([], False)


def _assert_ends_with(site: Site, code: int, at: str) -> Night:
    """Run a night; the code, the last lines and the log agree."""
    night = site.alone(at[:2])
    assert night.code == code, night.err
    assert night.lines[-1].startswith(f"report: {night.folder}/")
    # Of differences the number comes first, and no cell is named.
    differs = code == DifferencesError.exit_code
    said = f"run --from {at[:2]}`." if differs else f"{at} stopped"
    meaning = "1 difference found" if differs else meaning_of(code)
    assert [line for line in night.err.splitlines() if said in line]
    assert night.lines[-3] == f"outcome: {code}, {meaning}"
    assert night.log[-1] | {"time": ""} == {
        "time": "",
        "level": "error",
        "step": "run",
        "item": None,
        "call": None,
        "wait": 0.0,
        "outcome": f"exit {code}: {meaning}",
    }
    return night


def _edit_origin(rig: Rig, old: bytes, new: bytes) -> None:
    """Let the origin's items hold another text from now on."""

    def edit(call: Call, reply: Reply) -> Reply:
        items = "/items" in call.path and call.path.startswith("/v2/")
        return replace(reply, body=reply.body.replace(old, new)) if items else reply

    rig.faults.append(edit)
