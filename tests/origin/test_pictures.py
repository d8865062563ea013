"""Sizes of pictures are read from headers; no small file fills the memory."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from cmsmig.origin.picture_sizes import Picture, measure
from cmsmig.survey.thumbnails import _drawn

_ROTATION = 0x0112


def _bytes(kind: str, size: tuple[int, int] = (40, 20), rotation: int = 1) -> bytes:
    exif = Image.Exif()
    exif[_ROTATION] = rotation
    made = io.BytesIO()
    Image.new("RGB", size).save(made, kind, exif=exif)
    return made.getvalue()


def _icon(picture: bytes, width: int, height: int) -> bytes:
    entry = struct.pack("<BBBBHHII", width, height, 0, 0, 1, 32, len(picture), 22)
    return struct.pack("<HHH", 0, 1, 1) + entry + picture


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (_bytes("PNG"), Picture("image/png", 40, 20)),
        (_bytes("PNG", rotation=6), Picture("image/png", 20, 40)),
        (_bytes("JPEG", rotation=6), Picture("image/jpeg", 20, 40)),
        (_bytes("WEBP", rotation=6), Picture("image/webp", 20, 40)),
        (_bytes("GIF"), Picture("image/gif", 40, 20)),
        (_icon(_bytes("PNG"), 40, 20), Picture("image/x-icon", 40, 20)),
        (_icon(_bytes("PNG"), 0, 0), Picture("image/x-icon", 256, 256)),
        (b"\0\0\1\0\xff\xff" + b"\0" * 40, Picture("image/x-icon", None, None)),
    ],
)
def test_a_size_is_read_without_decoding(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    expected: Picture,
) -> None:
    """Decoding takes a thousand times the bytes of a file."""

    decoded: list[object] = []
    path = tmp_path / "picture"
    path.write_bytes(content)
    monkeypatch.setattr(ImageFile.ImageFile, "load", decoded.append)
    assert measure(path) == expected
    assert decoded == []


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "GIF"])
def test_no_thumbnail_is_drawn_of_what_takes_a_gigabyte(
    tmp_path: Path, kind: str
) -> None:
    """Smaller ones are drawn, and turned as the file asks."""
    path = tmp_path / "picture"
    path.write_bytes(_bytes(kind, (5000, 4000)))
    assert _drawn(path) == (b"", b"")
    path.write_bytes(_bytes(kind, (3000, 1000), rotation=6))
    for body, most in zip(_drawn(path), (168, 64), strict=True):
        with Image.open(io.BytesIO(body)) as drawn:
            wide, high = drawn.size
        assert max(wide, high) <= most
        assert (high > wide) is (kind != "GIF")
