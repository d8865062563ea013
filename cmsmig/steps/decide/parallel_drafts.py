"""Drafts made on all cores: the same as one process makes, only sooner."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from cmsmig.mapping.convert.asset_slots import Marks
from cmsmig.mapping.convert.kept_draft import KeptDraft
from cmsmig.mapping.convert.lookups import recording
from cmsmig.mapping.convert.story import story_or_reason
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import DraftContext, Place
from cmsmig.origin.schema import Item
from cmsmig.steps.process_pool import in_processes

LEAST = 300
"""Drafts that are worth the start of processes."""
_AT_ONCE = 25
"""Drafts that a process is given together."""
_NONCE_DIGITS = 40


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """A draft to be made."""

    item: Item
    content_type: ContentTypeDesign
    place: Place
    made_of: str
    """The fingerprint that it is kept under."""


def marks_of(made_of: str) -> Marks:
    """Return the marks of the draft that is kept under a fingerprint."""
    return Marks(made_of[:_NONCE_DIGITS])


def make_draft(order: DraftOrder, context: DraftContext) -> KeptDraft | str:
    """Return the draft as it is kept, or why there is no story."""
    marks = marks_of(order.made_of)
    heard, lookups = recording(context, marks)
    draft = story_or_reason(order.item, order.content_type, heard)
    if isinstance(draft, str):
        return draft
    return KeptDraft.of(draft, order.item.name, marks, lookups)


def make_drafts(
    orders: Sequence[DraftOrder], context: DraftContext, processes: int | None = None
) -> Iterator[tuple[DraftOrder, KeptDraft]]:
    """Yield the drafts that can be made, on all cores; only a few wait at a time.

    What is left over, when a process dies or an item has no story, is nobody's loss:
    it is made when it is asked for.
    """
    parts = (
        orders[start : start + _AT_ONCE] for start in range(0, len(orders), _AT_ONCE)
    )
    made = in_processes(
        _make,
        parts,
        processes=processes or os.cpu_count() or 1,
        begin=partial(_share, replace(context, places={})),
    )
    with suppress(BrokenProcessPool):
        for part, drafts in made:
            for order, draft in zip(part, drafts, strict=True):
                if draft is not None:
                    yield order, draft


_shared: list[DraftContext] = []
"""The context of this process's drafts, but for their places."""


def _share(context: DraftContext) -> None:
    _shared[:] = [context]


def _make(orders: Sequence[DraftOrder]) -> list[KeptDraft | None]:
    made: list[KeptDraft | None] = []
    for order in orders:
        context = replace(_shared[0], places={order.item.key: order.place})
        draft = make_draft(order, context)
        made.append(None if isinstance(draft, str) else draft)
    return made
