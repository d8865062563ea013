"""One Node process: questions in, answers out, and how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
from importlib import resources

from cmsmig.errors import OfficialUnavailableError
from cmsmig.official.install import Installation

_BRIDGE = resources.files("cmsmig.official").joinpath("bridge.mjs")
LONGEST_ANSWER = 1 << 30
"""Bytes of one line; a document is about ten times its HTML."""
START = 120.0
"""Seconds until a process must be ready; half a second is usual."""
_KEPT_ERRORS = 2_000
"""How many of the last bytes of a process's error output are kept."""


class BrokenChildError(Exception):
    """The process cannot be used any more; `str()` says what it did."""


class Child:
    """A running bridge."""

    def __init__(
        self, process: asyncio.subprocess.Process, installation: Installation
    ) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise ValueError("The process was started without its pipes.")
        self._process = process
        self._installation = installation
        self._stdin, self._stdout = process.stdin, process.stdout
        self._last_words = b""
        self._listening = asyncio.create_task(self._listen(process.stderr))

    async def get_ready(self) -> None:
        """Wait until it can answer. Raises `OfficialUnavailableError`."""
        try:
            async with asyncio.timeout(START):
                said = await self.answer()
        except TimeoutError as error:
            raise _unready("did not get ready", self._installation) from error
        except BrokenChildError as error:
            raise _unready(str(error), self._installation) from error
        if said != {"ready": True}:
            raise _unready("did not say that it is ready", self._installation)

    def ask(self, number: int, what: str, body: str) -> None:
        """Send a question; it is answered after those before it.

        Never waits: the process may itself be waiting for its answers to be read.
        """
        asked = {"id": number, "what": what, "body": body}
        with contextlib.suppress(ConnectionError):
            self._stdin.write(json.dumps(asked).encode() + b"\n")

    async def answer(self) -> dict[str, object]:
        """Return the next line. Raises `BrokenChildError` when there is none."""
        try:
            line = await self._stdout.readline()
        except ValueError as error:
            raise BrokenChildError("answered without an end") from error
        if not line.endswith(b"\n"):
            raise BrokenChildError(await self._end())
        try:
            read = json.loads(line)
        except ValueError as error:
            raise BrokenChildError("answered what is not JSON") from error
        if not isinstance(read, dict):
            raise BrokenChildError("answered what is not a JSON object")
        return read

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def stop(self) -> None:
        """End the process and wait until it has ended."""
        self._stdin.close()
        self.kill()
        await self._process.wait()
        await self._listening
        with contextlib.suppress(ConnectionError):
            await self._stdin.wait_closed()
        await self._stdout.read()

    async def _end(self) -> str:
        """Return how the process ended, which closed its output."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self._process.wait()
                await self._listening
        code = self._process.returncode
        if code is None:
            return "closed its output"
        ended = (
            f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        )
        lines = self._last_words.decode("utf-8", "replace").splitlines()
        errors = [line.strip() for line in lines if "Error" in line]
        return f"{ended}: {errors[0]}" if errors else ended

    async def _listen(self, stderr: asyncio.StreamReader) -> None:
        while read := await stderr.read(4096):
            self._last_words = (self._last_words + read)[-_KEPT_ERRORS:]


async def start(installation: Installation) -> Child:
    """Start a bridge, which may be asked at once but answers when it is ready.

    Raises `OfficialUnavailableError` when it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            installation.node,
            "--input-type=module",
            f"--eval={_BRIDGE.read_text('utf-8')}",
            cwd=installation.folder,  # Where Node resolves the imports of the bridge.
            env=dict(installation.environment),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_ANSWER,
        )
    except OSError as error:
        raise _unready(f"cannot be started: {error.strerror}", installation) from error
    return Child(process, installation)


def _unready(why: str, installation: Installation) -> OfficialUnavailableError:
    return OfficialUnavailableError(
        f"The official converter cannot be used (its process {why}); remove "
        f"{installation.folder}, so that it is installed again."
    )
