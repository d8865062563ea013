"""The panes of a body: one scrolls, and a loss, a word or a block is level in all."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from cmsmig.ui.controls import button
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import sheet, source
from tests.browser.test_live_panel import page as page
from tests.browser.test_live_panel import show

pytestmark = pytest.mark.asyncio(loop_scope="session")

_PARTS = 30
_SPOTS = """selectors => selectors.map(
  each => Math.round(document.querySelector(each).getBoundingClientRect().top))"""
_SCROLLED = """() => [...document.querySelectorAll("*")]
  .filter(each => each.scrollTop > 0).map(each => each.className)"""

_SCROLLING = """() => [...document.querySelectorAll(".cmsmig-live *")]
  .filter(each => /auto|scroll/.test(getComputedStyle(each).overflowY)
    && each.scrollHeight > each.clientHeight + 1).map(each => each.className)"""
_TEMPLATE = "notebook/preview/body_panes.html"


def _body(text: int = 1) -> str:
    """Return panes whose parts are of other heights on each side, with losses in the
    parts 12 and 25."""
    panes = ""
    for name, height in (("origin", 40), ("target", 90), ("document", 20)):
        parts = "".join(
            f'<div data-at="{n}" style="height:{height}px">'
            + (f'<sup data-loss="{n // 12}">x</sup>' if n in (12, 25) else "")
            + "</div>"
            for n in range(_PARTS)
        )
        if name != "origin":
            parts = parts.replace("data-loss", "data-other")
        panes += f'<div class="{name}"><div data-pane>{parts}</div></div>'
    steps = "".join(
        button(name, name, key=key, goes=f"loss {by}")
        for name, key, by in (("previous", ",", -1), ("next", ".", 1))
    )
    steps += "".join(
        button(f"change-{n}", f"part {n}", goes=f"part {n}") for n in (20, 99)
    )
    rows = "".join(f'<tr data-loss="{n}"><td>loss {n}</td></tr>' for n in (1, 2, 3))
    style = "display:grid;grid-template-columns:1fr 1fr 1fr;height:300px;overflow:auto"
    return (
        f'{steps}<div data-stage="{text}" data-end="{_PARTS}" class="stage" '
        f'style="{style}">{panes}</div><table><tbody>{rows}</tbody></table>'
    )


async def _is_level(page: Page, part: int) -> None:
    """Insist that a part is at one height in all panes, and in sight."""
    panes = [f".{each} [data-at='{part}']" for each in ("origin", "target", "document")]
    stage, *found = await page.evaluate(_SPOTS, [".stage", *panes])
    assert max(found) - min(found) <= 2, found
    assert stage <= found[0] <= stage + 300


async def test_losses_are_level_by_key_and_by_button(page: Page) -> None:
    """Next and previous, round and round, without the kernel; a loss without a place is
    shown in the list alone."""
    await show(page, _body())
    await page.locator(".cmsmig-live").focus()
    await page.keyboard.press(".")
    await _is_level(page, 12)
    await page.locator(".cmsmig-next").click()
    await _is_level(page, 25)
    await page.keyboard.press(".")
    assert await page.locator("[data-shown]").inner_text() == "loss 3"
    await page.keyboard.press(",")
    await _is_level(page, 25)
    assert await page.evaluate(_SCROLLED) == ["stage"]
    assert await page.evaluate("sent") == []


async def test_what_is_clicked_stays_where_it_is(page: Page) -> None:
    """The other panes come to it; so they do for a row of the list."""
    await show(page, _body())
    await page.locator(".stage").evaluate("each => { each.scrollTop = 900; }")
    spot = ".target [data-at='12']"
    before = await page.evaluate(_SPOTS, [spot])
    await page.locator(spot).click()
    assert await page.evaluate(_SPOTS, [spot]) == before
    await _is_level(page, 12)
    await page.get_by_text("loss 2").click()
    await _is_level(page, 25)


async def test_a_change_leads_to_its_part(page: Page) -> None:
    """By a click, and by Enter; what is no more leads to the nearest part before it."""
    await show(page, _body())
    await page.locator(".cmsmig-change-20").click()
    await _is_level(page, 20)
    await page.locator(".cmsmig-change-99").focus()
    await page.keyboard.press("Enter")
    await _is_level(page, _PARTS - 1)
    assert await page.evaluate(_SCROLLED) == ["stage"]
    assert await page.evaluate("sent") == []


async def test_nothing_in_the_panes_scrolls(page: Page) -> None:
    """Neither by hand nor in the sheet of an unattended run, however long."""
    code = source("a line of code\n" * 300)
    pane = fragment(
        _TEMPLATE, "pane", name="origin", title="Origin", marked="", content=code
    )
    stage = fragment(_TEMPLATE, "stage", body=1, end=1, wide=False, panes=[pane])
    for shown in (stage, sheet(stage)):
        await show(page, str(shown))
        assert await page.evaluate(_SCROLLING) == ["cmsmig-panes"]


async def test_another_body_begins_at_its_top(page: Page) -> None:
    """What the kernel shows of the same body leaves it where it is."""
    await show(page, _body())
    await page.locator(".cmsmig-next").click()
    await show(page, f"{_body()}<p>More is scanned</p>")
    await _is_level(page, 12)
    await show(page, _body(text=2))
    assert await page.evaluate(_SCROLLED) == []
    assert await page.locator("[data-shown]").count() == 0
    await _is_level(page, 0)
