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
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.faults import CREATE_STORY, REFUSED, Fault
from tests.support.steps.forged_drafts import forge_drafts
from tests.support.steps.origin_edits import decide_gone, delete_item

RECORD = "records/record-2"


def no_story_yet(desk: Desk) -> None:
    desk.doctor(
        "UPDATE item SET home_id = NULL, status = 'selected' WHERE full_slug = ?",
        RECORD,
    )


def item_failed(desk: Desk) -> None:
    desk.doctor(
        "UPDATE item SET status = 'failed', reason = 'refused', "
        "explanation = 'It was refused.' WHERE full_slug = ?",
        RECORD,
    )


def item_edited_since(desk: Desk) -> None:
    desk.edit("records/record-3", position="4711")
    desk.doctor("UPDATE home SET record_hash = 'other', content_hash = ''")
    desk.doctor("DELETE FROM written")
    assert desk.run("link").code == 1
    failed = desk.status()["accounting"]["failed"]
    found = desk.run("verify", "--json").document
    assert (failed, found["failed_items"]) == (1, 1)


def story_deleted(desk: Desk) -> None:
    desk.delete(RECORD)


def story_moved(desk: Desk) -> None:
    story = desk.stories()[RECORD]
    desk.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "moved"}})


def story_renamed(desk: Desk) -> None:
    story = desk.stories()[RECORD]
    desk.api("PUT", f"/stories/{story.story_id}", {"story": {"name": "Other"}})


def field_edited(desk: Desk) -> None:
    desk.edit(RECORD, position="4711")


def field_added(desk: Desk) -> None:
    desk.edit(RECORD, unheard_of="4711")


def field_emptied(desk: Desk) -> None:
    desk.edit(RECORD, cover=None)


def relations_reordered(desk: Desk) -> None:
    related = list(desk.stories()[RECORD].content["related"])
    desk.edit(RECORD, related=related[::-1])


def relation_taken_out(desk: Desk) -> None:
    desk.edit(RECORD, related=desk.stories()[RECORD].content["related"][:1])


def document_broken(desk: Desk) -> None:
    text = {
        "type": "doc",
        "content": [{"type": "paragraph", "content": [{"type": "heading"}]}],
    }
    desk.edit(RECORD, text=text)


def published(desk: Desk) -> None:
    desk.api("GET", f"/stories/{desk.stories()[RECORD].story_id}/publish")


def publication_asked_for(desk: Desk) -> None:
    desk.decide("collections.yaml", "publish: nothing\n", "publish: what_is_live\n")


def asset_deleted(desk: Desk) -> None:
    desk.api("DELETE", f"/assets/{min(desk.space.assets)}")


def asset_replaced(desk: Desk) -> None:
    desk.space.assets[min(desk.space.assets)].data = b"other bytes"


def asset_described_otherwise(desk: Desk) -> None:
    asset = {"asset": {"alt": "Another text"}}
    desk.api("PUT", f"/assets/{min(desk.space.assets)}", asset)


def component_deleted(desk: Desk) -> None:
    (number,) = [n for n, c in desk.space.components.items() if c["name"] == "record"]
    desk.api("DELETE", f"/components/{number}")


def component_changed(desk: Desk) -> None:
    (stored,) = [c for c in desk.space.components.values() if c["name"] == "record"]
    stored["schema"] = {**stored["schema"], "cover": {"type": "text"}}


def folder_renamed(desk: Desk) -> None:
    (folder,) = [each for each in desk.space.stories.values() if each.is_folder]
    body = {**folder.body, "name": "Other"}
    desk.api("PUT", f"/stories/{folder.story_id}", {"story": body})


def folder_with_other_stories(desk: Desk) -> None:
    (folder,) = [each for each in desk.space.stories.values() if each.is_folder]
    body = {**folder.body, "default_root": "figure"}
    desk.api("PUT", f"/stories/{folder.story_id}", {"story": body})


def folder_deleted(desk: Desk) -> None:
    (folder,) = [n for n, s in desk.space.stories.items() if s.is_folder]
    desk.api("DELETE", f"/stories/{folder}")


def item_deleted(desk: Desk) -> None:
    delete_item(desk, "record-2")
    decide_gone(desk, RECORD, "delete")


def drafts_forged(desk: Desk) -> None:
    assert forge_drafts(desk.folder)


CASES: dict[Callable[[Desk], None], list[str]] = {
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
    drafts_forged: ["draft_changed"],
}


@pytest.fixture(scope="session")
def imported(
    tmp_path_factory: pytest.TempPathFactory,
    tiny_site: Path,
    decided_project: Callable[[Path], Path],
) -> Iterator[Desk]:
    """Import the tiny site once; each case breaks a copy of space and project."""
    folder = tmp_path_factory.mktemp("verified")
    options = SandboxOptions(content=tiny_site, rate=500)
    with running_sandbox(options) as handle:
        shutil.copytree(decided_project(tiny_site), folder / "project")
        text = environment_file_text(dict(handle.announcement), 500)
        write_env(folder / "project", text)
        desk = Desk(Rehearsal(handle, folder / "project", folder / "state"))
        desk.done("import")
        yield desk


@pytest.fixture
def broken(imported: Desk, tmp_path: Path) -> Iterator[Desk]:
    """Give the imported desk over a copy of the project, and mend its space after."""
    parts = [each.name for each in fields(imported.space) if each.name in _RECORDS]
    kept = copy.deepcopy({name: getattr(imported.space, name) for name in parts})
    shutil.copytree(imported.folder, tmp_path / "project")
    old = imported.rehearsal
    yield Desk(Rehearsal(old.handle, tmp_path / "project", old.state))
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
    broken: Desk, change: Callable[[Desk], None]
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
    desk = stage(content=small_site)
    desk.done("import")
    number = desk.mark()
    read = desk.done("verify", "--json").document["compared"]
    assert {each.method for each in desk.since(number)} == {"GET"}
    assert (read["stories"], read["assets"], read["folders"]) == (47, 12, 5)
    assert (read["components"], read["relations"] > 47) == (5, True)
    assert desk.count("story", number) == 47
    assert desk.count("public asset", number) == 12


def test_paths_that_the_service_renews_in_links_are_no_difference(
    stage: Stage, small_site: Path
) -> None:
    """A target moved by an editor is one difference, its referrers are none."""
    desk = stage(content=small_site)
    desk.done("import")
    story = desk.stories()["notes/note-2"]
    desk.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "moved"}})
    assert desk.codes() == ["story_elsewhere"]


def test_an_item_that_the_service_refused_is_counted(stage: Stage) -> None:
    """Exit 4, the item with its reason, and the same number as in the accounting."""
    desk = stage(Fault(CREATE_STORY, REFUSED, at=(4,)))
    assert desk.run("import").code == 1
    (failed,) = desk.status()["failed"]
    ended = desk.run("verify", "--json")
    assert (ended.code, ended.document["failed_items"]) == (4, 1)
    (found,) = ended.document["differences"]
    assert (found["code"], found["subject"]) == ("item_failed", failed["item"])
    assert found["text"] == failed["explanation"]
    told = desk.run("verify")
    assert (told.code, "items that failed: 1" in told.out) == (4, True)
    desk.done("import")
    desk.verified()


def test_an_item_that_nobody_took_up_yet_is_told(stage: Stage) -> None:
    """Before the first import every selected item lacks its story."""
    desk = stage()
    desk.plan()
    found = desk.run("verify", "--json")
    assert found.code == 4
    counted = found.document["differences_by_code"]
    assert counted["item_without_story"] == 6
