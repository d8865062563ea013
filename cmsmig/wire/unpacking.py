"""Packed bodies (`Content-Encoding`), unpacked a little at a time.

A few bytes can unpack to gigabytes, and packing twice squares that. So one layer
is accepted, and the reader can stop after every piece.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

_PIECE = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS
_MEMBER = b"\x1f\x8b"


class UnpackingError(Exception):
    """A body is not packed as it says, or is cut; the text says how."""

    tries = 4
    """How often it is worth trying in all: bytes get lost on their way."""


class UnknownPackingError(UnpackingError):
    """A body is packed in a way that was not asked for."""

    tries = 1


class Unpacker:
    """Unpacks one body.

    Raises `UnknownPackingError` for anything but one layer of gzip or deflate.
    """

    def __init__(self, encoding: str) -> None:
        named = [each.strip().lower() for each in encoding.split(",")]
        layers = [each for each in named if each not in ("", "identity")]
        if len(layers) > 1 or not set(layers) <= {"gzip", "x-gzip", "deflate"}:
            shown = " ".join(encoding.split())[:80]
            raise UnknownPackingError(
                f"it is packed as {shown!r}, not as was asked for"
            )
        self._kind = layers[0].removeprefix("x-") if layers else ""
        self._stream: zlib._Decompress | None = None
        self._held = b""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what `chunk` holds, in small pieces; raises `UnpackingError`."""
        if not self._kind:
            yield chunk
            return
        waiting = self._held + chunk
        self._held = b""
        while True:
            stream, waiting = self._stream_for(waiting)
            if stream is None:
                return
            try:
                piece = stream.decompress(waiting, _PIECE)
            except zlib.error:
                raise UnpackingError("its packed bytes are damaged") from None
            if piece:
                yield piece
            waiting = stream.unused_data if stream.eof else stream.unconsumed_tail
            # A full piece may have more behind it even without further input.
            if not waiting and len(piece) < _PIECE:
                return

    def finish(self) -> None:
        """Raise `UnpackingError` when the body ended in the middle."""
        if self._stream is not None and not self._stream.eof:
            raise UnpackingError("its packed bytes end in the middle")

    def _stream_for(self, waiting: bytes) -> tuple[zlib._Decompress | None, bytes]:
        """Return what unpacks `waiting`, and what of it is to be unpacked."""
        if self._stream is None:
            if not waiting:
                return None, b""
            self._stream = _begun(self._kind, waiting)
        elif self._stream.eof:
            # Another member, or padding as some servers append it.
            waiting = waiting.lstrip(b"\0")
            if waiting == _MEMBER[:1]:
                self._held = waiting
            if self._kind != "gzip" or not waiting.startswith(_MEMBER):
                return None, b""
            self._stream = _begun(self._kind, waiting)
        return self._stream, waiting


def _begun(kind: str, start: bytes) -> zlib._Decompress:
    if kind == "gzip":
        return zlib.decompressobj(_GZIP)
    # Some servers leave out the header that the standard asks for.
    headed = start[:1] == b"\x78"
    return zlib.decompressobj(zlib.MAX_WBITS if headed else -zlib.MAX_WBITS)
