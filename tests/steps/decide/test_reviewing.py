"""Reviewing bodies: each click is on disk, whatever else writes the file."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.errors import DecisionsError, UsageError
from cmsmig.mapping.decisions.body_reviews import BodyFacts, BodyKey, BodyState
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.design import BlockRole, Design, Reviewed
from cmsmig.mapping.propose.proposals import propose_block_designs
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics
from cmsmig.richtext.native import NativeEngine
from cmsmig.settings import Project, find_project
from cmsmig.steps.decide.body_review import Review
from cmsmig.steps.decide.decision_store import decision_in, write_decision

HTML = '<p>a</p><img src="x.png"><img src="y.png"><p>b</p>'
SPLIT = Heuristics(frozenset((Heuristic.IMAGES,)))
DESIGN = Design(
    (), propose_block_designs(), reviewed=Reviewed("Ann", "2024", "in bulk")
)
NOTHING = BlocksDecision((BodyChoice("posts", "c1", "body"),))


def key(number: int = 1) -> BodyKey:
    return BodyKey("c1", f"i{number:05}", "en", "body")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project with a design and nothing decided about blocks."""
    (tmp_path / "cmsmig.toml").write_text("")
    found = find_project(tmp_path, {}, tmp_path)
    write_decision(found, DESIGN)
    return found


@pytest.fixture
def opened(project: Project) -> Callable[[], Review]:
    """Open the review as a kernel does that has just started."""

    def start() -> Review:
        decided = decision_in(project, BlocksDecision) or NOTHING
        review = Review.open(project, DESIGN, decision=decided, slugs={key(): "one"})
        review.reviewer = "Ann"
        return review

    return start


def facts(review: Review, html: str = HTML) -> BodyFacts:
    return review.facts(html, NativeEngine().from_html(html).document)


def kinds(review: Review) -> list[str]:
    blocks = review.status(key(1), facts(review)).blocks
    return [f"{block.kind} {block.nodes}" for block in blocks]


def chosen(review: Review) -> Review:
    review.choose("c1", "body", BodyMode.BLOCKS, SPLIT)
    return review


def test_a_field_stays_one_text_until_a_reviewer_chooses(
    opened: Callable[[], Review],
) -> None:
    """Nothing needs review then, and nothing can be edited."""
    review = opened()
    assert kinds(review) == ["text 4"]
    assert review.status(key(), facts(review)).state is BodyState.NOT_NEEDED
    with pytest.raises(UsageError, match="stay one rich text each"):
        review.merge(key(), facts(review), 0)
    chosen(review)
    assert kinds(opened()) == ["text 1", "image 1", "image 1", "text 1"]


def test_the_components_of_blocks_enter_the_design(
    opened: Callable[[], Review], project: Project
) -> None:
    """With the choice of a field, and with the edit that first needs one; who had
    reviewed the design stays."""
    review = chosen(opened())
    design = decision_in(project, Design)
    assert design is not None
    assert design.block(BlockRole.TEXT) is not None
    assert design.block(BlockRole.GALLERY) is None
    review.merge(key(), facts(review), 1)
    design = decision_in(project, Design)
    assert design is not None
    assert design.block(BlockRole.GALLERY) is not None
    assert design.reviewed == DESIGN.reviewed


def test_an_edit_takes_the_acceptance_back(opened: Callable[[], Review]) -> None:
    """The reviewer accepted another content."""
    review = chosen(opened())
    review.accept(key(), facts(review))
    review.merge(key(), facts(review), 1)
    found = review.status(key(), facts(review))
    assert (found.state, found.edited, found.by) == (BodyState.OPEN, True, "")


def test_another_way_to_store_a_field_waits_to_be_accepted(
    opened: Callable[[], Review],
) -> None:
    """Who accepted the file accepted the bodies as they were stored before: once they
    are stored so again, the file counts as accepted."""
    review = opened()
    review.sign()
    signed = review.decision.reviewed
    assert signed is not None
    chosen(review)
    assert review.decision.reviewed is None
    review.undo()
    assert review.decision.reviewed == signed
    chosen(review).choose("c1", "body", BodyMode.BLOCKS, Heuristics())
    assert review.decision.reviewed is None
    review.choose("c1", "body", BodyMode.ONE_RICHTEXT, Heuristics())
    assert review.decision.reviewed == signed
    chosen(review).accept(key(), facts(review))
    review.choose("c1", "body", BodyMode.ONE_RICHTEXT, Heuristics())
    assert review.decision.reviewed is None


def test_two_notebooks_do_not_lose_each_others_decisions(
    opened: Callable[[], Review], project: Project
) -> None:
    """What another kernel wrote meanwhile is read, not overwritten."""
    chosen(opened())
    one, other = opened(), opened()
    one.accept(key(1), facts(one))
    other.accept(key(2), facts(other))
    one.accept(key(3), facts(one))
    decided = decision_in(project, BlocksDecision)
    assert decided is not None
    assert set(decided.reviews) == {key(1), key(2), key(3)}
    assert one.decision == decided


def test_a_click_that_could_not_be_written_did_not_happen(
    opened: Callable[[], Review], project: Project
) -> None:
    """A file that can't be read is named, and stays as it is."""
    review = chosen(opened())
    path = project.decisions / "blocks.yaml"
    path.write_text("reviews: [\n")
    with pytest.raises(DecisionsError, match=r"blocks\.yaml, line 1"):
        review.accept(key(), facts(review))
    assert path.read_text() == "reviews: [\n"
    assert review.status(key(), facts(review)).state is BodyState.OPEN
    assert review.undoable == "chose how bodies in `body` are stored"


def test_ten_thousand_decisions_are_written_at_a_click(
    opened: Callable[[], Review],
) -> None:
    """A click on a large site is quick, and so is opening it again."""
    review = chosen(opened())
    same = facts(review)
    assert (
        review.accept_all([(key(number), same) for number in range(10_000)]) == 10_000
    )
    started = time.process_time()
    for number in range(5):
        review.merge(key(number), same, 1)
    clicks = (time.process_time() - started) / 5
    started = time.process_time()
    again = opened()
    reading = time.process_time() - started
    assert len(again.decision.reviews) == 10_000
    assert clicks < 0.4
    assert reading < 9
