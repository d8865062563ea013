"""What counts as made by this import: the same host, the same id, the same content."""

from __future__ import annotations

import pytest
from desk import Stage


@pytest.mark.parametrize("command", ["plan", "import", "verify"])
def test_settings_that_name_another_host_are_refused(
    stage: Stage, command: str
) -> None:
    """The space there has the same number, and nothing is written into it."""
    desk, other = stage(), stage()
    desk.done("import")
    elsewhere = (other.folder / ".env").read_text()
    (desk.folder / ".env").write_text(elsewhere)
    ended = desk.run(command)
    told = [other.rehearsal.handle.announcement["base_url"], "destination_base_url"]
    host = told[0].removeprefix("http://").partition("/")[0]
    assert ended.code == 1
    assert f"settings name {host}" in ended.err
    assert other.stories() == {}
    assert other.components() == []
    assert {each.method for each in other.since()} <= {"GET"}
