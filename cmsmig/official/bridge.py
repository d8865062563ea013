"""The official converter and schema check as coroutines, over one Node process that
lasts.

The process answers questions one after the other; several are on their way, so
that it never waits for us. A body that kills or hangs it fails alone: those
behind it are asked again of the next process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import OfficialFailedError, OfficialUnavailableError
from cmsmig.events import Observer, unobserved
from cmsmig.official.install import Installation, installation

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


PATIENCE = 60.0
"""Seconds for one body; the largest of a site take one or two."""
IN_FLIGHT = 4
"""Bodies that are sent before the first of them is answered."""
BODIES_PER_PROCESS = 2_000
"""The package lets garbage pile up, so a process is replaced in time."""


class Official:
    """The official converter; `open_official` makes one."""

    def __init__(
        self, installed: Installation, patience: float, bodies_per_process: int
    ) -> None:
        self._installed = installed
        self._patience = patience
        self._bodies_per_process = bodies_per_process
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._turn = asyncio.Lock()
        """Its holder reads the next answer; questions get theirs in order."""
        self._open: dict[int, tuple[str, str]] = {}
        """The questions without an answer, by number; the process has all of them."""
        self._count = 0
        self._child: Child | None = None
        self._left = 0
        """How many bodies the process still converts before it is replaced."""
        self._over: OfficialUnavailableError | None = None

    async def validate(
        self, blocks: Sequence[Json], contents: Sequence[Json]
    ) -> list[list[JsonObject]]:
        """Return the issues of each story content, by the official schema check.

        `blocks` are components in the package's own form, with `fields` and `allow`;
        the keys of the management API mean nothing to it. Raises as `convert_text`
        does.
        """
        body = json.dumps({"blocks": [*blocks], "contents": [*contents]})
        read = json.loads(await self._ask("validate", body))
        if not isinstance(read, list) or len(read) != len(contents):
            raise _failed("it did not answer for each story")
        return read

    async def convert_text(self, html: str) -> str:
        """Return the JSON of an HTML body, each byte as the package writes it.

        Raises `OfficialFailedError` for a body that the package cannot do, and
        `OfficialUnavailableError` when it cannot be used at all.
        """
        return await self._ask("html", html)

    async def markdown_text(self, text: str) -> str:
        """Return the JSON of a Markdown text; raises as `convert_text` does."""
        return await self._ask("markdown", text)

    async def render(self, document: Json) -> str:
        """Return the HTML of a document; raises as `convert_text` does."""
        return await self._ask("render", json.dumps(document))

    async def close(self) -> None:
        """End the process; callers that still wait for an answer get an error."""
        self._over = OfficialUnavailableError(
            "The official converter was closed; open it again to ask more of it."
        )
        if self._child is not None:
            self._child.kill()
        async with self._turn:
            await self._end()

    async def _ask(self, what: str, body: str) -> str:
        async with self._slots:
            self._count += 1
            number = self._count
            self._open[number] = what, body
            if self._child is not None:
                self._child.ask(number, what, body)
            try:
                async with self._turn:
                    if self._over is not None:
                        raise self._over
                    return await self._answer(number)
            finally:
                del self._open[number]

    async def _answer(self, number: int) -> str:
        child = self._child or await self._begin()
        try:
            said = await self._said(child, number)
        except BrokenChildError as broken:
            await self._end()
            raise self._over or _failed(f"its process {broken}") from broken
        self._left -= 1
        if self._left == 0:
            await self._end()
        if isinstance(result := said.get("result"), str):
            return result
        raise _failed(str(said.get("error", "it gave no answer")))

    async def _said(self, child: Child, number: int) -> Mapping[str, object]:
        try:
            async with asyncio.timeout(self._patience):
                said = await child.answer()
                while said.get("id") in range(1, number):
                    # Who asked that does not wait any more.
                    said = await child.answer()
        except TimeoutError as error:
            raise BrokenChildError(
                f"did not answer within {self._patience:g} seconds"
            ) from error
        if said.get("id") != number:
            raise BrokenChildError("answered what was not asked")
        return said

    async def _begin(self) -> Child:
        """Start a process and ask it all that is open."""
        self._child = child = await start(self._installed)
        self._left = self._bodies_per_process
        for number, (what, body) in self._open.items():
            child.ask(number, what, body)
        try:
            await child.get_ready()
        except BaseException as error:
            if isinstance(error, OfficialUnavailableError):
                self._over = self._over or error
            await self._end()
            raise
        return child

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.stop()


@asynccontextmanager
async def open_official(
    cache: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    observer: Observer = unobserved,
    patience: float = PATIENCE,
    bodies_per_process: int = BODIES_PER_PROCESS,
) -> AsyncIterator[Official]:
    """Open the official converter, which is installed first where it is not yet.

    `cache` is the folder of installations, the user's cache folder by default;
    `environ` the environment that Node and npm get; `patience` the seconds that
    one body may take. Raises `OfficialUnavailableError` without Node or npm, or
    when the installation is refused; later ones are raised by the questions.
    """
    installed = await installation(cache, environ=environ, observer=observer)
    official = Official(installed, patience, bodies_per_process)
    try:
        yield official
    finally:
        await official.close()


def _failed(why: str) -> OfficialFailedError:
    return OfficialFailedError(
        f"The official converter failed on this body ({why}); others are not "
        "affected, so look at this one by eye."
    )
