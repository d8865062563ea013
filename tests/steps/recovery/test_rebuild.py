"""A ledger that is rebuilt on a full disk."""

from __future__ import annotations

from tests.support.small_disk import small_disk
from tests.support.steps.staged_project import Stage


def test_a_rebuild_that_stops_leaves_the_old_file(stage: Stage) -> None:
    """A full disk: one sentence, the old file where it was; then it is made."""
    project, broken = stage(), b"no database" * 500
    project.done("import")
    path = project.folder / "ledger.sqlite"
    path.write_bytes(broken)
    with small_disk(40_000):
        ended = project.run("rebuild")
    assert (ended.code, "the disk is full" in ended.err) == (1, True)
    assert ended.err.splitlines()[-1].endswith("it continues where it stopped.")
    assert path.read_bytes() == broken
    project.done("rebuild")
    assert not list(project.folder.glob("ledger.sqlite.new*"))
    assert project.done("import", "--json").document["writes"] == 0
