"""Written content as the ledger's columns hold it."""

from __future__ import annotations

import json

from cmsmig.canonical import JsonObject


def dump_body(body: JsonObject) -> str:
    """Return a body as text of ASCII alone; an empty one as empty text.

    Half a surrogate pair stays what it is, which SQLite would refuse otherwise.
    """
    return json.dumps(body, separators=(",", ":")) if body else ""


def load_body(text: str) -> JsonObject:
    """Return the body that `dump_body` gave; an empty one for what is none."""
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
