"""The files of a pull: what arrives, what is listed as missing, and why."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from cmsmig.errors import StorageError
from cmsmig.origin.files import FileStore
from cmsmig.steps.pull.file_downloads import FilesReport
from cmsmig.steps.pull.pull import pull
from tests.steps.pull.test_pull import KilledError
from tests.support.steps.pull_origin import (
    FILES,
    FakeOrigin,
    item,
    project,
    session,
    settings,
    tree,
)

FIELDS = [
    {"id": "f1", "slug": "photo", "type": "Image", "displayName": "Photo"},
    {"id": "f2", "slug": "body", "type": "RichText", "displayName": "Body"},
    {"id": "f3", "slug": "sheet", "type": "File", "displayName": "Sheet"},
]
SVG = (
    b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]>'
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30.4 12"/>'
)


def jpeg(width: int, height: int, orientation: int = 1) -> bytes:
    """Return a JPEG that asks to be rotated."""
    picture = Image.new("RGB", (width, height), "teal")
    exif = picture.getexif()
    exif[0x0112] = orientation
    body = io.BytesIO()
    picture.save(body, "JPEG", exif=exif)
    return body.getvalue()


def site(*addresses: str, body: str = "", field: str = "sheet") -> FakeOrigin:
    """Return an origin whose items name files at these addresses."""
    items = [
        item(number, **{field: {"fileId": "x", "url": address}, "body": body})
        for number, address in enumerate(addresses)
    ]
    return FakeOrigin(staged={"posts": items}, fields=FIELDS)


def serve(files: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    """Serve bytes or whole responses by path."""

    def handler(request: httpx.Request) -> httpx.Response:
        assert "authorization" not in request.headers
        found = files.get(request.url.path, httpx.Response(404))
        if isinstance(found, bytes):
            return httpx.Response(200, content=found)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, httpx.Response)
        return found

    return handler


async def run(folder: Path, origin: FakeOrigin, files: Any, **more: Any) -> FilesReport:
    async with session(origin) as api, session(files, "files") as downloads:
        report = await pull(
            settings(folder, **more), project(folder), origin=api, files=downloads
        )
    return report.files


def store(folder: Path) -> FileStore:
    return FileStore(project(folder).files, project(folder).raw)


async def test_files_are_kept_by_their_bytes(tmp_path: Path) -> None:
    """Two addresses of one picture are one file, indexed with its shown size."""
    picture = jpeg(40, 20, orientation=6)
    first, second = f"{FILES}/s/1_a%20b.jpg", f"{FILES}/s/2_copy.jpg"
    files = {"/s/1_a b.jpg": picture, "/s/2_copy.jpg": picture}
    report = await run(tmp_path, site(first, second), serve(files))
    assert (report.found, report.downloaded, report.failed) == (2, 2, ())
    digest = hashlib.sha256(picture).hexdigest()
    assert tree(project(tmp_path).files) == {digest: picture}
    listed = json.loads((project(tmp_path).raw / "files.json").read_text())["files"]
    assert listed[0] == {
        "address": first,
        "sha256": digest,
        "bytes": len(picture),
        "content_type": "image/jpeg",
        "width": 20,
        "height": 40,
        "name": "1_a b.jpg",
    }


@pytest.mark.parametrize(
    ("name", "body", "field", "error"),
    [
        (
            "a.jpg",
            b"<!DOCTYPE html><html>Gone</html>",
            "photo",
            "web_page",
        ),
        ("a.pdf", b"<html><head><title>404</title></head></html>", "sheet", "web_page"),
        ("a.jpg", b"not a picture", "photo", "no_picture"),
        ("a.png", b'{"error": "gone"}', "sheet", "no_picture"),
        ("a.html", b"<!DOCTYPE html><html><body>A page</body></html>", "sheet", ""),
        ("a.svg", b"<!-- x --><svg xmlns='http://www.w3.org/2000/svg'/>", "photo", ""),
    ],
)
async def test_what_arrives_is_what_it_is_named(
    tmp_path: Path, name: str, body: bytes, field: str, error: str
) -> None:
    """A picture is one by its bytes; a page is no document."""
    address = f"{FILES}/{name}"
    origin = site(address, field=field)
    report = await run(tmp_path, origin, serve({f"/{name}": body}))
    assert [row.error for row in report.failed] == ([error] if error else [])
    assert len(tree(project(tmp_path).files)) == (not error)


async def test_a_picture_in_its_own_address_is_a_file(tmp_path: Path) -> None:
    """Its bytes are kept; where they are no picture, the row has the reason."""
    picture = jpeg(40, 20)
    held = f"data:image/jpeg;base64,{b64encode(picture).decode()}"
    other = f"data:image/png;base64,{b64encode(b'no picture' * 9000).decode()}"
    body = f'<p>x</p><img src="{held}"><img src="{other}">'
    origin = site(held, field="photo", body=body)
    report = await run(tmp_path, origin, serve({}))
    assert tree(project(tmp_path).files) == {
        hashlib.sha256(picture).hexdigest(): picture
    }
    assert [row.error for row in report.failed] == ["no_picture"]
    assert len(report.failed[0].address) < 100


@pytest.mark.parametrize(
    ("head", "size"),
    [
        pytest.param(b'width="12px" height="7.6"', (12, 8), id="pixels"),
        pytest.param(b'width="100%" viewBox="0 0 30 10"', (30, 10), id="viewBox"),
        pytest.param(b'width="1em" height="2em"', (None, None), id="unknown units"),
        pytest.param(b'width="1e99" height="2"', (None, None), id="absurd"),
    ],
)
async def test_the_size_of_an_svg(
    tmp_path: Path, head: bytes, size: tuple[int | None, int | None]
) -> None:
    """Pixels of the root element, else its box, else nothing."""
    body = b'<svg xmlns="http://www.w3.org/2000/svg" ' + head + b"/>"
    await run(tmp_path, site(f"{FILES}/x.svg"), serve({"/x.svg": body}))
    row = store(tmp_path).rows()[f"{FILES}/x.svg"]
    assert (row.width, row.height, row.content_type) == (*size, "image/svg+xml")


async def test_a_document_type_in_an_svg_is_harmless(tmp_path: Path) -> None:
    """Entities are neither loaded nor expanded; the size is read all the same."""
    await run(tmp_path, site(f"{FILES}/x.svg"), serve({"/x.svg": SVG}))
    row = store(tmp_path).rows()[f"{FILES}/x.svg"]
    assert (row.width, row.height) == (30, 12)


_HEAD = b"IHDR" + struct.pack(">IIBBBBB", 1 << 16, 1 << 16, 8, 6, 0, 0, 0)
BOMB = (
    b"\x89PNG\r\n\x1a\n"
    + struct.pack(">I", 13)
    + _HEAD
    + struct.pack(">I", zlib.crc32(_HEAD))
    + struct.pack(">I", 1)
    + b"IDATx"
)
"""A picture of four thousand million pixels, as its first bytes say."""


@pytest.mark.parametrize(
    ("address", "answer", "code"),
    [
        pytest.param(f"{FILES}/a.jpg", httpx.Response(404), "not_found", id="404"),
        pytest.param(f"{FILES}/a.jpg", httpx.Response(403), "http_403", id="403"),
        pytest.param(f"{FILES}/a.jpg", httpx.Response(503), "http_503", id="503"),
        pytest.param(f"{FILES}/a.jpg", b"", "empty", id="empty"),
        pytest.param(f"{FILES}/a.jpg", b"x" * 1_200_000, "too_large", id="too large"),
        pytest.param(f"{FILES}/a.png", BOMB, "too_many_pixels", id="bomb"),
        pytest.param(
            f"{FILES}/a.jpg", httpx.ReadTimeout("late"), "timeout", id="timeout"
        ),
        pytest.param(
            f"{FILES}/a.jpg", httpx.ConnectError("down"), "unreachable", id="down"
        ),
        pytest.param("http://127.0.0.1/a.jpg", b"x", "private_address", id="loopback"),
        pytest.param("http://[::1]/a.jpg", b"x", "private_address", id="loopback six"),
        pytest.param("http://10.1.2.3/a.jpg", b"x", "private_address", id="private"),
        pytest.param(
            "http://169.254.169.254/a.jpg", b"x", "private_address", id="link-local"
        ),
        pytest.param(
            f"{FILES}/a.jpg",
            httpx.Response(302, headers={"location": "http://192.168.0.1/x"}),
            "private_address",
            id="redirect inwards",
        ),
        pytest.param(
            f"{FILES}/a.jpg",
            httpx.Response(302, headers={"location": "file:///etc/passwd"}),
            "not_http",
            id="redirect to a file",
        ),
        pytest.param(
            f"{FILES}/a.jpg",
            httpx.Response(302, headers={"location": "/a.jpg"}),
            "redirects",
            id="redirect in a circle",
        ),
        pytest.param("ftp://host.test/a.jpg", b"x", "not_http", id="ftp"),
        pytest.param("file:///etc/passwd", b"x", "not_http", id="file"),
    ],
)
async def test_a_file_that_fails_is_a_row_and_tried_again(
    tmp_path: Path, address: str, answer: Any, code: str
) -> None:
    """The others arrive; the failure has a code, a sentence and a second try."""
    good = f"{FILES}/good.bin"
    origin = site(address, good)
    path = httpx.URL(address).path
    report = await run(tmp_path, origin, serve({path: answer, "/good.bin": b"good"}))
    assert [row.error for row in report.failed] == [code]
    assert report.failed[0].detail.endswith(".")
    assert report.downloaded == 1
    rows = store(tmp_path).rows()
    assert rows[address].error == code
    assert rows[good].size == 4
    again = await run(tmp_path, origin, serve({path: jpeg(1, 1), "/good.bin": b"bad"}))
    assert again.reused == 1
    refused = code in ("private_address", "not_http") and "cdn" not in address
    assert again.downloaded == (0 if refused else 1)


async def test_what_arrived_before_a_kill_is_not_asked_for_again(
    tmp_path: Path,
) -> None:
    """The journal keeps the rows; the rerun ends as one uninterrupted run does."""
    names = [f"/f{number}.bin" for number in range(30)]
    origin = site(*(FILES + name for name in names))
    bodies: dict[str, Any] = {name: name.encode() for name in names}
    served: list[str] = []

    def dying(request: httpx.Request) -> httpx.Response:
        if len(served) == 17:
            raise KilledError
        served.append(request.url.path)
        return serve(bodies)(request)

    with pytest.raises(KilledError):
        await run(tmp_path / "a", origin, dying)
    first = set(served)
    noted = {address.removeprefix(FILES) for address in store(tmp_path / "a").rows()}
    assert len(noted) >= 17 - 8
    served.clear()

    def counting(request: httpx.Request) -> httpx.Response:
        served.append(request.url.path)
        return serve(bodies)(request)

    report = await run(tmp_path / "a", origin, counting)
    assert not noted & set(served)
    assert noted <= first
    assert report.found == 30
    await run(tmp_path / "b", origin, counting)
    left = tree(project(tmp_path / "a").root)
    assert left == tree(project(tmp_path / "b").root)


async def test_a_lost_file_is_downloaded_again(tmp_path: Path) -> None:
    """A row whose bytes are gone, or a damaged index, is no obstacle."""
    address = f"{FILES}/a.bin"
    handler = serve({"/a.bin": b"bytes"})
    await run(tmp_path, site(address), handler)
    store(tmp_path).path(hashlib.sha256(b"bytes").hexdigest()).unlink()
    assert (await run(tmp_path, site(address), handler)).downloaded == 1
    (project(tmp_path).raw / "files.json").write_bytes(b'{"files": [\n{"addr')
    assert (await run(tmp_path, site(address), handler)).downloaded == 1


async def test_a_disk_that_refuses_a_file_stops_the_pull(tmp_path: Path) -> None:
    """It is one sentence that names the path."""
    root = project(tmp_path).root
    root.mkdir()
    (root / "files").write_text("in the way")
    with pytest.raises(StorageError, match="The disk refused"):
        await run(tmp_path, site(f"{FILES}/a.bin"), serve({"/a.bin": b"x"}))
