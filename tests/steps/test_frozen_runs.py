"""Two of the frozen runs; `make soak KIND=frozen` plays all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs.frozen.__main__ import main

RUNS = ("kill-2-applied", "kill-rollback")


def recorded(folder: Path) -> Path:
    """Record both runs."""
    only = (f"--only={name}" for name in RUNS)
    assert main(["record", *only, str(folder)]) == 0
    return folder


def test_two_records_of_a_run_are_equal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte by byte; and a record that differs is named with its command."""
    one, other = recorded(tmp_path / "one"), recorded(tmp_path / "other")
    for name in RUNS:
        before, after = (each / f"{name}.json" for each in (one, other))
        assert before.read_bytes() == after.read_bytes()
    assert main(["compare", str(one), str(other)]) == 0
    capsys.readouterr()
    path = other / f"{RUNS[0]}.json"
    path.write_text(path.read_text().replace('"name": "Note 1"', '"name": "Other"', 1))
    assert main(["compare", str(one), str(other)]) == 1
    printed = capsys.readouterr().out
    assert '/stories).body.story.name: "Note 1" -> "Other"' in printed
    assert printed.endswith("differences: 1\n")
