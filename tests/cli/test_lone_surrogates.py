"""Half an emoji, which no file or service can hold, in every text there is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.valid_text import is_valid, valid_text, valid_value
from tests.support.cli.bad_input import Rig, sentence
from tests.support.rehearsal import Rehearsal
from tests.support.saltedsite import salted_project
from tests.support.sandbox.observed import running_sandbox

HALF = "\ud83d"
OTHER = "\ude00"
SHOWN = "\ufffd"
EACH = ["32 characters"] * 5 + ["4 characters"] * 2
"""What each item of the salted site holds: a post, and a person."""
texts = st.text(st.sampled_from([HALF, OTHER, "a", "\U0001f600"]) | st.characters())
values = st.recursive(
    texts | st.none() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
)


@pytest.fixture
def broken(tmp_path: Path) -> Iterator[Rehearsal]:
    """Return a project on a site with a lone surrogate in every text."""
    with salted_project(tmp_path, HALF) as made:
        yield made


def test_a_site_of_halves_is_imported_and_each_is_listed(broken: Rehearsal) -> None:
    """Every command ends well, and what is sent, kept and listed is valid."""
    broken.done("check")
    broken.decided()
    plan = broken.done("plan", "--json").document
    listed = [each for each in plan["losses"] if each["kind"] == "odd-character"]
    assert _counted(listed) == EACH
    assert {f"line{SHOWN}, name, slug"} == {
        each["where"] for each in listed if each["what"] == "4 characters"
    }
    (note,) = [each for each in plan["notes"] if "half of a character" in each]
    assert all(f"{each}{SHOWN}" in note for each in ("posts", "people"))
    assert "holds half of a character" in broken.done("plan").out
    imported = broken.done("import", "--json").document
    assert imported["accounting"]["created"] == 7
    broken.done("verify")
    (broken.folder / "ledger.sqlite").unlink()
    broken.done("rebuild")
    assert broken.done("import", "--json").document["writes"] == 0
    sent = _sent(broken)
    assert SHOWN in sent
    assert not re.search(r"\\u[dD][89a-fA-F]", sent)
    assert "\\ud83d" in "".join(
        path.read_text("utf-8") for path in (broken.folder / "raw").rglob("*.json")
    )
    for path in [*broken.folder.rglob("*.yaml"), *broken.folder.rglob("*.json")]:
        path.read_bytes().decode()


def test_the_character_zero_is_left_out_of_every_text_and_listed(
    tmp_path: Path,
) -> None:
    """In names, slugs, options, alternative texts and bodies, once for each item."""
    with salted_project(tmp_path, "\0") as salted:
        salted.decided()
        plan = salted.done("plan", "--json").document
        listed = [each for each in plan["losses"] if each["kind"] == "odd-character"]
        assert _counted(listed) == EACH
        assert any("U+0000, which is left out" in each for each in plan["notes"])
        salted.done("import", "--json")
        salted.done("verify")
        assert "\\u0000" not in json.dumps(salted.comparable())


def _counted(losses: list[dict[str, str]]) -> list[str]:
    """Return what is listed, once for each of the items."""
    assert len({each["item"] for each in losses}) == len(losses)
    return sorted(each["what"] for each in losses)


def _sent(broken: Rehearsal) -> str:
    """Return what the space holds as JSON text that would show a half escaped."""
    return json.dumps(broken.comparable()).replace("\\ufffd", SHOWN)


def test_a_site_whose_id_is_broken_is_reported_in_a_sentence(
    broken: Rehearsal, tmp_path: Path
) -> None:
    """No request can hold such an id; what is asked for instead is not there."""
    path = tmp_path / "content" / "sites.json"
    document = json.loads(path.read_text("utf-8"))
    document["sites"][0]["id"] += HALF
    path.write_text(json.dumps(document), "utf-8")
    options = SandboxOptions(tmp_path / "content", rate=900, origin_rate=60_000)
    with running_sandbox(options) as handle:
        made = Rehearsal.start(handle, tmp_path / "other", 900, tmp_path / "state")
        for command in ("check", "pull"):
            ended = made.run(command)
            assert ended.code == 1
            assert "has nothing at" in sentence(ended)


BAD_BYTES = "x\udcff"
"""A byte that is no UTF-8, as Python reads it from a command line or a variable."""
ASKED = (
    ("decide", "--accept-proposals", "--overwrite", "--reviewer"),
    (
        "decide",
        "--accept-proposals",
        "--overwrite",
        "--split",
        "headings",
        "--reviewer",
    ),
    ("import", "--plan"),
    ("convert",),
    ("run", "--only"),
    ("run", "-p"),
    ("run", "--only", "00", "--run-id"),
    ("plan",),
)
ADDRESSES = ("ORIGIN_API_URL", "DESTINATION_BASE_URL")
SETTINGS = (
    *("ORIGIN_TOKEN", "DESTINATION_TOKEN", "SITE_ID", "SPACE_ID", "ORIGIN_PLAN"),
    *ADDRESSES,
)


def test_an_argument_that_is_no_text(rig: Callable[..., Rehearsal]) -> None:
    """It is refused in a sentence, or kept as what files can hold."""
    made = rig()
    for arguments in ASKED:
        ended = made.run(*arguments, BAD_BYTES)
        assert "should not happen" not in ended.err
        (ended.out + ended.err).encode()
        if arguments[-1] == "--reviewer":
            assert ended.code == 0, ended.err
            files = (made.folder / "decisions").glob("*.yaml")
            found = "".join(path.read_text("utf-8") for path in files)
            assert f"x{SHOWN}" in found
            made.done("plan")
        else:
            assert ended.code in (1, 2), arguments
            (said,) = ended.err.splitlines()
            assert "x\\udcff" in said, arguments


def test_a_setting_that_is_no_text(
    rig: Callable[..., Rig], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused in a sentence that names the variable."""
    made = rig()
    for name in SETTINGS:
        value = f"http://127.0.0.1/{BAD_BYTES}" if name in ADDRESSES else BAD_BYTES
        with monkeypatch.context() as named:
            named.setenv(f"CMSMIG_{name}", value)
            assert f"CMSMIG_{name}" in made.fails(2, "check")


@given(texts)
def test_a_text_becomes_valid(text: str) -> None:
    """Only halves change; two that belong together are one character."""
    found = valid_text(text)
    assert is_valid(found)
    assert valid_text(found) == found
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert found == re.sub("[\ud800-\udfff]", SHOWN, joined)


@given(values)
def test_a_value_becomes_valid(value: object) -> None:
    """Nothing is dropped, also where keys become equal; a valid value is the same."""
    found = valid_value(value)
    text = json.dumps(found, ensure_ascii=False)
    text.encode()
    assert _size(found) == _size(value)
    assert valid_value(found) is found
    if is_valid(json.dumps(value, ensure_ascii=False)):
        assert found is value


def _size(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    if isinstance(value, list):
        return 1 + sum(map(_size, value))
    return 1
