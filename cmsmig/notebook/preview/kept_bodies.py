"""What is kept of bodies that a person has looked at, in no decision: those that were
accepted, as they were, to show what changed since; which of the others were seen."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple
from difflib import SequenceMatcher
from itertools import accumulate

from cmsmig.canonical import fingerprint
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.decisions.body_reviews import (
    BodyKey,
    BodyReview,
    DecidedBlock,
    ReviewStatus,
    review_of,
)
from cmsmig.notebook.preview.block_cards import KINDS
from cmsmig.origin.records import replace_file
from cmsmig.reconcile.labels import NO_LABELS
from cmsmig.reconcile.value_changes import body_changes
from cmsmig.review.bodies import Body
from cmsmig.review.body_index import BodyIndex
from cmsmig.richtext.blocks.block_runs import Heuristics
from cmsmig.settings import Project


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
        self._derived.keep_parts(_name(self._index.keys[index]), content, [body])

    def changes(
        self, index: int, review: BodyReview, status: ReviewStatus
    ) -> list[tuple[int, str]]:
        """Return what changed in a body since it was accepted, a line each, with the
        top-level node of the document that it leads to."""
        before = self._kept(index, review)
        if before is None or before == self._index.bodies[index].text:
            facts = self._index.digest(index).facts
            now = review_of(review.key, facts, Heuristics(), status.blocks)
            return [*_block_changes(review.blocks, now.blocks)]
        old = self._index.converted_from(index, before).document
        new = self._index.converted(index).document
        label = NO_LABELS.key("", review.field)
        return [*body_changes(label, old, new)] or [(0, f"{label}: not changed")]

    def _kept(self, index: int, review: BodyReview) -> str | None:
        name = _name(self._index.keys[index])
        found = self._derived.part(name, 0, review.content)
        if found is not None:
            with suppress(zlib.error, ValueError):
                return zlib.decompress(found).decode()
        return None


def _name(key: BodyKey) -> str:
    return " ".join(("accepted body", *astuple(key)))


def _block_changes(
    before: Sequence[DecidedBlock], now: Sequence[DecidedBlock]
) -> Iterator[tuple[int, str]]:
    """Yield the blocks that one side alone has, by kind and first words."""
    old, new = (
        [f"{KINDS[each.kind]} “{each.begins}”" for each in side]
        for side in (before, now)
    )
    places = [*accumulate((each.nodes for each in now), initial=0)]
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for _, first, last, begin, end in (each for each in codes if each[0] != "equal"):
        for each in old[first:last]:
            yield places[max(begin - 1, 0)], f"{each}: removed"
        for at in range(begin, end):
            yield places[at], f"{new[at]}: added"


class SeenBodies:
    """The bodies that were ticked as seen; each tick is on disk before the next.

    A body is known by a hash of what it holds, so that a changed one is unseen
    again. No decision and no plan depends on it.
    """

    def __init__(self, project: Project, *, dry_run: bool = False) -> None:
        self._path = project.root / "seen_bodies.json"
        self._dry_run = dry_run
        self._prints: set[str] = set(self._read())

    def holds(self, key: BodyKey, body: Body) -> bool:
        """Return whether a body was seen as it is; without any tick none is read."""
        return bool(self._prints) and _seen_print(key, body.text) in self._prints

    def mark(self, key: BodyKey, html: str, *, seen: bool) -> None:
        """Tick a body, or take its tick back; written at once, but not in a dry run.

        Raises `CacheError` where the file cannot be written.
        """
        if seen:
            self._prints.add(_seen_print(key, html))
        else:
            self._prints.discard(_seen_print(key, html))
        if not self._dry_run:
            text = json.dumps({"seen": sorted(self._prints)}, indent=0)
            replace_file(self._path, [text.encode(), b"\n"])

    def _read(self) -> list[str]:
        """Return the ticks on disk; a damaged file has none, and is written again."""
        try:
            document = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return []
        listed = document.get("seen") if isinstance(document, dict) else None
        if not isinstance(listed, list):
            return []
        return [each for each in listed if isinstance(each, str)]


def _seen_print(key: BodyKey, html: str) -> str:
    return fingerprint([*astuple(key), html])[:32]
