"""Bytes that are kept packed, and unpacked with a bound: one megabyte of a tampered
file may expand to a thousand."""

from __future__ import annotations

import zlib

MOST = 256 * 1024 * 1024
"""Bytes unpacked: many times the largest story that a destination takes."""
_QUICK = 1
"""How hard bytes are packed: once per write."""


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
