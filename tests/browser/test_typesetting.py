"""JupyterLab takes dollar signs in outputs for formulas: in none of ours.

What is typeset is garbled, and `\\href` in a formula is a link that works.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from playwright.async_api import Browser, expect

from tests.support.browser.book import Book
from tests.support.browser.hearing import listened
from tests.support.browser.lab import Lab

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (
    r"$5 for one, $10 for two; $\href{https://abroad.example/}{x}$ $$y$$ "
    r"\(z\) \[w\] \begin{align}v\end{align}"
)
_RUN = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
_TYPESET = "mjx-container"
_PREPARE = f"""
from markupsafe import Markup
from cmsmig.ui import controls
from cmsmig.ui.view import View
from cmsmig.notebook.kit.cell import Panel, facts_bundle
from cmsmig.notebook.kit.workspace import open_workspace
from cmsmig.ui.html import safe_html
TEXT = {TEXT!r}
open_workspace("")
"""


@dataclass(frozen=True)
class Case:
    """A cell whose output holds the text."""

    name: str
    code: str


CASES = (
    Case("paragraph", "Panel(safe_html.sheet(safe_html.paragraph(TEXT)))"),
    Case("table", "Panel(safe_html.sheet(safe_html.table([TEXT], [[TEXT]])))"),
    Case("folded", "Panel(Markup('<details open>{}</details>').format(TEXT))"),
    Case("source", "Panel(safe_html.source(TEXT))"),
    Case(
        "facts",
        "class Facts:\n"
        "    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return facts_bundle([('Text', TEXT)])\n"
        "Facts()",
    ),
    Case(
        "live",
        "class Shown(View):\n"
        "    label = TEXT\n"
        "    def html(self, *, live):\n"
        "        chosen = controls.select('one', TEXT, [(TEXT, '0')], '0')\n"
        "        button = controls.button('two', TEXT)\n"
        "        shown = safe_html.sheet(safe_html.note(TEXT))\n"
        "        return self.panel(a=shown, b=controls.bar(chosen, button))\n"
        "Panel(safe_html.paragraph(TEXT), lambda: Shown().element())",
    ),
    Case(
        "error", "from cmsmig.errors import UsageError\nraise UsageError('At ' + TEXT)"
    ),
)
_CONTROL = (
    "from IPython.display import HTML\nHTML('<p>typeset: $5 for one, $10 for two</p>')"
)
"""Another program's output: what the browser does with one that is not guarded."""


def _book() -> nbformat.NotebookNode:
    """Return a notebook with one cell per case, the unguarded one last but one."""
    book = nbformat.v4.new_notebook()
    *cases, error = [each.code for each in CASES]
    for code in (_PREPARE, *cases, _CONTROL, error):
        book.cells.append(nbformat.v4.new_code_cell(code))
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return book


async def _read(book: Book) -> None:
    """Insist that each output reads as it was written, the unguarded one apart."""
    await expect(book.output("typeset:").locator(_TYPESET)).to_have_count(1)
    cells = book.page.locator(".jp-CodeCell")
    for number, case in enumerate(CASES, start=1):
        place = number + (case.name == "error")
        shown = cells.nth(place).locator(".jp-OutputArea")
        await expect(shown, case.name).to_contain_text(TEXT)
        assert await shown.locator(_TYPESET).count() == 0, case.name
        # The Lab makes links of addresses in errors; those show where they lead.
        assert await shown.get_by_role("link", name="x", exact=True).count() == 0
    assert await book.page.locator(f".jp-OutputArea {_TYPESET}").count() == 1


async def test_no_output_of_ours_is_typeset(lab: Lab, browser: Browser) -> None:
    """Run by hand; then its file opened by a person who has not run it."""
    path = lab.root / "typesetting.ipynb"
    nbformat.write(_book(), path)
    context, hearing = await listened(browser)
    book = await Book.at(lab, await context.new_page())
    await book.open(path.name)
    await book.page.evaluate(_RUN)
    await _read(book)
    await book.page.evaluate("() => window.theNotebook.context.save()")
    await book.close()
    assert hearing.away == []
    saved = json.loads(path.read_text("utf-8"))
    # The Lab knows by what is in a notebook whether it is trusted.
    saved["metadata"]["changed"] = "so it is not trusted"
    other = Path(lab.root / "another-persons.ipynb")
    other.write_text(json.dumps(saved), "utf-8")
    await book.open(other.name)
    await _read(book)
    await book.close()
    await context.close()
