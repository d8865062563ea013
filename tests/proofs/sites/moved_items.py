"""The items of a site as they were pulled, and the stories that they became."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path


def items_in(folder: Path) -> dict[tuple[str, str, str], dict]:
    """Return the items of a set by collection, id and locale."""
    return {
        (path.stem, item["id"], item["cmsLocaleId"] or ""): item
        for path in folder.glob("*.json")
        for item in json.loads(path.read_text())["items"]
    }


def homes_of(folder: Path) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return the UUID and the path of the story of each item that has one."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        rows = db.execute(
            "SELECT collection_id, item_id, locale_id, uuid, home.full_slug "
            "FROM item JOIN home ON home.id = home_id"
        )
        return {tuple(row[:3]): tuple(row[3:]) for row in rows}
