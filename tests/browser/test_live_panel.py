"""The page's part of a panel: no click is lost while the kernel shows something new.

In a page of its own, with a model in place of the kernel's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from cmsmig.ui.controls import bar, button, form, select, text, tick
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.live import script

pytestmark = pytest.mark.asyncio(loop_scope="session")

_RENDER = """async source => {
  const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
  const { default: panel } = await import(address);
  const traits = {html: "", label: "A panel", wanted: "", calm: false};
  const handlers = [];
  window.sent = [];
  window.model = {
    get: name => traits[name],
    on: (name, each) => handlers.push(each),
    off: () => {},
    send: content => window.sent.push(content),
    show: html => { traits.html = html; handlers.forEach(each => each()); },
  };
  panel.render({model: window.model, el: document.body});
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser) -> AsyncIterator[Page]:
    """Return a page with an empty panel."""
    made = await browser.new_page()
    await made.evaluate(_RENDER, script())
    yield made
    await made.close()


async def show(page: Page, html: str) -> None:
    """Show what a kernel would."""
    await page.evaluate("html => window.model.show(html)", html)


async def _sent(page: Page) -> list[str]:
    await page.wait_for_timeout(50)
    return [f"{each['do']} {each['value']}" for each in await page.evaluate("sent")]


def _html(said: str, *, ticked: bool = False) -> str:
    box = tick("blocks-rule", "tables", ticked, value="tables")
    return str(button("body-open", "Next to review", value="it") + box) + said


@pytest.mark.parametrize("key", [None, " "])
async def test_a_button_that_is_drawn_again_while_it_is_pressed_is_clicked(
    page: Page, key: str | None
) -> None:
    """By mouse and by the space bar; what is new shows once it is released."""
    await show(page, _html("first"))
    pressed = page.locator(".cmsmig-body-open button, button.cmsmig-body-open").first
    await pressed.focus()
    if key is None:
        await pressed.hover()
        await page.mouse.down()
    else:
        await page.keyboard.down(key)
    await show(page, _html("second"))
    assert "first" in await page.locator("body").inner_text()
    await (page.mouse.up() if key is None else page.keyboard.up(key))
    assert await _sent(page) == ["body-open it"]
    assert "second" in await page.locator("body").inner_text()


async def test_a_box_that_is_drawn_again_while_it_is_pressed_is_ticked(
    page: Page,
) -> None:
    """Its key released after the kernel's answer to something else."""
    await show(page, _html("first"))
    await page.locator("input[type=checkbox]").focus()
    await page.keyboard.down(" ")
    await show(page, _html("second"))
    await page.keyboard.up(" ")
    assert await _sent(page) == ["blocks-rule tables=1"]


@pytest.mark.parametrize("width", [300, 480])
async def test_no_control_is_cut_where_the_page_is_narrow(
    page: Page, width: int
) -> None:
    """Each is as wide as the panel at most: its end would be out of sight."""
    await page.set_viewport_size({"width": width, "height": 900})
    long = "The one that has a name which is longer than a narrow page is wide, by far"
    chosen = select("one", "Items with a label of some words", [(long, "0")], "0")
    plain = button("two", long)
    field = text("three", "Changed since a day that you name", "", hint=long)
    style = fragment("ui/controls.html", "style")
    await show(page, style + bar(chosen, plain, field) + form(chosen, field))
    controls = "button, select, input, label"
    right = await page.eval_on_selector_all(
        controls, "all => all.map(each => each.getBoundingClientRect().right)"
    )
    assert len(right) == 9
    assert max(right) <= width


async def test_a_page_that_loses_the_keyboard_shows_what_is_new(page: Page) -> None:
    """A key that is released elsewhere holds nothing back for ever."""
    await show(page, _html("first"))
    await page.locator("input[type=checkbox]").focus()
    await page.keyboard.down(" ")
    await show(page, _html("second"))
    await page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    await page.wait_for_timeout(50)
    assert "second" in await page.locator("body").inner_text()


@pytest.mark.parametrize("state", ["disabled", "hidden"])
async def test_the_focus_stays_in_the_panel_when_its_holder_takes_none(
    page: Page, state: str
) -> None:
    """A control that comes back disabled or out of sight leaves it to the panel."""
    await show(page, "<select id='choice'><option>one</option></select>")
    await page.locator("#choice").focus()
    await show(page, f"<select id='choice' {state}><option>one</option></select>")
    inside = "() => document.activeElement.closest('.cmsmig-live') !== null"
    assert await page.evaluate(inside)
