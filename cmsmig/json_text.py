"""JSON text as documents are written and shown: no blanks, keys in their order."""

from __future__ import annotations

import json
import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_text(value: object) -> str:
    """Return a JSON value as `JSON.stringify` writes it, numbers as Python does.

    Raises `TypeError` for what JSON cannot hold.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
