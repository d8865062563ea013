"""The review of split bodies: each decision is on disk before the next is taken.

Converts nothing: the caller has the bodies' facts, which `facts` makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.counting import noun_for
from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import (
    IN_BULK,
    INDIVIDUALLY,
    BodyFacts,
    BodyKey,
    BodyReview,
    BodyState,
    ReviewStatus,
    body_facts,
    review_of,
    review_status,
)
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyChoice, BodyMode
from cmsmig.mapping.decisions.decision_files import (
    FILE_NAMES,
    block_names,
    decided_value,
)
from cmsmig.mapping.decisions.design import BlockRole, Design, Reviewed
from cmsmig.mapping.propose.block_designs import ROLES, with_blocks
from cmsmig.richtext.blocks.block_runs import (
    Blocks,
    Heuristics,
    merged,
    rejected,
    retyped,
    split,
)
from cmsmig.richtext.blocks.outline import BlockKind, outline_of
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import (
    decision_in,
    replace_decision,
    stamp_review,
    writing,
)

_LEFT = (BodyState.OPEN, BodyState.REOPENED)

Reviews = Mapping[BodyKey, BodyReview | None]


@dataclass(frozen=True, slots=True)
class _Step:
    """One change, with the values that undo restores."""

    words: str
    reviews: Reviews
    choice: BodyChoice | None = None


Change = Callable[[BlocksDecision], BlocksDecision]


class BlocksFile:
    """The decision in memory; read again when another program changed the file."""

    def __init__(
        self, project: Project, decision: BlocksDecision, *, dry_run: bool
    ) -> None:
        self.decision = decision
        self._project = project
        self._path = project.decisions / FILE_NAMES[BlocksDecision]
        self._dry_run = dry_run
        self._seen = _state(self._path)

    def change(self, change: Change, *, design: bool) -> None:
        """Apply a change to what is decided now and write it; in a dry run only
        apply it.

        With `design`, `design.yaml` gets the components that blocks need and it
        lacks. Raises `StorageError` when the folder cannot be written and
        `DecisionsError` when another program left a malformed file.
        """
        if self._dry_run:
            self.decision = change(self.decision)
            return
        with writing(self._project):
            decision = change(self._current())
            replace_decision(self._project, decision)
            if design:
                self._complete_design(decision)
            self.decision = decision
            self._seen = _state(self._path)

    def _current(self) -> BlocksDecision:
        if _state(self._path) == self._seen:
            return self.decision
        return decision_in(self._project, BlocksDecision) or self.decision

    def _complete_design(self, decision: BlocksDecision) -> None:
        there = decision_in(self._project, Design)
        if there is not None and (wanted := with_blocks(there, decision)) != there:
            replace_decision(self._project, wanted)


def _state(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is replaced or written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class Review:
    """The choices about fields and single bodies while a person works on them."""

    def __init__(
        self,
        file: BlocksFile,
        design: Design,
        slugs: Callable[[BodyKey], str],
    ) -> None:
        self.reviewer = ""
        self._file = file
        self._names = block_names(design)
        self._roles: set[BlockRole] = {block.role for block in design.blocks}
        self._slugs = slugs
        self._steps: list[_Step] = []
        self._signed = file.decision
        """The decision as it was accepted last, as far as this session knows."""

    @classmethod
    def open(
        cls,
        project: Project,
        design: Design,
        decision: BlocksDecision,
        *,
        dry_run: bool = False,
        slugs: Mapping[BodyKey, str] | Callable[[BodyKey], str] | None = None,
    ) -> Review:
        """Return the review of what `decision` says; writes nothing yet.

        `design` is the one of `design.yaml`. `slugs` are the items', for readers
        of the file. In a dry run nothing is ever written.
        """
        found = slugs if slugs is not None else {}
        called = found if callable(found) else lambda key: found.get(key, "")
        return cls(BlocksFile(project, decision, dry_run=dry_run), design, called)

    @property
    def decision(self) -> BlocksDecision:
        """Return the decision as it is now."""
        return self._file.decision

    def choice(self, collection_id: str, field: str) -> BodyChoice:
        """Return how a field's bodies are stored; one rich text unless decided."""
        found = self.decision.choice(collection_id, field)
        return found or BodyChoice(collection_id, collection_id, field)

    def choose(
        self, collection_id: str, field: str, mode: BodyMode, heuristics: Heuristics
    ) -> None:
        """Choose how a field's bodies are stored. Its reviews are kept; the file waits
        to be accepted again, unless it decides what was accepted last."""
        before = self.choice(collection_id, field)
        chosen = before.splitting(mode, heuristics)
        if chosen != before:
            self._choose(chosen)
            words = f"chose how bodies in `{field}` are stored"
            self._steps.append(_Step(words, {}, before))

    def sign(self) -> None:
        """Accept the file as a whole, fields and all, as the reviewer: in bulk, where
        any of its bodies was."""
        reviews = self.decision.reviews.values()
        in_bulk = any(each.how == IN_BULK for each in reviews)
        signed = stamp_review(self._named(), IN_BULK if in_bulk else INDIVIDUALLY)
        self._file.change(lambda now: replace(now, reviewed=signed), design=False)

    def facts(self, html: str, document: JsonObject) -> BodyFacts:
        """Return what proposing and deciding needs of a body; pure.

        `html` is the field's value as the origin holds it.
        """
        return body_facts(html, outline_of(document, self._names))

    def status(self, key: BodyKey, facts: BodyFacts) -> ReviewStatus:
        """Return the state of a body's review."""
        choice = self.choice(key.collection_id, key.field)
        if choice.mode is not BodyMode.BLOCKS:
            return review_status(None, facts, Heuristics())
        return review_status(self.decision.reviews.get(key), facts, choice.heuristics)

    def accept(self, key: BodyKey, facts: BodyFacts) -> None:
        """Accept a body's blocks as they are now."""
        for _ in self.accepting([(key, facts)], INDIVIDUALLY):
            pass

    def accept_all(self, bodies: Sequence[tuple[BodyKey, BodyFacts]]) -> int:
        """Accept the blocks of all these bodies that are left; return how many."""
        return max(self.accepting(bodies), default=0)

    def accepting(
        self, bodies: Iterable[tuple[BodyKey, BodyFacts]], how: str = IN_BULK
    ) -> Iterator[int]:
        """Do what `accept_all` does, and pause after each body with their count.

        All of it is written at the end, in one step; nothing if it is left before.
        """
        signed = stamp_review(self._named(), how)
        accepted: dict[BodyKey, BodyReview] = {}
        for key, facts in bodies:
            found = self.status(key, facts)
            if found.state in _LEFT:
                made = self._review(key, facts, found.blocks, signed)
                # Made now, and kept: the file is put together at the end.
                _ = made.text
                accepted[key] = made
            yield len(accepted)
        if accepted:
            noun = noun_for(len(accepted), "body", "bodies")
            self._put(accepted, f"accepted {len(accepted)} {noun}")

    def merge(self, key: BodyKey, facts: BodyFacts, index: int) -> None:
        """Join a block with the one after it."""
        blocks = merged(self._blocks(key, facts), index)
        self._edit(key, facts, blocks, "merged two blocks")

    def split(self, key: BodyKey, facts: BodyFacts, index: int, at: int) -> None:
        """Cut a block before its node `at`, counted from 0 inside of it."""
        blocks = split(self._blocks(key, facts), index, at)
        self._edit(key, facts, blocks, "split a block")

    def retype(
        self, key: BodyKey, facts: BodyFacts, index: int, kind: BlockKind
    ) -> None:
        """Make a block one of another kind."""
        blocks = retyped(self._blocks(key, facts), index, kind, facts.outline)
        self._edit(key, facts, blocks, f"made a block of kind {kind}")

    def reject(self, key: BodyKey, facts: BodyFacts, index: int) -> None:
        """Dissolve a block into the text around it."""
        heuristics = self.choice(key.collection_id, key.field).heuristics
        blocks = self._blocks(key, facts)
        blocks = rejected(blocks, index, facts.outline, heuristics)
        self._edit(key, facts, blocks, "took a block back into the text")

    def reset(self, key: BodyKey, facts: BodyFacts) -> None:
        """Forget what was decided about a body: it is as proposed again."""
        if key in self.decision.reviews:
            self._put({key: None}, "reset a body")

    def undo(self) -> tuple[BodyKey, ...]:
        """Undo what was done last in this session; return the bodies that
        changed, none when it was about a field or nothing is left."""
        if not self._steps:
            return ()
        step = self._steps[-1]
        if step.choice is not None:
            self._choose(step.choice)
        else:
            self._write(step.reviews)
        self._steps.pop()
        return tuple(step.reviews)

    @property
    def undoable(self) -> str:
        """Return what `undo` would undo, or empty."""
        return self._steps[-1].words if self._steps else ""

    def _blocks(self, key: BodyKey, facts: BodyFacts) -> Blocks:
        if self.choice(key.collection_id, key.field).mode is not BodyMode.BLOCKS:
            raise UsageError(
                f"The bodies in `{key.field}` stay one rich text each; choose blocks "
                "for the field first."
            )
        return self.status(key, facts).blocks

    def _edit(self, key: BodyKey, facts: BodyFacts, blocks: Blocks, words: str) -> None:
        if blocks != self._blocks(key, facts):
            self._put({key: self._review(key, facts, blocks)}, words)

    def _named(self) -> str:
        by = self.reviewer.strip()
        if not by:
            raise UsageError("Decisions name who took them; enter your name first.")
        return by

    def _review(
        self,
        key: BodyKey,
        facts: BodyFacts,
        blocks: Blocks,
        signed: Reviewed | None = None,
    ) -> BodyReview:
        heuristics = self.choice(key.collection_id, key.field).heuristics
        by, at, how = (signed.by, signed.at, signed.how) if signed else ("", "", "")
        slug = self._slugs(key)
        return review_of(
            key, facts, heuristics, blocks, slug=slug, by=by, at=at, how=how
        )

    def _put(self, reviews: Reviews, words: str) -> None:
        before = {key: self.decision.reviews.get(key) for key in reviews}
        self._write(reviews)
        self._steps.append(_Step(words, before))

    def _write(self, reviews: Reviews) -> None:
        def change(decision: BlocksDecision) -> BlocksDecision:
            new = dict(decision.reviews)
            for key, review in reviews.items():
                if review is None:
                    new.pop(key, None)
                else:
                    new[key] = review
            return replace(decision, reviews=new)

        lacking = self._lacking(reviews)
        self._file.change(change, design=bool(lacking))
        self._roles |= lacking

    def _lacking(self, reviews: Reviews) -> set[BlockRole]:
        """Return the roles that these bodies' blocks need and the design lacks."""
        kinds = {
            block.kind for each in reviews.values() if each for block in each.blocks
        }
        return {ROLES[kind] for kind in kinds} - self._roles

    def _choose(self, chosen: BodyChoice) -> None:
        place = (chosen.collection_id, chosen.field)

        def change(decision: BlocksDecision) -> BlocksDecision:
            bodies = [
                chosen if (each.collection_id, each.field) == place else each
                for each in decision.bodies
            ]
            if chosen not in bodies:
                bodies.append(chosen)
            # Who accepted the file accepted the bodies as they were stored then.
            if decision.reviewed is not None:
                self._signed = decision
            made, signed = replace(decision, bodies=tuple(bodies)), self._signed
            is_signed = decided_value(made) == decided_value(signed)
            return replace(made, reviewed=signed.reviewed if is_signed else None)

        self._file.change(change, design=chosen.mode is BodyMode.BLOCKS)
