"""Addresses that visitors know lead on, whatever moved since: there and back, in other
languages, and while slugs are exchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cmsmig.evidence.evidence import gather
from cmsmig.settings import Project, load_settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.steps.origin_edits import Item, edit_items
from tests.support.steps.staged_project import Stage, StagedProject

ORDER = "    order_field: position\n"
CODE = "fr-fr"


def redirects(staged: StagedProject) -> dict[str, str]:
    """Return where each address that is not kept leads, as the report has it."""
    project = Project(staged.folder)
    settings = load_settings(project, {}, need_origin=False)
    migration = open_migration(project, settings)
    evidence = gather(project, migration, settings.space_id, None)
    found = {each.old: each.new for each in evidence.redirects.moved}
    assert not [old for old, new in found.items() if new in found], found
    return found


def rename(staged: StagedProject, names: dict[str, str], locale: str = "") -> None:
    """Give items other slugs at the origin, by the slug that they have."""

    def change(item: Item) -> Item:
        slug = item["fieldData"]["slug"]
        if slug not in names or (locale and item["cmsLocaleId"] != locale):
            return item
        return {**item, "fieldData": {**item["fieldData"], "slug": names[slug]}}

    edit_items(staged, change)


def test_a_page_that_went_to_another_folder_and_back(
    stage: Stage, moody_site: Path
) -> None:
    """It does not lead to itself; its other address leads to it."""
    staged = stage(content=moody_site)
    staged.decide("design.yaml", ORDER, f"{ORDER}    folder_by: mood\n")

    def in_a_mood(mood: str | None) -> None:
        def change(item: Item) -> Item:
            return {**item, "fieldData": {**item["fieldData"], "mood": mood}}

        edit_items(staged, change)

    staged.done("import")
    for mood in ("1" * 32, None):
        in_a_mood(mood)
        staged.done("import")
    found = redirects(staged)
    assert "/records/record-1" not in found
    assert found["/records/calm/record-1"] == "/records/record-1"


@pytest.mark.parametrize("is_decided", [False, True])
def test_an_address_in_another_language_leads_on(
    stage: Stage, small_site: Path, is_decided: bool
) -> None:
    """Before the page moves, and after: every address that it ever had."""
    staged = stage(content=small_site, languages=(CODE,))
    staged.decide("collections.yaml", "\nlocales:", "\nlanguages: fields\nlocales:")
    staged.done("import")
    sites = json.loads((staged.folder / "raw" / "sites.json").read_text())["sites"]
    (secondary,) = sites[0]["locales"]["secondary"]
    rename(staged, {"la-note-1": "la-nouvelle"}, str(secondary["cmsLocaleId"]))
    if is_decided:
        staged.decide_edit("notes/note-1", f"slug in {CODE}", "ours")
    staged.run("import")
    now = f"/{CODE}/notes/{'la-nouvelle' if is_decided else 'la-note-1'}"
    known = {"/fr/notes/la-note-1", "/fr/notes/la-nouvelle"}
    if is_decided:
        known.add(f"/{CODE}/notes/la-note-1")
    found = redirects(staged)
    assert {old: found.get(old) for old in known} == dict.fromkeys(known, now)


@pytest.mark.parametrize("names", [("record-1", "record-2"), ("record-1", "record-3")])
def test_slugs_that_are_exchanged(stage: Stage, names: tuple[str, str]) -> None:
    """No redirect leads in a circle before; by decision one import exchanges them."""
    staged = stage()
    staged.done("import")
    first, second = names
    ids = {name: staged.stories()[f"records/{name}"].story_id for name in names}
    rename(staged, {first: second, second: first})
    assert staged.run("import").code == 1
    redirects(staged)
    for name in names:
        staged.decide_edit(f"records/{name}", "slug", "ours")
    planned, mark = staged.plan()["calls"], staged.mark()
    staged.done("import")
    assert sum(1 for each in staged.since(mark) if each.quota) == planned["total"]
    there = {name: staged.stories()[f"records/{name}"].story_id for name in names}
    assert there == {first: ids[second], second: ids[first]}
    redirects(staged)
    staged.verified()
    assert staged.done("import", "--json").document["writes"] == 0
