"""Some of the faults and kills, and broken code that they notice.

`make soak KIND=faults` tries all.
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from unittest import mock

import pytest

from cmsmig.ledger.intents import Intents
from cmsmig.reconcile.diff import Sides
from cmsmig.reconcile.field_diff import Outcome
from cmsmig.steps.write import asset_records, create_stories, update_story
from cmsmig.wire.answers import Request
from cmsmig.wire.pacing import Pacing
from tests.proofs.faults.faults import Faults, proof
from tests.proofs.machine.broken import BrokenRuleError
from tests.proofs.machine.play import play, steps_of
from tests.proofs.machine.stage import Stage, staged

STORY = "* POST create story notes/note-1 #1"
UPDATE = "* PUT update story spots/spot-6 #1"
SIGN = "* POST sign upload note-20.jpg #1"


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faults]:
    """Prepare every situation once."""
    with proof(tmp_path_factory.mktemp("faults")) as prepared:
        yield prepared


def test_whatever_fails_the_end_is_the_same(faults: Faults) -> None:
    """One case of most parts, each compared with a run that nothing happens to."""
    cases = [case for case in faults.cases() if not case.moments]
    tried = {case.key: faults.attempt(case) for case in cases[500::900]}
    assert len(tried) > 5
    assert not any(tried.values()), tried


async def _nothing(*_: object) -> None:
    """Find nothing."""


@pytest.mark.parametrize(
    ("broken", "name", "by", "case"),
    [
        pytest.param(Intents, "write", lambda *_: None, f"kill applied | {STORY}",
                     id="no intent is written before a write"),
        pytest.param(asset_records, "signed_row", lambda *_: None,
                     f"kill applied | {SIGN}",
                     id="no one looks whether a file was signed"),
        pytest.param(create_stories, "_ours_of", _nothing, f"drop_after | {STORY}",
                     id="no one looks whether a story was created"),
        pytest.param(Request, "may_repeat", True, f"drop_after | {SIGN}",
                     id="every request is sent again"),
        pytest.param(Pacing, "backoff", lambda *_: 0.0, f"too_many | {STORY}",
                     id="no pause after a 429"),
        pytest.param(update_story, "is_as_left", lambda *_: True,
                     f"an editor edits after the create | {STORY}",
                     id="change dates are not compared"),
        pytest.param(update_story, "_noticing_edits", lambda update, _: update,
                     f"an editor edits, update lost | {UPDATE}",
                     id="an edit made meanwhile may be published"),
    ],
)  # fmt: skip
def test_broken_code_is_noticed(
    faults: Faults, broken: object, name: str, by: object, case: str
) -> None:
    """Without a safeguard its case fails, and only without it."""
    found = [each for each in faults.cases() if fnmatchcase(each.key, case)]
    assert faults.attempt(found[0]) == []
    with mock.patch.object(broken, name, by):
        assert faults.attempt(found[0]) != []


def is_noticed(folder: Path) -> bool:
    """Return whether one of some runs of the state machine breaks a rule."""
    stages: dict[str, Stage] = {}
    for seed in range(100_000, 100_020):
        setup, steps = steps_of(seed, 14)
        if setup not in stages:
            stages[setup] = staged(setup, folder / setup)
        try:
            play(stages[setup], steps)
        except BrokenRuleError:
            return True
    return False


@pytest.mark.parametrize(
    ("true", "broken"),
    [
        pytest.param(Outcome.CONFLICT, Outcome.WRITE, id="conflicts are written"),
        pytest.param(Outcome.WRITE, Outcome.SAME, id="changes are not written"),
        pytest.param(Outcome.KEEP, Outcome.WRITE, id="edits are written over"),
    ],
)
def test_a_broken_merge_is_noticed(
    tmp_path: Path, true: Outcome, broken: Outcome
) -> None:
    """By the state machine: the space is not as its rules want it."""
    outcome_of = Sides.outcome

    def outcome(sides: Sides, name: str) -> Outcome:
        found = outcome_of(sides, name)
        return broken if found is true else found

    with mock.patch.object(Sides, "outcome", outcome):
        assert is_noticed(tmp_path)
