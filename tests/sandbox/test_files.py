from __future__ import annotations

import hashlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from cmsmig.sandbox.origin.content import FileIndex, IndexedFile
from cmsmig.sandbox.origin.files import content_type, draw
from tests.sandbox.conftest import ARTICLES, SITE, write_documents


@pytest.mark.parametrize(
    ("suffix", "form", "kind"),
    [
        ("png", "PNG", "image/png"),
        ("jpg", "JPEG", "image/jpeg"),
        ("JPEG", "JPEG", "image/jpeg"),
        ("gif", "GIF", "image/gif"),
        ("webp", "WEBP", "image/webp"),
    ],
)
def test_drawn_pictures_are_what_their_extension_says(suffix, form, kind):
    """Pillow reads each drawn picture in the format of its name."""
    with Image.open(io.BytesIO(draw(f"a_b.{suffix}"))) as picture:
        picture.load()
        assert picture.format == form
        assert min(picture.size) >= 100
    assert content_type(f"x.{suffix}") == kind


def test_other_formats_begin_as_they_should():
    """SVG, PDF, MP4 and text files carry the marks of their formats."""
    assert draw("a.svg").startswith(b"<svg ")
    assert draw("a.pdf").startswith(b"%PDF-1.4")
    assert draw("a.pdf").rstrip().endswith(b"%%EOF")
    assert draw("a.mp4")[4:8] == b"ftyp"
    assert draw("a.vtt").startswith(b"WEBVTT")
    assert draw("nothing")


def test_pdf_cross_references_are_true():
    """Every offset of the table points at the object of its number."""
    data = draw("paper.pdf")
    start = int(data.rsplit(b"startxref\n", 1)[1].split(b"\n")[0])
    rows = data[start:].split(b"\n")[3:8]
    for number, row in enumerate(rows, start=1):
        assert data[int(row[:10]) :].startswith(f"{number} 0 obj".encode())


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=20), st.sampled_from(["pdf", "svg", "mp4", "txt", "", "gif"]))
def test_drawing_is_deterministic_and_differs_by_name(stem, suffix):
    """The same name gives the same bytes and another name gives others."""
    name, other = f"{stem}.{suffix}", f"{stem}!.{suffix}"
    first = draw(name)
    draw.cache_clear()
    assert draw(name) == first
    assert draw(other) != first


def test_stored_bytes_win_and_paths_stay_inside(serving, tmp_path):
    """A file is served by its id unless it is missing; no path leaves the folder."""
    raw = raw_project(tmp_path, {}, [])
    (raw / "files.json").unlink()
    write_documents(raw, {"files/missing.json": ["lost"], "files/real": "true bytes"})
    opened = serving(content=raw)
    base = f"{opened.origin}/files"
    assert opened.ask("GET", f"{base}/real_x.png").content == b'"true bytes"'
    assert opened.ask("GET", f"{base}/lost_a.png").status_code == 404
    assert opened.ask("GET", f"{base}/kept_a.png").status_code == 200
    outside = opened.ask("GET", f"{base}/..%2F..%2Fsites.json")
    assert SITE.encode() not in outside.content


def raw_project(project, body, rows):
    """Write a project folder with a raw cache of one item, and return its raw."""
    item = {"id": "i1", "cmsLocaleId": None, "fieldData": body}
    collection = {"id": ARTICLES, "slug": "articles", "fields": []}
    documents = {
        "sites.json": {"sites": [{"id": SITE}]},
        "collections.json": {"collections": [collection]},
        f"collections/{ARTICLES}.json": collection,
        f"items/{ARTICLES}.json": {"items": [item]},
        f"live/{ARTICLES}.json": {"items": []},
        "files.json": {"files": rows},
    }
    return write_documents(project / "raw", documents)


def stored(project, address, data, **more):
    """Store bytes as a pull does, and return their index row."""
    digest = hashlib.sha256(data).hexdigest()
    path = project / "files" / digest
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"address": address, "sha256": digest, "content_type": "image/png", **more}


def test_a_raw_folder_is_served_from_its_own_store(serving, tmp_path):
    """Every indexed address moves to the sandbox and brings the stored bytes."""
    first = "https://one.example/s/1_a%20b.png"
    signed = "https://two.example/x.png?a=1&b=2"
    same_path = "https://three.example/s/1_a%20b.png"
    gone = "http://127.0.0.1:9/files/gone.png"
    link = "https://one.example/s/1_a%20b.png.html"
    rows = [
        stored(tmp_path, first, b"first"),
        stored(tmp_path, signed, b"signed"),
        stored(tmp_path, same_path, b"third"),
        {"address": gone, "error": "404", "detail": "Not found"},
    ]
    html = f'<img src="{signed.replace("&", "&amp;")}"><a href="{link}">x</a>'
    body = {"photo": {"url": first}, "other": same_path, "gone": gone, "body": html}
    raw = raw_project(tmp_path, body, rows)
    opened = serving(content=raw)
    base = opened.origin
    items = opened.ask("GET", f"{base}/v2/collections/{ARTICLES}/items").json()["items"]
    data = items[0]["fieldData"]
    assert data["photo"]["url"] == f"{base}/s/1_a%20b.png"
    assert data["gone"] == f"{base}/files/gone.png"
    assert f'src="{base}/x.png?a=1&amp;b=2"' in data["body"]
    assert f'href="{link}"' in data["body"]
    assert opened.ask("GET", data["photo"]["url"]).content == b"first"
    assert opened.ask("GET", data["other"]).content == b"third"
    assert opened.ask("GET", f"{base}/x.png?a=1&b=2").content == b"signed"
    assert opened.ask("GET", data["gone"]).status_code == 404
    assert opened.ask("GET", f"{base}/s/unknown.png").status_code == 404


PARTS = st.text("ab/._-%", min_size=1, max_size=6)
BASE = "http://127.0.0.1:1"


@given(st.sets(PARTS, min_size=1, max_size=6), st.text(" \"<>'x", max_size=5))
def test_no_indexed_address_keeps_its_host(paths, between):
    """Whatever the addresses share, each whole one in a text is moved."""
    index = FileIndex(BASE)
    addresses = [f"https://host.example/{path}" for path in sorted(paths)]
    for number, address in enumerate(addresses):
        index.add(address, IndexedFile(f"{number:064x}", ""))
    index.finish()
    gap = f' "{between}'
    text = gap.join(addresses)
    moved = [address.replace("https://host.example", BASE) for address in addresses]
    assert index.rewritten([text]) == [gap.join(moved)]


def test_addresses_without_a_scheme_keep_their_form():
    """A protocol-relative address moves as one, and not inside another."""
    index = FileIndex(BASE)
    index.add("//host.example/a.png", IndexedFile("0" * 64, ""))
    index.finish()
    text = '<img src="//host.example/a.png"><a href="https://host.example/a.png">'
    expected = '<img src="//127.0.0.1:1/a.png"><a href="https://host.example/a.png">'
    assert index.rewritten(text) == expected
