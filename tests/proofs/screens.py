"""How long the notebooks are in JupyterLab: screens of 1440 x 900, on a site of 29
collections, on the first day and after an import.

usage: python -m tests.proofs.screens [--pictures FOLDER] [--dark] [--cells]
                                      [--only NN]...

Counts the screens of each notebook, and on which one its first control is that is
meant to be used. Exits 1 when the notebooks together take more than is promised.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.async_api import async_playwright

from tests.proofs.growth.site import GrowingSite
from tests.proofs.measuring.processes import Project, project
from tests.proofs.measuring.results import print_table, tell
from tests.support.browser.barriers import THEMES, choose_theme
from tests.support.browser.book import Book
from tests.support.browser.chromium import chromium
from tests.support.browser.lab import Lab, running_lab

COLLECTIONS = 29
ITEMS = 33 * COLLECTIONS
PROMISED = 30
"""Screens of all notebooks together, on either day."""
WINDOW = {"width": 1440, "height": 900}
_COLLAPSE = "() => window.jupyterapp.shell.collapseLeft()"
_MEASURE = """() => {
  const cells = [...document.querySelectorAll(".jp-Notebook .jp-Cell")];
  const screen = window.theNotebook.content.outerNode.clientHeight;
  const top = cells[0].getBoundingClientRect().top;
  const bottom = cells.at(-1).getBoundingClientRect().bottom;
  const decides = ".cmsmig-live :is(button, select, input):not(.plain)";
  const first = document.querySelector(".cmsmig-live .main:not([aria-disabled])")
    ?? document.querySelector(decides);
  const at = first ? first.getBoundingClientRect().top - top : 0;
  return {
    screens: (bottom - top) / screen,
    first: first ? 1 + Math.floor(at / screen) : 0,
    cells: cells.map(each => [
      each.getBoundingClientRect().height / screen,
      each.textContent.trim().slice(0, 40),
    ]),
  };
}"""
_STILL = 8
"""Seconds without a change of height before a notebook is measured."""
_UNDECIDED = {
    "02": ("design", "blocks", "embeds"),
    "03": ("blocks", "embeds"),
    "04": (),
}
"""The decisions that are still to be taken when a notebook is opened."""
_STEPS = {"05": ("prepare",), "06": ("create",), "07": ("link", "publish")}
"""The commands that were run before a notebook is opened."""
_SPACER = "<p>\u200d</p>"


@dataclass(frozen=True)
class Measured:
    """One notebook."""

    screens: float
    first: int
    """On which screen the first control is; 0 without any."""
    cells: list[list[object]]


@dataclass
class Reader:
    """Opens notebooks as a person does, and measures them."""

    book: Book
    pictures: Path | None

    async def measure(self, path: Path, name: str) -> Measured:
        """Run a notebook and return how long it is once nothing changes."""
        await self.book.open(f"project/notebooks/{path.name}")
        await self.book.page.evaluate(_COLLAPSE)
        await self.book.run_all()
        measured = await self._settled()
        await self.book.picture(self.pictures, f"{name}-{path.stem}")
        await self.book.page.set_viewport_size(WINDOW)
        await self.book.close()
        return measured

    async def _settled(self) -> Measured:
        """Wait until the notebook's height stays."""
        last = Measured(**await self.book.page.evaluate(_MEASURE))
        same = 0
        while same < _STILL:
            await asyncio.sleep(0.5)
            now = Measured(**await self.book.page.evaluate(_MEASURE))
            same = same + 1 if abs(now.screens - last.screens) < 0.01 else 0
            last = now
        return last


def write_site(folder: Path) -> None:
    """Write a site with findings of a real one: blanks in texts, references to items
    that are gone."""
    GrowingSite(ITEMS, COLLECTIONS).write(folder)
    for path in [*folder.glob("items/*.json"), *folder.glob("live/*.json")]:
        _edit(path, _with_findings)


def _with_findings(number: int, fields: dict) -> None:
    if number % 4 == 0:
        fields["text"] += _SPACER
    if number % 11 == 0:
        fields["next"] = "0" * 24


def _edited(number: int, fields: dict) -> None:
    if number % 15 == 0:
        fields["summary"] = f"{fields['summary']}, edited at the origin"


def _edit(path: Path, change: object) -> None:
    items = json.loads(path.read_text("utf-8"))["items"]
    for number, each in enumerate(items):
        change(number, each["fieldData"])
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in items)
    path.write_text(f'{{"items": [\n{lines}\n]}}\n', "utf-8")


def the_next_day(made: Project) -> None:
    """Let people edit on both sides since the import, some of them the same fields."""
    for path in (made.folder / "raw").glob("*/*.json"):
        if path.parent.name in ("items", "live"):
            _edit(path, _edited)
    for story in list(stories(made))[::40]:
        edit_story(made, story["id"])


def stories(made: Project) -> Iterator[dict]:
    """Yield what the space lists of each story."""
    for page in range(1, 100):
        found = _asked(made, "GET", f"stories?per_page=100&page={page}")["stories"]
        yield from (each for each in found if not each["is_folder"])
        if len(found) < 100:
            return


def edit_story(made: Project, story: int) -> None:
    """Edit a story as an editor does."""
    read = _asked(made, "GET", f"stories/{story}")["story"]
    content = read["content"]
    content["summary"] = f"{content.get('summary', '')}, edited in the space"
    _asked(made, "PUT", f"stories/{story}", {"story": {"content": content}})


def _asked(made: Project, method: str, path: str, body: object = None) -> dict:
    served = made.served.announced
    answer = httpx.request(
        method,
        f"{served['base_url']}/spaces/{served['space_id']}/{path}",
        headers={"Authorization": served["destination_token"]},
        json=body,
        trust_env=False,
    )
    answer.raise_for_status()
    return answer.json()


@asynccontextmanager
async def site_in_lab(
    write: Callable[[Path], None], given: argparse.Namespace
) -> AsyncIterator[tuple[Project, Reader]]:
    """Begin the project of a site, which `write` writes, in a JupyterLab and a browser
    of the promised size."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-screens-") as temporary:
        folder = Path(temporary)
        write(folder / "content")
        async with running_lab(folder) as lab:
            with project(lab.root, folder / "content", rate=1000) as made:
                async with _reading(lab, given) as reader:
                    yield made, reader


@asynccontextmanager
async def _reading(lab: Lab, given: argparse.Namespace) -> AsyncIterator[Reader]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = await browser.new_page(viewport=WINDOW)
        book = await Book.at(lab, page)
        if given.dark:
            await choose_theme(page, THEMES[1])
        yield Reader(book, given.pictures)
        await browser.close()


async def main(arguments: Sequence[str]) -> int:
    """Measure both days; print a table; return the exit code."""
    given = _arguments(arguments)
    async with site_in_lab(write_site, given) as (made, reader):
        days = await _days(made, reader, given)
    totals = [sum(each.screens for each in day.values()) for day in days]
    print_table(_rows(days))
    print(f"\n{totals[0]:.1f} screens on the first day, {totals[1]:.1f} on the second")
    return int(max(totals) > PROMISED)


async def _days(
    made: Project, reader: Reader, given: argparse.Namespace
) -> list[dict[str, Measured]]:
    notebooks = sorted((made.folder / "notebooks").glob("0*.ipynb"))
    chosen = [
        each for each in notebooks if not given.only or each.name[:2] in given.only
    ]
    days: list[dict[str, Measured]] = []
    for day in ("day-1", "day-2"):
        found: dict[str, Measured] = {}
        for path in notebooks:
            name = path.name[:2]
            if day == "day-1":
                _begin(made, name)
            if path in chosen:
                found[name] = await reader.measure(path, day)
                tell(f"{day} {path.name}: {found[name].screens:.1f} screens")
                for height, text in found[name].cells:
                    if given.cells:
                        tell(f"    {height:.2f} {text}")
        days.append(found)
        if day == "day-1":
            the_next_day(made)
    return days


def _begin(made: Project, name: str) -> None:
    """Bring the project to where a person opens a notebook for the first time."""
    if name == "01":
        made.run("pull")
    if name in _UNDECIDED:
        made.run("decide", "--accept-proposals", "--reviewer", "a person")
        for each in _UNDECIDED[name]:
            (made.folder / "decisions" / f"{each}.yaml").unlink()
    for step in _STEPS.get(name, ()):
        made.run(step, codes=(0, 1))


def _rows(days: Sequence[dict[str, Measured]]) -> Iterator[dict[str, object]]:
    for name in days[0]:
        first, second = (day[name] for day in days)
        yield {
            "notebook": name,
            "screens, day 1": f"{first.screens:.1f}",
            "first control on screen": first.first,
            "screens, day 2": f"{second.screens:.1f}",
            "first control on screen, day 2": second.first,
        }


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pictures", type=Path, help="folder for whole pictures")
    parser.add_argument("--dark", action="store_true", help="in the dark theme")
    parser.add_argument("--cells", action="store_true", help="the height of each cell")
    parser.add_argument("--only", action="append", metavar="NN", help="a notebook")
    return parser.parse_args(given)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
