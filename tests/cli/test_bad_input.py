"""Settings, decisions and files that cannot work: one sentence, and a clean rerun."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.cases import cases
from tests.support.cli.bad_input import Cause, Rig, sentence, written
from tests.support.scripts import do


@cases(__file__, "settings.yaml")
def test_wrong_settings_end_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: dict[str, Any]
) -> None:
    """A wrong setting is named in one sentence, and its correction is enough."""
    check(rig(decided=case.get("pulled", True)), whole, case)


@cases(__file__, "files.yaml")
def test_wrong_files_end_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: dict[str, Any]
) -> None:
    """The file is named, with its line or with what reads it again; nothing half-done
    stays behind."""
    check(rig(decided=case.get("pulled", True)), whole, case)


def check(rig: Rig, whole: Rig, case: dict[str, Any]) -> None:
    """Run the case: the sentence and the code, then a rerun like `whole`."""
    undo = do(case["cause"], Cause(rig))
    asked, violations = len(rig.writes), rig.handle.state.recorder.violations
    of_the_cause = len(violations)
    command = case["command"].split()
    ended = rig.run(*command)
    assert ended.code == case["code"], ended.out + ended.err
    assert not case.get("unwritten") or rig.writes[asked:] == []
    said = sentence(ended)
    assert [part for part in case["says"] if part not in said] == [], said
    assert not Path(case.get("absent", "none")).exists()
    undo()
    if command == ["plan"]:
        planned = (whole.folder.parent / "plan.json").read_text()
        assert rig.done("plan", "--json").out == planned
        return
    rig.done(*command)
    if command == ["pull"]:
        assert rig.raw() == whole.raw()
    elif command != ["check"]:
        rig.done("import")
        assert rig.space() == whole.space()
        assert violations[of_the_cause:] == []


def test_decisions_nested_beyond_reason_ask_no_service(rig: Callable[..., Rig]) -> None:
    """Decisions are read before anything is asked of the destination."""
    started = rig()
    for name, text in (
        ("collections.yaml", "[" * 5000),
        ("design.yaml", "components: 1"),
    ):
        undo = written(started.folder / "decisions" / name, text)
        ended = started.run("import")
        assert ended.code == 2
        assert name in sentence(ended)
        undo()
    assert started.entries == []
    assert not (started.folder / "ledger.sqlite").exists()


def test_debug_shows_where_it_failed(rig: Callable[..., Rig]) -> None:
    """With --debug the traceback comes first and the same sentence last."""
    started = rig()
    started.set(space_id="290513")
    plain = started.run("plan")
    debugged = started.run("--debug", "plan")
    assert debugged.code == plain.code == 1
    assert "Traceback (most recent call last)" in debugged.err
    assert debugged.err.splitlines()[-1] == sentence(plain)
