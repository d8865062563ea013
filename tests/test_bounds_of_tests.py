"""What bounds a test and what it draws: neither other programs nor other tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.processortime import TooLongError, at_most

HERE = Path(__file__).parent
LIMITED = """
from tests.support import timelimit
def pytest_timeout_set_timer(item, settings):
    return timelimit.set_timer(item, settings, lambda: {crowding})
"""
WAITING = """
import threading
def test_it_waits():
    threading.Event().wait({seconds})
"""
DRAWING = """
import hashlib, json, sys
from tests.support.examples import draw_the_same_always
from hypothesis import given, settings, strategies as st
draw_the_same_always()
drawn = []
@settings(max_examples=300)
@given(st.integers() | st.text() | st.floats() | st.binary(), st.randoms())
def draw(value, dice):
    drawn.append(repr(value) + str(dice.random()))
draw()
print(len(drawn), hashlib.sha256(json.dumps(drawn).encode()).hexdigest())
"""


def run(*arguments: str, seed: str = "0", folder: Path) -> subprocess.CompletedProcess:
    """Run this Python beside the suite's own modules."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE.parent), "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("crowding", "seconds", "code"), [(1, "None", 1), (1000, "2.5", 0)]
)
def test_a_hang_is_ended_and_a_crowded_machine_is_waited_for(
    tmp_path: Path, crowding: int, seconds: str, code: int
) -> None:
    """After the time that an idle machine would have had; the stacks are shown."""
    (tmp_path / "conftest.py").write_text(LIMITED.format(crowding=crowding))
    (tmp_path / "test_it.py").write_text(WAITING.format(seconds=seconds))
    options = ("-p", "no:cacheprovider", "-o", "timeout=1")
    ended = run("-m", "pytest", "-q", *options, folder=tmp_path)
    assert ended.returncode == code, ended.stdout
    assert ("Timeout (>1" in ended.stdout) is bool(code)


def work_without_end() -> None:
    """Work as a hang in our code does: signals are heard in between."""
    while True:
        pass


def test_processor_time_is_what_counts() -> None:
    """Work without an end is ended."""
    with pytest.raises(TooLongError, match=r"0\.2 seconds"), at_most(0.2):
        work_without_end()


@pytest.fixture(scope="session")
def drawn_alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what a property test draws in a process that does nothing else."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "draw.py").write_text(DRAWING)
    ended = run("draw.py", folder=folder)
    assert ended.stdout.startswith("300 "), ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    "before",
    [
        "import cmsmig.sandbox.sample.build",
        "import random; random.seed(5); random.random()",
        "import ours",
    ],
    ids=["modules", "seed", "module of a test"],
)
def test_examples_are_the_same_in_every_selection_and_process(
    drawn_alone: str, tmp_path: Path, before: str
) -> None:
    """Whatever is imported or drawn before, and however sets are ordered."""
    (tmp_path / "ours.py").write_text("NUMBERS = [987_654, 123.25, 'unheard', b'of']")
    (tmp_path / "draw.py").write_text(DRAWING)
    code = f"{before}\nimport runpy; runpy.run_path('draw.py')"
    ended = run("-c", code, seed="7", folder=tmp_path)
    assert ended.stdout == drawn_alone, ended.stderr
