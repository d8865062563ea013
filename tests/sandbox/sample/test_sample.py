"""The sample site: its form as a content folder, and the texts that it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from cmsmig.sandbox.server import SAMPLE
from tests.sandbox.sample.reading import Sample

ENVELOPE = [
    "id",
    "cmsLocaleId",
    "lastPublished",
    "lastUpdated",
    "createdOn",
    "isArchived",
    "isDraft",
    "fieldData",
]
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


def test_every_known_structure_is_in_some_body(sample: Sample) -> None:
    assert [name for name, like in STRUCTURES.items() if not sample.has(like)] == []


def test_items_are_whole_and_one_a_line(sample: Sample) -> None:
    """All eight keys in the service's order; an id and a slug occur once a locale."""
    for path in (*SAMPLE.glob("items/*"), *SAMPLE.glob("live/*")):
        first, *lines, last = path.read_text("utf-8").splitlines()
        assert (first, last) == ('{"items": [', "]}")
        items = [json.loads(line.removesuffix(",")) for line in lines]
        assert [list(item) for item in items] == [ENVELOPE] * len(items)
        for key in (lambda i: i["id"], lambda i: i["fieldData"]["slug"]):
            assert len({(key(i), i["cmsLocaleId"]) for i in items}) == len(items)
    ids = [field["id"] for _, field in sample.fields()]
    assert len(ids) == len(set(ids))


def test_sample_is_as_large_as_promised(sample: Sample) -> None:
    """Over two hundred items, over sixty bodies, some as long as articles; 2 MB."""
    lengths = sorted(len(re.sub("<[^>]*>", " ", b).split()) for b in sample.bodies())
    assert (len(sample.schemas), len(sample.variants()) >= 200) == (14, True)
    assert len(lengths) >= 60
    assert (lengths[-5] >= 300, 1200 <= lengths[-1] <= 2000) == (True, True)
    assert sum(p.stat().st_size for p in SAMPLE.rglob("*") if p.is_file()) < 2_000_000


def test_addresses_stay_on_reserved_hosts() -> None:
    """Besides players and the platform, every address is reserved for examples."""
    text = "".join(path.read_text("utf-8") for path in SAMPLE.glob("[!f]*/*.json"))
    hosts = set(re.findall(r"https?://([^/\s\"'<>?#\\)]+)", text))
    assert len(hosts) > 10
    assert not [host for host in hosts if not host.endswith(RESERVED)]


def test_stored_files_are_what_they_say(sample: Sample) -> None:
    """Pictures, documents, a film and sound; two are equal; one is lost and shown."""
    files = [path.read_bytes() for path in SAMPLE.glob("files/*")]
    for magic in (b"\xff\xd8", b"\x89PNG", b"%PDF-1.4", b"<svg", b"ID3"):
        assert any(data.startswith(magic) for data in files), magic
    assert any(data[4:8] == b"ftyp" for data in files)
    assert len(set(files)) < len(files)
    (lost,) = json.loads((SAMPLE / "files/missing.json").read_text())
    assert sample.has(f"{lost}_missing.png")
    assert not (SAMPLE / "files" / lost).exists()


def test_links_of_stories_lead_to_items(sample: Sample) -> None:
    """But for one list page and one story that is not there."""
    known = {
        f"/{slug}/{item['fieldData']['slug']}" for slug, item in sample.all_items()
    }
    links = re.findall(r"href=[\"'](/\w+/[^\"'?#<>]+)", "".join(sample.bodies()))
    unknown = {link for link in links if link.rstrip("/") not in known}
    assert unknown == {"/about/how-we-print", "/journal/no-such-story"}
