"""What a file is by its bytes; how large a picture is as it is shown, read without
drawing it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lxml import etree
from PIL import Image

from cmsmig.picture_types import BEFORE_ROOT, SVG, picture_type

_ROTATED = (5, 6, 7, 8)
_ORIENTATION = 0x0112
_LENGTH = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]{1,2})?)\s*(px)?\s*", re.IGNORECASE)
_ICON = b"\0\0\1\0"
_HEAD = 65_536
"""Bytes that are looked at for what a file is."""
_PAGE = re.compile(
    BEFORE_ROOT + rb"<(?:!DOCTYPE\s+html|html|head|body|title|meta|script|style|iframe"
    rb"|div|table|h1|center|font|br|p|a|b)(?=[\s/>])",
    re.DOTALL | re.IGNORECASE,
)
"""A web page. Source: MIME Sniffing, identifying a resource of an unknown type."""
_MOST_ICONS = 256
"""In one file; a browser's own has five."""
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
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _raster(path)
    except Image.DecompressionBombError:
        raise OversizedPictureError from None
    except Exception:
        # The decoders raise anything at all on broken bytes; such a file is kept
        # as it is, without a size.
        found = _icon(path) or _vector(path)
    if found.content_type:
        return found
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


def _icon(path: Path) -> Picture | None:
    """Read the sizes of an icon from its directory; None when it is no icon."""
    with open(path, "rb") as file:
        head = file.read(6)
        count = int.from_bytes(head[4:], "little")
        if not head.startswith(_ICON) or not 0 < count <= _MOST_ICONS:
            return None
        entries = [file.read(16) for _ in range(count)]
    sizes = [(each[0] or 256, each[1] or 256) for each in entries if len(each) == 16]
    return Picture(Image.MIME["ICO"], *max(sizes)) if sizes else None


def _vector(path: Path) -> Picture:
    """Read the root element of an SVG; nothing is loaded, nothing expanded."""
    try:
        with open(path, "rb") as file:
            root = next(_elements(file), None)
    except (etree.XMLSyntaxError, OSError, ValueError):
        root = None
    if root is None or etree.QName(root).localname != "svg":
        return Picture("", None, None)
    return Picture(SVG, *_svg_size({str(k): str(v) for k, v in root.attrib.items()}))


def _elements(file: BinaryIO) -> Iterator[etree._Element]:
    for _, element in etree.iterparse(
        file,
        events=("start",),
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
    ):
        yield element


def _svg_size(attributes: dict[str, str]) -> tuple[int | None, int | None]:
    width = _pixels(attributes.get("width", ""))
    height = _pixels(attributes.get("height", ""))
    if width and height:
        return width, height
    box = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
    if len(box) != 4:
        return None, None
    return _pixels(box[2]), _pixels(box[3])


def _pixels(text: str) -> int | None:
    found = _LENGTH.fullmatch(text)
    if found is None:
        return None
    length = float(found.group(1))
    return max(1, round(length)) if 0 < length <= _LONGESTSVG_SIDE else None
