"""The sample site: its form as a content folder, and the texts that it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from cmsmig.sandbox.server import SAMPLE

RESERVED = (
    "example.com",
    "example.org",
    "youtube.com",
    "youtu.be",
    "vimeo.com",
    "loom.com",
    "giphy.com",
    "embedly.com",
    "webflow.io",
    "schema.org",
    "169.254.169.254",
)
STRUCTURES = yaml.load(
    Path(__file__).with_name("structures.yaml").read_text(), yaml.CSafeLoader
)


ITEMS = {
    path: json.loads(path.read_text("utf-8"))["items"]
    for path in (*SAMPLE.glob("items/*"), *SAMPLE.glob("live/*"))
}
RICH = {
    (path.stem, field["slug"])
    for path in SAMPLE.glob("collections/*")
    for field in json.loads(path.read_text("utf-8"))["fields"]
    if field["type"] == "RichText"
}
BODIES = {
    value
    for path, items in ITEMS.items()
    for item in items
    for slug, value in item["fieldData"].items()
    if (path.stem, slug) in RICH and value
}


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_known_structure_is_in_some_body(name: str) -> None:
    pattern = re.compile(STRUCTURES[name], re.DOTALL)
    assert any(map(pattern.search, BODIES))


def test_addresses_stay_on_reserved_hosts() -> None:
    """Besides players and the platform, every address is reserved for examples."""
    text = "".join(path.read_text("utf-8") for path in SAMPLE.glob("[!f]*/*.json"))
    hosts = set(re.findall(r"https?://([^/\s\"'<>?#\\)]+)", text))
    assert len(hosts) > 10
    assert not [host for host in hosts if not host.endswith(RESERVED)]


def test_stored_files_are_what_they_say() -> None:
    """Pictures, documents, a film and sound; two are equal; one is lost and shown."""
    files = [path.read_bytes() for path in SAMPLE.glob("files/*")]
    for magic in (b"\xff\xd8", b"\x89PNG", b"%PDF-1.4", b"<svg", b"ID3"):
        assert any(data.startswith(magic) for data in files), magic
    assert any(data[4:8] == b"ftyp" for data in files)
    assert len(set(files)) < len(files)
    (lost,) = json.loads((SAMPLE / "files/missing.json").read_text())
    assert any(f"{lost}_missing.png" in body for body in BODIES)
    assert not (SAMPLE / "files" / lost).exists()


def test_links_of_stories_lead_to_items() -> None:
    """But for one list page and one story that is not there."""
    lists = json.loads((SAMPLE / "collections.json").read_text("utf-8"))["collections"]
    slugs = {each["id"]: each["slug"] for each in lists}
    known = {
        f"/{slugs[path.stem]}/{item['fieldData']['slug']}"
        for path, items in ITEMS.items()
        for item in items
    }
    links = re.findall(r"href=[\"'](/\w+/[^\"'?#<>]+)", "".join(BODIES))
    unknown = {link for link in links if link.rstrip("/") not in known}
    assert unknown == {"/about/how-we-print", "/journal/no-such-story"}
