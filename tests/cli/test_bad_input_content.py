"""Hostile and broken content: one bad item or file never stops a run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply
from tests.support.cli.bad_input import Fault, Rig, sentence
from tests.support.sites.identity import collection_id, file_id
from tests.support.tiny_site import NAMES, NOTES

NOTES_ID = collection_id(NOTES.key)
TARGET = "Note 3"
BODIES = {
    "binary junk": bytes(range(256)).decode("latin-1") * 40,
    "lone surrogates": "<p>a \ud800 b</p><marquee title='\udfff'>\udc00</marquee>",
    "NUL": "<p>a\0b</p>\0<p title='\0'>c</p>",
    "a million of <": "<" * 1_000_000,
    "open elements": "<div><b>" * 3000 + "deep",
    "a million of &": "&" * 1_000_000,
    "half a tag": "<p>Text <a href='x",
    "not text but a list": ["<p>", {"a": 1}],
    "not text but a number": 12.5,
    "scripts": "<script>alert(1)</script><p onclick='x()'>Text</p><svg><script>1",
    "nothing but blanks": " \r\n\t\u2028\u200b\ufeff",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x85",
    "more than a story holds": "<p>A long text.</p>" * 60_000,
}
NAMES_OF_ITEMS = {
    "lone surrogate": "Half \ud83d a smile",
    "NUL": "Nil\0nil",
    "lines": "Two\r\nlines",
    "very long": "x" * 5000,
    "right to left": "evil\u202egnp.exe",
    "empty": "",
    "number": 7,
}


def items_edited(edit: Callable[[JsonObject], object]) -> Fault:
    """Return a fault that edits the fields of one item in every answer."""

    def fault(call: Call, reply: Reply) -> Reply:
        if f"/collections/{NOTES_ID}/items" not in call.path:
            return reply
        page = json.loads(reply.body)
        for item in page.get("items", [page]):
            if item["fieldData"]["name"] == TARGET:
                edit(item["fieldData"])
        return replace(reply, body=json.dumps(page).encode())

    return fault


ODD = {
    **{f"body: {name}": {"text": body} for name, body in BODIES.items()},
    **{f"name: {name}": {"name": value} for name, value in NAMES_OF_ITEMS.items()},
}


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_an_item_stops_nothing_whatever_it_holds(
    rig: Callable[..., Rig], whole: Rig, values: dict[str, object]
) -> None:
    """All items are accounted for and read back; one that is larger than a story fails
    alone, with its name and size. Without the fault all is as if nothing had been."""
    started = rig()
    started.faults.append(items_edited(lambda data: data.update(values)))
    started.done("pull", "--refresh")
    ended = started.run("import", "--json")
    assert "Traceback" not in ended.err
    accounting = ended.document["accounting"]
    assert accounting["in"] == accounting["created"] + accounting["failed"] == 6
    too_large = values == ODD["body: more than a story holds"]
    assert accounting["failed"] == ended.code == too_large, ended.err
    failed = started.done("status", "--json").document["failed"]
    shown = ["larger than 5242880 bytes" in each["explanation"] for each in failed]
    assert shown == [True] * too_large
    assert started.run("verify", "--json").code == (4 if too_large else 0)
    started.faults.clear()
    started.done("pull", "--refresh")
    started.done("import")
    assert started.space() == whole.space()


DOT = b"GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"


def test_a_picture_in_its_own_address_may_be_larger_than_a_story(
    rig: Callable[..., Rig],
) -> None:
    """It is a file, and no text of its item."""
    held = b64encode(DOT + bytes(4_000_000)).decode()
    body = f"<p>A</p><img src='data:image/gif;base64,{held}'>"
    started = rig()
    started.faults.append(items_edited(lambda data: data.update(text=body)))
    started.done("pull", "--refresh")
    assert started.done("import", "--json").document["accounting"]["created"] == 6
    started.done("verify")


HOSTILE_FILES = {
    "slashes": "..%2F..%2F..%2Fetc%2Fpasswd.png",
    "backslashes": "..\\..\\windows\\win.png",
    "only dots": "..",
    "NUL": "a%00b.png",
    "very long": "l" * 220 + ".png",
    "right to left": quote("evil\u202egnp.exe.png"),
    "percent twice": "a%252e%252e%252fb.png",
    "half a percent": "100%.png",
    "blanks and quotes": "a b\"c'd;e<f>.png",
    "lone surrogate": "half\ud800.png",
    "no name": "",
    "line": "a%0D%0AContent-Type:%20x.png",
}


@pytest.mark.parametrize("name", HOSTILE_FILES.values(), ids=HOSTILE_FILES)
def test_a_hostile_file_name_stays_a_name(
    rig: Callable[..., Rig], tmp_path: Path, name: str
) -> None:
    """No file name leaves its folder, here or there; what fails is listed."""
    started = rig()
    files = f"{started.handle.announcement['origin_api_url']}/files"
    address = f"{files}/{file_id(NAMES[0])}_{name}"
    asset = {"fileId": file_id(NAMES[0]), "url": address, "alt": None}
    started.faults.append(items_edited(lambda data: data.update(picture=asset)))
    before = {path for path in tmp_path.rglob("*") if "project" not in path.parts}
    pulled = started.run("pull", "--refresh", "--json")
    assert pulled.out, pulled.err
    failed = pulled.document["files"]["failed"]
    assert pulled.code == (1 if failed else 0), pulled.err
    assert all(len(p.name) == 64 for p in (started.folder / "files").iterdir())
    imported = started.run("import", "--json")
    assert imported.code == 0, imported.err
    for stored in started.handle.state.space.assets.values():
        shown = stored.key.rpartition("/")[2]
        assert set(shown) & set('/\\\0\r\n"<>\u202e') == set()
        assert shown.strip(".")
        assert len(shown) <= 255
    after = {path for path in tmp_path.rglob("*") if "project" not in path.parts}
    assert {p.parent for p in after - before} <= {tmp_path, tmp_path / "state"}


def files_answered(status: int, body: bytes | None) -> Fault:
    """Return a fault that answers one file with other bytes."""

    def fault(call: Call, reply: Reply) -> Reply:
        if file_id(NAMES[0]) not in call.path:
            return reply
        return replace(reply, status=status, body=reply.body if body is None else body)

    return fault


LOST = [
    ("not there", files_answered(404, b"Not found"), 0, "not_found"),
    ("gone", files_answered(410, b""), 0, "not_found"),
    ("empty", files_answered(200, b""), 0, "empty"),
    ("forbidden", files_answered(403, b"No"), 1, "http_403"),
    ("broken host", files_answered(500, b"No"), 1, "http_500"),
    ("too large", files_answered(200, b"x" * (1024 * 1024 + 1)), 1, "too_large"),
    ("no picture", files_answered(200, b"#!/bin/sh"), 1, "no_picture"),
    ("web page", files_answered(200, b"<!DOCTYPE html><p>Gone"), 1, "web_page"),
]


@pytest.mark.parametrize(
    ("fault", "code", "reason"), [row[1:] for row in LOST], ids=[row[0] for row in LOST]
)
def test_a_file_that_does_not_come_is_listed(
    rig: Callable[..., Rig], whole: Rig, fault: Fault, code: int, reason: str
) -> None:
    """It is listed with its reason in one sentence, and fetched once it is there.

    What the origin itself lacks is no failure; what it has and we lack is one.
    """
    started = rig(decided=False)
    started.set(asset_max_mb="1")
    started.faults.append(fault)
    ended = started.run("pull")
    assert ended.code == code, ended.out + ended.err
    assert "1 of 3 files" in sentence(ended)
    index = json.loads((started.folder / "raw" / "files.json").read_text())
    (failed,) = [row for row in index["files"] if "error" in row]
    assert failed["error"] == reason
    assert NAMES[0] in failed["detail"]
    started.done("decide", "--accept-proposals", "--reviewer", "R")
    planned = started.done("import", "--json").document["plan"]
    assert list(planned["missing_files"]) == [failed["address"]]
    started.faults.clear()
    started.done("pull")
    assert started.raw() == whole.raw()
    started.done("import")
    assert started.space() == whole.space()
