"""What was made in a space of one host says nothing of a space of another."""

from __future__ import annotations

import pytest

from tests.support.steps.staged_project import Stage


@pytest.mark.parametrize("command", ["plan", "import", "verify"])
def test_settings_that_name_another_host_are_refused(
    stage: Stage, command: str
) -> None:
    """The space there has the same number, and nothing is written into it."""
    project, other = stage(), stage()
    project.done("import")
    elsewhere = (other.folder / ".env").read_text()
    (project.folder / ".env").write_text(elsewhere)
    ended = project.run(command)
    address = other.handle.announcement["base_url"]
    host = address.removeprefix("http://").partition("/")[0]
    assert ended.code == 1
    assert f"settings name {host}" in ended.err
    assert "destination_base_url" in ended.err
    assert other.stories() == {}
    assert other.components() == []
    assert {each.method for each in other.since()} <= {"GET"}
