"""A ledger lost is a ledger made anew, and nothing is imported twice."""

from __future__ import annotations

import json
import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.steps.editor_edits import (
    FIELDS,
    cases,
    change_texts,
    edit,
    value,
    write_site,
)
from tests.support.steps.faults import CREATE_COMPONENT, CREATE_STORY, CUT, Fault
from tests.support.steps.origin_edits import mark
from tests.support.steps.staged_project import (
    Stage,
    StagedProject,
    exactly_one_of_everything,
)


@pytest.fixture
def imported(stage: Stage, small_site: Path) -> StagedProject:
    """Return a project with the small site imported, some of it published."""
    project = stage(content=small_site)
    project.decide(
        "collections.yaml", "    publish: nothing", "    publish: what_is_live"
    )
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Old site")
    project.done("import")
    return project


def lose(project: StagedProject) -> None:
    """Delete the ledger and everything that belongs to it."""
    for path in project.folder.glob("ledger.sqlite*"):
        path.unlink()


def rebuilt(project: StagedProject) -> dict:
    """Lose the ledger and make it anew; return what was found."""
    lose(project)
    return project.done("rebuild", "--json").document


def known(project: StagedProject) -> dict[str, list[tuple]]:
    """Return what the ledger knows, the times aside."""
    return {
        "items": project.rows(
            """SELECT collection_id, item_id, locale_id, name, full_slug, status,
               reason, link_state, published, story_id, uuid, content_hash
               FROM items ORDER BY 1, 2, 3"""
        ),
        "existing": project.rows(
            """SELECT story_id, made, destination_updated_at FROM home ORDER BY 1"""
        ),
        "assets": project.rows(
            "SELECT sha256, ext_id, name, status, asset_id, content_url FROM asset"
        ),
        "made": project.rows(
            "SELECT kind, name, destination_id, uuid, made, body_hash FROM made"
        ),
    }


def test_a_lost_ledger_is_made_anew_and_nothing_is_written(
    imported: StagedProject,
) -> None:
    """The same records of all that was made; the import then writes nothing."""
    project, before, space = imported, known(imported), imported.comparable()
    lose(project)
    mark = project.mark()
    found = project.done("rebuild", "--json").document
    asked = [each for each in project.since(mark) if each.service == "destination"]
    assert {each.method for each in asked} == {"GET"}
    assert not any(each.route == "publish story" for each in asked)
    assert (found["stories"], found["edited"], found["differing"]) == (
        len(project.stories()),
        [],
        [],
    )
    assert (found["assets"], found["unproven"], found["aside"]) == (12, 0, "")
    assert project.done("import", "--json").document["writes"] == 0
    assert project.comparable() == space
    assert known(project) == before
    exactly_one_of_everything(project)
    project.verified()


def test_without_rebuild_a_lost_ledger_takes_nothing_for_ours(
    imported: StagedProject,
) -> None:
    """Every command stops in one sentence that names `rebuild`; nothing comes twice."""
    space = imported.comparable()
    lose(imported)
    for command in ("plan", "import", "verify"):
        ended = imported.run(command)
        assert ended.code == 1, command
        assert "does not know" in ended.err
        assert "`cmsmig rebuild`" in ended.err
    assert imported.comparable() == space


@pytest.mark.parametrize(
    ("command", "stopped_at", "number", "unknown"),
    [
        ("import", CREATE_STORY, 20, "stories"),
        ("prepare", CREATE_COMPONENT, 2, "files"),
    ],
)
def test_an_older_copy_of_the_ledger_is_told_from_the_newest(
    stage: Stage,
    small_site: Path,
    command: str,
    stopped_at: tuple[str, str],
    number: int,
    unknown: str,
) -> None:
    """What was made since that copy was taken is neither foreign nor made twice."""
    fault = Fault(stopped_at, CUT, at=(number,), then_dead=True)
    project = stage(fault, content=small_site)
    assert project.run("import").code != 0
    fault.over()
    ledger = project.folder / "ledger.sqlite"
    with closing(sqlite3.connect(ledger)) as db:
        db.execute("VACUUM INTO ?", [str(project.folder / "copy")])
    project.done(command)
    space, newest = project.comparable(), ledger.read_bytes()
    (project.folder / "copy").replace(ledger)
    for each in ("plan", "import"):
        ended = project.run(each)
        assert (ended.code, "it is an older copy" in ended.err) == (1, True)
        assert f"The space holds {unknown}, such as" in ended.err
    assert project.comparable() == space
    assert project.run("verify").code == 4
    ledger.write_bytes(newest)
    project.done("import")
    exactly_one_of_everything(project)
    lose(project)
    project.done("rebuild")
    assert project.done("import", "--json").document["writes"] == 0


def test_files_alone_of_an_earlier_import_are_seen_too(
    stage: Stage, small_site: Path
) -> None:
    """A ledger lost before the first story does not bring the files twice."""
    project = stage(content=small_site)
    project.done("prepare")
    lose(project)
    ended = project.run("import")
    assert (ended.code, "`cmsmig rebuild`" in ended.err) == (1, True)
    project.done("rebuild")
    project.done("import")
    exactly_one_of_everything(project)
    project.verified()


def test_a_rebuilt_ledger_goes_on_with_a_broken_import(
    stage: Stage, small_site: Path
) -> None:
    """What was made is found, the rest is made: once."""
    whole = stage(content=small_site)
    whole.done("import")
    fault = Fault(CREATE_STORY, CUT, at=(20,), then_dead=True)
    project = stage(fault, content=small_site)
    assert project.run("import").code != 0
    fault.over()
    lose(project)
    found = project.done("rebuild", "--json").document
    assert 0 < found["stories"] < len(whole.stories())
    project.done("import")
    assert project.comparable() == whole.comparable()
    exactly_one_of_everything(project)
    project.verified()


def test_a_whole_ledger_is_left_alone(imported: StagedProject) -> None:
    """One sentence, exit code 2, and not a byte of it changed."""
    before = known(imported)
    ended = imported.run("rebuild")
    assert (ended.code, "is whole and in use" in ended.err) == (2, True)
    assert known(imported) == before
    assert not list(imported.folder.glob("ledger.sqlite.*"))


def test_a_ledger_that_was_only_planned_with_is_replaced(
    imported: StagedProject,
) -> None:
    """Whoever planned first, and was told, need not move anything."""
    lose(imported)
    assert imported.run("plan").code == 1
    assert (imported.folder / "ledger.sqlite").exists()
    imported.done("rebuild")
    assert imported.done("import", "--json").document["writes"] == 0


def test_an_edited_story_is_not_written_over(imported: StagedProject) -> None:
    """It is named, keeps its story, and the import lists it as edited."""
    project = imported
    project.edit("notes/note-1", related=[])
    edited = project.stories()["notes/note-1"].content
    lose(project)
    assert project.done("rebuild", "--json").document["edited"] == ["notes/note-1"]
    assert project.run("import").code == 1
    assert project.stories()["notes/note-1"].content == edited
    assert project.outcome("notes/note-1")[:2] == ("failed", "edited_since")


def test_a_moved_story_is_found_by_its_mark(imported: StagedProject) -> None:
    """Ownership is the derived `_uid`, not the place; links follow it."""
    project = imported
    story = project.stories()["notes/note-2"]
    linking = [
        path for path in project.stories() if links_to(project, path, story.uuid)
    ]
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "elsewhere"}})
    project.api("GET", f"/stories/{story.story_id}/publish")
    lose(project)
    found = project.done("rebuild", "--json").document
    assert found["stories"] == len(project.stories())
    project.done("import")
    assert "notes/note-2" not in project.stories()
    for path in linking:
        assert "/notes/elsewhere" in json.dumps(project.stories()[path].content)
    assert project.done("import", "--json").document["writes"] == 0
    assert project.codes() == ["story_elsewhere"]
    # What leads to it there was written by an import, not by an editor.
    assert not {*linking} & {*rebuilt(project)["edited"]}


def test_a_copy_of_a_moved_story_is_not_taken_for_it(imported: StagedProject) -> None:
    """A copy has the same `_uid`: the older of both is ours, the copy stays an
    editor's, and a rollback leaves it."""
    project = imported
    story = project.stories()["notes/note-2"]
    copy = {"name": "Copy", "slug": "a-copy", "content": story.content}
    project.api("POST", "/stories", {"story": copy})
    project.api("PUT", f"/stories/{story.story_id}", {"story": {"slug": "moved"}})
    assert rebuilt(project)["stories"] == len(project.stories()) - 1
    query = "SELECT 1 FROM home WHERE story_id = ?"
    assert project.rows(query, story.story_id) == [(1,)]
    assert project.run("rollback").code == 1
    assert {*project.stories()} == {"a-copy", "notes/moved"}


def test_links_follow_an_edited_story_that_is_moved_after_a_rebuild(
    imported: StagedProject,
) -> None:
    """It holds another text, so nobody knows what was written: it stays where it is,
    and the first import leads others there."""
    project = imported
    story = project.stories()["notes/note-2"]
    linking = [
        path for path in project.stories() if links_to(project, path, story.uuid)
    ]
    project.edit("notes/note-2", text={"type": "doc", "content": []})
    rebuilt(project)
    folder = {"name": "Other", "slug": "other", "is_folder": True}
    made = project.api("POST", "/stories", {"story": folder})["story"]
    body = {"parent_id": made["id"]}
    project.api("PUT", f"/stories/{story.story_id}", {"story": body})
    assert project.run("import").code == 1
    for path in linking:
        assert "/other/note-2" in json.dumps(project.stories()[path].content)
    again = project.run("import", "--json")
    assert again.document["writes"] == 0


def links_to(project: StagedProject, path: str, uuid: str) -> bool:
    """Return whether a text of the story at a path links to another story."""
    content = project.stories()[path].content
    return uuid in json.dumps(content) and '"/notes/note-2"' in json.dumps(content)


def test_a_foreign_story_at_our_place_stays_foreign(imported: StagedProject) -> None:
    """Without the mark it is a conflict for a person."""
    project = imported
    project.edit("notes/note-3", _uid="somebody-else")
    lose(project)
    found = project.done("rebuild", "--json").document
    assert found["stories"] == len(project.stories()) - 1
    assert project.run("import").code == 1
    assert project.outcome("notes/note-3")[1] == "conflict"


def test_an_asset_without_its_bytes_is_sent_again(imported: StagedProject) -> None:
    """Found by its external id, signed again over the same record."""
    project = imported
    asset = min(project.space.assets.values(), key=lambda each: each.asset_id)
    data, asset.data = asset.data, None
    lose(project)
    assert project.done("rebuild", "--json").document["unproven"] == 1
    project.done("import")
    assert asset.data == data
    exactly_one_of_everything(project)


def damaged(path: Path) -> None:
    path.write_bytes(b"no database" * 500)


def torn(path: Path) -> None:
    """Lose a page, as a power cut in the middle of a write may."""
    data = bytearray(path.read_bytes())
    (size,) = (int.from_bytes(data[16:18], "big"),)
    data[size * 2 : size * 3] = bytes(size)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("damage", [damaged, torn, cut])
def test_a_damaged_ledger_stops_in_one_sentence_and_is_put_aside(
    imported: StagedProject, damage: Callable[[Path], None]
) -> None:
    """Every command names `rebuild`; that keeps the old file beside the new one."""
    project, path = imported, imported.folder / "ledger.sqlite"
    space = project.comparable()
    damage(path)
    broken = path.read_bytes()
    for command in ("plan", "import", "status", "verify"):
        ended = project.run(command)
        assert ended.code == 1, command
        assert "cmsmig rebuild" in ended.err
        assert ended.err.count("\n") == 1
    assert path.read_bytes() == broken
    told = project.done("rebuild").out
    assert "put aside as ledger.sqlite.old-1" in told
    assert (project.folder / "ledger.sqlite.old-1").read_bytes() == broken
    assert project.done("import", "--json").document["writes"] == 0
    assert project.comparable() == space


def test_a_rebuild_that_stops_leaves_the_old_file(imported: StagedProject) -> None:
    """A full disk: one sentence, the old file where it was; then it is made."""
    project, path = imported, imported.folder / "ledger.sqlite"
    damaged(path)
    broken = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limits[1]))
    try:
        ended = project.run("rebuild")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (ended.code, "the disk is full" in ended.err) == (1, True)
    assert ended.err.splitlines()[-1].endswith("it goes on where it stopped.")
    assert path.read_bytes() == broken
    project.done("rebuild")
    assert not list(project.folder.glob("ledger.sqlite.new*"))
    assert project.done("import", "--json").document["writes"] == 0


@pytest.mark.parametrize("foreign", ["newer", "other program"])
def test_what_is_no_damaged_ledger_is_not_put_aside(
    imported: StagedProject, foreign: str
) -> None:
    """A newer ledger, or a database of something else: refused and left there."""
    path = imported.folder / "ledger.sqlite"
    if foreign == "newer":
        imported.doctor("INSERT INTO migration VALUES (99, 'm099_later', 'then')")
    else:
        lose(imported)
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    ended = imported.run("rebuild")
    assert ended.code == 1
    said = {"newer": "newer version", "other program": "another program"}
    assert said[foreign] in ended.err
    assert path.read_bytes() == before


def test_texts_and_places_of_files_that_were_edited_stay_protected(
    stage: Stage,
) -> None:
    """As before the ledger was lost: nothing writes over them, no rollback takes
    them."""
    project = stage()
    project.decide("design.yaml", "asset_folder: ''", "asset_folder: Old site")
    project.done("import")
    described, moved, *_ = project.space.assets
    project.api("PUT", f"/assets/{described}", {"asset": {"alt": "Described"}})
    project.api("PUT", f"/assets/{moved}", {"asset": {"asset_folder_id": None}})
    lose(project)
    project.done("rebuild")
    project.run("import")
    assert project.space.assets[described].body["alt"] == "Described"
    found = project.run("rollback", "--json").document["left"]
    edited = [each["fields"] for each in found if each["reason"] == "edited"]
    assert sorted(edited) == [["alt"], ["asset_folder_id"]]
    assert {described, moved} == {*project.space.assets}


FIELD_CASES = cases(
    tuple(each for each in FIELDS if each != "group_id"), two_versions=True
)


def test_every_edit_is_named_and_stays_after_a_rebuild(
    stage: Stage, tmp_path: Path
) -> None:
    """In every field and in stories of one or two versions; what is ours is not written
    again, and our own publications are nobody's edits."""
    write_site(tmp_path / "content", FIELD_CASES)
    project = stage(content=tmp_path / "content")
    project.decide("collections.yaml", "items: staged\n", "items: mirror\n")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    known = {each: project.stories()[each.path].story_id for each in FIELD_CASES}
    assert rebuilt(project)["edited"] == []
    assert project.done("changes", "--json").document["destination"] == []
    assert project.done("import", "--json").document["writes"] == 0
    held = {case: edit(project, known[case], case.field) for case in FIELD_CASES}
    named = {path.strip("/") for path in rebuilt(project)["edited"]}
    paths = {each.story_id: path.strip("/") for path, each in project.stories().items()}
    assert [case for case in FIELD_CASES if paths[known[case]] not in named] == []
    for folders in (("live",), ("items", "live")):
        change_texts(project, "Written anew.", *folders)
        project.run("import")
    lost = [c for c in FIELD_CASES if value(project, known[c], c.field) != held[c]]
    assert lost == []


def test_what_an_editor_took_offline_or_deleted_stays_so(
    imported: StagedProject,
) -> None:
    """After a rebuild, too: until it is decided, and for good where it was."""
    project = imported
    own = project.stories()["notes/note-1"].story_id
    project.api("GET", f"/stories/{own}/unpublish")
    for path in ("notes/note-2", "notes/note-3"):
        project.delete(path)
    project.decide_gone("notes/note-2", "leave_out")
    assert rebuilt(project)["stories"] == len(project.stories())
    assert project.run("import").code == 1
    assert project.stories()["notes/note-1"].published is None
    assert not {"notes/note-2", "notes/note-3"} & project.stories().keys()
    assert project.outcome("notes/note-2")[:2] == ("skipped", "left_out")
    assert project.outcome("notes/note-3")[:2] == ("failed", "deleted_since")
    assert "not_published" in project.codes()


@pytest.mark.parametrize(
    "public", ["of an archived item", "in the trash", "in the trash, made again"]
)
def test_what_was_taken_offline_stays_so_after_a_rebuild(
    stage: Stage, tmp_path: Path, public: str
) -> None:
    """Any public story of ours shows that an import had published."""
    write_site(tmp_path / "content", cases(("name", "slug"), two_versions=False))
    project = stage(content=tmp_path / "content")
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    own = project.stories()["records/record-1"].story_id
    project.api("GET", f"/stories/{own}/unpublish")
    if public == "of an archived item":
        mark(project, "record-2", isArchived=True)
    else:
        project.delete("records/record-2")
    if public == "in the trash, made again":
        project.decide_gone("records/record-2", "recreate")
        project.run("create")
    rebuilt(project)
    project.run("import")
    assert project.stories()["records/record-1"].published is None
    assert "not_published" in project.codes()


def test_the_story_of_an_archived_item_is_named_after_a_rebuild(
    imported: StagedProject,
) -> None:
    """As before: what became of it is decided, and nothing else."""
    mark(imported, "note-1", isArchived=True)
    imported.run("import")
    (before,) = imported.status()["gone_at_origin"]
    rebuilt(imported)
    imported.run("import")
    assert imported.status()["gone_at_origin"] == [before]
    assert "notes/note-1" in imported.stories()
