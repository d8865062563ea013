"""The example of many sites: its own logic, without the engine it is for."""

from __future__ import annotations

import _thread
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.fleet.command import read_status, run_cmsmig
from examples.fleet.outcomes import Then, bounded, outcome_of
from examples.fleet.sites import read_sites

TOP = Path(__file__).parents[2]
CODES = {
    0: Then.DONE,
    1: Then.FAIL,
    2: Then.STOP,
    3: Then.WAIT_FOR_PERSON,
    4: Then.WAIT_FOR_PERSON,
    5: Then.RUN_AGAIN,
    6: Then.RUN_LATER,
    7: Then.STOP,
}
CMSMIG = shlex.join([sys.executable, "-m", "cmsmig.cli"])


@pytest.mark.parametrize(("code", "then"), CODES.items())
def test_each_exit_code_has_its_state(code: int, then: Then) -> None:
    """What cmsmig said last is part of the message, so that a person knows for what."""
    outcome = outcome_of(code, "Decide on Posts in notebook 01.")
    assert outcome.then is then
    assert ("Decide on Posts" in outcome.message) == (code != 0)


def test_the_codes_are_those_of_the_documentation() -> None:
    """A code that cmsmig learns has to be known here, too."""
    text = (TOP / "docs" / "commands.md").read_text("utf-8")
    section = text.partition("## Exit codes")[2].partition("\n## ")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.M)} == set(
        CODES
    )


@pytest.mark.parametrize("code", [-9, -15, 137, 143])
def test_what_a_signal_ended_was_interrupted(code: int) -> None:
    """A negative code of Python; of shells and containers 128 more than the signal."""
    outcome = outcome_of(code, "the last line of its progress")
    assert outcome.then is Then.RUN_AGAIN
    assert str(code) in outcome.message
    assert "progress" not in outcome.message


def test_an_unknown_code_stops() -> None:
    """A command that is not there, say: running it again would not help."""
    assert outcome_of(127).then is Then.STOP


@pytest.mark.parametrize("code", [5, 6])
def test_nothing_is_run_again_for_ever(code: int) -> None:
    """The last attempt fails, with what it failed of; others are as they were."""
    outcome = outcome_of(code)
    assert bounded(outcome, 2, attempts=3) is outcome
    last = bounded(outcome, 3, attempts=3)
    assert last.then is Then.FAIL
    assert outcome.message in last.message
    waits = outcome_of(3)
    assert bounded(waits, 9, attempts=3) is waits


def write_fleet(folder: Path, text: str) -> Path:
    """Write a fleet's file."""
    path = folder / "fleet.toml"
    path.write_text(text)
    return path


def test_a_fleet_is_read(tmp_path: Path) -> None:
    """Projects are relative to the file; sites of one space share one limit."""
    path = write_fleet(
        tmp_path,
        '[[site]]\nname = "a"\nproject = "sites/a"\nspace = 7\ncron = "1 2 * * *"\n'
        '[[site]]\nname = "b-2"\nproject = "/b"\nspace = 7\ncommand = ["import"]\n',
    )
    first, second = read_sites(path)
    assert (first.project, first.cron) == (str(tmp_path / "sites" / "a"), "1 2 * * *")
    assert (first.command, second.command) == (("run",), ("import",))
    assert first.limit == second.limit == "space-7"


def test_the_fleet_of_the_example_is_one() -> None:
    """What people copy has to be right."""
    assert len(read_sites(TOP / "examples" / "fleet" / "fleet.toml")) == 2


ONE = '[[site]]\nname = "a"\nproject = "a"\nspace = 1\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no"),
        ('[[site]]\nname = "A b"\nproject = "a"\nspace = 1\n', "small letters"),
        ('[[site]]\nname = "a"\nproject = "a"\n', "space"),
        ('[[site]]\nname = "a"\nproject = "a"\nspace = "1"\n', "number"),
        ('[[site]]\nname = "a"\nproject = "a"\nspace = 1\ncrom = "x"\n', "crom"),
        ('[[site]]\nname = "a"\nproject = "a"\nspace = 1\ncommand = "x"\n', "list"),
        ('[[site]]\nname = "a"\nproject = "a"\nspace = 1\n' * 2, "two sites"),
        (f"{ONE}command = ['run', '--target', 'b']\n", "names a project or target"),
        (f"{ONE}command = ['run', '-p', 'target=b']\n", "names a project or target"),
        (f"{ONE}command = ['run', '--project=b']\n", "names a project or target"),
        (f"{ONE}target = 3\n", "is a text"),
        (f'{ONE}{ONE}target = "b"\n', "two sites have the name"),
    ],
)
def test_a_wrong_fleet_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """The sentence names what is wrong."""
    with pytest.raises(ValueError, match=said):
        read_sites(write_fleet(tmp_path, text))


def test_cmsmig_is_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its exit code comes back, and what it said last."""
    monkeypatch.setenv("FLEET_CMSMIG", CMSMIG)
    said: list[str] = []
    ended = run_cmsmig(str(tmp_path / "new"), 7, ["decide"], said.append)
    assert ended.code == 2
    assert ended.complaint.startswith("Decide in the notebooks 01 to 03")
    assert said == [ended.complaint]
    assert read_status(str(tmp_path / "new"), 7) == {}


SHOWS_THE_SPACE = "import os, sys; sys.exit(os.environ['CMSMIG_SPACE_ID'] != '7')"
WAITS = """
import signal, sys
signal.signal(15, lambda *_: sys.exit(5))
print('ready', file=sys.stderr, flush=True)
signal.pause()
"""


def replace_cmsmig(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Put a program in the place of cmsmig."""
    monkeypatch.setenv("FLEET_CMSMIG", shlex.join([sys.executable, "-c", program]))


def test_it_gets_the_space_that_its_limit_is_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It overrides the space in the project's settings."""
    replace_cmsmig(monkeypatch, SHOWS_THE_SPACE)
    monkeypatch.setenv("CMSMIG_SPACE_ID", "8")
    assert run_cmsmig("project", 7, [], print).code == 0


def test_a_target_is_reached_at_the_space_of_its_limit_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The space overrides the target's own; without its name nothing runs."""
    (tmp_path / "cmsmig.toml").write_text("[targets.long-one]\nspace_id = 8\n")
    shown = "import os, sys; print(os.environ['CMSMIG_SPACE_ID_LONG_ONE'], sys.argv)"
    replace_cmsmig(monkeypatch, shown)
    said: list[str] = []
    run_cmsmig(str(tmp_path), 7, ["run"], said.append, "long-one")
    words = ["-c", "--project", str(tmp_path), "run", "--target", "long-one"]
    assert said == [f"7 {words}"]
    with pytest.raises(ValueError, match="names targets; write the one"):
        run_cmsmig(str(tmp_path), 7, ["run"], said.append)
    with pytest.raises(ValueError, match="names targets; write the one"):
        read_status(str(tmp_path), 7)
    assert len(said) == 1


def cancel(line: str) -> None:
    """Cancel what waits, as the engine does, once the command works."""
    if line == "ready":
        _thread.interrupt_main()


def test_a_cancelled_command_is_asked_to_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command ends before the cancellation continues: nothing is written later."""
    mark = tmp_path / "pid"
    program = f"import os; open({str(mark)!r}, 'w').write(str(os.getpid())){WAITS}"
    replace_cmsmig(monkeypatch, program)
    # What a shell starts in the background ignores this signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_cmsmig("project", 7, [], cancel)
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


def test_a_killed_command_ends_with_its_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The state that follows is that of an interruption."""
    replace_cmsmig(monkeypatch, "import os; os.kill(os.getpid(), 9)")
    ended = run_cmsmig("project", 7, [], print)
    assert ended.code == -signal.SIGKILL
    assert outcome_of(ended.code).then is Then.RUN_AGAIN


def forbidden(path: Path) -> list[str]:
    """Return the imports of the project's inside."""
    return re.findall(r"^\s*(?:from|import) cmsmig\b.*", path.read_text("utf-8"), re.M)


def test_the_example_imports_nothing_of_the_inside() -> None:
    """It needs the command and its exit codes, nothing else."""
    found: Callable[[Path], list[str]] = forbidden
    modules = sorted((TOP / "examples" / "fleet").glob("*.py"))
    assert len(modules) >= 5
    assert not [line for path in modules for line in found(path)]
