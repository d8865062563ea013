"""The sample's data files: every one is read, and gives the bytes it always gave."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
import yaml

from cmsmig.sandbox.sample import data_files
from cmsmig.sandbox.sample.build import COLLECTIONS, write_sample
from cmsmig.sandbox.sample.data_files import (
    read_body,
    read_entries,
    read_paragraphs,
    read_table,
)
from cmsmig.sandbox.sample.identity import (
    address,
    asset,
    bare_asset,
    long_id,
    moved_asset,
    option_id,
    ref,
)
from cmsmig.sandbox.sample.records import Column, Entry, State, into

DATA = Path(data_files.__file__).with_name("data")
DIGESTS = Path(__file__).with_name("sample_digests.txt")


def lay(folder: Path, name: str, text: str) -> None:
    """Write a data file below `folder`."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for the sample's data."""
    monkeypatch.setattr(data_files, "_DATA", tmp_path)
    return tmp_path


def test_the_written_sample_has_the_digests_on_record(tmp_path: Path) -> None:
    """Each list of collections and items; files are drawn, by other libraries.

    Who changes the sample on purpose records its digests anew, in its folder:
    `sha256sum sites.json collections.json */*.json > sample_digests.txt`, without
    those below `files`.
    """
    write_sample(tmp_path)
    found = {
        path.relative_to(tmp_path).as_posix(): path.read_bytes()
        for path in tmp_path.rglob("*.json")
        if path.parent.name != "files"
    }
    lines = [line.split("  ") for line in DIGESTS.read_text().splitlines()]
    recorded = {name: digest for digest, name in lines}
    assert {n: hashlib.sha256(b).hexdigest() for n, b in found.items()} == recorded


def test_every_body_is_named_by_one_item_of_its_collection() -> None:
    """No body lies about unread, and none serves two items."""
    named = [
        name
        for collection in COLLECTIONS
        for name in re.findall(
            r"!body (\S+)", (DATA / f"items/{collection}.yaml").read_text("utf-8")
        )
        if name.startswith(f"{collection}/")
    ]
    stored = [p.relative_to(DATA / "bodies").as_posix() for p in DATA.rglob("*.html")]
    assert sorted(named) == sorted(stored)


def test_every_collection_is_in_the_list() -> None:
    """A schema without items, or items without a schema, would go unseen."""
    for part in ("schemas", "items"):
        names = {path.stem for path in (DATA / part).iterdir()}
        assert names == set(COLLECTIONS)


def test_items_name_what_identifiers_stand_for(data: Path) -> None:
    """Each tag becomes the value that the service sends."""
    rows = (
        "- key: one\n"
        "  state: archived and live\n"
        "  data:\n"
        "    author: !ref authors/maud-ellery\n"
        "    tone: !option journal/tone/essay\n"
        "    plan: !id plan/friends\n"
        "    sizes: {!id size/Large: 1}\n"
        "    picture: !asset {name: quay.jpg, alt: The quay, variant: -p-500}\n"
        "    file: !asset map.pdf\n"
        "    moved: !moved-asset {name: quay.jpg, alt: ''}\n"
        "    bare: !bare-asset quay.jpg\n"
        "    where: 'A map: {{map.pdf}}'\n"
        "    body: !body notes/one.html\n"
        "  french: {}\n"
    )
    lay(data, "items/notes.yaml", rows)
    lay(data, "bodies/notes/one.html", "<p>One</p>\n")
    values = {
        "author": ref("authors", "maud-ellery"),
        "tone": option_id("journal", "tone", "essay"),
        "plan": long_id("plan:friends"),
        "sizes": {long_id("size:Large"): 1},
        "picture": asset("quay.jpg", "The quay", variant="-p-500"),
        "file": asset("map.pdf"),
        "moved": moved_asset("quay.jpg", ""),
        "bare": bare_asset("quay.jpg"),
        "where": f"A map: {address('map.pdf')}",
        "body": "<p>One</p>",
    }
    expected = Entry("one", values, State.ARCHIVED_LIVE, french={})
    assert read_entries("notes") == (expected,)


def test_an_item_in_french_only_has_no_data(data: Path) -> None:
    """Absent and empty are two things."""
    lay(data, "items/notes.yaml", "- key: one\n  french: {name: Un}\n")
    assert read_entries("notes") == (Entry("one", None, french={"name": "Un"}),)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        pytest.param("- {key: one, stat: draft}", TypeError, id="key"),
        pytest.param("- {key: one, state: drafted}", ValueError, id="state"),
        pytest.param(
            "- {key: !!python/name:os.system ''}", yaml.YAMLError, id="python"
        ),
        pytest.param("- {key: !reff journal/x}", yaml.YAMLError, id="tag"),
        pytest.param("- {key: !body none.html}", FileNotFoundError, id="body"),
    ],
)
def test_what_the_reader_does_not_know_is_an_error(
    data: Path, row: str, error: type[Exception]
) -> None:
    """A slip of the pen never becomes content."""
    lay(data, "items/notes.yaml", row)
    with pytest.raises(error):
        read_entries("notes")


def test_columns_refer_and_choose(data: Path) -> None:
    """`into` and `choices` become validations; what is not said is absent."""
    text = (
        "display_name: Notes\n"
        "singular_name: Note\n"
        "nulls: true\n"
        "groups: [Above, Below]\n"
        "columns:\n"
        "  - {type: Reference, slug: next, label: Next, into: notes}\n"
        "  - {type: Option, slug: tone, label: Tone, choices: {essay: Essay}}\n"
        "  - {type: Link, slug: more, label: More, required: true, help_text: ''}\n"
    )
    lay(data, "schemas/notes.yaml", text)
    table = read_table("notes")
    option = {"name": "Essay", "id": option_id("notes", "tone", "essay")}
    assert (table.key, table.groups, table.nulls) == ("notes", ("Above", "Below"), True)
    assert table.columns == (
        Column("Reference", "next", "Next", False, into("notes")),
        Column("Option", "tone", "Tone", False, {"options": [option]}),
        Column("Link", "more", "More", True, None, ""),
    )


def test_a_body_may_be_laid_out_in_lines(data: Path) -> None:
    """A backslash joins; other line ends are the body's own, the last is not."""
    stored = '<p>One</p>\\\n<pre>a\n  b</pre><img src="{{a b.jpg|-p-500}}">\n'
    lay(data, "bodies/notes/one.html", stored)
    source = address("a b.jpg", variant="-p-500")
    expected = f'<p>One</p><pre>a\n  b</pre><img src="{source}">'
    assert read_body("notes/one.html") == expected


def test_paragraphs_come_by_language_and_subject() -> None:
    """Enough of each subject for the sites of an exact size."""
    english, french = read_paragraphs("en"), read_paragraphs("fr")
    assert min(len(texts) for texts in english.values()) == 3
    assert english["marsh"][0].startswith("The marsh does not begin anywhere.")
    assert french["marais"][0].startswith("Le marais ne commence nulle part.")
