"""What kind of picture a file is, by its first bytes."""

from __future__ import annotations

import re

SVG = "image/svg+xml"
_SIGNATURES = {
    kind: re.compile(signature, re.DOTALL)
    for kind, signature in {
        "image/png": rb"\x89PNG\r\n\x1a\n",
        "image/jpeg": rb"\xff\xd8\xff",
        "image/gif": rb"GIF8[79]a",
        "image/webp": rb"RIFF....WEBP",
        "image/bmp": rb"BM.{4}\0{4}",
        "image/tiff": rb"II\*\0|MM\0\*",
        "image/x-icon": rb"\0\0[\1\2]\0",
        "image/avif": rb"....ftypavi[fs]",
        "image/heic": rb"....ftyp(?:hei|hev|mif1|msf1)",
        "image/jxl": rb"\xff\x0a|\0\0\0\x0cJXL ",
    }.items()
}
BEFORE_ROOT = rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:\s+|<!--.*?-->|<\?.*?\?>)*+"
"""What may come before the root of a document."""
_DRAWING = re.compile(
    BEFORE_ROOT + rb"(?:<!DOCTYPE\s+svg\b.{0,4096}?)?<(?:\w+:)?svg[\s/>]",
    re.DOTALL | re.IGNORECASE,
)


def picture_type(head: bytes) -> str:
    """Return the content type that the first bytes of a picture name; empty for what is
    none. Source: MIME Sniffing, matching an image type pattern."""
    for kind, signature in _SIGNATURES.items():
        if signature.match(head):
            return kind
    return SVG if _DRAWING.match(head.replace(b"\0", b"")) else ""
