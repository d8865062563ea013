"""What keeps people from using a notebook's outputs, as far as a machine sees it."""

from __future__ import annotations

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page

THEMES = ("JupyterLab Light", "JupyterLab Dark")
OUTPUTS = ".jp-OutputArea-output"
_THEME = """name => window.jupyterapp.commands.execute(
  "apputils:change-theme", {theme: name})"""
_SETTLED = """() => new Promise(done => requestAnimationFrame(
  () => requestAnimationFrame(done)))"""
_WIDER = """within => [...document.querySelectorAll(within)]
  .filter(each => each.clientWidth && each.scrollWidth - each.clientWidth > 1)
  .map(each => `${each.scrollWidth} in ${each.clientWidth}: `
    + each.textContent.trim().slice(0, 60))"""
"""Outputs that hold something wider than they are."""
_BROKEN = """within => {
  const found = [];
  const range = document.createRange();
  const words = /(?:(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}])[\\p{L}\\p{N}]){2,30}/gu;
  const passed = "pre, style, script, select, details:not([open])";
  for (const output of document.querySelectorAll(within)) {
    const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT);
    for (let text; (text = walker.nextNode());) {
      if (text.parentElement.closest(passed)) continue;
      for (const word of text.data.matchAll(words)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()]
          .filter(each => each.width > 0).map(each => Math.round(each.top)));
        if (lines.size > 1) found.push(`${word[0]}: ${text.data.trim().slice(0, 60)}`);
      }
    }
  }
  return found;
}"""
"""Words of letters and digits that a line break divides. Lines of Chinese and Japanese
end anywhere."""


async def choose_theme(page: Page, theme: str) -> None:
    """Change JupyterLab's colours."""
    await page.evaluate(_THEME, theme)
    await page.evaluate(_SETTLED)


async def barriers(page: Page, within: str = OUTPUTS) -> list[str]:
    """Return what axe-core calls serious or critical, what is wider than its output,
    and which words are broken."""
    found = await Axe().run(page, context=within)
    assert found.response["passes"], "axe-core looked at nothing"
    serious = [
        f"{each['id']}: {node['html'][:200]}"
        for each in found.response["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    wider = [f"wider: {each}" for each in await page.evaluate(_WIDER, within)]
    broken = [f"broken: {each}" for each in await page.evaluate(_BROKEN, within)]
    return serious + wider + broken
