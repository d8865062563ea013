"""Verification: everything is read back, and each kind of difference is found."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from cmsmig.steps.verify.differences import DifferenceCode
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.steps.faults import CREATE_STORY, REFUSED, Fault
from tests.support.steps.origin_edits import decide_gone, delete_item
from tests.support.steps.staged_project import Stage, StagedProject

RECORD = "records/record-2"


def no_story_yet(project: StagedProject) -> None:
    project.doctor(
        "UPDATE item SET home_id = NULL, status = 'selected' WHERE full_slug = ?",
        RECORD,
    )


def item_failed(project: StagedProject) -> None:
    project.doctor(
        "UPDATE item SET status = 'failed', reason = 'refused', "
        "explanation = 'It was refused.' WHERE full_slug = ?",
        RECORD,
    )


def item_edited_since(project: StagedProject) -> None:
    project.edit("records/record-3", position="4711")
    project.doctor("UPDATE home SET record_hash = 'other', content_hash = ''")
    project.doctor("DELETE FROM written")
    assert project.run("link").code == 1
    failed = project.status()["accounting"]["failed"]
    found = project.run("verify", "--json").document
    assert (failed, found["failed_items"]) == (1, 1)


def story_deleted(project: StagedProject) -> None:
    project.delete(RECORD)


def story_moved(project: StagedProject) -> None:
    story = project.stories()[RECORD]
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "moved"}})


def story_renamed(project: StagedProject) -> None:
    story = project.stories()[RECORD]
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"name": "Other"}})


def field_edited(project: StagedProject) -> None:
    project.edit(RECORD, position="4711")


def field_added(project: StagedProject) -> None:
    project.edit(RECORD, unheard_of="4711")


def field_emptied(project: StagedProject) -> None:
    project.edit(RECORD, cover=None)


def relations_reordered(project: StagedProject) -> None:
    related = list(project.stories()[RECORD].content["related"])
    project.edit(RECORD, related=related[::-1])


def relation_taken_out(project: StagedProject) -> None:
    project.edit(RECORD, related=project.stories()[RECORD].content["related"][:1])


def document_broken(project: StagedProject) -> None:
    text = {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [{"type": "heading"}]}],
    }
    project.edit(RECORD, text=text)


def published(project: StagedProject) -> None:
    project.api("GET", f"/stories/{project.stories()[RECORD].story_id}/publish")


def publication_asked_for(project: StagedProject) -> None:
    project.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")


def asset_deleted(project: StagedProject) -> None:
    project.api("DELETE", f"/assets/{min(project.space.assets)}")


def asset_replaced(project: StagedProject) -> None:
    project.space.assets[min(project.space.assets)].data = b"other bytes"


def asset_described_otherwise(project: StagedProject) -> None:
    asset = {"asset": {"alt": "Another text"}}
    project.api("PUT", f"/assets/{min(project.space.assets)}", asset)


def component_deleted(project: StagedProject) -> None:
    (number,) = [
        n for n, c in project.space.components.items() if c["name"] == "record"
    ]
    project.api("DELETE", f"/components/{number}")


def component_changed(project: StagedProject) -> None:
    (stored,) = [c for c in project.space.components.values() if c["name"] == "record"]
    stored["schema"] = {**stored["schema"], "cover": {"type": "text"}}


def folder_renamed(project: StagedProject) -> None:
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    body = {**folder.body, "name": "Other"}
    project.api("PUT", f"/stories/{folder.story_id}", {"story": body})


def folder_with_other_stories(project: StagedProject) -> None:
    (folder,) = [each for each in project.space.stories.values() if each.is_folder]
    body = {**folder.body, "default_root": "figure"}
    project.api("PUT", f"/stories/{folder.story_id}", {"story": body})


def folder_deleted(project: StagedProject) -> None:
    (folder,) = [n for n, s in project.space.stories.items() if s.is_folder]
    project.api("DELETE", f"/stories/{folder}")


def item_deleted(project: StagedProject) -> None:
    delete_item(project, "record-2")
    decide_gone(project, RECORD, "delete")


CASES: dict[Callable[[StagedProject], None], list[str]] = {
    no_story_yet: ["field_value", "item_without_story"],
    item_failed: ["item_failed"],
    item_edited_since: ["field_value"],
    story_deleted: ["story_gone"],
    story_moved: ["story_elsewhere"],
    story_renamed: ["story_name"],
    field_edited: ["field_value"],
    field_added: ["field_value"],
    field_emptied: ["field_value"],
    relations_reordered: ["relation_order"],
    relation_taken_out: ["field_value"],
    document_broken: ["document_invalid", "field_value"],
    published: ["published_unasked"],
    publication_asked_for: ["not_published"],
    asset_deleted: ["asset_gone"],
    asset_replaced: ["asset_bytes"],
    asset_described_otherwise: ["asset_text"],
    component_deleted: ["component_gone"],
    component_changed: ["component_changed"],
    item_deleted: ["gone_at_origin"],
    folder_renamed: ["folder_name"],
    folder_with_other_stories: ["folder_changed"],
    folder_deleted: ["folder_gone", "story_gone"],
}


@pytest.fixture(scope="session")
def imported(
    tmp_path_factory: pytest.TempPathFactory,
    tiny_site: Path,
    decided_project: Callable[[Path], Path],
) -> Iterator[StagedProject]:
    """Import the tiny site once; each case breaks a copy of space and project."""
    folder = tmp_path_factory.mktemp("verified")
    options = SandboxOptions(content=tiny_site, rate=500)
    with running_sandbox(options) as handle:
        shutil.copytree(decided_project(tiny_site), folder / "project")
        text = environment_file_text(dict(handle.announcement), 500)
        write_env(folder / "project", text)
        project = StagedProject(Rehearsal(handle, folder / "project", folder / "state"))
        project.done("import")
        yield project


@pytest.fixture
def broken(imported: StagedProject, tmp_path: Path) -> Iterator[StagedProject]:
    """Give the imported project over a copy of the folder, and mend its space after."""
    parts = [each.name for each in fields(imported.space) if each.name in _RECORDS]
    kept = copy.deepcopy({name: getattr(imported.space, name) for name in parts})
    shutil.copytree(imported.folder, tmp_path / "project")
    old = imported.rehearsal
    yield StagedProject(Rehearsal(old.handle, tmp_path / "project", old.state))
    for name, value in kept.items():
        setattr(imported.space, name, value)


_RECORDS = (
    "components",
    "stories",
    "assets",
    "by_uuid",
    "by_key",
    "places",
    "children",
)


@pytest.mark.parametrize("change", CASES, ids=lambda change: change.__name__)
def test_a_change_behind_our_back_is_found(
    broken: StagedProject, change: Callable[[StagedProject], None]
) -> None:
    """Exit 4 and the code of what differs, and no other."""
    change(broken)
    assert broken.codes() == CASES[change]


def test_every_code_has_a_case() -> None:
    """No kind is left untried; languages, datasources and what visitors get have tests
    of their own."""
    tried = {code for codes in CASES.values() for code in codes}
    tried |= {"languages_apart", "datasource_gone", "datasource_changed"}
    tried |= {"public_value"}
    assert tried == {str(code) for code in DifferenceCode}


def test_a_verification_reads_only_and_counts_what_it_read(
    stage: Stage, small_site: Path
) -> None:
    """Every story, relation, asset, component and folder; not one write."""
    project = stage(content=small_site)
    project.done("import")
    number = project.mark()
    read = project.done("verify", "--json").document["compared"]
    assert {each.method for each in project.since(number)} == {"GET"}
    assert (read["stories"], read["assets"], read["folders"]) == (47, 12, 5)
    assert (read["components"], read["relations"] > 47) == (5, True)
    assert project.count("story", number) == 47
    assert project.count("public asset", number) == 12


def test_paths_that_the_service_renews_in_links_are_no_difference(
    stage: Stage, small_site: Path
) -> None:
    """A target moved by an editor is one difference, its referrers are none."""
    project = stage(content=small_site)
    project.done("import")
    story = project.stories()["notes/note-2"]
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "moved"}})
    assert project.codes() == ["story_elsewhere"]


def test_an_item_that_the_service_refused_is_counted(stage: Stage) -> None:
    """Exit 4, the item with its reason, and the same number as in the accounting."""
    project = stage(Fault(CREATE_STORY, REFUSED, at=(4,)))
    assert project.run("import").code == 1
    (failed,) = project.status()["failed"]
    ended = project.run("verify", "--json")
    assert (ended.code, ended.document["failed_items"]) == (4, 1)
    (found,) = ended.document["differences"]
    assert (found["code"], found["subject"]) == ("item_failed", failed["item"])
    assert found["text"] == failed["explanation"]
    told = project.run("verify")
    assert (told.code, "items that failed: 1" in told.out) == (4, True)
    project.done("import")
    project.verified()


def test_an_item_that_nobody_took_up_yet_is_told(stage: Stage) -> None:
    """Before the first import every selected item lacks its story."""
    project = stage()
    project.plan()
    found = project.run("verify", "--json")
    assert found.code == 4
    counted = found.document["differences_by_code"]
    assert counted["item_without_story"] == 6
