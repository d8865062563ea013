"""Drafts made on all cores: the same as one process makes, only sooner."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait

from cmsmig.mapping.convert.asset_slots import Marks
from cmsmig.mapping.convert.kept_draft import KeptDraft
from cmsmig.mapping.convert.lookups import recording
from cmsmig.mapping.convert.story import story_or_reason
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.draft import DraftContext, Place
from cmsmig.origin.schema import Item

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
    cores = processes or os.cpu_count() or 1
    shared = replace(context, places={})
    pool = ProcessPoolExecutor(cores, get_context(_way_to_start()), _begin, (shared,))
    waiting: deque[tuple[Sequence[DraftOrder], Future[list[KeptDraft | None]]]]
    waiting = deque()
    try:
        with pool:
            for start in range(0, len(orders), _AT_ONCE):
                part = orders[start : start + _AT_ONCE]
                waiting.append((part, pool.submit(_make, part)))
                if len(waiting) > 2 * cores:
                    yield from _made(*waiting.popleft())
            while waiting:
                yield from _made(*waiting.popleft())
    except BrokenProcessPool:
        return


def _way_to_start() -> str:
    """Return how processes are started: a fork is the quickest, and safe only where no
    thread holds a lock; a notebook's kernel has threads."""
    alone = sys.platform == "linux" and threading.active_count() == 1
    return "fork" if alone else "spawn"


def _made(
    orders: Sequence[DraftOrder], future: Future[list[KeptDraft | None]]
) -> Iterator[tuple[DraftOrder, KeptDraft]]:
    for order, draft in zip(orders, future.result(), strict=True):
        if draft is not None:
            yield order, draft


_shared: list[DraftContext] = []
"""The context of this process's drafts, but for their places."""


def _begin(context: DraftContext) -> None:
    _shared[:] = [context]
    # Who interrupts the run means the process that started this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _make(orders: Sequence[DraftOrder]) -> list[KeptDraft | None]:
    made: list[KeptDraft | None] = []
    for order in orders:
        context = replace(_shared[0], places={order.item.key: order.place})
        draft = make_draft(order, context)
        made.append(None if isinstance(draft, str) else draft)
    return made
