"""Written content as the ledger's columns hold it."""

from __future__ import annotations

import json
import zlib

from cmsmig.canonical import JsonObject, compact
from cmsmig.ledger.rows import WrittenStory

_QUICK = 1
"""How hard stories are packed: each is packed once per write."""


def dump_body(body: JsonObject) -> str:
    """Return a body as text of ASCII alone; an empty one as empty text.

    Half a surrogate pair stays what it is, which SQLite would refuse otherwise.
    """
    return json.dumps(body, separators=(",", ":")) if body else ""


def load_body(text: str) -> JsonObject:
    """Return the body that `dump_body` gave; an empty one for what is none."""
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


def pack_story(story: WrittenStory) -> bytes:
    """Return a written story as the ledger keeps it."""
    return zlib.compress(compact([story.sent, story.stood]), _QUICK)


def unpack_story(packed: bytes) -> WrittenStory:
    """Return the story that `pack_story` gave."""
    sent, stood = json.loads(zlib.decompress(packed))
    return WrittenStory(sent, stood)
