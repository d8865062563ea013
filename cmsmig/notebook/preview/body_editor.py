"""The body editor of notebook 03: one body at a time, its losses and blocks."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import BodyFacts, BodyState, ReviewStatus
from cmsmig.notebook.kit.live_controls import button, text
from cmsmig.notebook.kit.live_panel import Heard, Live, LiveBoard
from cmsmig.notebook.kit.slices import in_slices
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.preview.block_cards import Split, card_id
from cmsmig.notebook.preview.body_editor_html import (
    REGIONS,
    actions_html,
    bulk_html,
    frame_html,
    moves_html,
    nothing_html,
    tally_html,
    title_html,
    width_html,
)
from cmsmig.notebook.preview.body_filter import PAGE, BodyFilter
from cmsmig.notebook.preview.preview_html import body_parts, layout_html
from cmsmig.notebook.preview.previews import Previews
from cmsmig.richtext.blocks.outline import BlockKind
from cmsmig.ui.html.safe_html import NOTHING, note, sheet

_ALL = "all"


def body_editor(previews: Previews, first: int | None) -> Element:
    """Return the desk with one body on it."""
    return _BodyEditor(previews, first).element()


class _BodyEditor:
    """Shows a body and handles the editor's controls."""

    def __init__(self, previews: Previews, first: int | None) -> None:
        self._previews = previews
        self._review = previews.review
        self._scanner = previews.scanner
        self._body_index = previews.body_index
        self._filter = BodyFilter(previews.scanner)
        self._filter.renew()
        self._block = 0
        self._shown: int | None = None
        self._said = ""
        self._going_on = False
        """Whether the next body to review is shown as soon as one is known."""
        self._busy = False
        self._wide = False
        """Whether the panes take the whole width."""
        self._board = LiveBoard()
        self._live = Live(
            self._board,
            "Review of rich text bodies",
            frame_html(),
            REGIONS,
            self._heard(),
        )
        if first is None:
            first = next(iter(self._filter.passing), -1)
        self._filter.at = first

    def element(self) -> Element:
        self._show()
        self._previews.watchers["desk"] = lambda: self._board.queue(self._changed)
        self._scanner.watchers["desk"] = lambda: self._board.queue(self._progress)
        self._scanner.start()
        return self._live

    def _heard(self) -> dict[str, Heard]:
        pick = self._filter
        return {
            "review-name": self._name,
            "body-search": lambda value: self._narrow(text=value),
            "body-loss": lambda value: self._narrow(lost=value),
            "body-structure": lambda value: self._narrow(structure=value),
            "body-locale": lambda value: self._narrow(locale=value),
            "body-field": lambda value: self._after(lambda: pick.choose_field(value)),
            "body-state": self._state,
            "body-item": self._item,
            "body-previous": lambda _: self._after(lambda: pick.step(-1)),
            "body-next": lambda _: self._after(lambda: pick.step(1)),
            "body-back": lambda _: self._after(lambda: pick.step(-PAGE)),
            "body-on": lambda _: self._after(lambda: pick.step(PAGE)),
            "body-seen": lambda _: self._tick(),
            "body-wide": lambda _: self._widen(),
            "body-copy": lambda _: self._after(lambda: None, "Copied the document."),
            "body-open": lambda _: self._after(self._go_on),
            "review-accept": lambda _: self._accept(),
            "review-undo": lambda _: self._undo(),
            "review-reset": lambda _: self._edit(self._review.reset),
            "review-bulk": self._bulk,
            "review-all": lambda _: self._bulk(_ALL),
            "block-select": self._select,
            "block-next": lambda _: self._select(str(self._block + 1)),
            "block-previous": lambda _: self._select(str(self._block - 1)),
            "block-merge": self._merge,
            "block-reject": self._reject,
            "block-split": self._split,
            "block-type": self._retype,
        }

    # What people ask for.

    def _name(self, value: str) -> None:
        self._review.reviewer = value.strip()
        self._previews.tell("desk")

    def _narrow(self, **wanted: str) -> None:
        self._after(lambda: self._filter.change(**wanted))

    def _state(self, value: str) -> None:
        self._filter.state = value
        self._after(self._filter.narrow)

    def _item(self, value: str) -> None:
        if value:
            self._filter.at = int(value)
        self._after(lambda: None)

    def _after(self, action: Callable[[], None], said: str = "") -> None:
        """Do something that may bring another body on show."""
        self._said = said
        self._going_on = False
        action()
        self._show()

    def _tick(self) -> None:
        index = self._filter.at
        if index < 0:
            return
        if self._scanner.standing(index).state is not BodyState.NOT_NEEDED:
            self._said = "This body is split: accept its blocks instead."
            self._show()
            return
        seen = not self._scanner.ticked(index)
        self._scanner.tick(index, seen=seen)
        none = seen and not self._filter.next_unseen()
        self._after(
            self._filter.narrow, "Every body in this choice is seen." if none else ""
        )

    def _widen(self) -> None:
        self._wide = not self._wide
        self._show()

    def _go_on(self) -> None:
        if not self._filter.next_unreviewed():
            self._said = self._nothing_left()

    def _nothing_left(self) -> str:
        """Say so; while bodies are still looked through, go on with the next found."""
        tally = self._scanner.tally()
        self._going_on = not tally.complete
        if self._going_on:
            return (
                f"Nothing to review among the {tally.seen:,} bodies looked through so "
                "far; the next one found is shown."
            )
        return "Nothing is left to review."

    def _accept(self) -> None:
        index = self._filter.at
        if index < 0:
            return
        standing = self._scanner.standing(index)
        if standing.state is BodyState.NOT_NEEDED:
            self._said = "This body stays in one piece and needs no review."
        elif standing.state is BodyState.REVIEWED:
            self._said = "This body is reviewed already."
        else:
            self._review.accept(self._body_index.key(index), self._facts(index))
            self._scanner.standing(index)
            self._said = f"Accepted: {self._body_index.bodies[index].title}."
        self._previews.tell("desk")
        if not self._filter.next_unreviewed():
            self._said = f"{self._said} {self._nothing_left()}".strip()
        self._show()

    async def _bulk(self, value: str) -> None:
        if self._busy:
            return
        self._busy = True
        try:
            await self._accept_many(value)
        finally:
            self._busy = False

    async def _accept_many(self, value: str) -> None:
        kind = None if value == _ALL else BlockKind(value.partition("=")[2])
        waiting = list(self._scanner.unreviewed(kind))
        bodies = [
            (self._body_index.key(index), self._facts(index)) for index in waiting
        ]
        count = 0
        async for accepted in in_slices(self._review.accepting(bodies)):
            count = accepted
        self._said = f"{count:,} bodies accepted in bulk."
        if not self._scanner.tally().complete:
            self._said += " Bodies that are not looked through yet are not among them."
        self._scanner.forget(waiting)
        self._previews.tell("desk")
        self._show()

    def _undo(self) -> None:
        self._going_on = False
        taken = self._review.undoable
        indexes = self._scanner.indexes(self._review.undo())
        self._scanner.forget(indexes or None)
        self._said = f"Taken back: {taken}." if taken else "There is nothing to undo."
        if len(indexes) == 1:
            self._filter.at = indexes[0]
        self._previews.tell("desk")
        self._show()

    def _edit(self, action: Callable[..., None], *arguments: object) -> None:
        """Change the blocks of the body on show, and show what they are now."""
        index = self._filter.at
        if index < 0:
            raise UsageError("No body is on show.")
        self._said = ""
        self._going_on = False
        action(self._body_index.key(index), self._facts(index), *arguments)
        self._scanner.standing(index)
        self._previews.tell("desk")
        self._show()

    def _select(self, value: str) -> None:
        self._going_on = False
        before, self._block = self._block, int(value)
        self._show(focus=self._bounded() != before)

    def _merge(self, value: str) -> None:
        self._block = int(value)
        self._edit(self._review.merge, self._block)

    def _reject(self, value: str) -> None:
        index = int(value)
        self._block = max(index - 1, 0)
        self._edit(self._review.reject, index)

    def _split(self, value: str) -> None:
        row, _, at = value.partition("=")
        self._block = int(row)
        self._edit(self._review.split, self._block, int(at))

    def _retype(self, value: str) -> None:
        row, _, kind = value.partition("=")
        self._block = int(row)
        self._edit(self._review.retype, self._block, BlockKind(kind))

    def _facts(self, index: int) -> BodyFacts:
        return self._body_index.digest(index).facts

    # What is shown.

    def _changed(self) -> None:
        """Show everything again, after a choice elsewhere changed it."""
        self._show()

    def _progress(self) -> None:
        """Show what looking through the bodies has brought so far."""
        self._filter.renew()
        if self._going_on and self._filter.next_unreviewed():
            self._after(lambda: None)
        elif self._filter.at < 0 and self._filter.passing:
            self._show()
        else:
            self._live.show(self._surroundings(), calm=True)

    def _show(self, *, focus: bool = False) -> None:
        index = self._filter.at
        if index != self._shown:
            self._block = 0
        self._shown = index
        self._live.show(
            self._body(index) if index >= 0 else nothing_html(),
            focus=card_id(self._block) if focus else "",
        )
        # After the body, whose state is known only now.
        self._filter.renew()
        self._live.show(self._surroundings())

    def _body(self, index: int) -> dict[str, Markup]:
        standing = self._scanner.standing(index)
        split, moves = None, NOTHING
        if standing.state is not BodyState.NOT_NEEDED:
            self._block = self._bounded(standing)
            document = self._body_index.converted(index).document
            split = Split(document, self._facts(index).outline, standing.blocks, index)
            moves = moves_html(len(split.blocks))
        parts = body_parts(
            self._body_index,
            index,
            self._previews.pictures,
            split=split,
            current=None if split is None else self._block,
        )
        return {
            "title": title_html(parts.title, parts.place, standing),
            "layout": layout_html(paired=split is None, wide=self._wide),
            "width": width_html(paired=split is None, wide=self._wide),
            "origin": parts.origin,
            "moves": moves,
            "target": parts.target or NOTHING,
            "copy": button("body-copy", "Copy JSON", copies=parts.json),
            "document": parts.document,
            "losses": sheet(parts.losses),
        }

    def _bounded(self, standing: ReviewStatus | None = None) -> int:
        if standing is None:
            if self._filter.at < 0:
                return 0
            standing = self._scanner.standing(self._filter.at)
        self._block = min(max(self._block, 0), max(len(standing.blocks) - 1, 0))
        return self._block

    def _surroundings(self) -> dict[str, Markup]:
        """Return everything but the body."""
        tally = self._scanner.tally()
        state = self._scanner.state(self._filter.at) if self._filter.at >= 0 else None
        return {
            "tally": tally_html(tally),
            "name": text(
                "review-name",
                "Reviewed by",
                self._review.reviewer,
                hint="your name",
            ),
            "search": self._filter.typed(),
            "filters": self._filter.filters(),
            "item": self._filter.listed(),
            "steps": self._filter.steps(),
            "actions": actions_html(
                state,
                self._review.undoable,
                ticked=self._scanner.ticked(self._filter.at),
            ),
            "said": sheet(note(self._said, "good")) if self._said else NOTHING,
            "bulk": bulk_html(self._scanner.kinds(), tally.left),
        }
