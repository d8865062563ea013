"""The sample site in two languages: with its French items, and both locales enabled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from cmsmig.sandbox.server import SAMPLE
from tests.support.steps.origin_edits import Item, read_items, write_items

_FRENCH = Path(__file__).with_name("french")
"""The site's locales, and by set the items in French and those that link to them."""


def write_localized_sample(folder: Path) -> None:
    """Write the content folder; the variants of an item are next to each other."""
    shutil.copytree(SAMPLE, folder)
    path = folder / "sites.json"
    (site,) = json.loads(path.read_text())["sites"]
    site["locales"] = json.loads((_FRENCH / "locales.json").read_text())
    path.write_text(json.dumps({"sites": [site]}))
    for more in _FRENCH.glob("*/*.json"):
        path = folder / more.relative_to(_FRENCH)
        write_items(path, _joined(read_items(path), read_items(more)))


def _joined(items: Sequence[Item], more: Sequence[Item]) -> list[Item]:
    """Return the items; each of `more` in the place of the same variant, else after
    the other variants of its item."""
    found: dict[str, dict[str, Item]] = {}
    for each in (*items, *more):
        found.setdefault(each["id"], {})[each["cmsLocaleId"]] = each
    return [each for variants in found.values() for each in variants.values()]
