"""Written content as the ledger's columns hold it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from cmsmig.canonical import JsonObject, compact, packed, unpacked
from cmsmig.errors import LedgerDamagedError
from cmsmig.ledger.rows import WrittenStory


def dump_body(body: JsonObject) -> str:
    """Return a body as text of ASCII alone; an empty one as empty text.

    Escapes keep a lone surrogate, which SQLite would refuse.
    """
    return json.dumps(body, separators=(",", ":")) if body else ""


def load_body(text: str) -> JsonObject:
    """Return the body that `dump_body` gave; an empty one for what is none.

    Raises `LedgerDamagedError` for what is no JSON.
    """
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError) as error:
        raise _unreadable(error) from error
    return found if isinstance(found, dict) else {}


def pack_story(story: WrittenStory) -> bytes:
    """Return a written story as the ledger keeps it."""
    return packed(compact([story.sent, story.server_values]))


def unpack_story(kept: bytes) -> WrittenStory:
    """Return the story that `pack_story` gave.

    Raises `LedgerDamagedError` for what it never gave.
    """
    try:
        sent, server_values = json.loads(unpacked(kept))
    except (ValueError, TypeError, RecursionError) as error:
        raise _unreadable(error) from error
    return WrittenStory(sent, server_values)


def body_holds(kept: bytes, words: Iterable[bytes]) -> bool:
    """Return whether a written story holds one of these words, in lower case.

    Raises `LedgerDamagedError` for what `pack_story` never gave.
    """
    try:
        text = unpacked(kept).lower()
    except ValueError as error:
        raise _unreadable(error) from error
    return any(word in text for word in words)


def _unreadable(error: Exception) -> LedgerDamagedError:
    return LedgerDamagedError(
        f"The ledger is damaged: what was written cannot be read ({error}); restore it "
        "from a backup, or run `cmsmig rebuild`, which puts it aside and makes a new "
        "one."
    )
