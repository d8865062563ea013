"""Decisions that are missing, broken or about something else."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli.bad_input import (
    Case,
    Rig,
    Undo,
    check,
    moved_away,
    replaced,
    sentence,
    written,
)
from tests.support.sites.identity import collection_id
from tests.support.tiny_site import SPOTS

SPOTS_ID = collection_id(SPOTS.key)


def instead(name: str, text: str) -> Callable[[Rig], Undo]:
    return lambda rig: written(rig.folder / "decisions" / name, text)


def changed(name: str, old: str, new: str) -> Callable[[Rig], Undo]:
    return lambda rig: replaced(rig.folder / "decisions" / name, old, new)


def without(name: str) -> Callable[[Rig], Undo]:
    return lambda rig: moved_away(rig.folder / "decisions" / name)


def without_spots(rig: Rig) -> Undo:
    """Take the whole choice about one collection out of the file."""
    path = rig.folder / "decisions" / "collections.yaml"
    text = path.read_text()
    entries = re.split(r"(?m)^(?=  - )", text)
    kept = [entry for entry in entries if SPOTS_ID not in entry]
    assert len(kept) == len(entries) - 1
    return written(path, "".join(kept))


CASES = [
    Case(
        "nothing decided",
        "import",
        3,
        ("collections.yaml is missing", "decide --accept-proposals"),
        without("collections.yaml"),
    ),
    Case(
        "no design",
        "plan",
        3,
        ("design.yaml is missing", "decide --accept-proposals"),
        without("design.yaml"),
    ),
    Case("collection not decided", "plan", 3, ("Spots",), without_spots),
    Case(
        "a rule for blocks that is none",
        "plan",
        2,
        ("blocks.yaml, line", "`pictures` is not allowed; use one of headings"),
        changed("blocks.yaml", "    mode: one_richtext", "    split: [pictures]"),
    ),
    Case(
        "blocks of what is no rich text",
        "plan",
        2,
        ("blocks.yaml", "only RichText is split into blocks"),
        changed(
            "blocks.yaml",
            "field: text\n    mode: one_richtext",
            "field: related\n    mode: blocks",
        ),
    ),
    Case(
        "blocks without their components",
        "import",
        3,
        ("design.yaml has no block with the role `text`",),
        changed("blocks.yaml", "    mode: one_richtext", "    mode: blocks"),
    ),
    Case(
        "yaml with a mistake",
        "plan",
        2,
        ("collections.yaml, line 3", "not valid YAML"),
        instead("collections.yaml", "reviewed:\n  by: [\n"),
    ),
    Case(
        "yaml that is no text",
        "plan",
        2,
        ("embeds.yaml", "cannot be read"),
        lambda rig: written(rig.folder / "decisions/embeds.yaml", b"kinds: \xff\xfe"),
    ),
    Case(
        "yaml with a control character",
        "plan",
        2,
        ("embeds.yaml", "not valid YAML"),
        instead("embeds.yaml", "kinds: \x07\n"),
    ),
    Case(
        "empty file",
        "plan",
        2,
        ("design.yaml", "empty"),
        instead("design.yaml", ""),
    ),
    Case(
        "wrong type",
        "plan",
        2,
        ("collections.yaml, line 1 (collections)", "must be a list"),
        instead("collections.yaml", "collections: all of them\n"),
    ),
    Case(
        "unknown key",
        "plan",
        2,
        ("collections.yaml", "unknown key `everything`"),
        instead("collections.yaml", "everything: true\n"),
    ),
    Case(
        "unknown value",
        "plan",
        2,
        ("collections.yaml", "`published`", "staged_published_only"),
        changed("collections.yaml", "items: staged", "items: published"),
    ),
    Case(
        "unknown collection",
        "plan",
        2,
        ("collections.yaml", "ffffffffffffffffffffffff"),
        changed("collections.yaml", SPOTS_ID, "ffffffffffffffffffffffff"),
    ),
    Case(
        "unknown collection in the design",
        "import",
        2,
        ("design.yaml", "ffffffffffffffffffffffff"),
        changed(
            "design.yaml", f"collection_id: {SPOTS_ID}", f"collection_id: {'f' * 24}"
        ),
    ),
    Case(
        "nested beyond reason",
        "plan",
        2,
        ("collections.yaml", "not valid YAML"),
        instead("collections.yaml", "[" * 5000),
    ),
    Case(
        "a folder in its place",
        "plan",
        2,
        ("conflicts.yaml", "cannot be read"),
        lambda rig: folder_at(rig.folder / "decisions" / "conflicts.yaml"),
    ),
]


def folder_at(path: Path) -> Undo:
    """Put a folder where a file has to be."""
    back = moved_away(path)
    path.mkdir()

    def undo() -> None:
        path.rmdir()
        back()

    return undo


@pytest.mark.parametrize("case", CASES, ids=str)
def test_wrong_decisions_end_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: Case
) -> None:
    """A wrong decision is named with its file and line, and nothing is written."""
    started = rig()
    check(case, started, whole)


def test_a_tag_in_a_decision_runs_nothing(
    rig: Callable[..., Rig], tmp_path: Path
) -> None:
    """A YAML tag that would make an object is only text in the wrong place."""
    started = rig()
    trap = tmp_path / "trap"
    tag = f"!!python/object/apply:pathlib.Path.mkdir [!!python/name:x, {trap}]"
    call = f"!!python/object/apply:os.mkdir [{trap}]"
    for text in (f"collections: {call}\n", f"collections:\n  - {tag}\n", call):
        undo = written(started.folder / "decisions" / "collections.yaml", text)
        ended = started.run("plan")
        assert ended.code == 2, ended.err
        assert "collections.yaml" in sentence(ended)
        undo()
    assert not trap.exists()
    started.done("plan")


def test_a_wrong_decision_asks_no_service(rig: Callable[..., Rig]) -> None:
    """Decisions are read before anything is asked of the destination."""
    started = rig()
    written(started.folder / "decisions" / "design.yaml", "components: 1\n")
    assert started.run("import").code == 2
    assert started.entries == []
    assert not (started.folder / "ledger.sqlite").exists()
