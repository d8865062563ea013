"""JSON values, their compact and packed bytes, and the one form that fingerprints are
taken of."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import orjson

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"


_PLAIN: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
"""What has no JSON form of its own is refused."""
_SORTED: Final = _PLAIN | orjson.OPT_SORT_KEYS
MOST = 256 * 1024 * 1024
"""Bytes unpacked: many times the largest story that a destination takes. One megabyte
of a tampered file may expand to a thousand."""
_QUICK = 1
"""How hard bytes are packed: once per write."""


def canonical(value: object) -> bytes:
    """Return `value` as UTF-8 JSON with sorted keys and no blanks.

    Two values are equal as JSON exactly when their canonical bytes are equal; NaN
    is null. Raises `TypeError` for what JSON cannot hold.
    """
    try:
        return orjson.dumps(value, _plain, _SORTED)
    except TypeError:
        # Numbers of more than 64 bits, lone surrogates, more than 254 levels.
        return _sorted_text(value).encode("utf-8", "surrogatepass")


def compact(value: Json) -> bytes:
    """Return a JSON value as UTF-8 without blanks, keys in their order.

    A lone surrogate, which has no UTF-8 form, keeps its value for `json.loads`.
    """
    try:
        return orjson.dumps(value, None, _PLAIN)
    except TypeError:
        return _text(value).encode("utf-8", "surrogatepass")


def fingerprint(value: object) -> str:
    """Return the SHA-256 of the canonical form, 64 hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def fingerprint_of_each(values: Iterable[object]) -> str:
    """Return one SHA-256 over many values in their order, 64 hex digits. None but the
    one at hand is in memory for it."""
    digest = hashlib.sha256()
    for value in values:
        digest.update(canonical(value) + b"\n")
    return digest.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def text_of(value: object) -> str:
    """Return a text, empty for any other value."""
    return value if isinstance(value, str) else ""


def packed(content: bytes) -> bytes:
    """Return bytes as they are kept."""
    return zlib.compress(content, _QUICK)


def unpacked(kept: bytes) -> bytes:
    """Return what `packed` was given.

    Raises `ValueError` for what it never gave, and for more than `MOST` bytes.
    """
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(kept, MOST)
    except (zlib.error, TypeError) as error:
        raise ValueError("it is not packed") from error
    if not stream.eof:
        raise ValueError("it is cut, or larger than anything that is kept")
    return content


_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_sorted_text = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain
).encode
