"""Changes drafts in derived.sqlite as somebody who knows its format would."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from cmsmig.canonical import compact
from cmsmig.mapping.convert.kept_draft import DraftFacts
from cmsmig.packing import packed, unpacked
from cmsmig.steps.decide.parallel_drafts import marks_of

FORGED = "Buy this now"


def forge_drafts(
    folder: Path, *, with_fingerprint: bool = True, with_plan: bool = False
) -> int:
    """Put `FORGED` into a text of every kept draft that has one; return how many.

    With its fingerprint the content is whole again; with the plan, what the last plan
    found is forgotten, so that the next one asks the drafts.
    """
    forged = 0
    with closing(sqlite3.connect(folder / "derived.sqlite")) as db, db:
        rows = db.execute("SELECT id, print, facts, packed FROM draft").fetchall()
        for number, made_of, kept, content in rows:
            body = json.loads(unpacked(content))
            if not _change_text(body["content"]):
                continue
            dumped = compact(body)
            facts = DraftFacts.of(kept)
            if with_fingerprint:
                print_ = marks_of(made_of).unmarked_print(dumped)
                facts = replace(facts, content_print=print_)
            db.execute(
                "UPDATE draft SET facts = ?, packed = ? WHERE id = ?",
                (facts.as_bytes(), packed(dumped), number),
            )
            forged += 1
        if with_plan:
            db.execute("DELETE FROM part WHERE name LIKE 'plan %'")
    return forged


def _change_text(value: object) -> bool:
    """Replace the first text of a rich text document; return whether there is one."""
    if isinstance(value, dict):
        if value.get("type") == "text" and isinstance(value.get("text"), str):
            value["text"] = FORGED
            return True
        return any(_change_text(each) for each in value.values())
    return isinstance(value, list) and any(_change_text(each) for each in value)
