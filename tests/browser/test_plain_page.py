"""Static outputs on a page that is no JupyterLab's, light or dark: legible on both."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from markupsafe import Markup
from playwright.async_api import Browser

from cmsmig.ui.doc import Address, Fold, Heading, Mark, Note, Table, Text
from cmsmig.ui.html.safe_html import doc_sheet, joined
from cmsmig.ui.relation import Column, Nouns, Source
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import TableView

pytestmark = pytest.mark.asyncio(loop_scope="session")
_PAGE = (
    "<!doctype html><html lang='en'><title>t</title><body "
    "style='color:{ink};background:{ground}'><main>{shown}</main></body></html>"
)
_GROUNDS = {
    "light": ("#1f2328", "#ffffff"),
    "dark": ("#e6edf3", "#0d1117"),
    "grey": ("#cccccc", "#1e1e1e"),
    "sepia": ("#433422", "#f4ecd8"),
}


def _shown(folder: Path) -> Markup:
    marks = [(Mark(each, each), Address("https://a.example/")) for each in _KINDS]
    head = ("What", "Where", "Number", "More")
    rows = [(*pair, 5, "`code`") for pair in marks]
    parts = (
        *(Note(f"A note, {each}", each) for each in _KINDS),
        *(Heading("A heading"), Text("A text"), Table(head, rows, "A caption")),
        Fold("Folded", (Text("Within"),)),
    )
    listed = Rows(
        Nouns("item", "items", "None."),
        (Column("name", "Name"), Column("size", "Size", css="number")),
    )
    listed.put_row(0, 0, 0, ("a", "5"))
    view = TableView(Source(listed, folder, dry_run=True))
    return joined((doc_sheet(*parts), view.html(live=False)))


_KINDS = ("good", "warning", "bad")


@pytest.mark.parametrize("ground", _GROUNDS)
async def test_each_text_stands_out_from_its_ground(
    browser: Browser, tmp_path: Path, pictures: Path | None, ground: str
) -> None:
    """The page's own colours, where it does not say that it is light or dark."""
    ink, paper = _GROUNDS[ground]
    page = await browser.new_page()
    shown = _shown(tmp_path)
    await page.set_content(_PAGE.format(ink=ink, ground=paper, shown=shown))
    found = await Axe().run(page)
    said = [
        node["html"][:200]
        for each in found.response["violations"]
        if each["id"].startswith("color-contrast")
        for node in each["nodes"]
    ]
    assert said == []
    checked = [each["id"] for each in found.response["passes"]]
    assert "color-contrast" in checked
    if pictures:
        await page.screenshot(path=pictures / f"plain-{ground}.png", full_page=True)
    await page.close()
