"""A person before the panels of a notebook, session after session."""

from __future__ import annotations

import asyncio
import csv
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from bs4 import BeautifulSoup

from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.bodies import encode_blocks
from cmsmig.mapping.convert.field_context import FieldUse
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.design import Reviewed
from cmsmig.mapping.propose.proposals import propose_collections
from cmsmig.notebook.designing import (
    design_table,
    open_design,
)
from cmsmig.notebook.inspect.explorer import Explorer
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.previewing import (
    accept_bodies,
    bodies,
    body_fields,
    body_preview,
    embed_policies,
    open_previews,
)
from cmsmig.review.bodies import bodies_of, preview_context
from cmsmig.steps.decide.accept_proposals import accept_proposals
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.decide.pulled_origin import read_origin
from tests.support.notebook.page import Page
from tests.support.notebook.pulled_site import POSTS, pulled_workspace
from tests.support.scripts import differences
from tests.support.timelimit import patience

SPLITTING = (
    "<p>Before</p><h2>One</h2><p>First</p><p>Second</p><blockquote>Said</blockquote>"
    "<p>After</p>"
)


@dataclass
class Session:
    """A project folder with a pulled site, and the panels that are open in it."""

    folder: Path
    page: Page = field(default_factory=Page)
    _kept: dict[Path, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._workspace()

    def __getattr__(self, name: str) -> Any:
        """Be the page that is open, too."""
        return getattr(self.page, name)

    async def open_design(self, reviewer: str = "", *, dry_run: bool = False) -> None:
        """Open notebook 02 after notebook 01, in a new kernel."""
        workspace = self._workspace(dry_run)
        if not (self.folder / "decisions" / "collections.yaml").exists():
            decide_collections(workspace)
        review = await open_design(workspace)
        self.page = Page(design_table(review, reviewer))

    async def open_bodies(
        self, item: str = "", reviewer: str = "", *, dry_run: bool = False
    ) -> None:
        """Open notebook 03 after notebook 02, in a new kernel."""
        workspace = self._workspace(dry_run)
        if not (self.folder / "decisions" / "design.yaml").exists():
            await decide_all(workspace)
            for name in ("blocks", "embeds"):
                (self.folder / "decisions" / f"{name}.yaml").unlink()
        previews = open_previews(workspace, reviewer)
        panels = (bodies(previews), body_preview(previews, item), body_fields(previews))
        self.page = Page(*panels, embed_policies(previews), accept_bodies(previews))

    async def open_explorer(self, *, dry_run: bool = False) -> None:
        """Open the browser of items, and wait until all are listed."""
        workspace = self._workspace(dry_run)
        explorer = Explorer(workspace)
        self.page = Page(explorer.element())
        await self.page.until(lambda: not explorer.queue.busy, "items are still listed")

    async def rows(self, name: str, count: int, filled: list[str]) -> None:
        """Wait for a CSV with so many rows or more, these columns filled in each; no
        cell is a formula."""
        path = self.folder / name
        await self.page.until(path.exists, f"no {name}")
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [*csv.DictReader(file)]
        assert len(rows) >= count
        assert all(row[column] for row in rows for column in filled)
        cells = [str(cell) for row in rows for cell in row.values()]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]

    async def split(self) -> None:
        """Open notebook 03 on two bodies that headings and quotes split."""
        self.body("plain", SPLITTING)
        self.body("widget", "<h2>Only headings</h2><p>x</p><h2>Twice</h2>")
        await self.open_bodies("plain", "Ada")
        await self.set("blocks-mode", "blocks")
        await self.set("blocks-rule", "headings=1")
        await self.set("blocks-rule", "quotes=1")
        await self.shows("tally", "0 reviewed, 2 left")

    async def kinds(self, *wanted: str) -> None:
        """Wait until the body on show is split into blocks of these kinds."""

        def holds() -> bool:
            page = BeautifulSoup(self.html("target"), "html.parser")
            found = [each.get_text().split(" ", 1)[1] for each in page.select(".kind")]
            return found == [*wanted]

        await self.page.until(holds, f"the kinds are not {wanted}")

    async def losses(self, *wanted: str) -> None:
        """Wait until the list of losses is about these, in this order."""

        def holds() -> bool:
            page = BeautifulSoup(self.html("losses_list"), "html.parser")
            return [each.get_text() for each in page.select("td.what")] == [*wanted]

        await self.page.until(holds, f"the losses are not {wanted}")

    async def copies(self, expected: dict[str, Any]) -> None:
        """Wait until the button copies a document that holds these values."""

        def holds() -> bool:
            [tag] = self.tags("copy")
            return differences(json.loads(tag["data-copy"]), expected) == {}

        await self.page.until(holds, f"no {expected} is copied")

    async def copies_stored(self, item: str) -> None:
        """Wait until the button copies what an import as it is decided stores of a body
        of an item, file addresses aside."""
        workspace = self._workspace()
        migration = open_migration(
            workspace.project, workspace.local_settings, undecided=[]
        )
        [body] = [
            each
            for each in bodies_of(migration, DerivedFile(workspace.project.derived))
            if each.item.key.item_id == item
        ]
        context = preview_context(migration, migration.decisions.embeds)
        use = FieldUse(body.design, {}, body.item.key, context)
        wanted = encode_blocks(body.text, use).value
        assert isinstance(wanted, list)

        def holds() -> bool:
            [tag] = self.tags("copy")
            return bool(json.loads(tag["data-copy"]) == wanted)

        await self.page.until(holds, f"not {wanted} is copied")

    async def leads(self, *parts: int) -> None:
        """Insist on the parts that the lines about changes lead to."""
        page = BeautifulSoup(self.html("changed"), "html.parser")
        found = [each["data-goes"] for each in page.select("button")]
        assert found == [f"part {each}" for each in parts]

    async def opened(self, name: str) -> None:
        """Wait until the content type of this name is looked at."""

        def holds() -> bool:
            page = BeautifulSoup(self.html("table"), "html.parser")
            [shown] = page.select("li[aria-current]")
            return shown.button.get_text() == name == page.h3.get_text()

        await self.page.until(holds, f"{name} is not opened")

    def review_name(self, name: str) -> None:
        """Insist on the name that reviews are signed with."""
        assert self.tags("review-name")[0]["value"] == name

    async def dry(self, opened: str) -> None:
        """Open a notebook in a dry run."""
        await getattr(self, opened)(dry_run=True)

    def edit(self, pattern: str, old: str, new: str) -> None:
        """Replace a text in files of the project."""
        found = [each for each in self.folder.glob(pattern) if old in each.read_text()]
        assert found, f"no file {pattern} holds {old}"
        for each in found:
            each.write_text(each.read_text().replace(old, new))

    def write(self, name: str, text: str) -> None:
        """Write a file of the project."""
        (self.folder / name).write_text(text)

    def remove(self, name: str) -> None:
        """Take a file of the project away."""
        (self.folder / name).unlink()

    def fields(self, *added: dict[str, Any]) -> None:
        """Add fields to the posts as they were pulled."""
        path = self._workspace().project.raw / "collections" / f"{POSTS}.json"
        schema = json.loads(path.read_text())
        own = [{**schema["fields"][0], "id": e["slug"], **e} for e in added]
        path.write_text(json.dumps({**schema, "fields": schema["fields"] + own}))

    def body(self, item: str, html: str) -> None:
        """Give an item of the posts another body, as it was pulled."""
        path = self._workspace().project.raw / "items" / f"{POSTS}.json"
        items = json.loads(path.read_text("utf-8"))["items"]
        for each in items:
            if each["id"] == item:
                each["fieldData"]["body"] = html
        rows = ",\n".join(map(json.dumps, items))
        path.write_text(f'{{"items": [\n{rows}\n]}}\n', "utf-8")

    async def decided(self, name: str, expected: dict[str, Any]) -> None:
        """Wait until a decision file holds these values."""
        await self.file(f"decisions/{name}.yaml", expected)

    async def file(self, name: str, expected: dict[str, Any]) -> None:
        """Wait until a YAML or JSON file holds these values."""
        path, found = self.folder / name, expected
        try:
            async with asyncio.timeout(patience() / 10):
                while found:
                    await asyncio.sleep(0.01)
                    document = (
                        yaml.safe_load(path.read_text()) if path.exists() else None
                    )
                    found = differences(document, expected)
        except TimeoutError:
            raise AssertionError(f"{name} holds {found}") from None

    def keeps(self, name: str, *texts: str) -> None:
        """Insist that a file of the project holds each of these texts."""
        held = (self.folder / name).read_text("utf-8-sig")
        assert [each for each in texts if each not in held] == [], held

    def keeps_not(self, name: str, *texts: str) -> None:
        """Insist that a file of the project holds none of these texts."""
        held = (self.folder / name).read_text("utf-8-sig")
        assert [each for each in texts if each in held] == [], held

    def absent(self, name: str) -> None:
        """Insist that there is no such file."""
        assert not (self.folder / name).exists()

    def remember(self, pattern: str) -> None:
        """Keep what files of the project hold."""
        self._kept = self._held(pattern)

    def unchanged(self, pattern: str) -> None:
        """Insist that these files hold what they did."""
        assert self._held(pattern) == self._kept

    def _held(self, pattern: str) -> dict[Path, bytes]:
        found = self.folder.glob(pattern)
        return {each: each.read_bytes() for each in found if each.is_file()}

    def _workspace(self, dry_run: bool = False) -> Workspace:
        return pulled_workspace(self.folder, interactive=True, dry_run=dry_run)


def decide_collections(workspace: Workspace) -> CollectionsDecision:
    """Decide what is migrated, as notebook 01 does."""
    origin = read_origin(workspace.project, None)
    proposed = propose_collections(origin.site, origin.collections)
    signed = Reviewed("a tester", "2024-01-01T00:00:00+00:00", "in bulk")
    decision = replace(proposed, reviewed=signed)
    write_decision(workspace.project, decision)
    return decision


async def decide_all(workspace: Workspace) -> None:
    """Accept every proposal in bulk, as the command does."""
    await accept_proposals(
        workspace.project,
        workspace.local_settings,
        reviewer="a tester",
        observer=workspace.observer,
    )
