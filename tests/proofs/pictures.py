"""Pictures of notebooks at work on the sample site, for README and docs.

usage: python -m tests.proofs.pictures FOLDER
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.async_api import async_playwright, expect

from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.sandbox.options import SandboxOptions
from tests.support.browser.book import Book
from tests.support.browser.chromium import chromium
from tests.support.browser.lab import running_lab
from tests.support.browser.project import ORIGIN_RATE, RATE
from tests.support.rehearsal import Rehearsal
from tests.support.sandbox.observed import SandboxHandle, running_sandbox

VIEW = {"width": 1480, "height": 1180}
COLOURS = 128
BODY = "Salt, smoke, barley"
"""A body with pictures in it, and losses."""
_SIDE_BY_SIDE = """() => {
  window.jupyterapp.shell.collapseLeft();
  document.querySelector("[data-region='title']").scrollIntoView({block: "start"});
}"""


async def picture_of_previews(folder: Path, work: Path) -> None:
    """Work notebook 03 to a body that is split, and take a picture of it."""
    async with running_lab(work) as lab, async_playwright() as playwright:
        with running_sandbox(SandboxOptions(rate=RATE, origin_rate=ORIGIN_RATE)) as it:
            await asyncio.to_thread(_decided, it, lab.root / "project", work / "state")
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=["--no-sandbox"]
            )
            page = await browser.new_page(viewport=VIEW)
            book = await Book.at(lab, page)
            await book.open("project/03_preview_rich_text.ipynb")
            await book.run_all()
            await book.choose("blocks-mode", "blocks")
            await expect(book.region("tally")).not_to_contain_text("so far")
            await book.fill("review-name", "Ada")
            await book.fill("body-search", BODY)
            await expect(book.region("title")).to_contain_text(BODY)
            await page.evaluate(_SIDE_BY_SIDE)
            await page.wait_for_timeout(2000)
            _keep(await page.screenshot(), folder / "notebook-03.png")
            await browser.close()


def _decided(handle: SandboxHandle, folder: Path, state: Path) -> None:
    """Make a project that points at the sandbox, decided on, with the notebooks."""
    rehearsal = Rehearsal.start(handle, folder, RATE, state)
    rehearsal.decided()
    for each in find_notebooks(notebooks_folder()):
        shutil.copy(each.path, folder)


def _keep(shown: bytes, path: Path) -> None:
    """Write a picture with few colours: small enough to be kept in git."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.open(BytesIO(shown)).convert("RGB").quantize(COLOURS)
    picture.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1000} kB")


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="cmsmig-pictures-") as work:
        asyncio.run(picture_of_previews(folder, Path(work)))


if __name__ == "__main__":
    main()
