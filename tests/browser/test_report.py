"""The report in a browser without a network: usable by all, in either colour scheme."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser

from cmsmig.evidence.checklist import checklist
from cmsmig.evidence.report import SHOWN, write_report
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.ui.documents.findings import Finding
from tests.support.notebook.made_evidence import evidence_of

pytestmark = pytest.mark.asyncio(loop_scope="session")
_WIDER = """() => document.documentElement.scrollWidth
  - document.documentElement.clientWidth"""
_LONG = "a-very-long-word-" * 20
_FINDINGS = 300


def _findings() -> Iterator[Finding]:
    for number in range(_FINDINGS):
        kind = f"Kind {number % 3}"
        yield Finding(kind, f"Item {number}", "/a/b", "Body", _LONG, "Why.", "Do it.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nothing_keeps_people_out(
    browser: Browser,
    tmp_path: Path,
    pictures: Path | None,
    scheme: Literal["light", "dark"],
) -> None:
    """axe-core finds nothing, the page asks for nothing, nothing is wider than it, and
    all that a list leaves out is in its file."""
    listed = FindingSet("losses", "Losses", "None.", _findings)
    evidence = replace(evidence_of("Harbour"), findings=(listed,))
    page_file, _, csv_file = write_report(tmp_path, evidence, checklist(evidence))
    context = await browser.new_context(
        color_scheme=scheme, offline=True, viewport={"width": 1000, "height": 900}
    )
    page = await context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(page_file.as_uri())
    found = await Axe().run(page)
    assert [
        (each["id"], [node["html"][:200] for node in each["nodes"]])
        for each in found.response["violations"]
    ] == []
    assert asked == [page_file.as_uri()]
    assert await page.evaluate(_WIDER) <= 0
    assert await page.get_by_text("Item 299").count() == 0
    said = f"and {_FINDINGS - SHOWN} more"
    assert await page.get_by_text(said).count() == 1
    assert "Item 299" in csv_file.read_text()
    if pictures:
        await page.screenshot(path=pictures / f"report-{scheme}.png", full_page=True)
    await context.close()
