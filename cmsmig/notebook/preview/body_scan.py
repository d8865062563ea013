"""The bodies of a migration as rows of a list, each with the state of its review. They
are scanned in the background, in slices."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic

from cmsmig.mapping.decisions.body_reviews import BodyKey, BodyState, ReviewStatus
from cmsmig.notebook.preview.kept_bodies import SeenBodies
from cmsmig.review.bodies import Body
from cmsmig.review.body_index import BodyIndex, ScannedBody
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.richtext.losses import Severity
from cmsmig.steps.decide.body_review import Review
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns
from cmsmig.ui.rows import Rows

UNREVIEWED = frozenset((BodyState.OPEN, BodyState.REOPENED))
_STATES = ("to review", "not seen", *map(str, reversed(BodyState)))
_LOSSES = {"something": "some loss", "content": "some content"}
_COLUMNS = (
    Column("title", "Body"),
    Column("field", "Field"),
    Column("review", "Review"),
    Column("losses", "Losses", most_first=True, css="number"),
    *(
        Column(each, "", hidden=True)
        for each in ("state", "loss", "structure", "place", "locale")
    ),
)
_FILTERS = (
    Filter("state", "Review", ""),
    Filter("loss", "Losses", ""),
    Filter("structure", "Holds", ""),
    Filter("place", "Field", ""),
    Filter("locale", "Locale", ""),
)
_BETWEEN = 0.7
"""Seconds between two times that the watchers get the progress."""


class BodyRelation(Rows):
    """The bodies, each with what is known of it so far."""

    key = "number"

    def __init__(self, bodies: Sequence[Body]) -> None:
        nouns = Nouns(
            "body", "bodies", "No item that is imported has a rich text body."
        )
        has_locales = any(each.locale for each in bodies)
        super().__init__(nouns, _COLUMNS, _FILTERS if has_locales else _FILTERS[:-1])
        self._bodies = bodies
        for index in range(len(bodies)):
            self.note(index, None)

    def note(self, index: int, scanned: ScannedBody | None) -> None:
        """Keep what is known of a body; None: nothing yet."""
        body, losses = self._bodies[index], scanned.losses if scanned else ()
        loss = {f"{each.severity}/{each.kind}" for each in losses}
        loss |= {"something"} if losses else set()
        content = any(each.severity is Severity.CONTENT for each in losses)
        loss |= {"content"} if content else set()
        words = (body.title, body.item.slug, body.item.key.item_id)
        row = (
            *(body.title, body.design.origin, "", len(losses), ""),
            "\n".join(sorted(loss)),
            "\n".join(scanned.structures if scanned else ()),
            f"{body.collection.display_name}: {body.design.origin}",
            body.locale,
            *(*words, scanned.words if scanned else ""),
        )
        self.put_row(0, index, 0, row)

    def review(self, index: int, state: BodyState, *, ticked: bool) -> None:
        """Keep how far a body's review is."""
        states = [str(state)]
        if state in UNREVIEWED:
            states.append("to review")
        if state is BodyState.NOT_NEEDED and not ticked:
            states.append("not seen")
        shown = "seen" if ticked else str(state)
        self.change(0, index, {"review": shown, "state": "\n".join(states)})

    def passing(self, query: Query) -> list[int]:
        """Return the places of the bodies that pass, in their order."""
        return [int(each) for each in self.keys(query)]

    def options(self, name: str, values: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Return states in the order of the work, losses from the worst."""
        if name == "state":
            return [(each, each) for each in _STATES if each in values]
        if name == "loss":
            some = [(label, each) for each, label in _LOSSES.items() if each in values]
            return [*some, *((_named(e), e) for e in sorted(values) if "/" in e)]
        return [(each, each) for each in sorted(values)]

    def place(self, query: Query, key: str, by: int) -> str:
        """Return the body `by` places after another, round and round."""
        found = self.passing(query)
        if not found:
            return ""
        if (at := int(key)) in found:
            return str(found[(found.index(at) + by) % len(found)])
        later = next((n for n, each in enumerate(found) if each > at), 0)
        return str(found[later + min(by, 0)])


def _named(loss: str) -> str:
    severity, _, kind = loss.partition("/")
    return f"{kind}, {severity}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the scan keeps of one body."""

    state: BodyState
    kinds: frozenset[BlockKind]
    """The kinds of its blocks other than text; empty where there is only text."""
    ticked: bool
    """Whether a person ticked it as seen, where it needs no review."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How far the review is, over the bodies that were looked through."""

    bodies: int
    seen: int
    reviewed: int
    left: int
    reopened: int
    plain: int
    """Bodies that need no review."""
    ticked: int
    """Those of them that a person ticked as seen."""

    @property
    def complete(self) -> bool:
        """Return whether every body was looked through."""
        return self.seen == self.bodies


class BodyScanner:
    """Finds every body's review state in the background and keeps it."""

    def __init__(
        self,
        body_index: BodyIndex,
        rows: BodyRelation,
        review: Review,
        ticks: SeenBodies,
    ) -> None:
        self.body_index = body_index
        self.rows = rows
        """The bodies as a list, with the state of each."""
        self.review = review
        self.ticks = ticks
        self.watchers: dict[str, Callable[[], None]] = {}
        """By panel: called now and then during the scan, and at its end."""
        self._seen: dict[int, Seen] = {}
        self._indexes = {body_index.keys[i]: i for i in range(len(body_index.bodies))}
        self._task: asyncio.Task[None] | None = None

    def status(self, index: int) -> ReviewStatus:
        """Return the state of a body's review; scans the body if need be."""
        facts = self.body_index.digest(index).facts
        key = self.body_index.keys[index]
        found = self.review.status(key, facts)
        kinds = {block.kind for block in found.blocks} - {BlockKind.TEXT}
        body = self.body_index.bodies[index]
        ticked = found.state is BodyState.NOT_NEEDED and self.ticks.holds(key, body)
        self._seen[index] = Seen(found.state, frozenset(kinds), ticked)
        self.rows.review(index, found.state, ticked=ticked)
        return found

    def state(self, index: int) -> BodyState | None:
        """Return the review state of a body, or None while it is not scanned."""
        seen = self._seen.get(index)
        return seen.state if seen else None

    def ticked(self, index: int) -> bool:
        """Return whether a body is known to be ticked as seen."""
        seen = self._seen.get(index)
        return seen is not None and seen.ticked

    def tick(self, index: int, *, seen: bool) -> None:
        """Tick a body as seen, or take its tick back."""
        text = self.body_index.bodies[index].text
        self.ticks.mark(self.body_index.keys[index], text, seen=seen)
        self.status(index)

    def unreviewed(self, kind: BlockKind | None = None) -> Iterator[int]:
        """Yield the known bodies that await a person, in their order.

        With `kind` those that split off that kind alone; `TEXT`: those
        that are split into texts alone.
        """
        only = frozenset(() if kind is BlockKind.TEXT else (kind,))
        for index in range(len(self.body_index.bodies)):
            seen = self._seen.get(index)
            if seen is None or seen.state not in UNREVIEWED:
                continue
            if kind is None or seen.kinds == only:
                yield index

    def kinds(self) -> Counter[BlockKind]:
        """Return how many unreviewed bodies split off one kind alone, by kind."""
        return Counter(
            next(iter(seen.kinds), BlockKind.TEXT)
            for seen in self._seen.values()
            if seen.state in UNREVIEWED and len(seen.kinds) < 2
        )

    def tally(self) -> Tally:
        """Return how far the review is."""
        states = Counter(seen.state for seen in self._seen.values())
        left = states[BodyState.OPEN] + states[BodyState.REOPENED]
        return Tally(
            len(self.body_index.bodies),
            len(self._seen),
            states[BodyState.REVIEWED],
            left,
            states[BodyState.REOPENED],
            states[BodyState.NOT_NEEDED],
            sum(seen.ticked for seen in self._seen.values()),
        )

    def indexes(self, keys: Iterable[BodyKey]) -> list[int]:
        """Return the places of the bodies that keys name, unknown ones left out."""
        return [index for key in keys if (index := self._indexes.get(key)) is not None]

    def forget(self, indexes: Iterable[int] | None = None) -> None:
        """Find the review state of some bodies again (None: all), then scan on."""
        if indexes is None:
            self._seen.clear()
        else:
            for index in indexes:
                self._seen.pop(index, None)
        if self._task is not None:
            self.start()

    def finish(self) -> None:
        """Look through everything now, however long it takes."""
        for index in self._unseen():
            self.status(index)

    def start(self) -> None:
        """Look through everything in the background of the running loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look())

    async def _look(self) -> None:
        shown_at = monotonic()
        while unseen := self._unseen():
            async for _ in in_slices(map(self.status, unseen)):
                if monotonic() - shown_at > _BETWEEN:
                    shown_at = monotonic()
                    self._tell()
                    _settle()
        _settle()
        self._tell()

    def _unseen(self) -> list[int]:
        known = self.body_index.digests
        return [
            index
            for index in range(len(self.body_index.bodies))
            if index not in self._seen or index not in known
        ]

    def _tell(self) -> None:
        for watcher in self.watchers.values():
            watcher()


def _settle() -> None:
    """Take what is kept for good out of the rounds of the garbage collector.

    Its full rounds take a third of a second over 10,000 bodies, and a page waits.
    """
    gc.collect(1)
    gc.freeze()
