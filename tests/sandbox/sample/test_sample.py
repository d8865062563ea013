"""The written content folders: their form, their sizes, their determinism."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from PIL import Image

from cmsmig.sandbox.sample.build import write_sample
from cmsmig.sandbox.sample.exact import write_load_site, write_small_site
from tests.support.sandbox.sample_reading import Sample, read_sample

_HEX = re.compile(r"[0-9a-f]{24}\Z")
_LONG_HEX = re.compile(r"[0-9a-f]{32}\Z")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sample")
    write_sample(made)
    return made


@pytest.fixture(scope="session")
def sample(folder: Path) -> Sample:
    return read_sample(folder)


def _contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_two_writings_are_equal_byte_for_byte(folder: Path, tmp_path: Path) -> None:
    """Nothing in the sample depends on chance or time."""
    write_sample(tmp_path)
    assert _contents(tmp_path) == _contents(folder)


def test_writing_over_a_written_folder_changes_nothing(
    folder: Path, tmp_path: Path
) -> None:
    """A second writing leaves the folder as the first did."""
    write_sample(tmp_path)
    write_sample(tmp_path)
    assert _contents(tmp_path) == _contents(folder)


def test_item_files_hold_one_item_per_line(folder: Path) -> None:
    """The files can be read item by item."""
    for part in ("items", "live"):
        for path in (folder / part).iterdir():
            first, *lines, last = path.read_text(encoding="utf-8").splitlines()
            assert (first, last) == ('{"items": [', "]}")
            for line in lines:
                assert json.loads(line.removesuffix(","))["fieldData"]["name"]


def test_every_item_has_the_whole_envelope(sample: Sample) -> None:
    """All eight keys, in the service's own order, with a name and a slug."""
    for _, item in sample.all_items():
        assert list(item) == [
            "id",
            "cmsLocaleId",
            "lastPublished",
            "lastUpdated",
            "createdOn",
            "isArchived",
            "isDraft",
            "fieldData",
        ]
        assert {"name", "slug"} <= set(item["fieldData"])
        assert _HEX.match(item["id"])


def test_ids_and_slugs_are_unique_where_they_must_be(sample: Sample) -> None:
    """An item is unique by id and locale, a slug by collection and locale."""
    for part in (sample.staged, sample.live):
        keys = [
            (item["id"], item["cmsLocaleId"])
            for items in part.values()
            for item in items
        ]
        slugs = [
            (slug, item["cmsLocaleId"], item["fieldData"]["slug"])
            for slug, items in part.items()
            for item in items
        ]
        assert len(keys) == len(set(keys))
        assert len(slugs) == len(set(slugs))


def test_field_ids_are_unique_and_long(sample: Sample) -> None:
    """Field ids have 32 hex digits and no two are equal."""
    ids = [field["id"] for _, field in sample.fields()]
    assert len(ids) == len(set(ids))
    assert all(_LONG_HEX.match(found) for found in ids)


def test_sample_is_as_large_as_promised(sample: Sample) -> None:
    """Twelve collections, over two hundred items, over sixty different bodies."""
    distinct = {item["id"] for items in sample.staged.values() for item in items}
    assert len(sample.schemas) == 12
    assert len(distinct) >= 200
    assert len(sample.bodies()) >= 60


def test_some_bodies_have_the_length_of_articles(sample: Sample) -> None:
    """Five bodies at least run to 300 words, and the longest to 1,200."""
    counts = sorted(
        len(re.sub(r"<[^>]*>", " ", body).split()) for body in sample.bodies()
    )
    assert counts[-5] >= 300
    assert 1200 <= counts[-1] <= 2000


def test_addresses_stay_on_reserved_hosts(folder: Path) -> None:
    """Besides players and the platform, every address is reserved for examples."""
    allowed = (
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
    for part in ("items", "live", "collections"):
        for path in (folder / part).iterdir():
            text = path.read_text(encoding="utf-8")
            hosts = set(re.findall(r"https?://([^/\s\"'<>?#\\)]+)", text))
            assert {host for host in hosts if not host.endswith(allowed)} == set()


def test_photograph_is_stored_lying_on_its_side(folder: Path) -> None:
    """One JPEG carries an orientation that a careless reader ignores."""
    turned = [
        path.name
        for path in (folder / "files").iterdir()
        if path.read_bytes().startswith(b"\xff\xd8")
        and Image.open(io.BytesIO(path.read_bytes())).getexif()[0x0112] == 6
    ]
    assert len(turned) == 1


def test_two_stored_files_have_the_same_bytes(folder: Path) -> None:
    """The mark was uploaded twice, under two ids."""
    marks = [
        path
        for path in (folder / "files").iterdir()
        if b"<title>Saltmarsh Quarterly" in path.read_bytes()
    ]
    assert len(marks) == 2
    assert marks[0].read_bytes() == marks[1].read_bytes()


def test_stored_files_are_what_they_say(folder: Path) -> None:
    """There are pictures, drawings, documents, a film and sound."""
    starts = [path.read_bytes()[:12] for path in (folder / "files").iterdir()]
    for magic in (b"\xff\xd8", b"\x89PNG", b"%PDF-1.4", b"<svg", b"ID3"):
        assert any(start.startswith(magic) for start in starts), magic
    assert any(start[4:8] == b"ftyp" for start in starts)


def test_lost_file_is_listed_and_used(folder: Path, sample: Sample) -> None:
    """The host's lost file is named for the services and shown in a body."""
    (lost,) = json.loads((folder / "files" / "missing.json").read_text())
    assert sample.has(f"{lost}_missing.png")
    assert not (folder / "files" / lost).exists()


def _references(sample: Sample, item: dict[str, object], slug: str) -> list[str]:
    data = item["fieldData"]
    assert isinstance(data, dict)
    found: list[str] = []
    for field in sample.schemas[slug]["fields"]:
        value = data.get(field["slug"])
        if field["type"] == "Reference" and value is not None:
            found.append(value)
        elif field["type"] == "MultiReference" and value is not None:
            found.extend(value)
    return found


def _pictures(sample: Sample) -> list[str]:
    groups = [sample.values("Image"), *sample.values("MultiImage")]
    return [value["url"] for group in groups for value in group]


def test_load_site_has_the_sizes_of_the_specification(tmp_path: Path) -> None:
    """400 items, each with a relation, and 600 images of different addresses."""
    write_load_site(tmp_path)
    load = read_sample(tmp_path)
    (items,) = load.staged.values()
    assert len(items) == 400
    assert len(set(_pictures(load))) == 600
    assert all(_references(load, item, "records") for item in items)
    assert load.staged.keys() == load.live.keys()


@pytest.mark.parametrize(
    ("items", "images"), [(1, 0), (1, 3), (3, 2), (7, 20), (40, 60)]
)
def test_load_site_has_any_size_and_never_dangles(
    items: int, images: int, tmp_path: Path
) -> None:
    """Each reference points at an item of the site, whatever its size."""
    write_load_site(tmp_path, items, images)
    load = read_sample(tmp_path)
    records = load.staged["records"]
    assert len(records) == items
    assert len(set(_pictures(load))) == images
    ids = {record["id"] for record in records}
    for record in records:
        assert set(_references(load, record, "records")) <= ids
        assert record["cmsLocaleId"] is None


def test_load_site_without_relations_holds_none(tmp_path: Path) -> None:
    """Without relations no item needs a second call."""
    write_load_site(tmp_path, 20, 10, relations=False)
    load = read_sample(tmp_path)
    assert not any(_references(load, item, "records") for _, item in load.all_items())


def test_small_site_dangles_nowhere_in_either_locale(tmp_path: Path) -> None:
    """Every reference has its target live in the same locale."""
    write_small_site(tmp_path)
    small = read_sample(tmp_path)
    live = small.live_keys()
    total = 0
    for slug, item in small.all_items():
        for target in _references(small, item, slug):
            assert (target, item["cmsLocaleId"]) in live
            total += 1
    assert total > 50


def test_small_site_is_small(tmp_path: Path) -> None:
    """Thirty items, two locales, a dozen files."""
    write_small_site(tmp_path)
    small = read_sample(tmp_path)
    keys = small.staged_by_key()
    in_texts = {
        found
        for body in small.bodies()
        for found in re.findall(r"\{origin_files\}[^\"]*", body)
    }
    assert len({item_id for item_id, _ in keys}) == 30
    assert len({locale for _, locale in keys}) == 2
    assert len(set(_pictures(small)) | in_texts) == 12
