"""The desk of notebook 03: one body after the other, its losses, its blocks."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from cmsmig.display.safe_html import note, sheet
from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.body_reviews import BodyFacts
from cmsmig.mapping.decisions.review_validity import BodyState, Standing
from cmsmig.notebook.kit.live_controls import text
from cmsmig.notebook.kit.live_panel import Heard, Live, LiveBoard
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.preview.block_cards import Split, card_id, cards_html
from cmsmig.notebook.preview.body_editor_html import (
    REGIONS,
    actions_html,
    bulk_html,
    frame_html,
    moves_html,
    nothing_html,
    tally_html,
    title_html,
)
from cmsmig.notebook.preview.body_filter import PAGE, Pick
from cmsmig.notebook.preview.body_scan import in_slices
from cmsmig.notebook.preview.preview_html import body_parts
from cmsmig.notebook.preview.previews import Previews
from cmsmig.richtext.blocks.outline import BlockKind

_ALL = "all"


def preview_desk(previews: Previews, first: int | None) -> Element:
    """Return the desk with one body on it."""
    return _Desk(previews, first).element()


class _Desk:
    """Shows a body, and does with it what is asked for."""

    def __init__(self, previews: Previews, first: int | None) -> None:
        self._previews = previews
        self._review = previews.review
        self._looking = previews.looking
        self._shelf = previews.shelf
        self._pick = Pick(previews.looking)
        self._pick.renew()
        self._block = 0
        self._shown: int | None = None
        self._said = ""
        self._busy = False
        self._board = LiveBoard()
        self._live = Live(
            self._board,
            "Review of rich text bodies",
            frame_html(),
            REGIONS,
            self._heard(),
        )
        if first is None:
            first = next(iter(self._pick.passing), -1)
        self._pick.at = first

    def element(self) -> Element:
        self._show()
        self._previews.watchers["desk"] = lambda: self._board.queue(self._changed)
        self._looking.watchers["desk"] = lambda: self._board.queue(self._progress)
        self._looking.start()
        return self._live

    def _heard(self) -> dict[str, Heard]:
        pick = self._pick
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
        self._after(lambda: self._pick.change(**wanted))

    def _state(self, value: str) -> None:
        self._pick.state = value
        self._after(self._pick.narrow)

    def _item(self, value: str) -> None:
        if value:
            self._pick.at = int(value)
        self._after(lambda: None)

    def _after(self, action: Callable[[], None]) -> None:
        """Do something that may bring another body on show."""
        self._said = ""
        action()
        self._show()

    def _go_on(self) -> None:
        if not self._pick.next_unreviewed():
            self._said = self._nothing_left()

    def _nothing_left(self) -> str:
        tally = self._looking.tally()
        if not tally.complete:
            return (
                f"Nothing to review among the {tally.seen:,} bodies looked through so "
                "far."
            )
        return "Nothing is left to review."

    def _accept(self) -> None:
        index = self._pick.at
        if index < 0:
            return
        standing = self._looking.standing(index)
        if standing.state is BodyState.NOT_NEEDED:
            self._said = "This body stays in one piece and needs no review."
        elif standing.state is BodyState.REVIEWED:
            self._said = "This body is reviewed already."
        else:
            self._review.accept(self._shelf.key(index), self._facts(index))
            self._looking.standing(index)
            self._said = f"Accepted: {self._shelf.bodies[index].title}."
        self._previews.tell("desk")
        if not self._pick.next_unreviewed():
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
        waiting = list(self._looking.unreviewed(kind))
        bodies = [(self._shelf.key(index), self._facts(index)) for index in waiting]
        count = 0
        async for accepted in in_slices(self._review.accepting(bodies)):
            count = accepted
        self._said = f"{count:,} bodies accepted in bulk."
        if not self._looking.tally().complete:
            self._said += " Bodies that are not looked through yet are not among them."
        self._looking.forget(waiting)
        self._previews.tell("desk")
        self._show()

    def _undo(self) -> None:
        taken = self._review.undoable
        indexes = self._looking.indexes(self._review.undo())
        self._looking.forget(indexes or None)
        self._said = f"Taken back: {taken}." if taken else "There is nothing to undo."
        if len(indexes) == 1:
            self._pick.at = indexes[0]
        self._previews.tell("desk")
        self._show()

    def _edit(self, action: Callable[..., None], *arguments: object) -> None:
        """Change the blocks of the body on show, and show what they are now."""
        index = self._pick.at
        if index < 0:
            raise UsageError("No body is on show.")
        self._said = ""
        action(self._shelf.key(index), self._facts(index), *arguments)
        self._looking.standing(index)
        self._previews.tell("desk")
        self._show()

    def _select(self, value: str) -> None:
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
        return self._shelf.digest(index).facts

    # What is shown.

    def _changed(self) -> None:
        """Show everything again, after a choice elsewhere changed it."""
        self._show()

    def _progress(self) -> None:
        """Show what looking through the bodies has brought so far."""
        self._pick.renew()
        if self._pick.at < 0 and self._pick.passing:
            self._show()
        else:
            self._live.show(self._surroundings(), calm=True)

    def _show(self, *, focus: bool = False) -> None:
        index = self._pick.at
        if index != self._shown:
            self._block = 0
        self._shown = index
        self._live.show(
            self._body(index) if index >= 0 else nothing_html(),
            focus=card_id(self._block) if focus else "",
        )
        # After the body, whose state is known only now.
        self._pick.renew()
        self._live.show(self._surroundings())

    def _body(self, index: int) -> dict[str, Markup]:
        standing = self._looking.standing(index)
        cards, moves = None, Markup("")
        if standing.state is not BodyState.NOT_NEEDED:
            self._block = self._bounded(standing)
            document = self._shelf.converted(index).document
            split = Split(document, self._facts(index).outline, standing.blocks, index)
            moves = moves_html(len(split.blocks))
            cards = cards_html(split, self._block)
        parts = body_parts(self._shelf, index, cards=cards)
        return {
            "title": title_html(parts.title, parts.place, standing),
            "origin": parts.origin,
            "moves": moves,
            "target": parts.target,
            "document": sheet(parts.document),
            "losses": sheet(parts.losses),
        }

    def _bounded(self, standing: Standing | None = None) -> int:
        if standing is None:
            if self._pick.at < 0:
                return 0
            standing = self._looking.standing(self._pick.at)
        self._block = min(max(self._block, 0), max(len(standing.blocks) - 1, 0))
        return self._block

    def _surroundings(self) -> dict[str, Markup]:
        """Return everything but the body."""
        tally = self._looking.tally()
        state = self._looking.state(self._pick.at) if self._pick.at >= 0 else None
        return {
            "tally": tally_html(tally),
            "name": text(
                "review-name",
                "Reviewed by",
                self._review.reviewer,
                hint="your name",
            ),
            "search": self._pick.typed(),
            "filters": self._pick.filters(),
            "item": self._pick.listed(),
            "steps": self._pick.steps(),
            "actions": actions_html(state, self._review.undoable),
            "said": sheet(note(self._said, "good")) if self._said else Markup(""),
            "bulk": bulk_html(self._looking.kinds(), tally.left),
        }
