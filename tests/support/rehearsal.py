"""A sandbox and a project folder that points at it, driven by command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from unittest import mock

import httpx

from cmsmig import cli
from cmsmig.sandbox.server import environment_file_text
from tests.support.sandbox.observed import SandboxHandle


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict:
        """Return the JSON document on standard output."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Rehearsal:
    """One sandbox, one project folder."""

    handle: SandboxHandle
    folder: Path
    state: Path

    @classmethod
    def start(cls, handle: SandboxHandle, folder: Path, rate: int, state: Path) -> Self:
        """Make the project folder with the tokens in its `.env`."""
        made = cls(handle, folder, state)
        made.run("init")
        text = environment_file_text(dict(handle.announcement), rate)
        write_env(folder, text)
        return made

    def run(self, *arguments: str) -> Ended:
        """Run a command in this process."""
        return run_here("--project", str(self.folder), *arguments)

    def done(self, *arguments: str) -> Ended:
        """Run a command in this process and insist on exit code 0."""
        ended = self.run(*arguments)
        assert ended.code == 0, f"{arguments}: {ended.code}\n{ended.out}{ended.err}"
        return ended

    def decided(self) -> Self:
        """Pull and accept the proposals."""
        self.done("pull")
        self.done("decide", "--accept-proposals", "--reviewer", "a tester")
        return self

    def comparable(self) -> dict:
        """Return what is in the space without ids, addresses and times."""
        base = self.handle.announcement["base_url"].removesuffix("/v1")
        return httpx.get(f"{base}/_sandbox/state?comparable", trust_env=False).json()

    def api(self, method: str, path: str, body: object = None) -> dict:
        """Ask the management API as an editor's browser would."""
        served = self.handle.announcement
        answer = httpx.request(
            method,
            f"{served['base_url']}/spaces/{served['space_id']}{path}",
            headers={"Authorization": served["destination_token"]},
            json=body,
            trust_env=False,
            verify=False,  # reading certificates takes longer than the request
        )
        assert answer.is_success, answer.text
        return answer.json() if answer.content else {}

    def process(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command in a process of its own, to be killed."""
        return subprocess.Popen(
            [sys.executable, "-m", "cmsmig.cli", "--project", self.folder, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "CMSMIG_STATE_DIR": str(self.state)},
        )


def write_env(folder: Path, text: str) -> None:
    """Write the settings that hold tokens, readable by this user only."""
    (folder / ".env").write_text(text)
    (folder / ".env").chmod(0o600)


def run_here(*arguments: str) -> Ended:
    """Run a command in this process and return how it ended."""
    out, err = io.BytesIO(), io.StringIO()
    stdout = io.TextIOWrapper(out, encoding="utf-8", write_through=True)
    code = 0
    with mock.patch.object(sys, "stdout", stdout), redirect_stderr(err):
        try:
            cli.main(list(arguments))
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
    return Ended(code, out.getvalue().decode("utf-8"), err.getvalue())
