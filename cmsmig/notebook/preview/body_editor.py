"""The body editor of notebook 03: one body at a time, its losses and blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import BodyFacts, BodyState
from cmsmig.notebook.preview.block_cards import BLOCK_FORM, KINDS, card_id
from cmsmig.notebook.preview.body_editor_html import (
    actions_html,
    bulk_html,
    moves_html,
    status_text,
    tally_html,
)
from cmsmig.notebook.preview.body_panes import body_panes, losses_html
from cmsmig.notebook.preview.previews import Previews
from cmsmig.richtext.blocks.block_runs import Block, Blocks, runs_of
from cmsmig.richtext.blocks.outline import BlockKind, kinds_of
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.controls import text
from cmsmig.ui.form import FormView, Options
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, sheet
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.table import Place, TableView
from cmsmig.ui.view import action

_ALL = "all"
_made = partial(fragment, "notebook/preview/body_editor.html")


class BodyEditor(TableView):
    """The list of bodies, and the open one with what reviews it."""

    prefix = "body"
    label = "Review of rich text bodies"
    opens = True
    says_last = True  # a message above the buttons would move them under the mouse

    def __init__(self, previews: Previews, first: int | None) -> None:
        self._bodies = previews.scanner.rows
        super().__init__(previews.workspace.list_source(self._bodies))
        self._previews = previews
        self._review = previews.review
        self._scanner = previews.scanner
        self._body_index = previews.body_index
        self._first_card = 0
        self._form = self.part(
            FormView(BLOCK_FORM, self._block, self._change_kind, self._kinds)
        )
        self._going_on = False
        """Whether the next body to review is shown as soon as one is known."""
        self._accepting = False
        self._wide = False
        """Whether the document is hidden."""
        self._detail = NOTHING
        """The open body as it was shown last."""
        self.at = self._first(Query()) if first is None else _open(Query(), first)

    def opened(self) -> None:
        """Scan the bodies, and follow the choices of other panels."""
        self._previews.watchers["editor"] = lambda: self.queue.start(self.show)
        self._scanner.watchers["editor"] = lambda: self.queue.start(self._progress)
        self._scanner.start()

    # What people ask for.

    def narrow(self, query: Query) -> None:
        """Show the first body of another query; the open one stays if it passes."""
        self._going_on = False
        found = self._bodies.passing(query)
        is_open = self.at.opened and int(self.at.key) in found
        self.go(_open(query, int(self.at.key)) if is_open else self._first(query))

    def go(self, place: Place, *, moves_focus: bool = True) -> None:
        """Show a place."""
        self._first_card = self._first_card if place.key == self.at.key else 0
        self._going_on = False
        super().go(place, moves_focus=moves_focus)

    @action("review-name")
    def name_reviewer(self, value: str) -> None:
        """Name who reviews."""
        self._review.reviewer = value.strip()
        self._previews.tell("editor")

    @action("seen", key="v")
    def tick(self, _: str) -> None:
        """Tick a body that needs no review as seen, or take the tick back."""
        index = self._index
        if index < 0:
            return
        if self._scanner.status(index).state is not BodyState.NOT_NEEDED:
            self.say("This body is split: accept its blocks instead.")
            return
        seen = not self._scanner.ticked(index)
        self._scanner.tick(index, seen=seen)
        unseen = self._bodies.passing(EVERYTHING.having("state", "not seen"))
        among = {*unseen}.intersection(self._bodies.passing(self.at.query))
        if not seen:
            self.show()
        elif not self._open_next(sorted(among)):
            self.narrow(self.at.query)
            self.say("Every body in this choice is seen.", "good")

    @action("wide", key="w")
    def widen(self, _: str) -> None:
        """Hide the document, or show it."""
        self._wide = not self._wide
        self.show()

    @action("review", "Next to review", key="o")
    def next_to_review(self, _: str) -> None:
        """Show the next body that awaits a review."""
        if not self._open_unreviewed():
            self._say_nothing_left("")

    @action("review-accept", "Accept and go on", key="a")
    def accept(self, _: str) -> None:
        """Accept a body's blocks and show the next one."""
        index = self._index
        if index < 0:
            return
        status = self._scanner.status(index)
        if status.state is BodyState.NOT_NEEDED:
            said = "This body stays in one piece and needs no review."
        elif status.state is BodyState.REVIEWED:
            said = "This body is reviewed already."
        else:
            self._review.accept(self._body_index.keys[index], self._facts(index))
            self._previews.accepted.keep(index)
            self._scanner.status(index)
            said = f"Accepted: {self._body_index.bodies[index].title}."
        self._previews.tell("editor")
        if self._open_unreviewed():
            self.say(said, "good")
        else:
            self._say_nothing_left(said)

    @action("review-bulk")
    async def accept_kind(self, value: str) -> None:
        """Accept the chosen bodies as they are proposed."""
        await self._accept_many(BlockKind(value.partition("=")[2]))

    @action("review-all")
    async def accept_all(self, _: str) -> None:
        """Accept every body that is left."""
        await self._accept_many(None)

    @action("review-undo", "Undo", key="u")
    def undo(self, _: str) -> None:
        """Undo the last decision or change."""
        taken = self._review.undoable
        indexes = self._scanner.indexes(self._review.undo())
        self._scanner.forget(indexes or None)
        self._previews.tell("editor")
        if len(indexes) == 1:
            self.go(_open(self.at.query, indexes[0]))
        self.say(f"Undone: {taken}." if taken else "There is nothing to undo.", "good")
        self.show()

    @action("review-reset", "Back to the proposal")
    def reset(self, _: str) -> None:
        """Give a body the proposed blocks again."""
        self._edit(self._review.reset)

    @action("block-turn")
    def turn_cards(self, first: str) -> None:
        """Show the page of blocks that begins with one."""
        self._first_card = int(first)
        self.show()

    @action("block-merge")
    def merge(self, value: str) -> None:
        """Merge a block with the next one."""
        self._edit(self._review.merge, int(value))

    @action("block-reject")
    def reject(self, value: str) -> None:
        """Take a block back into the text."""
        self._edit(self._review.reject, int(value))
        self.show(focus=card_id(self._index, max(int(value) - 1, 0)))

    @action("block-split")
    def split(self, value: str) -> None:
        """Split a block at the chosen part."""
        row, _, at = value.partition("=")
        self._edit(self._review.split, int(row), int(at))

    # How it is done.

    @property
    def _index(self) -> int:
        """Return the open body; -1: none."""
        return int(self.at.key) if self.at.opened else -1

    def _first(self, query: Query) -> Place:
        found = next(iter(self._bodies.passing(query)), None)
        return Place(query) if found is None else _open(query, found)

    def _open_next(self, among: list[int]) -> bool:
        """Open the next of some bodies; False: there is none."""
        if not among:
            return False
        after = next((each for each in among if each > self._index), among[0])
        self.go(_open(self.at.query, after), moves_focus=False)
        return True

    def _open_unreviewed(self) -> bool:
        """Open the next body that awaits a person, those that pass first."""
        waiting = list(self._scanner.unreviewed())
        passing = set(self._bodies.passing(self.at.query))
        return self._open_next([each for each in waiting if each in passing] or waiting)

    def _say_nothing_left(self, before: str) -> None:
        """Report that nothing is left; during the scan, show the next one found."""
        tally = self._scanner.tally()
        said = "Nothing is left to review."
        if not tally.complete:
            said = (
                f"Nothing to review among the {tally.seen:,} bodies looked through so "
                "far; the next one found is shown."
            )
        self.say(f"{before} {said}".strip(), "good")
        self.show()
        self._going_on = not tally.complete

    async def _accept_many(self, kind: BlockKind | None) -> None:
        if self._accepting:
            return
        self._accepting = True
        try:
            waiting = list(self._scanner.unreviewed(kind))
            bodies = [(self._body_index.keys[i], self._facts(i)) for i in waiting]
            count = 0
            # The review first: it writes when it is asked for one body more.
            pairs = zip(self._review.accepting(bodies), waiting, strict=False)
            async for accepted, index in in_slices(pairs):
                count = accepted
                self._previews.accepted.keep(index)
        finally:
            self._accepting = False
        said = f"{count:,} bodies accepted in bulk."
        if not self._scanner.tally().complete:
            said += " Bodies that are not looked through yet are not among them."
        self._scanner.forget(waiting)
        self._previews.tell("editor")
        self.say(said, "good")
        self.show()

    def _edit(self, change: Callable[..., None], *arguments: object) -> None:
        """Change the blocks of the open body, and show what they are now."""
        index = self._index
        if index < 0:
            raise UsageError("No body is on show.")
        self._going_on = False
        change(self._body_index.keys[index], self._facts(index), *arguments)
        self._scanner.status(index)
        self._previews.tell("editor")
        self.show()

    def _block(self, row: str) -> Block:
        if int(row) not in range(len(self._blocks)):
            # Pressed twice, before what the first press brought was drawn.
            raise UsageError("This block is gone already.")
        return self._blocks[int(row)]

    @property
    def _blocks(self) -> Blocks:
        return self._scanner.status(self._index).blocks

    def _kinds(self, _: str, row: str) -> Options:
        runs = runs_of(self._facts(self._index).outline, self._blocks)
        return [(KINDS[each], each) for each in kinds_of(runs[int(row)])]

    def _change_kind(self, row: str, block: Block) -> None:
        self._edit(self._review.retype, int(row), block.kind)

    def _facts(self, index: int) -> BodyFacts:
        return self._body_index.digest(index).facts

    # What is shown.

    def _progress(self) -> None:
        """Show what the scan has brought so far; the open body stays."""
        if self._going_on and self._open_unreviewed():
            return
        if not self.at.opened and not self.at.key and not self.history:
            self.at = self._first(self.at.query)
            self.show()
        else:
            self.renew()

    def show(self, *, focus: str = "", calm: bool = False) -> None:
        """Show the state as it is now; a calm update leaves the open body."""
        if not calm:
            self._detail = NOTHING
        super().show(focus=focus, calm=calm)

    def name_of(self, key: str) -> str:
        """Return what a body is called."""
        return self._body_index.bodies[int(key)].title

    def above(self) -> Markup:
        """Return how far the review is."""
        return tally_html(self._scanner.tally())

    def html(self, *, live: bool) -> Markup:
        """Return the open body with its editor, or the list."""
        if not self.at.opened:
            return super().html(live=live)
        # The body first: its state is known only then.
        self._detail = self._detail or self._body(self._index)
        found = self._bodies.passing(self.at.query)
        place = f"{found.index(self._index) + 1:,}" if self._index in found else "none"
        state = self._scanner.state(self._index)
        ticked = self._scanner.ticked(self._index)
        actions = actions_html(self, state, self._review.undoable, ticked)
        return _made(
            "opened",
            view=self,
            position=f"{place} of {len(found):,}",
            actions=actions,
            name=text(
                "review-name", "Reviewed by", self._review.reviewer, hint="your name"
            ),
            detail=self._detail,
            bulk=bulk_html(self._scanner.kinds(), self._scanner.tally().left),
        )

    def _body(self, index: int) -> Markup:
        panes = body_panes(self._previews, index, self._first_card, self._form)
        return _made(
            "body",
            title=panes.title,
            place=panes.place,
            status=status_text(panes.status),
            changed=sheet(panes.changed) if panes.changed else NOTHING,
            losses=sheet(losses_html(panes.losses)),
            moves=moves_html(self, panes, first=self._first_card, wide=self._wide),
            panes=panes.html(wide=self._wide),
        )


def _open(query: Query, index: int) -> Place:
    return Place(query, key=str(index), opened=True)
