"""The few files of the sample whose bytes matter; others are drawn when asked for."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator

from PIL import Image, ImageDraw

from cmsmig.sandbox.sample.identity import file_id

MISSING = ("missing.png",)
"""Files that the host is to answer 404 for."""

_LOGO = b"""<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="240" height="80" viewBox="0 0 240 80">
  <title>Saltmarsh Quarterly</title>
  <path d="M0 60 Q30 30 60 60 T120 60 T180 60 T240 60" fill="none" stroke="#4a6b57"
    stroke-width="6"/>
  <circle cx="190" cy="22" r="12" fill="#c93"/>
</svg>
"""
_RULE = b"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 12">
  <path d="M0 6 Q15 0 30 6 T60 6 T90 6 T120 6" fill="none" stroke="#27c"/>
</svg>
"""
_TRACK = b"""<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Saltmarsh Quarterly"
  xmlns="http://www.topografix.com/GPX/1/1"><trk><name>The crossing</name><trkseg>
  <trkpt lat="49.6600" lon="-1.7135"/><trkpt lat="49.6712" lon="-1.7290"/>
</trkseg></trk></gpx>
"""


def special_files() -> Iterator[tuple[str, bytes]]:
    """Yield (file id, bytes) of every file that is stored with the sample."""
    turned = _turned_jpeg()
    by_name = {
        "shared-logo.svg": _LOGO,
        "shared-logo-copy.svg": _LOGO,
        "wave-rule.svg": _RULE,
        "wheat-mark.svg": _RULE.replace(b"#27c", b"#c93"),
        "bram-oakes.jpg": turned,
        "carte-du-littoral.png": _png(),
        "route-map.pdf": _pdf("Route map"),
        "Programme d'été (2025).pdf": _pdf("Programme 2025"),
        "cutting-1998.pdf": _pdf("Cutting, 1998"),
        "causeway.gpx": _TRACK,
        "tide-timelapse.mp4": _mp4(),
        "choir-in-pairs.mp3": _mp3(),
        "bench.mp3": _mp3(),
    }
    for name, data in by_name.items():
        yield file_id(name), data


def _turned_jpeg() -> bytes:
    """Return a photograph whose EXIF says that it lies on its side."""
    picture = Image.new("RGB", (320, 240), "#8fa7b3")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 150, 320, 240), fill="#4a6b57")
    draw.ellipse((230, 30, 280, 80), fill="#cc9933")
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=85, exif=exif)
    return out.getvalue()


def _png() -> bytes:
    picture = Image.new("RGBA", (64, 48), (39, 119, 204, 128))
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def _pdf(title: str) -> bytes:
    """Return a document of one page that shows `title` in large letters."""
    plain = title.encode("ascii", "replace").decode()
    stream = zlib.compress(f"BT /F1 28 Tf 60 740 Td ({plain}) Tj ET".encode())
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream"
        % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    out = bytearray(b"%PDF-1.4\n")
    starts: list[int] = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for start in starts:
        out += b"%010d 00000 n \n" % start
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table,
    )
    return bytes(out)


def _mp4() -> bytes:
    """Return a film's first boxes: enough to be told from other files."""
    kind = b"ftypisom\x00\x00\x02\x00isomiso2mp41"
    return (len(kind) + 4).to_bytes(4, "big") + kind + b"\x00\x00\x00\x08free"


def _mp3() -> bytes:
    """Return one silent frame behind an empty ID3 tag."""
    return b"ID3\x03\x00\x00\x00\x00\x00\x00" + b"\xff\xfb\x90\x00" + bytes(413)
