"""Staging, then production: one project, two spaces, each with a ledger of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from cmsmig.ledger.lease import lease
from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sandbox.observed import SandboxHandle, running_sandbox
from tests.support.timelimit import patience

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


def test_what_only_an_editor_in_staging_changed_is_named(agency: Agency) -> None:
    """By story and field with both values; ids of the two spaces differ in silence."""
    nothing = agency.run("plan", "--target", "production", "--compare", "staging")
    assert nothing.code == 2
    assert "Nothing was imported into staging yet" in nothing.err
    itself = agency.run("plan", "--target", "staging", "--compare", "staging")
    assert itself.code == 2
    agency.done("import", "--target", "staging")
    compare = ("plan", "--target", "production", "--compare", "staging")
    calm = agency.done(*compare).out.splitlines()
    assert calm[-3:] == [
        "Since the import into staging: nothing",
        "Changed in staging alone: nothing",
        "Changed in production alone: nothing",
    ]
    agency.done("import", "--target", "production")
    _retitle(agency.staging, "spot", "A name from staging")
    both = "The same in both"
    _retitle(agency.staging, "note-0", both)
    _retitle(agency.production, "note-0", both)
    _retitle(agency.production, "note-1", "A name from production")
    found = agency.done(*compare, "--json").document["compared"]
    assert found["with"] == "staging"
    assert found["since_rehearsal"] == []
    (there,), (here,) = found["only_rehearsed"], found["only_here"]
    assert (there["what"], there["field"]) == ("spots/spot", "name")
    assert (there["old"], there["new"]) == ("Spot", "A name from staging")
    assert (here["what"], here["new"]) == ("notes/note-1", "A name from production")
    shown = agency.done(*compare).out.split("Changed in staging alone (1)\n")[1]
    assert '(spots/spot)  name: "Spot" -> "A name from staging"' in shown


def test_what_moved_since_the_rehearsal_is_named(agency: Agency) -> None:
    """An edit at the origin and a decision: production would get them unseen."""
    agency.done("import", "--target", "staging")
    (raw,) = (
        path
        for path in (agency.folder / "raw" / "items").glob("*.json")
        if "A place" in path.read_text()
    )
    raw.write_text(raw.read_text().replace("A place", "Another place"))
    compare = ("plan", "--target", "production", "--compare", "staging", "--json")
    (moved,) = agency.done(*compare).document["compared"]["since_rehearsal"]
    assert (moved["what"], moved["field"]) == ("spots/spot", "content.line")
    assert (moved["old"], moved["new"]) == ("A place", "Another place")


def _retitle(side: Rehearsal, slug: str, name: str) -> None:
    """Rename a story as an editor does, everything else as it is."""
    (row,) = (
        each
        for each in side.api("GET", "/stories?per_page=100")["stories"]
        if each["slug"] == slug
        and not each["is_folder"]
        and "fr" not in each["full_slug"]
    )
    story = side.api("GET", f"/stories/{row['id']}")["story"]
    side.api("PUT", f"/stories/{row['id']}", {"story": {**story, "name": name}})


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


@pytest.mark.parametrize(("typed", "code"), [("production", 0), ("prod", 2), ("", 2)])
def test_production_asks_a_person_for_its_name(
    agency: Agency, typed: str, code: int
) -> None:
    """On a terminal alone; another name writes nothing."""
    arguments = ["--project", str(agency.folder), "prepare", "--target", "production"]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cmsmig.cli", *arguments],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env={**os.environ, "CMSMIG_STATE_DIR": str(agency.staging.state)},
    )
    os.close(theirs)
    said = b""
    while b"to go on: " not in said:
        said += os.read(ours, 4096)
    assert b"This writes to production, space 290513." in said
    os.write(ours, f"{typed}\n".encode() if typed else b"\x04")
    out, _ = process.communicate(timeout=patience())
    os.close(ours)
    assert process.returncode == (code if typed else 5), out
    assert bool(agency.production.handle.state.space.components) == (code == 0)


def test_only_a_person_without_yes_is_asked(agency: Agency) -> None:
    """A run at night, and `--yes`, go on."""
    agency.done("prepare", "--target", "production")
    agency.done("create", "--target", "production", "--yes")


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
