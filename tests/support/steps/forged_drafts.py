"""Changes what derived.sqlite holds as a developer would who knows its format."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from cmsmig.canonical import compact, packed, unpacked
from cmsmig.mapping.convert.item_draft import ItemDraft

FORGED = "Buy this now"


def forge_drafts(folder: Path) -> int:
    """Put `FORGED` into a text of every kept draft that has one; return how many.

    What the last plan found is forgotten, so that the next one asks the drafts.
    """
    forged = 0
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db, db:
        rows = db.execute("SELECT id, print, record, body FROM draft").fetchall()
        for number, made_of, kept, content in rows:
            body = json.loads(unpacked(content))
            if not _change_text(body["content"]):
                continue
            dumped = compact(body)
            draft = ItemDraft.of(kept, made_of, packed(dumped))
            draft = replace(draft, fingerprint=draft.fingerprint_of(dumped))
            db.execute(
                "UPDATE draft SET record = ?, body = ? WHERE id = ?",
                (draft.as_bytes(), draft.body, number),
            )
            forged += 1
        db.execute("DELETE FROM part WHERE name LIKE 'plan %'")
    return forged


def forge_hashes(folder: Path) -> int:
    """Give every content the hash of another one; return how many.

    What the last plan found is forgotten, so that the next one asks the hashes.
    """
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db, db:
        db.execute("DELETE FROM part WHERE name LIKE 'plan %'")
        return db.execute("UPDATE content_hash SET hash = ?", ("0" * 64,)).rowcount


def forge_index(folder: Path) -> int:
    """Give every listed item and every use of a file other texts, and take one item
    away; return how many lists.

    Drafts and plans, which say otherwise, are forgotten.
    """
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db, db:
        listed = "FROM part WHERE name LIKE 'items %' AND body <> x''"
        lists = db.execute(f"SELECT name, body {listed}").fetchall()
        for number, (name, body) in enumerate(lists):
            rows = [
                [*row[:2], FORGED, f"forged-{number}-{index}", *row[4:]]
                for index, row in enumerate(json.loads(body))
            ]
            db.execute(
                "UPDATE part SET body = ? WHERE name = ? AND body <> x''",
                (json.dumps(rows[1:]).encode(), name),
            )
        for key, uses in db.execute("SELECT key, uses FROM file_use").fetchall():
            rows = [[*row[:3], FORGED, row[4]] for row in json.loads(uses)]
            forged = (json.dumps(rows), key)
            db.execute("UPDATE file_use SET uses = ? WHERE key = ?", forged)
        (body,) = db.execute("SELECT body FROM part WHERE name = 'files'").fetchone()
        files = json.loads(body)
        files["missing"] = dict.fromkeys(files["alts"], FORGED)
        files["alts"] = dict.fromkeys(files["alts"], FORGED)
        for each in files["uploads"]:
            each["alt"] = each["name"] = FORGED
        forged = (json.dumps(files).encode(),)
        db.execute("UPDATE part SET body = ? WHERE name = 'files'", forged)
        db.execute("DELETE FROM part WHERE name LIKE 'plan %'")
        db.execute("DELETE FROM draft")
    return len(lists)


def _change_text(value: object) -> bool:
    """Replace the first text of a rich text document; return whether there is one."""
    if isinstance(value, dict):
        if value.get("type") == "text" and isinstance(value.get("text"), str):
            value["text"] = FORGED
            return True
        return any(_change_text(each) for each in value.values())
    return isinstance(value, list) and any(_change_text(each) for each in value)


FORGERS = {"drafts": forge_drafts, "hashes": forge_hashes, "index": forge_index}
