"""A whole migration with an operation of each kind, and without them again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.evidence.report_findings import report_findings
from cmsmig.mapping.decisions.cleaning import CleaningDecision, CleaningKind
from cmsmig.mapping.decisions.decision_files import from_text
from cmsmig.steps.plan.plan import PlanDetails
from cmsmig.survey.cleaning_proposals import alternatives
from tests.support.steps.scenario.decisions import DECISIONS
from tests.support.steps.scenario.reports import opened
from tests.support.steps.staged_project import Stage, StagedProject

REVIEWED = {"by": "Ann", "at": "2026-01-01T00:00:00+00:00", "how": "individually"}
OPERATIONS = [
    {"kind": "trim"},
    {"kind": "headings", "top": 2, "close_jumps": True, "drop_empty": True},
    {"kind": "merge_values", "fields": ["role"], "values": ["Brewer"], "to": "Editor"},
    {"kind": "replace", "find": "marsh", "to": "fen", "fields": ["description"]},
    {"kind": "replace", "find": r"^https?://", "to": "//", "regex": True,
     "within": "links", "collections": ["stockists"]},
    {"kind": "alt_text", "alts": [{"picture": "PICTURE", "alt": "A map & a pen"}]},
    {"kind": "set_value", "collections": ["faq"], "fields": ["about"], "value": "Shop",
     "search": "whatever tin"},
    {"kind": "empty_value", "collections": ["places"], "fields": ["website"],
     "search": "harrowmere"},
    {"kind": "replace", "find": "no such words anywhere", "to": "x"},
]  # fmt: skip


def decide(
    staged: StagedProject, *operations: dict, reviewed: object = REVIEWED
) -> None:
    path = staged.folder / "decisions" / "cleaning.yaml"
    listed = [{**each, "reviewed": reviewed} for each in operations]
    path.write_text(json.dumps({"operations": listed}))


def contents(staged: StagedProject) -> dict[str, object]:
    return {
        slug: (each.content, each.name, each.published)
        for slug, each in staged.stories().items()
    }


def picture(staged: StagedProject) -> str:
    """Return the address of a picture in a body that has no alternative text."""
    for path in sorted((staged.folder / "raw" / "items").iterdir()):
        for item in json.loads(path.read_text())["items"]:
            for value in item["fieldData"].values():
                if isinstance(value, dict) and value.get("url") and not value["alt"]:
                    return str(value["url"])
    raise AssertionError("each picture has a text")


@pytest.fixture
def sample(stage: Stage, content_of: Callable[[str], Path]) -> StagedProject:
    return stage(content=content_of("sample"))


def test_cleaned_content_arrives_and_goes_back(sample: StagedProject) -> None:
    """Each kind is imported once, is what a verification compares with, and is undone
    by taking it out; a proposal alone changes nothing, not even the plan."""
    bare = sample.plan()
    decide(sample, *OPERATIONS, reviewed=None)
    assert sample.plan()["hash"] == bare["hash"]
    raw = {e: e.read_bytes() for e in (sample.folder / "raw").rglob("*.json")}
    sample.done("import")
    original = contents(sample)

    operations = [
        {**each, "alts": [{"picture": picture(sample), "alt": "A map & a pen"}]}
        if "alts" in each
        else each
        for each in OPERATIONS
    ]
    decide(sample, *operations)
    counts = sample.done("clean", "--json").document["operations"]
    assert [each["state"] for each in counts] == ["accepted"] * len(OPERATIONS)
    assert all(each["items"] and each["samples"] for each in counts[:-1]), counts
    assert counts[-1]["places"] == 0

    changed = sample.done("changes", "--json").document
    assert not changed["origin"]
    assert any(
        "cleaning: accidental blanks go" in e["text"] for e in changed["decisions"]
    )
    notes = [each for each in sample.plan()["notes"] if each.startswith("Cleaning,")]
    assert len(notes) == len(OPERATIONS)
    assert all("written with it now" in each for each in notes[:-1]), notes
    assert notes[-1].endswith("finds nothing any more.")

    sample.done("import")
    sample.verified()
    assert contents(sample) != original
    authors = [e.content.get("role") for e in sample.stories().values()]
    assert "Brewer" not in authors
    mark = sample.mark()
    assert sample.done("import", "--json").document["writes"] == 0
    assert sample.calls(mark) <= 20
    notes = [each for each in sample.plan()["notes"] if each.startswith("Cleaning,")]
    assert not [each for each in notes if "written with it now" in each]

    migration = opened(sample)
    context = migration.context(migration.files.planned_assets({}), {})
    details = PlanDetails(migration, context, {}, (), ())
    sets = report_findings(migration, {}, (), sample.plan(), details)
    (cleaned,) = [each for each in sets if each.name == "cleaned-values"]
    listed = [*cleaned.read()]
    assert {each.kind[:2] for each in listed} == {f"{n}." for n in range(1, 9)}
    (merged,) = [each for each in listed if each.kind.startswith("3.")]
    assert (merged.field, merged.what) == ("Role", "Brewer → Editor")

    (sample.folder / "decisions" / "cleaning.yaml").unlink()
    sets = report_findings(opened(sample), {}, (), sample.plan(), details)
    assert "cleaned-values" not in [each.name for each in sets]
    sample.done("import")
    sample.verified()
    assert contents(sample) == original
    assert raw == {e: e.read_bytes() for e in (sample.folder / "raw").rglob("*.json")}


def test_operations_are_named_in_each_language(
    stage: Stage, content_of: Callable[[str], Path]
) -> None:
    """Where the languages of an item are fields of one story: in the plan, the changes
    and the report, and what was cleaned is no change at the origin."""
    staged = stage(content=content_of("small"), languages=("fr-fr",))
    staged.decide(*DECISIONS["language fields"])
    staged.done("import")
    decide(staged, {"kind": "replace", "find": "La", "to": "Une",
                    "collections": ["notes"], "locales": ["fr-FR"]})  # fmt: skip
    changed = staged.done("changes", "--json").document
    assert not changed["origin"]
    named = [e for e in changed["decisions"] if "cleaning: " in e["text"]]
    assert {e["field"].partition("__i18n__")[2] for e in named} == {"fr_fr"}, named
    (note,) = [e for e in staged.plan()["notes"] if e.startswith("Cleaning,")]
    assert "written with it now" in note


def test_an_editor_is_asked_about_cleaned_text(stage: Stage) -> None:
    """What both sides changed is a conflict; what the editor alone did is kept."""
    staged = stage()
    staged.done("import")
    staged.edit("records/record-1", title="By an editor")
    staged.edit("records/record-2", line="kept")
    decide(staged, {"kind": "replace", "find": "Record", "to": "Disc"})
    assert staged.run("import").code == 0
    stories = staged.stories()
    assert stories["records/record-2"].content["line"] == "kept"
    assert stories["records/record-1"].content["title"] == "By an editor"
    assert stories["records/record-3"].name == "Disc 3"


def test_wrong_operations_end_every_command(stage: Stage) -> None:
    """With the operation and what there is; nothing is written."""
    staged = stage()
    decide(staged, {"kind": "trim", "collections": ["nowhere"]})
    for command in ("clean", "plan", "import"):
        found = staged.run(command)
        assert found.code == 2
        assert "operation 1 (trim) names the collection `nowhere`" in found.err


def test_proposals_and_a_list_to_fill_in(sample: StagedProject) -> None:
    """Nothing is accepted by them, nor by accepting all proposals; what a person
    refused is not proposed again, and what they filled in is cleaned."""
    sample.done("clean", "--propose")
    path = sample.folder / "decisions" / "cleaning.yaml"
    proposed = from_text(path.read_text(), "cleaning.yaml", CleaningDecision)
    kinds = {each.kind for each in proposed.operations}
    assert {CleaningKind.TRIM, CleaningKind.HEADINGS} <= kinds
    assert not proposed.accepted
    before = path.read_text()
    sample.done("decide", "--accept-proposals", "--reviewer", "Ann")
    again = sample.done("clean", "--propose", "--json").document
    assert again["proposals_added"] == 0
    assert path.read_text() == before
    assert {each["state"] for each in again["operations"]} == {"proposed"}
    assert all(each["places"] for each in again["operations"])

    (leveled,) = [e for e in proposed.operations if e.top]
    others = [*alternatives(leveled, opened(sample).origin.site)]
    assert [each.top for each in others] == [1, 3]
    path.write_text(before.replace("top: 2", f"top: {others[1].top}"))
    changed = sample.done("clean", "--propose", "--json").document
    assert changed["proposals_added"] == 0
    assert "headings begin at level 3" in str(changed["operations"])
    path.write_text(before)

    filled = sample.folder / "filled.csv"
    head, *rows = Path(again["alt_texts_to_fill_in"]).read_text().splitlines()
    assert head == "picture,where,alt"
    texts = [f"{row}Text {number}" for number, row in enumerate(rows[:5])]
    filled.write_text("\n".join((head, *texts, *rows[5:])))
    assert sample.run("clean", "--alt-texts", str(filled)).code == 2
    taken = ("clean", "--alt-texts", str(filled), "--reviewer", "Ann", "--json")
    (given,) = (
        each
        for each in sample.done(*taken).document["operations"]
        if each["state"] == "accepted"
    )
    assert (given["kind"], given["places"]) == ("alt_text", 5)
    wrong = sample.run("clean", "--alt-texts", str(path), "--reviewer", "Ann")
    assert (wrong.code, "needs the columns" in wrong.err) == (2, True)
