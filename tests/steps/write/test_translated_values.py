"""Translated fields value by value: what visitors of the other language get."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from cmsmig.display.finding_list import Finding
from cmsmig.evidence.report_findings import report_findings
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from cmsmig.steps.plan.plan_details import PlanDetails
from tests.support.steps.french import (
    CODE,
    FRENCH,
    NOTE,
    change,
    delivered,
    with_data,
)
from tests.support.steps.origin_edits import mark
from tests.support.steps.staged_project import Stage, StagedProject
from tests.support.two_languages import write_two_languages

ITEMS = 40
"""Every pair of a filled, unset and empty value is in so many items."""
OTHER = "notes/note-3"
"""Its French text links to the first note."""


@pytest.fixture(scope="module")
def pairs_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs") / "content"
    write_two_languages(folder, ITEMS)
    return folder


@pytest.fixture
def pairs(stage: Stage, pairs_site: Path) -> StagedProject:
    """Return a project of every pair of values in two languages, both decided."""
    staged = stage(content=pairs_site, languages=(CODE,))
    staged.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")
    staged.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    return staged


def test_nothing_differs_however_empty_translations_are_shown(
    pairs: StagedProject,
) -> None:
    """Right after the import, in both layers; no source tells what the service does."""
    pairs.done("import")
    for reading in ("texts", "all", "none"):
        for links in (True, False):
            pairs.space.unknowns = replace(
                pairs.space.unknowns, empty_translation=reading, links_in_language=links
            )
            pairs.verified()
    assert pairs.done("import", "--json").document["writes"] == 0


def test_a_switch_that_is_on_in_one_language_alone_is_shown_there(
    pairs: StagedProject,
) -> None:
    """Whether the other one was never filled, or is off."""
    pairs.done("import")
    on = delivered(pairs, "things/thing-1", CODE)["content"]
    assert (on["open"], delivered(pairs, "things/thing-1", "")["content"]["open"]) == (
        True,
        False,
    )
    off = pairs.stories()["things/thing-10"].content
    assert (off["open"], off[f"open{FRENCH}"]) == (True, False)


def test_links_in_a_block_lead_to_the_page_in_the_language_of_their_field(
    french: Callable[..., StagedProject],
) -> None:
    """As in a field of the story."""
    staged = french()
    design = staged.folder / "decisions" / "design.yaml"
    body = yaml.safe_load(design.read_text())
    (notes,) = [e for e in body["content_types"] if e["component"] == "note"]
    block = {"key": "main", "display_name": "Main", "component": "main"}
    notes["sections"] = [{**block, "fields": ["text"]}]
    design.write_text(yaml.safe_dump(body))
    staged.done("import")
    (main,) = staged.stories()[OTHER].content["main"]
    assert f'"/{CODE}/notes/la-note-1"' in json.dumps(main[f"text{FRENCH}"])
    assert CODE not in json.dumps(main["text"])
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0


def test_a_reference_to_nothing_shows_the_primary_languages_and_says_so(
    french: Callable[..., StagedProject],
) -> None:
    """Until its target is taken along as a draft, which visitors do not see."""
    staged = french()
    staged.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    target = item_id(staged, "note-5")
    change(staged, "la-note-1", with_data(related=[target]))
    mark(staged, "note-5", isArchived=True)
    listed = [
        each
        for each in staged.plan()["dangling"]
        if each["field"] == f"related{FRENCH}" and each["shown_instead"]
    ]
    assert target in [each["target"].split("/")[1].split("@")[0] for each in listed]
    assert "so that visitors get the primary language's" in staged.done("plan").out
    staged.done("import")
    instead = delivered(staged, NOTE, "")["content"]["related"]
    assert instead
    assert delivered(staged, NOTE, CODE)["content"]["related"] == instead
    assert any(
        f"`{{item: {target}, take: draft}}` under `apart`" in each.todo
        and "Visitors of this language get what the primary language has" in each.why
        for each in references_that_stay_empty(staged)
    )
    path = staged.folder / "decisions" / "collections.yaml"
    body = yaml.safe_load(path.read_text())
    (notes,) = [e for e in body["collections"] if e["collection"] == "notes"]
    notes["apart"] = [{"item": target, "take": "draft"}]
    path.write_text(yaml.safe_dump(body))
    assert not [e for e in staged.plan()["dangling"] if e["shown_instead"]]
    staged.done("import")
    shown = delivered(staged, NOTE, CODE)["content"]["related"]
    assert shown == [staged.stories()["notes/note-5"].uuid]
    assert staged.stories()["notes/note-5"].published is None


def references_that_stay_empty(staged: StagedProject) -> list[Finding]:
    """Return what notebook 04 and the report list of dangling references."""
    project = Project(staged.folder)
    migration = open_migration(project, load_settings(project, {}, need_origin=False))
    context = migration.context(migration.files.planned_assets({}), {})
    details = PlanDetails(migration, context, {}, (), ())
    sets = report_findings(migration, {}, (), staged.plan(), details)
    return [
        finding
        for each in sets
        if each.name == "references-that-stay-empty"
        for finding in each.read()
    ]


def item_id(staged: StagedProject, slug: str) -> str:
    """Return the id of an item at the origin."""
    (found,) = {
        each["id"]
        for path in (staged.folder / "raw" / "items").glob("*.json")
        for each in json.loads(path.read_text())["items"]
        if each["fieldData"]["slug"] == slug
    }
    return str(found)
