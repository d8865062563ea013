"""Small pictures of the local copies, drawn once and kept in the derived file."""

from __future__ import annotations

import base64
import io
import re
import warnings
from pathlib import Path

from PIL import Image, ImageOps

from cmsmig.derived_file import DerivedFile
from cmsmig.origin.files import FileStore

_LARGEST = (168, 126)
"""Pixels, width and height."""
_SMALL = (64, 64)
"""Of those in lists, which show them at half that size."""
_MOST_PIXELS = 16_000_000
"""Beyond that a picture of a few kilobytes takes a gigabyte to draw."""
_MOST_OF_JPEG = 60_000_000
"""One that is drawn at an eighth of its size takes less."""
_FORMATS = ("JPEG", "PNG", "GIF", "WEBP")
_MOST_SVG = 40_000
"""Bytes of a drawing that is shown as it is."""
_MOST_SMALL_SVG = 4_000
"""In a list there are many."""
_BUSY = re.compile(
    rb"<!|<\s*/?\s*(?:\w+:)?(?:script|use|image|foreignobject|animate|set|filter|style"
    rb"|pattern|mask)|\bon\w+\s*=|url\s*\(|(?:href|src)\s*=",
    re.I,
)
"""What could make a drawing run, load or take for ever."""
_VERSION = "2"
_NONE = b"-"


class Thumbnails:
    """Thumbnails by the hash of the file, as addresses that hold the picture."""

    def __init__(self, files: FileStore, derived: DerivedFile) -> None:
        self._files = files
        self._derived = derived
        self._tried: set[str] = set()
        self.missing: dict[str, None] = {}
        """Hashes of those that were asked for and are not drawn yet."""

    def kept(self, sha256: str, *, small: bool = False) -> str | None:
        """Return a thumbnail that was drawn already, empty for what cannot be drawn;
        None, and one of the missing, before that was tried."""
        found = self._derived.part(_name(sha256), int(small), _VERSION)
        if found is not None:
            return _address(found)
        if sha256 in self._tried:
            return ""
        self.missing[sha256] = None
        return None

    def draw(self, sha256: str) -> str:
        """Return a thumbnail, drawn now if need be; empty for what cannot be drawn."""
        known = self.kept(sha256)
        if known is not None:
            return known
        drawn = _drawn(self._files.path(sha256))
        parts = [each or _NONE for each in drawn]
        self._derived.keep_parts(_name(sha256), _VERSION, parts)
        self._tried.add(sha256)
        self.missing.pop(sha256, None)
        return _address(drawn[0])


def _name(sha256: str) -> str:
    return f"thumbnail {sha256}"


def _address(body: bytes) -> str:
    if body in (b"", _NONE):
        return ""
    kind = (
        "png"
        if body.startswith(b"\x89PNG")
        else "jpeg"
        if body.startswith(b"\xff\xd8")
        else "svg+xml"
    )
    return f"data:image/{kind};base64,{base64.b64encode(body).decode('ascii')}"


def _drawn(path: Path) -> tuple[bytes, bytes]:
    """Return the bytes of a thumbnail and of a small one; empty for what is no picture,
    or none to trust."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _raster(path)
    except Exception:
        # The decoders raise anything at all on broken bytes.
        return _vector(path)


def _raster(path: Path) -> tuple[bytes, bytes]:
    with Image.open(path, formats=_FORMATS) as opened:
        width, height = opened.size
        most = _MOST_OF_JPEG if opened.format == "JPEG" else _MOST_PIXELS
        if width * height > most:
            return b"", b""
        opened.draft("RGB", (2 * _LARGEST[0], 2 * _LARGEST[1]))
        # While it is large there is no second copy of it; a turn swaps its sides.
        opened.thumbnail((2 * _LARGEST[0], 2 * _LARGEST[0]))
        image = ImageOps.exif_transpose(opened)
        image.thumbnail(_LARGEST)
        large = _encoded(image)
        image.thumbnail(_SMALL)
        return large, _encoded(image)


def _encoded(image: Image.Image) -> bytes:
    made = io.BytesIO()
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        image.convert("RGBA").save(made, "PNG")
    else:
        image.convert("RGB").save(made, "JPEG", quality=80)
    return made.getvalue()


def _vector(path: Path) -> tuple[bytes, bytes]:
    """Return a small drawing as it is when nothing in it could run or load."""
    try:
        if path.stat().st_size > _MOST_SVG:
            return b"", b""
        body = path.read_bytes()
    except OSError:
        return b"", b""
    text = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    text = re.sub(rb"\A<\?xml[^<>]*\?>\s*", b"", text)
    if not text.startswith(b"<svg") or _BUSY.search(text):
        return b"", b""
    return text, text if len(text) <= _MOST_SMALL_SVG else b""
