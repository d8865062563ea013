"""Notebook 01: ten questions about a site, answered by keyboard alone.

About the sample site, or the content folder that CMSMIG_CONTENT names. The answers are
compared with the pulled files themselves.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from cmsmig.sandbox.server import SAMPLE
from tests.support.browser.browsing import Browsed, browsing
from tests.support.browser.lab import Lab

pytestmark = pytest.mark.asyncio(loop_scope="session")
CONTENT = os.environ.get("CMSMIG_CONTENT", "")


@dataclass(frozen=True)
class Pulled:
    """The pulled files of a site, read without the kit."""

    raw: Path

    @cached_property
    def collections(self) -> list[dict[str, Any]]:
        """Return the collections, with their fields."""
        return [
            json.loads(path.read_text("utf-8"))
            for path in sorted((self.raw / "collections").glob("*.json"))
        ]

    def items(self, collection: str, folder: str = "items") -> list[dict[str, Any]]:
        """Return the items of a collection, in all locales."""
        path = self.raw / folder / f"{collection}.json"
        listed = json.loads(path.read_text("utf-8"))["items"] if path.exists() else []
        return list(listed)

    def lacking(self) -> tuple[str, str, int, int]:
        """Return a collection and a field for pictures, by what people call them, that
        some of its items lack: how many items there are, and how many lack one."""
        for collection in self.collections:
            named = Counter(each["displayName"] for each in collection["fields"])
            items = [*self._of(collection["id"])]
            for field in collection["fields"]:
                lacking = [e for e in items if not e["fieldData"].get(field["slug"])]
                is_told = named[field["displayName"]] == 1
                if field["type"] == "Image" and is_told and lacking:
                    named_so = collection["displayName"], field["displayName"]
                    return *named_so, len(items), len(lacking)
        raise AssertionError("no item lacks a picture")

    def pointed_at(self) -> tuple[str, int]:
        """Return the name of the item that the most refer to, and how many do."""
        names: dict[str, str] = {}
        pointing: dict[str, set[tuple[str, str]]] = {}
        for item in self._all():
            names.setdefault(item["id"], str(item["fieldData"].get("name")))
            for target in self._targets(item):
                pointing.setdefault(target, set()).add(_key(item))
        told = Counter(names.values())
        alone = [each for each, name in names.items() if told[name] == 1]
        best = max(alone, key=lambda each: len(pointing.get(each, ())))
        return names[best], len(pointing.get(best, ()))

    def changed_since(self) -> int:
        """Return how many items are live with other values than editors have."""
        found = 0
        for collection in self.collections:
            listed = self.items(collection["id"], "live")
            live = {_key(each): each["fieldData"] for each in listed}
            found += sum(
                live.get(_key(each), each["fieldData"]) != each["fieldData"]
                for each in self.items(collection["id"])
            )
        return found

    def _all(self) -> Iterator[dict[str, Any]]:
        for collection in self.collections:
            yield from self._of(collection["id"])

    def _of(self, collection: str) -> Iterator[dict[str, Any]]:
        """Yield a collection's items as editors see them, then those that only
        visitors see."""
        live = {_key(each): each for each in self.items(collection, "live")}
        staged = {_key(each): each for each in self.items(collection)}
        yield from (live | staged).values()

    def _targets(self, item: dict[str, Any]) -> Iterator[str]:
        known = self._ids
        for value in item["fieldData"].values():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, str) and each in known:
                    yield each

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(each["id"] for each in self._all())


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["id"], item.get("cmsLocaleId") or ""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def asked(
    browser: Browser,
    lab: Lab,
    tmp_path_factory: pytest.TempPathFactory,
    pictures: Path | None,
) -> AsyncIterator[tuple[Browsed, Pulled]]:
    """Return the browser of the site, and its files."""
    folder = lab.root / tmp_path_factory.mktemp("questions").name
    shutil.copytree(CONTENT or SAMPLE, folder / "raw")
    async with browsing(browser, lab, folder, pictures) as opened:
        yield opened, Pulled(folder / "raw")


async def _counts(browsed: Browsed, count: int) -> None:
    """Wait until the list says how many items it holds."""
    noun = "item" if count == 1 else "items"
    listed = browsed.book.region("list")
    said = re.compile(rf"\b{count:,} {noun}\b" if count else "No item passes")
    await expect(listed).to_contain_text(said)


async def _opened(browsed: Browsed, name: str) -> None:
    """Find an item by its name, and open the first that is found."""
    await browsed.keys.press("/")
    await browsed.keys.type(name)
    await expect(browsed.book.region("list")).to_contain_text(name)
    await browsed.keys.press("Escape")
    await browsed.keys.down()
    await browsed.keys.press("Enter")
    await expect(browsed.page.locator("#cmsmig-item-title")).to_be_focused()


async def test_what_lacks_a_picture(asked: tuple[Browsed, Pulled]) -> None:
    """Which posts have no cover picture?"""
    browsed, pulled = asked
    collection, field, items, count = pulled.lacking()
    await browsed.keys.ask()
    await browsed.keys.choose("c", collection)
    await _counts(browsed, items)
    await browsed.keys.choose("f", field)
    await _counts(browsed, count)
    assert len(browsed.keys.steps) == 6


async def test_what_points_to_an_item(asked: tuple[Browsed, Pulled]) -> None:
    """Which items point to this author?"""
    browsed, pulled = asked
    name, count = pulled.pointed_at()
    await browsed.keys.ask()
    await _opened(browsed, name)
    if not count:
        item = browsed.book.region("item")
        await expect(item).not_to_contain_text("Referred to by")
        return
    await browsed.keys.press("r")
    await expect(browsed.book.region("said")).to_contain_text("the items that refer to")
    await _counts(browsed, count)
    assert len(browsed.keys.steps) == 6


async def test_what_changed_since_it_was_published(
    asked: tuple[Browsed, Pulled],
) -> None:
    """What is live but changed since? And what changed in it?"""
    browsed, pulled = asked
    await browsed.keys.ask()
    await browsed.keys.choose("w", "live")
    await _counts(browsed, count := pulled.changed_since())
    assert len(browsed.keys.steps) == 3
    if not count:
        return
    await browsed.keys.down()
    await browsed.keys.press("Enter")
    item = browsed.book.region("item")
    await expect(item).to_contain_text("Visitors see (live)")
    assert len(browsed.keys.steps) == 5


@pytest.mark.parametrize("label", ["pic", "dang", "large", "no st"])
async def test_what_needs_somebodys_eye(
    asked: tuple[Browsed, Pulled], label: str
) -> None:
    """Pictures without a text, references that lead nowhere, the heaviest files, what
    will not be imported: each says what it is, and how many."""
    browsed, _ = asked
    await browsed.keys.ask()
    options = browsed.book.control("explore-finding").locator("option")
    told = [each.casefold() for each in await options.all_inner_texts()]
    meant = next(each for each in told if each.startswith(label))
    await browsed.keys.choose("w", label)
    counted = re.search(r"\(([\d,]+)\)", meant)
    assert counted is not None
    await _counts(browsed, int(counted[1].replace(",", "")))
    assert len(browsed.keys.steps) == 3


async def test_what_was_changed_last(asked: tuple[Browsed, Pulled]) -> None:
    """The newest first, in three steps."""
    browsed, _ = asked
    await browsed.keys.ask()
    await browsed.keys.choose("o", "Ch")
    listed = browsed.book.region("list")
    await expect(listed.locator("th[aria-sort=descending]")).to_contain_text("Changed")
    days = await listed.locator("time").all_inner_texts()
    assert days
    assert days == sorted(days, reverse=True)
    assert len(browsed.keys.steps) == 3


async def test_where_a_page_will_be(asked: tuple[Browsed, Pulled]) -> None:
    """Where will this page be, and is its story there?"""
    browsed, pulled = asked
    await browsed.keys.ask()
    await _opened(browsed, pulled.pointed_at()[0])
    item = browsed.book.region("item")
    await expect(item).to_contain_text("Story")
    assert len(browsed.keys.steps) == 5
    assert browsed.hearing.quiet()
