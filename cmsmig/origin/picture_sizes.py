"""What a file is by its bytes; how large a picture is as it is shown, read without
drawing it."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from lxml import etree
from PIL import Image
from PIL.IcoImagePlugin import IcoFile

from cmsmig.picture_types import BEFORE_ROOT, SVG, picture_type

_ROTATED = (5, 6, 7, 8)
_ORIENTATION = 0x0112
_LENGTH = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]{1,2})?)\s*(px)?\s*", re.IGNORECASE)
_HEAD = 65_536
"""Bytes that are looked at for what a file is."""
_PAGE = re.compile(
    BEFORE_ROOT + rb"<(?:!DOCTYPE\s+html|html|head|body|title|meta|script|style|iframe"
    rb"|div|table|h1|center|font|br|p|a|b)(?=[\s/>])",
    re.DOTALL | re.IGNORECASE,
)
"""A web page. Source: MIME Sniffing, identifying a resource of an unknown type."""
PAGE_TYPES = ("text/html", "application/xhtml+xml")
_LONGESTSVG_SIDE = 1_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """What a file's own bytes say."""

    content_type: str
    """Empty when the bytes are no picture that is known."""
    width: int | None
    height: int | None
    """Pixels after the rotation that the file asks for."""

    @property
    def is_picture(self) -> bool:
        """Return whether the bytes are a picture."""
        return self.content_type.startswith("image/")


class OversizedPictureError(Exception):
    """The picture says that it is far larger than any screen could show."""


def measure(path: Path) -> Picture:
    """Return type and size of a file, which may be hostile.

    Reads headers only. Raises `OversizedPictureError` for a decompression bomb.
    """
    for read in (_raster, _icon, _vector):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return read(path)
        except Image.DecompressionBombError:
            raise OversizedPictureError from None
        except Exception:
            # The decoders raise anything at all on broken bytes; such a file is kept
            # as it is, without a size.
            continue
    with open(path, "rb") as file:
        return Picture(picture_type(file.read(_HEAD)), None, None)


def is_page(path: Path, content_type: str) -> bool:
    """Return whether a file is a web page: by its first bytes, or by the type that its
    host names for what is text."""
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    if _PAGE.match(head.replace(b"\0", b"")):
        return True
    is_text = b"\0" not in head and not head.startswith(b"%PDF")
    return is_text and content_type in PAGE_TYPES


def _raster(path: Path) -> Picture:
    # An icon is decoded as soon as it is opened.
    with Image.open(path, formats=_formats()) as image:
        width, height = image.size
        kind = Image.MIME.get(image.format or "", "")
        try:
            # What a PNG does instead decodes it: 700 KB may be 700 MB of pixels.
            rotated = Image.Image.getexif(image).get(_ORIENTATION) in _ROTATED
        except Exception:
            rotated = False
    return Picture(kind, *((height, width) if rotated else (width, height)))


def _formats() -> list[str]:
    Image.init()
    return [each for each in Image.OPEN if each != "ICO"]


def _icon(path: Path) -> Picture:
    """Read the sizes of an icon from its directory."""
    with open(path, "rb") as file:
        return Picture(Image.MIME["ICO"], *max(IcoFile(file).sizes()))


def _vector(path: Path) -> Picture:
    """Read the root element of an SVG; nothing is loaded, nothing expanded. Raises
    `ValueError` for another document."""
    with open(path, "rb") as file:
        safe = {"resolve_entities": False, "load_dtd": False, "huge_tree": False}
        _, root = next(etree.iterparse(file, ("start",), no_network=True, **safe))
    if etree.QName(root).localname != "svg":
        raise ValueError("it is no SVG")
    sides = [str(root.get(name, "")) for name in ("width", "height")]
    box = re.split(r"[\s,]+", str(root.get("viewBox", "")).strip())
    if not all(map(_pixels, sides)):
        sides = box[2:] if len(box) == 4 else ["", ""]
    return Picture(SVG, *map(_pixels, sides))


def _pixels(text: str) -> int | None:
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    length = float(found.group(1))
    return max(1, round(length)) if 0 < length <= _LONGESTSVG_SIDE else None
