"""How long notebooks 01 and 03 take to open, and how fast their lists answer a key.

usage: panels.py [--bodies N] [--keys] [--folder DIR]

Opening: the panels about bodies of both notebooks are made without a browser, twice in
processes of their own; the second time finds what the first one kept. Keys (needs
Chromium; in the folder of an opening they find what that kept): in a JupyterLab, from
the key to the change in the page and its layout; the median and the 95th percentile.
The cursor stays in the browser; what else is asked goes to the kernel and back.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.async_api import Page, async_playwright

from cmsmig.run.locations import notebooks_folder
from tests.browser.test_review import pulled
from tests.proofs.measuring.processes import MEGABYTE, measured
from tests.proofs.measuring.results import print_table, tell
from tests.support.browser.book import Book
from tests.support.browser.chromium import chromium
from tests.support.browser.lab import Lab, running_lab

_TIMES = 42
_OPEN = """
import sys
from cmsmig.notebook.kit.workspace import open_workspace
workspace = open_workspace(sys.argv[1], interactive=False)
{}
"""
_PANELS = {
    "01": """
from cmsmig.notebook.inspection import explore_items, not_migratable, richtext_census
for panel in (explore_items, richtext_census, not_migratable):
    panel(workspace).html()
""",
    "03": """
from cmsmig.notebook.previewing import bodies, body_preview, embed_policies
from cmsmig.notebook.previewing import open_previews
previews = open_previews(workspace)
for panel in (bodies, body_preview, embed_policies):
    panel(previews).html()
""",
}
_NOTEBOOKS = {
    "01": ("01_inspect_origin.ipynb", "explore"),
    "03": ("03_preview_rich_text.ipynb", "body"),
}
_KEYS = {
    "cursor": ("j", "k"),
    "page": ("]", "["),
    "open, next, back": ("Enter", "n", "b"),
}
_PRESS = """async ([prefix, key]) => {
  const field = document.querySelector(`.cmsmig-${prefix}-search`);
  const panel = field.closest(".cmsmig-live");
  const row = panel.querySelector("tr[aria-current=true] button");
  const active = document.activeElement;
  const at = panel.contains(active) && active.checkVisibility() ? active : row ?? panel;
  const changed = new Promise((done) => {
    const seen = new MutationObserver(() => { seen.disconnect(); done(); });
    seen.observe(panel, {subtree: true, childList: true, attributes: true});
  });
  const start = performance.now();
  at.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  if (key === "Enter") (row ?? at).click();
  await Promise.race([changed, new Promise((done) => setTimeout(done, 5000))]);
  panel.getBoundingClientRect();
  return performance.now() - start;
}"""
_SEARCH = """async ([prefix, text]) => {
  const field = document.querySelector(`.cmsmig-${prefix}-search input`);
  const panel = field.closest(".cmsmig-live");
  const changed = new Promise((done) => {
    const seen = new MutationObserver(() => { seen.disconnect(); done(); });
    seen.observe(panel, {subtree: true, childList: true, characterData: true});
  });
  field.value = text;
  const start = performance.now();
  field.dispatchEvent(new Event("change", {bubbles: true}));
  await Promise.race([changed, new Promise((done) => setTimeout(done, 5000))]);
  return performance.now() - start;
}"""


def main() -> int:
    """Measure, and print the tables."""
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="cmsmig-bench-") as made:
        folder = asked.folder or Path(made)
        os.environ["CMSMIG_STATE_DIR"] = str(folder / "lab" / "state")
        if asked.keys:
            print_table(asyncio.run(_keys(folder, asked.bodies)))
        else:
            asyncio.run(pulled(folder / "opened", asked.bodies))
            print_table(_openings(folder / "opened"))
    return 0


def _openings(project: Path) -> Iterator[dict[str, object]]:
    for notebook, panels in _PANELS.items():
        for time in ("first", "second"):
            tell(f"notebook {notebook}, {time} time")
            command = [sys.executable, "-c", _OPEN.format(panels), str(project)]
            took = measured(command)
            yield {
                "notebook": notebook,
                "opened": time,
                "s": f"{took.seconds:.2f}",
                "CPU s": f"{took.cpu:.2f}",
                "peak MB": f"{took.peak / MEGABYTE:.0f}",
            }


async def _keys(folder: Path, bodies: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    opened = folder / "opened"
    if not opened.exists():
        await pulled(opened, bodies)
    for notebook in notebooks_folder().glob("0*.ipynb"):
        shutil.copy(notebook, opened)
    async with running_lab(folder / "lab") as lab, async_playwright() as playwright:
        # No copy: what was kept is of these very files.
        project = lab.root / "keys"
        project.symlink_to(opened)
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        for notebook, (name, prefix) in _NOTEBOOKS.items():
            async with Book.opened(browser, lab, f"{project.name}/{name}") as book:
                tell(f"notebook {notebook}")
                await book.run_all()
                await _is_scanned(book, notebook)
                taken = await _pressed(book.page, prefix)
                rows += [_row(notebook, what, each) for what, each in taken.items()]
                rows.append(await _memory(lab, notebook))
        await browser.close()
    return rows


async def _is_scanned(book: Book, notebook: str) -> None:
    if notebook == "01":
        await book.is_empty("explore_progress")
    else:
        await book.shows("tally", "all")
        await book.click("body-back")


async def _pressed(page: Page, prefix: str) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {}
    # The first key enters the list: JupyterLab then activates the cell, once.
    await page.evaluate(_PRESS, [prefix, "j"])
    for what, keys in _KEYS.items():
        for number in range(_TIMES):
            key = keys[number % len(keys)]
            took = await page.evaluate(_PRESS, [prefix, key])
            taken.setdefault(what, []).append(took)
            if what != "cursor":
                await page.wait_for_timeout(150)
    for number in range(_TIMES):
        text = f"article 0{number:02}" if number % 2 else ""
        took = await page.evaluate(_SEARCH, [prefix, text])
        taken.setdefault("search", []).append(took)
        await page.wait_for_timeout(150)
    return taken


def _row(notebook: str, what: str, taken: list[float]) -> dict[str, object]:
    return {
        "notebook": notebook,
        "key": what,
        "median ms": f"{statistics.median(taken):.1f}",
        "p95 ms": f"{statistics.quantiles(taken, n=20)[-1]:.1f}",
    }


async def _memory(lab: Lab, notebook: str) -> dict[str, object]:
    """Return the memory of the largest kernel that runs."""
    held = [
        int(line.split()[1])
        for process in Path("/proc").glob("[0-9]*")
        if b"ipykernel" in _read(process / "cmdline")
        and str(lab.root).encode() in _read(process / "environ")
        for line in _read(process / "status").decode().splitlines()
        if line.startswith("VmRSS")
    ]
    held.append(0)
    return {
        "notebook": notebook,
        "key": "kernel memory, MB",
        "median ms": f"{max(held) / 1000:.0f}",
        "p95 ms": "",
    }


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument(
        "--keys", action="store_true", help="measure keys, not openings"
    )
    parser.add_argument("--folder", type=Path, help="keep what is made here")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
