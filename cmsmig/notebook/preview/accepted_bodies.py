"""Bodies as they were when their blocks were accepted, to show what changed since."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress

from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.decisions.body_reviews import (
    BodyKey,
    BodyReview,
    DecidedBlock,
    ReviewStatus,
    review_of,
)
from cmsmig.notebook.preview.block_cards import KINDS
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.reconcile.labels import NO_LABELS
from cmsmig.reconcile.value_changes import change_lines
from cmsmig.review.body_index import BodyIndex
from cmsmig.richtext.blocks.proposals import Heuristics


class AcceptedBodies:
    """Keeps the origin's HTML of each body that was accepted here.

    No decision depends on it: without it the differences are those of the blocks.
    """

    def __init__(
        self, body_index: BodyIndex, derived: DerivedFile, *, dry_run: bool
    ) -> None:
        self._index = body_index
        self._derived = derived
        self._dry_run = dry_run

    def keep(self, index: int) -> None:
        """Keep a body as it is now, but not in a dry run."""
        if self._dry_run:
            return
        content = self._index.digest(index).facts.content
        body = zlib.compress(self._index.bodies[index].text.encode(errors="replace"), 1)
        self._derived.keep_parts(_name(self._index.key(index)), content, [body])

    def changes(
        self, index: int, review: BodyReview, status: ReviewStatus
    ) -> tuple[str, ...]:
        """Return what changed in a body since it was accepted, a line each."""
        before = self._kept(index, review)
        if before is None or before == self._index.bodies[index].text:
            facts = self._index.digest(index).facts
            now = review_of(review.key, facts, Heuristics(), status.blocks)
            return tuple(_block_lines(review.blocks, now.blocks))
        old = self._index.converted_from(index, before).document
        new = self._index.converted(index).document
        field = f"content.{review.field}"
        return change_lines(NO_LABELS, Ref(Kind.STORY, ""), field, old, new)

    def _kept(self, index: int, review: BodyReview) -> str | None:
        name = _name(self._index.key(index))
        found = self._derived.part(name, 0, review.content)
        if found is not None:
            with suppress(zlib.error, ValueError):
                return zlib.decompress(found).decode()
        return None


def _name(key: BodyKey) -> str:
    parts = (key.collection_id, key.item_id, key.locale_id, key.field)
    return " ".join(("accepted body", *parts))


def _block_lines(
    before: Sequence[DecidedBlock], now: Sequence[DecidedBlock]
) -> Iterator[str]:
    """Yield the blocks that one side alone has, by kind and first words."""
    old, new = (
        Counter(f"{KINDS[each.kind]} “{each.begins}”" for each in side)
        for side in (before, now)
    )
    for said, found in (("removed", old - new), ("added", new - old)):
        yield from (f"{each}: {said}" for each in found.elements())
