"""Steps of cases about the files of a project: its ledger, decisions, kept drafts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cmsmig.sandbox.destination.tokens import TokenKind
from tests.support.steps.origin_edits import read_items
from tests.support.steps.scenario.changes import own

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario


KNOWN = (
    """SELECT collection_id, item_id, locale_id, name, full_slug, status, reason,
       link_state, published, story_id, uuid, record_hash
       FROM items ORDER BY 1, 2, 3""",
    "SELECT story_id, made, destination_updated_at FROM story_record ORDER BY 1",
    "SELECT sha256, ext_id, name, status, asset_id, content_url FROM asset",
    "SELECT kind, name, destination_id, uuid, made, body FROM made",
)
"""What a ledger knows, the times aside."""


def remember_ledger(scenario: Scenario) -> None:
    found = [scenario.project.rows(query) for query in KNOWN]
    scenario.remembered["ledger"] = found


def ledger_as_remembered(scenario: Scenario) -> None:
    found = [scenario.project.rows(query) for query in KNOWN]
    assert found == scenario.remembered["ledger"]


def copy_ledger(scenario: Scenario, name: str) -> None:
    """Keep a copy of the ledger as it is now, for `use ledger`."""
    path = scenario.project.folder / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM INTO ?", [str(path.with_name(name))])


def use_ledger(scenario: Scenario, name: str) -> None:
    path = scenario.project.folder / "ledger.sqlite"
    path.with_name(name).replace(path)


def torn(path: Path) -> None:
    """Lose a page, as a power cut in the middle of a write may."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    data[size * 2 : size * 3] = bytes(size)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")
        db.execute("DROP TABLE content_hash")


def another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE invoice (one TEXT)")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "torn": torn,
    "cut": cut,
    "another version": another_version,
}
"""What happens to a file."""
REPLACEMENTS: dict[str, Callable[[Path], object]] = {
    "foreign": lambda path: path.write_bytes(b"no database" * 500),
    "garbage": lambda path: path.write_bytes(
        b"SQLite format 3\x00" + bytes(range(256)) * 40
    ),
    "folder": Path.mkdir,
    "another program": another_program,
}
"""What is in the place of a file."""


def damage(scenario: Scenario, name: str, *, kind: str) -> None:
    """Damage a file of the project folder, or put something in its place."""
    path = scenario.project.folder / name
    if kind in REPLACEMENTS:
        for each in path.parent.glob(f"{name}*"):
            each.unlink()
    (DAMAGES | REPLACEMENTS)[kind](path)
    scenario.remembered["damaged"] = path.read_bytes() if path.is_file() else b""


def damaged_file_is(scenario: Scenario, name: str) -> None:
    """Expect the damaged file under this name."""
    path = scenario.project.folder / name
    assert path.read_bytes() == scenario.remembered["damaged"]


def derived(scenario: Scenario, statement: str) -> None:
    """Change derived.sqlite by hand, in one row or more."""
    with closing(sqlite3.connect(scenario.project.folder / "derived.sqlite")) as db, db:
        assert db.execute(statement).rowcount


def derived_rows(scenario: Scenario, query: str, *, are: list[list[Any]]) -> None:
    with closing(sqlite3.connect(scenario.project.folder / "derived.sqlite")) as db:
        assert [[*row] for row in db.execute(query)] == are


def plan_as_with_nothing_kept(scenario: Scenario) -> None:
    """Expect a plan to be the one that is made without derived.sqlite."""
    project = scenario.project
    found = [project.run("plan", "--json").out for _ in range(2)]
    for path in project.folder.glob("derived.sqlite*"):
        path.unlink()
    assert found[0]
    assert found == [project.run("plan", "--json").out] * 2


def pulled(scenario: Scenario, expected: dict[str, int]) -> None:
    """Expect so many items in a set of the raw cache, each once."""
    for name, number in expected.items():
        (path,) = (scenario.project.folder / "raw" / name).iterdir()
        ids = [each["id"] for each in read_items(path)]
        assert len(ids) == len(set(ids)) == number


def files(scenario: Scenario, expected: dict[str, list[str]]) -> None:
    """Expect just these files of the project folder by pattern."""
    for pattern, names in expected.items():
        found = scenario.project.folder.glob(pattern)
        assert sorted(each.name for each in found) == names


def copy_there(scenario: Scenario, path: str, slug: str) -> None:
    """Copy a story as an editor does, with the ids of its blocks."""
    story = scenario.project.space.stories[own(scenario.project, path)]
    copy = {"name": "Copy", "slug": slug, "content": story.content}
    scenario.project.api("POST", "/stories", {"story": copy})


def token(scenario: Scenario, **facts: Any) -> None:
    """Let the destination's token have other facts, such as just these `scopes`."""
    credential = scenario.project.handle.state.credential
    for name, value in facts.items():
        setattr(credential, name, tuple(value) if isinstance(value, list) else value)


def token_without_scopes(scenario: Scenario) -> None:
    """Let the token be of the kind that ends soon."""
    state = scenario.project.handle.state
    state.credential.kind = TokenKind.LEGACY
    end = time.time() + 1_000
    object.__setattr__(state.api.credentials, "end_of_unscoped", end)


def write(
    scenario: Scenario, name: str, text: str, encoding: str | None = None
) -> None:
    """Write a file of the project folder."""
    (scenario.project.folder / name).write_text(text, encoding)


def no_rules_named(scenario: Scenario) -> None:
    """Take the file of rules out of the settings."""
    path = scenario.project.folder / "cmsmig.toml"
    path.write_text(path.read_text().replace('richtext.rules = "rules.py"', ""))
