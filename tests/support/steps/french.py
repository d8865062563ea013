"""The second language of a site in two, where it is translated fields."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable

from tests.support.steps.desk import Desk
from tests.support.steps.origin_edits import Item, edit_items

CODE = "fr-fr"
"""The language of the space, as the locale's tag names it."""
FRENCH = "__i18n__fr_fr"
NOTE, SPOT = "notes/note-1", "spots/spot-1"
Change = Callable[[Item], "Item | None"]


def locale_of(desk: Desk) -> str:
    """Return the `cmsLocaleId` of the second language."""
    sites = json.loads((desk.folder / "raw" / "sites.json").read_text())["sites"]
    (secondary,) = sites[0]["locales"]["secondary"]
    return str(secondary["cmsLocaleId"])


def change(
    desk: Desk, slug: str, change: Change, folders: tuple[str, ...] = ()
) -> None:
    """Change what the origin has of an item in French, known by its slug there."""
    locale = locale_of(desk)

    def once(item: Item) -> Item | None:
        own = item["cmsLocaleId"] == locale and item["fieldData"]["slug"] == slug
        return change(item) if own else item

    edit_items(desk, once, folders)


def with_data(**values: object) -> Change:
    return lambda item: {**item, "fieldData": {**item["fieldData"], **values}}


def delivered(desk: Desk, path: str, language: str) -> dict:
    """Return a story as visitors get it in a language."""
    base = desk.rehearsal.handle.announcement["base_url"].removesuffix("/v1")
    token = desk.space.public_token
    url = f"{base}/v2/cdn/stories/{path}?token={token}&language={language}"
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)["story"]
