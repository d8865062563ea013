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
@settings(max_examples=100)
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


def test_examples_are_the_same_in_every_selection_and_process(tmp_path: Path) -> None:
    """Whatever is imported or drawn before, and however sets are ordered."""
    (tmp_path / "ours.py").write_text("NUMBERS = [987_654, 123.25, 'unheard', b'of']")
    (tmp_path / "draw.py").write_text(DRAWING)
    alone = run("draw.py", folder=tmp_path)
    assert alone.stdout.startswith("100 "), alone.stderr
    before = "import random, cmsmig.sandbox.server, ours; random.seed(5)"
    code = f"{before}; random.random()\nimport runpy; runpy.run_path('draw.py')"
    after = run("-c", code, seed="7", folder=tmp_path)
    assert after.stdout == alone.stdout, after.stderr
