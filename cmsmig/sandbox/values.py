"""Reading JSON of unknown shape without trusting it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from cmsmig.canonical import Json, JsonObject


def text_of(value: object) -> str:
    """Return a string as it is and everything else as the empty string."""
    return value if isinstance(value, str) else ""


def object_of(value: object) -> JsonObject:
    """Return a JSON object as it is and everything else as an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Json]:
    """Return a JSON array as it is and everything else as an empty one."""
    return value if isinstance(value, list) else []


def whole(value: object) -> int | None:
    """Return an integer, also one written as text, else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value)
    return None


def truthy(value: object) -> bool:
    """Return whether a flag is set, in JSON or as a query writes it."""
    if isinstance(value, str):
        return value.lower() in {"1", "true", "yes"}
    return bool(value)


def moment(seconds: float) -> str:
    """Return a Unix time as ISO 8601 in UTC with milliseconds and `Z`."""
    stamp = datetime.fromtimestamp(seconds, UTC)
    return stamp.strftime("%Y-%m-%dT%H:%M:%S.") + f"{stamp.microsecond // 1000:03d}Z"


def encoded(value: object) -> bytes:
    """Return JSON as an answer holds it."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, only an escaped one.
        return json.dumps(value).encode()
