"""Each control of the browser of items in notebook 01, worked on the small site."""

from __future__ import annotations

from playwright.async_api import expect

from tests.support.browser.book import Book


async def browse_items(book: Book) -> None:
    """Narrow the list in every way, turn its pages, open items, save the list."""
    await expect(book.region("progress")).to_be_empty()
    await _narrow(book)
    await _ask_a_field(book)
    await _turn_pages(book)
    await _open_items(book)


async def _narrow(book: Book) -> None:
    listed = book.region("list")
    await book.choose("explore-collection", "Spots")
    await expect(listed).to_contain_text("12 items")
    await book.choose("explore-facet", "Note 1")
    await expect(listed).not_to_contain_text("12 items")
    await book.click("explore-clear")
    await expect(listed).to_contain_text("of 48 items")
    await book.fill("explore-search", "NOTE 11")
    await expect(listed).not_to_contain_text("of 48 items")
    await book.click("explore-clear")
    for name, label in (
        ("explore-state", "draft, never live"),
        ("explore-locale", "fr-FR"),
        ("explore-finding", "pictures without alternative text"),
    ):
        await book.choose(name, label)
        await expect(listed).not_to_contain_text("of 48 items")
        await book.click("explore-clear")
        await expect(listed).to_contain_text("of 48 items")
    await book.fill("explore-since", "2999-01-01")
    await expect(listed).to_contain_text("No item passes")
    await book.click("explore-clear")
    await expect(listed).to_contain_text("of 48 items")


async def _ask_a_field(book: Book) -> None:
    listed = book.region("list")
    await book.choose("explore-collection", "Notes")
    await expect(listed).to_contain_text("of 36 items")
    await book.choose("explore-field", "Picture")
    await book.choose("explore-test", "holds the text")
    await book.fill("explore-value", "no such text")
    await expect(listed).to_contain_text("No item passes")
    await book.click("explore-clear")
    await expect(listed).to_contain_text("of 48 items")


async def _turn_pages(book: Book) -> None:
    listed = book.region("list")
    for name, place in (("on", "26 to"), ("back", "1 to"), ("last", "26 to")):
        await book.click(f"explore-{name}")
        await expect(listed).to_contain_text(place)
    await book.click("explore-first")
    await expect(listed).to_contain_text("1 to 25")
    await book.page.get_by_text("Choose columns").click()
    await book.control("explore-column").get_by_text("Published").click()
    book.driven.add("explore-column")
    await expect(book.control("explore-sort").get_by_text("Published")).to_be_visible()
    await book.choose("explore-order", "Published")
    await expect(listed.locator("th[aria-sort=descending]")).to_contain_text("Publ")
    await book.click("explore-sort", which=1)
    await expect(listed.locator("th[aria-sort=ascending]")).to_contain_text("Slug")
    for name in ("down", "up"):
        await book.click(f"explore-{name}")
        await expect(listed.locator("tr[aria-current=true]")).to_be_visible()
    await book.click("explore-save")
    await expect(book.region("said")).to_contain_text("items.csv")


async def _open_items(book: Book) -> None:
    item = book.region("item")
    await book.fill("explore-search", "note-2")
    await expect(book.region("list")).to_contain_text("Note 2")
    await book.click("explore-copy")
    await expect(book.region("said")).to_contain_text("Copied")
    await book.click("explore-open")
    await expect(item).to_contain_text("Referred to by")
    await book.click("explore-return")
    await expect(item).to_be_empty()
    await book.click("explore-open")
    await book.click("explore-pointing")
    await expect(book.region("said")).to_contain_text("the items that refer to")
    await book.click("explore-clear")
