"""The origin's file host: bytes from the folder, or made up on demand.

The same name always gives the same bytes. Every format is valid for what its extension
promises, and two names differ.
"""

from __future__ import annotations

import hashlib
import io
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from PIL import Image, ImageDraw

from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.origin.content import Content, IndexedFile

_Found: TypeAlias = tuple[bytes, str] | None
"""Bytes and content type."""
_PREFIX = "/files/"
_NOT_FILES = frozenset({"", ".", "..", "missing.json"})
_RASTER = {
    "png": "PNG",
    "jpg": "JPEG",
    "jpeg": "JPEG",
    "gif": "GIF",
    "webp": "WEBP",
    "bmp": "BMP",
}
_TYPES = {
    "webp": "image/webp",
    "avif": "image/avif",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "lottie": "application/json",
}
_WIDTHS = (240, 320, 400, 480, 600)
_RATIOS = ((1, 1), (4, 3), (3, 2), (16, 9), (3, 4))


@dataclass(frozen=True, slots=True)
class FileHost:
    """Answers what is not under `/v2`; needs no token and counts against nothing."""

    content: Content

    async def answer(self, call: Call) -> Reply:
        """Answer one GET or HEAD."""
        if call.method not in {"GET", "HEAD"}:
            return Reply(405, service="files", route="file")
        index = self.content.index
        found = self._indexed(index.files, call) if index else self._named(call)
        if found is None:
            return Reply(404, b"Not found", "text/plain", service="files", route="file")
        data, kind = found
        tag = ("ETag", f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"')
        return Reply(200, data, kind, (tag,), service="files", route="file")

    def _indexed(self, files: Mapping[str, IndexedFile], call: Call) -> _Found:
        wanted = _target(call)
        ways = (f for path, f in files.items() if unquote(path) == call.path)
        file = files.get(wanted) or files.get(unquote(wanted)) or next(ways, None)
        if file is None or not file.sha256.isalnum():
            return None
        path = self.content.folder.parent / "files" / file.sha256
        if not path.is_file():
            return None
        return path.read_bytes(), file.content_type or content_type(call.path)

    def _named(self, call: Call) -> _Found:
        name = call.path.removeprefix(_PREFIX)
        if name == call.path or not name:
            return None
        if {name, _file_id(name)} & self.content.lost:
            return None
        stored = _stored(self.content.folder / "files", name)
        data = stored.read_bytes() if stored is not None else draw(name)
        return data, content_type(name)


def _file_id(name: str) -> str:
    return name.rpartition("/")[2].partition("_")[0]


def _stored(folder: Path, name: str) -> Path | None:
    for candidate in (name.rpartition("/")[2], _file_id(name)):
        path = folder / candidate
        if candidate not in _NOT_FILES and path.is_file():
            return path
    return None


def _target(call: Call) -> str:
    query = "&".join(f"{k}={v}" if v else k for k, v in call.query)
    return f"{call.raw_path}?{query}" if query else call.raw_path


def extension(name: str) -> str:
    """Return a file name's extension in lower case, without its dot."""
    _, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot else ""


def content_type(name: str) -> str:
    """Return the content type of a file name's extension."""
    suffix = extension(name)
    guessed = mimetypes.guess_type(f"file.{suffix}")[0] if suffix else None
    return _TYPES.get(suffix) or guessed or "application/octet-stream"


@lru_cache(maxsize=256)
def draw(name: str) -> bytes:
    """Return the bytes of a file that was not pulled, seeded by its whole name."""
    seed = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    suffix = extension(name)
    if not suffix or suffix in _RASTER:
        return _raster(seed, _RASTER[suffix or "png"])
    if suffix == "svg":
        return _svg(seed)
    if suffix == "pdf":
        return _pdf(seed)
    if suffix in {"mp4", "m4v", "mov"}:
        return _film(seed)
    if suffix in {"txt", "csv", "vtt", "json", "lottie"}:
        return _text(seed, suffix)
    return seed * 4


def pixel_size(seed: bytes) -> tuple[int, int]:
    """Return the width and height of the picture drawn from a seed."""
    width = _WIDTHS[seed[0] % len(_WIDTHS)]
    across, down = _RATIOS[seed[1] % len(_RATIOS)]
    return width, width * down // across


def _raster(seed: bytes, form: str) -> bytes:
    picture = Image.new("RGB", pixel_size(seed), tuple(seed[2:5]))
    brush = ImageDraw.Draw(picture)
    width, height = picture.size
    for index in range(6):
        part = seed[5 + index * 4 : 9 + index * 4]
        left, top = part[0] * width // 256, part[1] * height // 256
        box = (left, top, left + part[2], top + part[3])
        brush.rectangle(box, fill=(part[3], part[0], part[1]))
    brush.text((8, 8), seed.hex()[:12], fill=(255, 255, 255))
    taken = io.BytesIO()
    picture.save(taken, form)
    return taken.getvalue()


def _svg(seed: bytes) -> bytes:
    width, height = pixel_size(seed)
    colour = seed[2:5].hex()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{seed.hex()}</title>'
        f'<rect width="100%" height="100%" fill="#{colour}"/></svg>\n'
    ).encode()


def _pdf(seed: bytes) -> bytes:
    stream = f"BT /F1 18 Tf 40 100 Td ({seed.hex()[:32]}) Tj ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 420 200] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    text, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    trailer = f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(text)}\n"
    text += f"xref\n0 {count}\n0000000000 65535 f \n{table}{trailer}%%EOF\n"
    return text.encode("ascii")


def _film(seed: bytes) -> bytes:
    brand = b"ftypisom\x00\x00\x02\x00isomiso2mp41"
    return _box(brand) + _box(b"mdat" + seed * 8)


def _box(body: bytes) -> bytes:
    return (len(body) + 4).to_bytes(4, "big") + body


def _text(seed: bytes, suffix: str) -> bytes:
    mark = seed.hex()
    if suffix in {"json", "lottie"}:
        return f'{{"seed": "{mark}"}}\n'.encode()
    if suffix == "vtt":
        return f"WEBVTT\n\n00:00.000 --> 00:04.000\n{mark}\n".encode()
    return f"seed,{mark}\n".encode()
