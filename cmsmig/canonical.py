"""JSON values, and the one byte form that fingerprints are taken of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"


def canonical(value: object) -> bytes:
    """Return `value` as UTF-8 JSON with sorted keys and no blanks.

    Two values are equal as JSON exactly when their canonical bytes are equal.
    Raises `TypeError` for what JSON cannot hold and `ValueError` for NaN.
    """
    return _json(value).encode("utf-8", "surrogatepass")


def fingerprint(value: object) -> str:
    """Return the SHA-256 of the canonical form, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_json = json.JSONEncoder(
    sort_keys=True,
    ensure_ascii=False,
    separators=(",", ":"),
    allow_nan=False,
    default=_plain,
).encode
