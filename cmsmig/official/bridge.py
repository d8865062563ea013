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
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import (
    OfficialError,
    OfficialFailedError,
    OfficialUnavailableError,
)
from cmsmig.events import Observer, unobserved
from cmsmig.official.child import BrokenChildError, Child, started
from cmsmig.official.install import Installation, installation

PATIENCE = 60.0
"""Seconds for one body; the largest of a site take one or two."""
IN_FLIGHT = 4
"""Bodies that are sent before the first of them is answered."""
BODIES_PER_PROCESS = 2_000
"""The package lets garbage pile up, so a process is replaced in time."""


@dataclass(frozen=True, slots=True)
class _Question:
    number: int
    what: str
    body: str
    answer: asyncio.Future[str]

    def settle(self, outcome: str | OfficialError) -> None:
        """Give the answer to who asked, unless they no longer wait."""
        if self.answer.done():
            return
        if isinstance(outcome, str):
            self.answer.set_result(outcome)
        else:
            self.answer.set_exception(outcome)


class Official:
    """The official converter; `open_official` makes one."""

    def __init__(
        self, installed: Installation, patience: float, bodies_per_process: int
    ) -> None:
        self.processes = 0
        """How many processes were started so far."""
        self._installed = installed
        self._patience = patience
        self._bodies_per_process = bodies_per_process
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._waiting: deque[_Question] = deque()
        self._asked = asyncio.Event()
        self._child: Child | None = None
        self._count = 0
        self._over: OfficialUnavailableError | None = None

    async def convert(self, html: str) -> JsonObject:
        """Return the document of an HTML body.

        Raises `OfficialFailedError` for a body that the package cannot do, and
        `OfficialUnavailableError` when it cannot be used at all.
        """
        return _document(await self.convert_text(html))

    async def markdown(self, text: str) -> JsonObject:
        """Return the document of a Markdown text; raises as `convert` does."""
        return _document(await self.markdown_text(text))

    async def render(self, document: Mapping[str, Json]) -> str:
        """Return the HTML of a document; raises as `convert` does."""
        return await self._ask("render", json.dumps(document))

    async def validate(
        self, blocks: Sequence[Json], contents: Sequence[Json]
    ) -> list[list[JsonObject]]:
        """Return the issues of each story content, by the official schema check.

        `blocks` are components in the package's own form, with `fields` and `allow`;
        the keys of the management API mean nothing to it. Raises as `convert` does.
        """
        body = json.dumps({"blocks": [*blocks], "contents": [*contents]})
        read = json.loads(await self._ask("validate", body))
        if not isinstance(read, list) or len(read) != len(contents):
            raise _failed("it did not answer for each story")
        return read

    async def convert_text(self, html: str) -> str:
        """Return the JSON of an HTML body, each byte as the package writes it."""
        return await self._ask("html", html)

    async def markdown_text(self, text: str) -> str:
        """Return the JSON of a Markdown text, each byte as the package writes it."""
        return await self._ask("markdown", text)

    async def answer_all(self) -> None:
        """Answer questions until cancelled, with as many processes as it takes."""
        over = OfficialUnavailableError(
            "The official converter was closed; open it again to ask more of it."
        )
        try:
            while True:
                await self._question()
                async with started(self._installed) as child:
                    self.processes += 1
                    await self._converse(child)
        except OfficialUnavailableError as error:
            over = error
        finally:
            self._over = over
            while self._waiting:
                self._waiting.popleft().settle(over)

    async def _ask(self, what: str, body: str) -> str:
        async with self._slots:
            if self._over is not None:
                raise self._over
            self._count += 1
            answer = asyncio.get_running_loop().create_future()
            question = _Question(self._count, what, body, answer)
            self._waiting.append(question)
            if self._child is not None:
                self._child.ask(question.number, what, body)
            self._asked.set()
            return await question.answer

    async def _question(self) -> _Question:
        """Return the oldest open question, as soon as there is one."""
        while not self._waiting:
            self._asked.clear()
            await self._asked.wait()
        return self._waiting[0]

    async def _converse(self, child: Child) -> None:
        """Take answers until the process is used up or broken."""
        for question in self._waiting:
            child.ask(question.number, question.what, question.body)
        self._child = child
        try:
            for _ in range(self._bodies_per_process):
                outcome = await self._outcome(child, await self._question())
                self._waiting.popleft().settle(outcome)
        except BrokenChildError as broken:
            self._waiting.popleft().settle(_failed(f"its process {broken}"))
        finally:
            self._child = None

    async def _outcome(self, child: Child, question: _Question) -> str | OfficialError:
        try:
            async with asyncio.timeout(self._patience):
                said = await child.answer()
        except TimeoutError as error:
            raise BrokenChildError(
                f"did not answer within {self._patience:g} seconds"
            ) from error
        if said.get("id") != question.number:
            raise BrokenChildError("answered what was not asked")
        if isinstance(result := said.get("result"), str):
            return result
        return _failed(str(said.get("error", "it gave no answer")))


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
    answering = asyncio.create_task(official.answer_all())
    try:
        yield official
    finally:
        answering.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await answering


def _document(text: str) -> JsonObject:
    read = json.loads(text)
    if not isinstance(read, dict):
        raise _failed("it made no document")
    return read


def _failed(why: str) -> OfficialFailedError:
    return OfficialFailedError(
        f"The official converter failed on this body ({why}); others are not "
        "affected, so look at this one by eye."
    )
