"""Staging, then production: one project, two spaces, each with a ledger of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmsmig.ledger.lease import lease
from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sandbox.observed import SandboxHandle, running_sandbox

RATE = 900
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TOML = """
[targets.staging]
space_id = 290512
base_url = "{staging}"
rate = 900

[targets.production]
space_id = 290513
base_url = "{production}"
rate = 900
"""


@dataclass(frozen=True)
class Agency(Rehearsal):
    """A project with two destinations: the sandbox of staging, and another one."""

    production: Rehearsal

    @property
    def staging(self) -> Rehearsal:
        """Return the project as one that knows staging alone."""
        return self


@pytest.fixture
def agency(
    tmp_path: Path, tiny_site: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Agency]:
    """Return a project that is pulled and decided, nothing imported."""
    with ExitStack() as stack:
        handles = [
            stack.enter_context(
                running_sandbox(
                    SandboxOptions(
                        content=tiny_site,
                        rate=RATE,
                        origin_rate=60_000,
                        space_id=space,
                    )
                )
            )
            for space in (290512, 290513)
        ]
        folder = tmp_path / "project"
        state = tmp_path / "state"
        production = Rehearsal(handles[1], folder, state)
        made = Agency(handles[0], folder, state, production)
        made.done("init")
        _write_settings(folder, *handles)
        made.decided()
        yield made


def _write_settings(
    folder: Path, staging: SandboxHandle, production: SandboxHandle
) -> None:
    said = staging.announcement
    toml = folder / "cmsmig.toml"
    bases = {
        "staging": said["base_url"],
        "production": production.announcement["base_url"],
    }
    toml.write_text(toml.read_text() + TOML.format(**bases))
    lines = {
        "ORIGIN_API_URL": said["origin_api_url"],
        "ORIGIN_TOKEN": said["origin_token"],
        "DESTINATION_TOKEN_STAGING": said["destination_token"],
        "DESTINATION_TOKEN_PRODUCTION": production.announcement["destination_token"],
    }
    write_env(folder, "".join(f"CMSMIG_{k}={v}\n" for k, v in lines.items()))


def test_staging_then_production_from_the_same_decisions(agency: Agency) -> None:
    """Equal but for ids; each target has its ledger; every headline names it."""
    planned = agency.done("plan", "--target", "staging").out.splitlines()
    assert planned[0].startswith("target: staging, space 290512 at http://127.0.0.1:")
    agency.done("import", "--target", "staging")
    assert "stories" in agency.staging.comparable()
    assert agency.production.handle.state.space.stories == {}
    brought = agency.done("import", "--target", "production").out.splitlines()
    assert [line[:37] for line in brought if line.startswith("target: ")] == [
        "target: production, space 290513 at h"
    ] * 2
    staged, produced = map(_without_ids, (agency.staging, agency.production))
    assert staged == produced
    assert len(staged["stories"]) >= 6
    assert sorted(
        str(path.relative_to(agency.folder)) for path in agency.folder.rglob("*.sqlite")
    ) == [
        "derived.sqlite",
        "targets/production/ledger.sqlite",
        "targets/staging/ledger.sqlite",
    ]
    for name, rehearsal in (
        ("staging", agency.staging),
        ("production", agency.production),
    ):
        assert "writes: 0" in agency.done("import", "--target", name).out
        for command in ("verify", "status", "changes", "check"):
            said = agency.done(command, "--target", name).out.splitlines()
            assert said[0].startswith(f"target: {name}"), command
            document = agency.done(command, "--target", name, "--json").document
            assert document["target"] == name
        assert rehearsal.handle.state.recorder.violations == []
    asked = agency.staging.handle.state.recorder.entries
    assert {entry.status for entry in asked if entry.service == "destination"} <= {
        *(200, 201, 204),
    }


def _without_ids(side: Rehearsal) -> dict:
    """Return what is in a space, without the ids that are derived from its number."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if not _is_derived(k, v)}
        return [plain(each) for each in value] if isinstance(value, list) else value

    state = plain(side.comparable())
    assert isinstance(state, dict)
    return state | {"stories": sorted(state["stories"], key=json.dumps)}


def _is_derived(name: str, value: object) -> bool:
    """Return whether it is a block's id; stories are known by their paths."""
    return name == "_uid" or (name == "id" and bool(_UUID.fullmatch(str(value))))


def test_a_pull_waits_for_no_import_of_any_target(agency: Agency) -> None:
    """What is pulled is every target's: an import holds it off, and says who does."""
    other = agency.folder / "targets" / "production" / "ledger.lock"
    with lease(other, "an import"):
        ended = agency.run("pull", "--refresh")
        assert ended.code == 6
        agency.done("import", "--target", "staging")


def test_conflicts_are_decided_for_each_target(agency: Agency) -> None:
    """A decision about staging says nothing about production."""
    agency.done("import", "--target", "staging")
    agency.done("import", "--target", "production")
    for side in (agency.staging, agency.production):
        stories = side.handle.state.space.stories
        (spot,) = (key for key, each in stories.items() if each.slug == "spot")
        side.api("DELETE", f"/stories/{spot}")
    gone = "gone:\n  - {from: destination, what: 'spots/spot', action: recreate}\n"
    common = agency.folder / "decisions" / "conflicts.yaml"
    kept = common.read_text()
    common.write_text(gone)
    refused = agency.run("import", "--target", "staging")
    assert refused.code == 2
    assert "targets/staging/conflicts.yaml" in refused.err
    common.write_text(kept)
    path = agency.folder / "targets" / "staging" / "conflicts.yaml"
    path.write_text(gone)
    assert agency.run("import", "--target", "production").code == 1
    agency.done("import", "--target", "staging")
    slugs = {each.slug for each in agency.staging.handle.state.space.stories.values()}
    assert "spot" in slugs


def test_a_report_of_a_target_names_it(
    agency: Agency, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last lines, the folder, the report, and the workspace line of a notebook."""
    agency.done("import", "--target", "staging")
    monkeypatch.chdir(tmp_path)
    ended = agency.done("run", "--only", "07", "--target", "staging", "--run-id", "one")
    assert ended.out.splitlines()[0] == "target: staging"
    folder = tmp_path / "reports" / "staging" / "one"
    assert json.loads((folder / "report.json").read_text())["target"] == "staging"
    assert " into staging</h1>" in (folder / "report.html").read_text()
    page = (folder / "07_verify_and_redirect.html").read_text()
    assert "Target" in page
    assert ">staging<" in page
