"""A ledger made anew: on a full disk, and with edits in every field."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.support.steps.editor_edits import (
    FIELDS,
    cases,
    change_texts,
    edit,
    value,
    write_site,
)
from tests.support.steps.staged_project import Stage, StagedProject

FIELD_CASES = cases(
    tuple(each for each in FIELDS if each != "group_id"), two_versions=True
)


def rebuilt(project: StagedProject) -> dict:
    """Lose the ledger and make it anew; return what was found."""
    for path in project.folder.glob("ledger.sqlite*"):
        path.unlink()
    return project.done("rebuild", "--json").document


def test_a_rebuild_that_stops_leaves_the_old_file(stage: Stage) -> None:
    """A full disk: one sentence, the old file where it was; then it is made."""
    project, broken = stage(), b"no database" * 500
    project.done("import")
    path = project.folder / "ledger.sqlite"
    path.write_bytes(broken)
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
