"""What we wrote, what is there, what we would write: every field, every outcome."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.sites.exact import write_load_site
from tests.support.steps.staged_project import StagedProject

FIELDS = ("name", "slug", "number", "body", "relation")
OUTCOMES = ("ours", "theirs", "alike", "otherwise")


@dataclass(frozen=True)
class Case:
    """One story, the field that moves, and who moved it."""

    number: int
    field: str
    outcome: str

    @property
    def old_path(self) -> str:
        return f"records/record-{self.number}"

    @property
    def key(self) -> str:
        """The name that plan and decisions give the field."""
        content = {"number": "position", "body": "text", "relation": "related"}
        inside = content.get(self.field)
        return f"content.{inside}" if inside else self.field

    @property
    def waits(self) -> bool:
        """Whether somebody has to decide: a page never moves by itself."""
        return self.outcome == "otherwise" or (self.field, self.outcome) == (
            "slug",
            "ours",
        )


CASES = tuple(
    Case(number, field, outcome)
    for number, (field, outcome) in enumerate(
        ((field, outcome) for field in FIELDS for outcome in OUTCOMES), start=1
    )
)


def change_items(
    staged: StagedProject, change: Callable[[dict[str, Any], int], None]
) -> None:
    """Change the pulled items, in both sets."""
    for folder in ("items", "live"):
        (path,) = (staged.folder / "raw" / folder).glob("*.json")
        lines = path.read_text().splitlines(keepends=True)
        for at, line in enumerate(lines):
            if line.startswith('{"id"') or '"fieldData"' in line:
                item = json.loads(line.strip().rstrip(","))
                number = int(item["fieldData"]["slug"].rpartition("-")[2])
                change(item["fieldData"], number)
                end = ",\n" if line.rstrip().endswith(",") else "\n"
                lines[at] = json.dumps(item) + end
        path.write_text("".join(lines))


def our_value(case: Case) -> str:
    return f"{'alike' if case.outcome == 'alike' else 'ours'}-{case.number}"


def their_value(case: Case) -> str:
    return f"{'alike' if case.outcome == 'alike' else 'theirs'}-{case.number}"


def change_ours(case: Case, data: dict[str, Any]) -> None:
    """Change the item as the origin's editors would."""
    changes = {
        "name": lambda: our_value(case),
        "slug": lambda: our_value(case),
        "number": lambda: 1000 + case.number,
        "text": lambda: f"<p>{our_value(case)}</p>",
        "related": lambda: data["related"][:1],
    }
    name = case.key.removeprefix("content.")
    name = "position" if case.field == "number" else name
    data[name] = changes["number" if case.field == "number" else name]()


def change_theirs(staged: StagedProject, case: Case) -> None:
    """Change the story as an editor of the space would."""
    story = staged.stories()[case.old_path]
    if case.field in ("name", "slug"):
        body = {case.field: their_value(case)}
        staged.api("PUT", f"/stories/{story.story_id}", {"story": body})
        return
    alike = case.outcome == "alike"
    text = {"type": "text", "text": their_value(case)}
    paragraph = {"type": "paragraph", "attrs": {"textAlign": None}, "content": [text]}
    value = {
        "number": str(1000 + case.number) if alike else "4711",
        "body": {"type": "doc", "content": [paragraph]},
        "relation": story.content["related"][: 1 if alike else 0],
    }[case.field]
    staged.edit(case.old_path, **{case.key.removeprefix("content."): value})


def field_of(staged: StagedProject, case: Case, story_id: int) -> object:
    story = staged.space.stories[story_id]
    if case.field in ("name", "slug"):
        return story.body[case.field]
    value = story.content[case.key.removeprefix("content.")]
    return json.dumps(value)


def end_of(staged: StagedProject, case: Case, story_id: int) -> End:
    """Return what became of a case, as things stand."""
    [told] = staged.rows(
        """SELECT status, reason, explanation, home.full_slug FROM item JOIN home
           ON home.id = home_id WHERE story_id = ?""",
        story_id,
    )
    return End(field_of(staged, case, story_id), *told)


@dataclass(frozen=True)
class End:
    """What became of a case: the field, and what the ledger says of the story."""

    there: object
    status: str
    reason: str
    explanation: str
    path: str


@dataclass(frozen=True)
class Played:
    """The whole table, played once: each case on a story of its own."""

    staged: StagedProject
    ids: dict[int, int]
    before: dict[int, object]
    theirs: dict[int, object]
    ends: dict[int, End]
    """As they were then; a test may decide since."""
    changes: dict[str, Any]
    plan: dict[str, Any]
    code: int
    writes: int
    reads: int


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
    decided_project: Callable[[Path], Path],
) -> Iterator[Played]:
    """Import, change both sides, import again."""
    folder = tmp_path_factory.mktemp("three")
    write_load_site(folder / "content", items=len(CASES), images=0)
    options = SandboxOptions(content=folder / "content", rate=500)
    with running_sandbox(options) as handle:
        project = folder / "project"
        shutil.copytree(decided_project(folder / "content"), project)
        write_env(project, environment_file_text(dict(handle.announcement), 500))
        staged = StagedProject(Rehearsal(handle, project, folder / "state"))
        staged.done("import")
        ids = {case.number: staged.stories()[case.old_path].story_id for case in CASES}

        def all_fields() -> dict[int, object]:
            return {
                case.number: field_of(staged, case, ids[case.number]) for case in CASES
            }

        before = all_fields()
        for case in CASES:
            if case.outcome != "ours":
                change_theirs(staged, case)
        theirs = all_fields()
        by_number = {case.number: case for case in CASES}

        def change(data: dict[str, Any], number: int) -> None:
            if by_number[number].outcome != "theirs":
                change_ours(by_number[number], data)

        change_items(staged, change)
        changes = staged.done("changes", "--json").document
        plan, mark = staged.plan(), staged.mark()
        ended = staged.run("import")
        ends = {case.number: end_of(staged, case, ids[case.number]) for case in CASES}
        yield Played(
            staged,
            ids,
            before,
            theirs,
            ends,
            changes,
            plan,
            ended.code,
            staged.count("update story", mark),
            staged.count("story", mark),
        )


@pytest.mark.parametrize("case", CASES, ids=lambda each: f"{each.field}-{each.outcome}")
def test_a_field_ends_as_its_case_says(played: Played, case: Case) -> None:
    """Ours alone: written. Theirs alone: kept. Alike: noted. Otherwise: waits."""
    end = played.ends[case.number]
    if case.waits:
        assert end.there == played.theirs[case.number]
        assert (end.status, end.reason) == ("failed", "edited_since")
        assert case.key in end.explanation
    elif case.outcome == "ours":
        assert end.there != played.before[case.number]
        assert end.status == "created"
    else:
        assert end.there == played.theirs[case.number] != played.before[case.number]
        assert end.status == "created"
    named = {(each["what"], each["field"]) for each in played.plan["edit_conflicts"]}
    assert ((end.path, case.key) in named) == case.waits


@pytest.mark.parametrize("case", CASES, ids=lambda each: f"{each.field}-{each.outcome}")
def test_changes_name_the_field_with_both_values(played: Played, case: Case) -> None:
    """Each side's moves under its own title, nothing else."""
    for where, moved in (
        ("origin", case.outcome != "theirs"),
        ("destination", case.outcome != "ours"),
    ):
        listed = played.changes[where]
        found = [each for each in listed if each["what"] == case.old_path]
        assert [each["field"] for each in found] == [case.key] * moved, found
        assert all(each["old"] != each.get("new") for each in found)
    assert played.changes["decisions"] == []


def test_the_plan_named_each_call_and_only_ours_were_written(played: Played) -> None:
    """What somebody else changed alone is neither read nor written."""
    assert played.code == 1
    ours = [case for case in CASES if case.outcome == "ours" and not case.waits]
    looked = [case for case in CASES if case.outcome in ("alike", "otherwise")]
    assert played.writes == played.plan["calls"]["update_stories"] == len(ours)
    assert played.reads == played.plan["calls"]["read_changed_stories"] == len(looked)


def test_decisions_end_every_conflict(played: Played) -> None:
    """`ours` moves and writes, `theirs` is quiet; then nothing is left to do."""
    staged = played.staged
    waiting = [case for case in CASES if case.waits]
    for case in waiting:
        conflict = next(
            each
            for each in played.plan["edit_conflicts"]
            if each["what"].endswith((f"-{case.number}",)) and each["field"] == case.key
        )
        take = "theirs" if case.field == "body" else "ours"
        staged.decide_edit(conflict["what"], case.key, take, conflict["seen"])
    staged.done("import")
    for case in waiting:
        there = field_of(staged, case, played.ids[case.number])
        assert (there == played.theirs[case.number]) == (case.field == "body"), case
    assert staged.done("import", "--json").document["writes"] == 0
    assert staged.plan()["edit_conflicts"] == []
    kept = staged.run("verify", "--json").document["differences"]
    theirs = [case for case in CASES if case.outcome == "theirs"]
    assert len(kept) == len(theirs), "an edit that nobody decided about is named"
    for each in kept:
        assert "edited at the destination" in each["text"]
