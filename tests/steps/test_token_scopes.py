"""What the destination's token may do: the documented scopes are enough, and without
one of them nothing is written."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.destination import api
from cmsmig.sandbox.destination.tokens import AVAILABLE
from cmsmig.steps.token_check import NEEDED, documented_scopes
from tests.support.steps.staged_project import Stage, StagedProject

DOCUMENTED = (
    "spaces:read",
    "stories:publish",
    "components:write",
    "datasources:write",
    "datasource_entries:write",
    "assets:write",
    "asset_folders:write",
    "releases:read",
    "webhooks:read",
)
"""As README.md and docs/commands.md list them."""
WITH = {
    "README.md": Path(__file__).parents[2] / "README.md",
    "commands.md": Path(__file__).parents[2] / "docs" / "commands.md",
}
_WEAKER = {"publish": "write", "write": "read"}


@pytest.fixture
def project(stage: Stage, content_of: Callable[[str], Path]) -> StagedProject:
    """Return a project that needs every scope, with a token that has just these."""
    project = stage(content=content_of("moody"))
    project.decide(
        "design.yaml",
        "encoding: option\n",
        "encoding: option_datasource\n        datasource: moods\n",
    )
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Migrated")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    give(project, *DOCUMENTED)
    return project


def give(project: StagedProject, *scopes: str) -> None:
    """Have the token have exactly these scopes."""
    project.handle.state.credential.scopes = scopes


def rows(project: StagedProject, code: int = 0) -> dict[str, dict]:
    """Return the rows of a check by name."""
    found = project.run("check", "--json")
    assert found.code == code, found.out + found.err
    assert found.document["ok"] is (code == 0)
    return {row["what"]: row for row in found.document["rows"]}


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Return the scopes that the calls need, as the sandbox reads its routes."""
    found: set[str] = set()
    declared = api.needed_scope

    def needed(*call: Any) -> str:
        scope = declared(*call)
        found.add(scope)
        return scope

    monkeypatch.setattr(api, "needed_scope", needed)
    return found


def test_the_documented_scopes_are_enough_for_everything(
    used: set[str], project: StagedProject
) -> None:
    """Every command, from check and pull to rollback: no call is answered 403, none
    needs another scope, and each scope in the table is used."""
    number = project.mark()
    rows(project)
    project.done("pull")
    project.done("decide", "--accept-proposals", "--reviewer", "A. Reader")
    for command in ("plan", "import", "verify", "changes", "publish"):
        project.done(command)
    shutil.move(project.folder / "ledger.sqlite", project.folder / "aside.sqlite")
    project.done("rebuild")
    assert project.done("plan", "--json").document["preflights"] == []
    project.done("rollback", "--plan")
    shutil.move(project.folder / "aside.sqlite", project.folder / "ledger.sqlite")
    project.done("rollback")
    assert (project.stories(), project.components()) == ({}, [])
    assert 403 not in {each.status for each in project.since(number)}
    assert used == NEEDED.keys()


def test_the_documents_list_the_scopes_of_the_table() -> None:
    """A scope more in the table is one more in the documents."""
    assert documented_scopes() == DOCUMENTED
    for name, path in WITH.items():
        text = path.read_text("utf-8")
        assert [each for each in DOCUMENTED if f"`{each}`" not in text] == [], name
    known = {f"{name}:{each}" for name in AVAILABLE for each in AVAILABLE[name]}
    assert known >= NEEDED.keys()


@pytest.mark.parametrize("scope", DOCUMENTED)
def test_without_a_scope_nothing_is_written(project: StagedProject, scope: str) -> None:
    """Check names it with the commands that need it, the plan too; and they refuse."""
    resource, _, action = scope.partition(":")
    weaker = [f"{resource}:{_WEAKER[action]}"] if action in _WEAKER else []
    give(project, *(set(DOCUMENTED) - {scope}), *weaker)
    row = rows(project, 2)[f"scope {scope}"]
    assert not row["ok"]
    commands = [each for each in NEEDED[scope] if each != "rollback"]
    assert [each for each in commands if f"`cmsmig {each}`" not in row["found"]] == []
    number = project.mark()
    for command in ("import", "publish"):
        refused = project.run(command)
        if command in commands:
            assert (refused.code, scope in refused.err) == (7, True), refused.err
            assert "Personal access tokens" in refused.err
    if action != "read":
        texts = [each["text"] for each in project.plan()["preflights"]]
        assert any(scope in each for each in texts)
    assert [each for each in project.since(number) if each.method != "GET"] == []


@pytest.mark.parametrize("scope", [each for each in NEEDED if each.endswith("write")])
def test_without_a_scope_nothing_is_rolled_back(
    project: StagedProject, scope: str
) -> None:
    """Its plan names what is missing."""
    project.done("import")
    resource = scope.partition(":")[0]
    others = (each for each in DOCUMENTED if not each.startswith(f"{resource}:"))
    give(project, *others, f"{resource}:read")
    number = project.mark()
    refused = project.run("rollback")
    if "rollback" not in NEEDED[scope]:
        assert refused.code == 0
        return
    assert (refused.code, scope in refused.err) == (7, True), refused.err
    shown = project.done("rollback", "--plan", "--json").document
    assert any(scope in each for each in shown["notes"])
    assert [each for each in project.since(number) if each.method != "GET"] == []


@pytest.mark.parametrize(("days", "warns"), [(5, True), (29, True), (31, False)])
def test_a_token_that_ends_soon_is_a_warning(
    project: StagedProject, days: int, warns: bool
) -> None:
    """Within thirty days the row warns, and everything works."""
    credential = project.handle.state.credential
    credential.expires_at = time.time() + days * 86_400 - 60
    row = rows(project)["token expires"]
    assert (row["ok"], row["warning"]) == (True, warns)
    assert (f"in {days - 1} days" in row["found"]) is warns
    shown = next(
        line for line in project.run("check").out.splitlines() if "expires" in line
    )
    assert shown.endswith("look" if warns else "ok")
    noted = project.done("plan", "--json").document["preflights"]
    texts = [each["text"] for each in noted if each["kind"] == "token"]
    assert any("The token ends on" in each for each in texts) is warns
    assert any("takes about 1 minute" in each for each in texts) is warns


def test_the_last_hours_of_a_token_are_named(project: StagedProject) -> None:
    """A day is too coarse then."""
    credential = project.handle.state.credential
    credential.expires_at = time.time() + 5 * 3600 - 30
    assert "in 4 hours and 59 minutes" in rows(project)["token expires"]["found"]
