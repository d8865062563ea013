"""The notebooks worked by hand, in order, as `walk.yaml` says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from playwright.async_api import expect

from tests.support.browser.barriers import barriers
from tests.support.browser.book import Book
from tests.support.browser.project import Rehearsed
from tests.support.official.fakenode import FakeConverter
from tests.support.scripts import differences, play
from tests.support.timelimit import patience

REVIEWER = "A. Reviewer"
SUBSHELLS = "perCommTarget"
"""How JupyterLab serves comms of its own choice."""
NOTEBOOKS: dict[str, list[dict[str, Any]]] = yaml.load(
    Path(__file__).with_name("walk.yaml").read_text("utf-8"), yaml.CSafeLoader
)
"""What is done in each notebook, step by step."""


@dataclass
class Walk:
    """A person's way through the notebooks of a project."""

    book: Book
    rehearsed: Rehearsed
    """The project folder, the notebooks in it, and the sandbox."""
    node: FakeConverter
    """The Node that the kernel finds."""
    pictures: Path | None = None
    """Where pictures of the notebooks go, if anywhere."""
    plan: str = ""
    """The first half of the plan's hash, as notebook 04 showed it."""
    begun: str = ""
    """The notebook that is being worked; it stays when it did not work."""
    finished: list[str] = field(default_factory=list)
    """The notebooks that were worked, in order."""
    content: Mapping[str, object] = field(default_factory=dict)
    """What the space held at the end."""

    @property
    def folder(self) -> Path:
        """Return the project folder."""
        return self.rehearsed.folder

    async def through(self, notebook: str) -> None:
        """Work the notebooks up to this one, those that are not worked yet; nothing in
        them keeps people out."""
        for name, steps in NOTEBOOKS.items():
            if name > notebook:
                return
            if name in self.finished:
                continue
            assert not self.begun, f"notebook {self.begun} did not work, see there"
            self.begun = name
            (path,) = self.folder.glob(f"{name}_*.ipynb")
            await self.book.open(f"{self.folder.name}/{path.name}")
            await self.book.run_all()
            await self.book.is_at_the_top()
            await play(steps, self, self.rehearsed.gate, self.book)
            assert await barriers(self.book.page) == [], name
            await self.book.picture(self.pictures, path.stem)
            await self.book.close()
            self.finished.append(name)
            self.begun = ""

    async def settings(self, where: str) -> None:
        """Take the project's `.env` `away`, or bring it `back`."""
        env, kept = self.folder / ".env", self.folder / "env.kept"
        (env if where == "away" else kept).rename(kept if where == "away" else env)

    async def write(self, name: str, text: str) -> None:
        """Write a file of the project; without a text, take it away."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        if not text:
            path.unlink()

    async def comes(self, name: str, text: str) -> None:
        """Wait until a file of the project holds a text."""
        path = self.folder / name
        async with asyncio.timeout(patience()):
            while text not in (path.read_text("utf-8") if path.exists() else ""):
                await asyncio.sleep(0.02)

    async def decided(self, name: str, expected: dict[str, Any]) -> None:
        """Insist on what a decision file holds; it says who took it, and by hand."""
        text = (self.folder / "decisions" / f"{name}.yaml").read_text("utf-8")
        signed = {"reviewed.by": REVIEWER, "reviewed.how": "individually"}
        found = differences(yaml.safe_load(text), signed | expected)
        assert not found, found

    async def official(self, what: str) -> None:
        """Let the official converter `hold` or `go_on`."""
        getattr(self.node, what)()

    async def hostile_body(self) -> None:
        """See a body in its panes, with its document and without, and click what would
        be a link."""
        book = self.book
        origin = book.region("origin")
        await expect(origin.get_by_text("script, not run").first).to_be_visible()
        narrow = await origin.bounding_box()
        await book.click("body-wide")
        await book.reads(".cmsmig-body-wide", "Show document")
        wide = await origin.bounding_box()
        assert wide["width"] > 1.25 * narrow["width"]
        await book.click("body-wide")
        await origin.get_by_text("Follow the hostile link").first.click()
        for each in book.page.frames:
            await expect(each.locator("a[href^='javascript:']")).to_have_count(0)

    async def note_the_plan(self) -> None:
        """Keep the plan's hash."""
        shown = self.book.output("new stor").first
        self.plan = re.search(r"Plan ([0-9a-f]{16})", await shown.inner_text())[1]

    async def stop_and_go_on(
        self, step: str, method: str, path: str, after: int = 3, start: str = "Go on"
    ) -> None:
        """Start a step, stop it when some of its requests are through, go on."""
        book, gate = self.book, self.rehearsed.gate
        gate.hold(method, path, after)
        await book.click(f"{step}-start")
        await gate.reached()
        await book.click(f"{step}-stop")
        await book.sees("Stopping after the calls in flight")
        gate.release()
        await book.sees("Stopped")
        await book.labelled(f"{step}-start", start)
        await book.click(f"{step}-start")
        await expect(book.control(f"{step}-stop")).to_be_disabled()

    async def is_done(self, step: str) -> None:
        """Insist that the step is done, and that stopping it had left it something."""
        book = self.book
        await book.labelled(f"{step}-start", "Run this step again")
        lines = book.outputs().get_by_text(re.compile(r"writes: \d"))
        said = await lines.all_inner_texts()
        assert said
        assert not any(each.endswith("writes: 0") for each in said)
