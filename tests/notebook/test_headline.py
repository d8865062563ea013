"""The first sentence of a report: green only when nothing is left to ask."""

from __future__ import annotations

import pytest

from cmsmig.evidence.summary import PublicationCount, headline
from cmsmig.ledger.rows import Accounting
from cmsmig.steps.verify.differences import Difference, DifferenceCode, Verification

ARRIVED = Accounting(10, 8, 0, 2, 0, 0)
PUBLISHED = PublicationCount(8, 0, 0, 0)
DIFFERENT = Verification(
    differences=[Difference(DifferenceCode.FIELD_VALUE, "c/i@l", "title", "other")]
)


@pytest.mark.parametrize(
    ("accounting", "published", "found", "counts", "kind", "said"),
    [
        pytest.param(
            ARRIVED, PUBLISHED, Verification(), (0, 0),
            "good", "everything read back is as it was written", id="all published",
        ),
        pytest.param(
            ARRIVED, PublicationCount(1, 7, 0, 0), Verification(), (0, 0),
            "warning", "7 pages that are live at the old site are not", id="held",
        ),
        pytest.param(
            ARRIVED, PublicationCount(6, 1, 1, 0), Verification(), (0, 0),
            "warning", "1 story still has to be published", id="still to publish",
        ),
        pytest.param(
            ARRIVED, PublicationCount(5, 0, 0, 3), Verification(), (0, 0),
            "good", "All 8 items of this import arrived", id="drafts stay drafts",
        ),
        pytest.param(
            Accounting(10, 7, 0, 2, 1, 0), PUBLISHED, Verification(), (1, 0),
            "bad", "not complete: 1 failed, 0 open", id="failed",
        ),
        pytest.param(
            ARRIVED, PUBLISHED, DIFFERENT, (0, 0),
            "bad", "differs from what was decided in 1 place", id="differences",
        ),
        pytest.param(
            ARRIVED, PUBLISHED, Verification(public_unread="It is older."), (0, 0),
            "bad", "what visitors get was not compared", id="visitors unread",
        ),
        pytest.param(
            ARRIVED, PUBLISHED, None, (0, 0),
            "warning", "nothing was read back in this run", id="not verified",
        ),
        pytest.param(
            ARRIVED, PUBLISHED, Verification(not_in_yet=4), (0, 0),
            "warning", "4 selected items are not in yet", id="a pilot",
        ),
        pytest.param(
            Accounting(10, 0, 0, 2, 0, 8), PublicationCount(0, 0, 0, 0),
            None, (0, 8), "warning", "Nothing is imported yet", id="nothing imported",
        ),
    ],
)  # fmt: skip
def test_the_headline_says_what_is_so(
    accounting: Accounting,
    published: PublicationCount,
    found: Verification | None,
    counts: tuple[int, int],
    kind: str,
    said: str,
) -> None:
    """Each state of a migration has its own sentence and colour."""
    failures, undone = counts
    shown = headline(accounting, published, found, failures=failures, undone=undone)
    assert shown.kind == kind
    assert said in shown.sentence
    facts = dict(shown.facts)
    assert facts["What is published"].startswith(f"{published.published} of")
    assert ("What is not, and why" in facts) == (
        published.published != published.stories
    )


def test_all_arrived_is_never_said_next_to_a_loss_of_content() -> None:
    """Nor is it green, however it was read back and published."""
    for published in (PUBLISHED, PublicationCount(1, 7, 0, 0)):
        shown = headline(
            ARRIVED, published, Verification(), failures=0, undone=0, lost=3
        )
        assert shown.kind == "warning"
        assert shown.sentence.startswith("8 items of this import arrived, with 3 loss")


def test_every_story_and_every_edit_that_stays_is_accounted_for() -> None:
    """Stories whose items are gone are no items that arrived; an edit that a decision
    keeps is no difference, and is counted all the same."""
    kept = Accounting(12, 8, 0, 2, 2, 0, gone_kept=3, gone_deleted=1)
    public = PublicationCount(published=10, drafts=2)
    found = Verification()
    shown = headline(kept, public, found, failures=0, undone=0, decided=4)
    facts = dict(shown.facts)
    assert facts["What arrived"] == (
        "8 of 12 items of the old site are in the new space; 2 were left out, as was "
        "decided; 2 failed."
    )
    assert facts["What is published"] == (
        "10 of 12 stories are published. The 12 stories: 8 of these items, 1 of failed "
        "items, 3 that stay although their items are gone at the old site."
    )
    assert facts["What editors changed"] == "4 decisions keep what editors have."
    alone = headline(ARRIVED, PUBLISHED, Verification(), failures=0, undone=0)
    assert dict(alone.facts)["What is published"] == "8 of 8 stories are published."
    assert "What editors changed" not in dict(alone.facts)
