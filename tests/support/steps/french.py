"""The second language of a site in two, where it is translated fields."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable

from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import StagedProject

CODE = "fr-fr"
"""The language of the space, as the locale's tag names it."""
FRENCH = "__i18n__fr_fr"
NOTE, SPOT = "notes/note-1", "spots/spot-1"
Change = Callable[[Item], "Item | None"]


def locale_of(project: StagedProject) -> str:
    """Return the `cmsLocaleId` of the second language."""
    sites = json.loads((project.folder / "raw" / "sites.json").read_text())["sites"]
    (secondary,) = sites[0]["locales"]["secondary"]
    return str(secondary["cmsLocaleId"])


def change(
    project: StagedProject, slug: str, change: Change, folders: tuple[str, ...] = ()
) -> None:
    """Change what the origin has of an item in French, known by its slug there."""
    locale = locale_of(project)

    def once(item: Item) -> Item | None:
        own = item["cmsLocaleId"] == locale and item["fieldData"]["slug"] == slug
        return change(item) if own else item

    edit_items(project, once, folders)


def with_data(**values: object) -> Change:
    return lambda item: {**item, "fieldData": {**item["fieldData"], **values}}


def delivered(project: StagedProject, path: str, language: str) -> dict:
    """Return a story as visitors get it in a language."""
    base = project.rehearsal.handle.announcement["base_url"].removesuffix("/v1")
    token = project.space.public_token
    url = f"{base}/v2/cdn/stories/{path}?token={token}&language={language}"
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)["story"]
