"""How many clicks, or presses of keys, each decision of both days takes on a site of
29 collections; and that each is in its file.

usage: python -m tests.proofs.clicks

Each task is done by mouse and by keys alone, each time about another item. A text that
is typed is one press, a drop-down two clicks. Keys begin in the panel, where the button
of the next step leads. Exits 1 when a task takes more than is promised.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from playwright.async_api import Locator, expect

from tests.proofs.measuring.processes import Project
from tests.proofs.measuring.results import print_table, tell
from tests.proofs.screens import (
    COLLECTIONS,
    edit_story,
    site_in_lab,
    stories,
    write_site,
)
from tests.support.browser.book import Book
from tests.support.browser.hands import Hand, Keys, Mouse
from tests.support.steps.origin_edits import edit_items, read_items, write_items
from tests.support.timelimit import patience

TEN, TWENTY = 10, 20
LOOK = 200  # milliseconds for which a person looks at a body at least
CONFLICTS = ((15, 30, 45), (60, 75, 90))
WITHDRAWN, DELETED = (34, 35), (62, 63)
"""The items of the second day, by turn."""
KEEP_THEIRS, UNPUBLISH, DELETE, UNDO = (
    f"button:text-matches('^{said}$')"
    for said in ("keep theirs", "unpublish it", "delete it", "undo")
)
_BACK = "() => window.jupyterapp.shell.activateById(window.theNotebook.id)"
_CELLS_RUN = """() => Math.max(0, ...window.theNotebook.content.widgets
  .map(cell => cell.model.type === "code" ? cell.model.executionCount ?? 0 : 0))"""


@dataclass
class Day:
    """A project, the notebook that is open, and the hand that works it."""

    made: Project
    book: Book
    hand: Hand = field(init=False)

    def panel(self, name: str) -> Locator:
        """Return a panel of the open notebook."""
        return self.book.page.locator(f"[data-panel={name}]")

    def control(self, panel: str, name: str) -> Locator:
        """Return the first control of a name in a panel."""
        found = self.panel(panel).locator(f".cmsmig-{name}")
        inner = found.locator("select, input")
        return inner.or_(found.and_(self.book.page.locator("button"))).first

    def row(self, panel: str, title: str, what: str) -> Locator:
        """Return what a row has: the button that says something, or the drop-down."""
        rows = self.panel(panel).locator("tr[data-item]")
        row = rows.filter(has=self.book.page.get_by_text(title, exact=True)).first
        return row.locator(what).first

    async def open(self, number: str) -> None:
        """Open a notebook and run it."""
        (path,) = (self.made.folder / "notebooks").glob(f"{number}_*.ipynb")
        await self.book.open(f"project/notebooks/{path.name}")
        await self.book.run_all()

    def decisions(self, name: str) -> Any:
        """Return what a decision file holds; None where there is none."""
        path = self.made.folder / "decisions" / f"{name}.yaml"
        return yaml.safe_load(path.read_text("utf-8")) if path.exists() else None

    async def holds(self, name: str, decided: Callable[[Any], bool]) -> None:
        """Wait until a decision file holds what was decided."""
        async with asyncio.timeout(patience()):
            while not ((now := self.decisions(name)) and decided(now)):
                await asyncio.sleep(0.05)


Task = Callable[[Day, int], Awaitable[None]]
"""Does a task with the hand, the first time about one item, then about another."""


async def choose_item_set(day: Day, turn: int) -> None:
    chosen = day.row("item-set", f"Section {3 + turn}", "select")
    await day.hand.choose(chosen, "live")
    slug = f"section-{3 + turn:02}"
    await day.holds("collections", lambda now: _of(now, slug)["items"] == "live")


async def leave_out(day: Day, turn: int) -> None:
    await day.hand.write(day.control("explore", "explore-search"), f"item-{104 + turn}")
    await expect(day.panel("explore").locator("tr[data-item]")).to_have_count(1)
    taken = day.row("explore", f"Item {104 + turn}", "select")
    await day.hand.choose(taken, "leave out")
    slug = f"section-{18 + turn:02}"
    await day.holds("collections", lambda now: "apart" in _of(now, slug))


async def edit_and_accept(day: Day, turn: int) -> None:
    field_name = ("Summary", "Position")[turn]
    opened = day.panel("design").locator(".field", has_text=field_name).first
    await day.hand.press(opened.locator("summary"))
    label = opened.locator(".cmsmig-design-field-label input")
    await day.hand.write(label, f"{field_name} changed")
    await day.hand.press(day.control("design", "design-accept"))
    await day.holds(
        "design",
        lambda now: now["reviewed"] and f"{field_name} changed" in str(now),
    )


async def store_all_fields(day: Day, turn: int) -> None:
    stored, mode = (("blocks", "blocks"), ("one rich text", "one_richtext"))[turn]
    await day.hand.choose(day.control("blocks", "blocks-field"), "all fields")
    await day.hand.choose(day.control("blocks", "blocks-mode"), stored)
    await day.holds("blocks", lambda now: {e["mode"] for e in now["bodies"]} == {mode})


async def split_and_accept(day: Day, turn: int) -> None:
    hand = day.hand
    await hand.begin("blocks")
    await hand.choose(day.control("blocks", "blocks-field"), f"Section {1 + turn}:")
    await hand.choose(day.control("blocks", "blocks-mode"), "blocks")
    quotes = day.panel("blocks").locator(".cmsmig-blocks-rule", has_text="quotes")
    await hand.press(quotes.locator("input"))
    await hand.begin("body")
    await expect(day.book.region("tally")).to_contain_text("left")
    before, title = _reviews(day.decisions("blocks")), day.book.region("title")
    if "unreviewed" not in await title.inner_text():
        await hand.press(day.control("body", "body-review"))
    for number in range(1, TEN + 1):
        await expect(title).to_contain_text("unreviewed")
        name = (await title.inner_text()).partition(" —")[0]
        await hand.press(day.control("body", "review-accept"))
        await expect(day.book.region("body_said")).to_contain_text(f"Accepted: {name}")
        await day.book.page.wait_for_timeout(LOOK)
        await day.holds("blocks", lambda now, n=number: _reviews(now) == before + n)


async def accept_the_rest(day: Day, turn: int) -> None:
    many = day.panel("body").locator("summary", has_text="Accept many at once")
    if await many.locator("xpath=..").get_attribute("open") is None:
        await day.hand.press(many)
    await day.hand.press(day.control("body", "review-all"))
    await expect(day.book.region("tally")).to_contain_text(" 0 left")
    await day.holds("blocks", lambda now: all(each["by"] for each in now["reviews"]))


async def decide_conflicts(day: Day, turn: int) -> None:
    for number in CONFLICTS[turn]:
        await day.hand.press(day.row("changes", _story(number), KEEP_THEIRS))
        await day.holds("conflicts", lambda now, n=number: _decided(now, "edits", n))


async def unpublish(day: Day, turn: int) -> None:
    number = WITHDRAWN[turn]
    await day.hand.press(day.row("changes", _story(number), UNPUBLISH))
    await day.holds("conflicts", lambda now: _decided(now, "edits", number))


async def delete_and_undo(day: Day, turn: int) -> None:
    number = DELETED[turn]
    await day.hand.press(day.row("changes", _story(number), DELETE))
    await day.holds("conflicts", lambda now: _decided(now, "gone", number))
    await day.hand.press(day.row("changes", _story(number), UNDO))
    await day.holds("conflicts", lambda now: not _decided(now, "gone", number))


async def decide_addresses(day: Day, turn: int) -> None:
    search = day.control("redirects", "redirects-search")
    await day.hand.write(search, f"section-{28 + turn}")
    all_listed = day.panel("redirects").locator(".cmsmig-redirects-all")
    await day.hand.press(all_listed.filter(has_text=f"gone (410): {TWENTY}"))
    many = TWENTY + TWENTY * turn
    await day.holds("redirects", lambda now: len(now["addresses"]) == many)


async def read_what_is_left(day: Day, turn: int) -> None:
    await day.hand.press(day.control("verify", "verify-start"))
    await expect(day.panel("verify")).to_contain_text("differences between decisions")
    await day.hand.begin("report")
    await day.hand.press(day.control("report", "report-write"))
    await expect(day.control("report", "report-open")).to_be_visible()
    await day.hand.press(day.control("report", "report-open"), leaves=True)
    await expect(day.book.page.locator(".jp-HTMLViewer")).to_have_count(1)
    assert [*day.made.folder.glob("reports/*/report.html")]
    await day.book.page.evaluate(_BACK)


@dataclass(frozen=True)
class Known:
    """A task, and the most presses that it may take."""

    what: str
    panel: str
    task: Task
    clicks: int
    presses: int


DAY_ONE = {
    "01": (
        Known("choose an item set", "item-set", choose_item_set, 2, 6),
        Known("leave out one item", "explore", leave_out, 4, 6),
    ),
    "02": (Known("accept a design after one edit", "design", edit_and_accept, 4, 25),),
    "03": (
        Known("store all fields as blocks, or not", "blocks", store_all_fields, 4, 4),
        Known("split a field, accept ten bodies", "blocks", split_and_accept, 16, 22),
        Known("accept the other bodies at once", "body", accept_the_rest, 2, 22),
    ),
}
DAY_TWO = {
    "04": (
        Known("decide three conflicts", "changes", decide_conflicts, 3, 20),
        Known("unpublish a withdrawn page", "changes", unpublish, 1, 10),
        Known("delete a story and undo it", "changes", delete_and_undo, 2, 12),
    ),
    "07": (
        Known("decide twenty addresses", "redirects", decide_addresses, 3, 12),
        Known("read what is left", "verify", read_what_is_left, 3, 8),
    ),
}


def _number(item: dict) -> int:
    return item["fieldData"]["position"]


def _of(decisions: Any, slug: str) -> dict:
    return next(e for e in decisions["collections"] if e["collection"] == slug)


def _reviews(decisions: Any) -> int:
    return sum(bool(each["by"]) for each in decisions.get("reviews") or ())


def _story(number: int) -> str:
    return f"Item {number} ({_path(number)})"


def _path(number: int) -> str:
    return f"section-{number % COLLECTIONS + 1:02}/item-{number}"


def _decided(decisions: Any, kind: str, number: int) -> bool:
    return _path(number) in [each["what"] for each in decisions.get(kind) or ()]


def write_content(folder: Path) -> None:
    """Write the site; twenty pages of two collections are archived and still online."""
    write_site(folder)
    for path in folder.glob("items/*.json"):
        items = read_items(path)
        places = {_number(each) % COLLECTIONS for each in items}
        if places <= {COLLECTIONS - 2, COLLECTIONS - 1}:
            online = [e for e in items if not e["isDraft"] and not e["isArchived"]]
            for each in online[:TWENTY]:
                each["isArchived"] = True
            write_items(path, items)


def the_next_day(made: Project) -> None:
    """Let people edit, withdraw and delete at the origin, and edit in the space."""
    edited = {each for turn in CONFLICTS for each in turn}

    def change(item: dict) -> dict | None:
        number, data = _number(item), item["fieldData"]
        if number in DELETED:
            return None
        if number in WITHDRAWN:
            return {**item, "isDraft": True, "lastPublished": None}
        if number not in edited:
            return item
        summary = f"{data['summary']}, edited at the origin"
        return {**item, "fieldData": {**data, "summary": summary}}

    edit_items(made, change)
    edit_items(made, lambda e: None if _number(e) in WITHDRAWN else e, ("live",))
    for story in stories(made):
        if story["slug"] in {f"item-{each}" for each in edited}:
            edit_story(made, story["id"])


async def work(day: Day, tasks: Sequence[Known]) -> list[dict[str, object]]:
    """Do all tasks by mouse, then all by keys; return what each took."""
    found: list[dict[str, Any]] = [{"task": known.what} for known in tasks]
    for turn, make in enumerate((Mouse, Keys)):
        for known, row in zip(tasks, found, strict=True):
            day.hand = hand = make(day.book.page)
            cells = await day.book.page.evaluate(_CELLS_RUN)
            await hand.begin(known.panel)
            await known.task(day, turn)
            cells = await day.book.page.evaluate(_CELLS_RUN) - cells
            row[hand.name], row["cells"] = hand.presses, row.get("cells", 0) + cells
            tell(f"{known.what}: {hand.presses} by {hand.name}")
    for known, row in zip(tasks, found, strict=True):
        kept = row["mouse"] <= known.clicks and row["keys"] <= known.presses
        row["cells run by hand"] = row.pop("cells")
        row["as promised"] = "yes" if kept else "no"
    return found


async def both_days(made: Project, book: Book) -> list[dict[str, object]]:
    """Walk through both days; return what each task took."""
    day, found = Day(made, book), []
    made.decided()
    made.edit({"publish: nothing": "publish: what_is_live"})
    (made.folder / "reviewer.txt").write_text("a person\n", "utf-8")
    for notebooks in (DAY_ONE, DAY_TWO):
        for number, tasks in notebooks.items():
            await day.open(number)
            found += await work(day, tasks)
            await book.close()
        made.run("import", codes=(0, 1))
        if notebooks is DAY_ONE:
            the_next_day(made)
    return found


async def main(arguments: Sequence[str]) -> int:
    """Print what each task takes; return whether one takes more than is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.set_defaults(dark=False, pictures=None)
    given = parser.parse_args(arguments)
    async with site_in_lab(write_content, given) as (made, reader):
        found = await both_days(made, reader.book)
    print_table(found)
    return int(any(row["as promised"] == "no" for row in found))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
