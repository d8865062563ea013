"""The button of notebook 03 that accepts blocks and embeds."""

from __future__ import annotations

from cmsmig.notebook.kit.widgets import Board, Element, Html, column, row
from cmsmig.notebook.preview.previews import Previews, accept_both, state_told
from cmsmig.ui.html.safe_html import note, sheet


def accept_board(previews: Previews) -> Element:
    """Return the button that accepts blocks and embeds, and who does."""
    board, stands = Board(), Html()
    name = board.text(
        "bodies-reviewer", "Reviewed by", previews.review.reviewer, hint="your name"
    )

    def show() -> None:
        left = previews.scanner.tally().left
        stands.show(sheet(note(state_told(previews), "warning" if left else "")))

    def renew() -> None:
        name.value = previews.review.reviewer or name.value
        show()

    def take() -> None:
        said = accept_both(previews, name.value)
        stands.show(sheet(note(said, "good")))
        previews.tell("accept")

    button = board.button(
        "bodies-accept", "Accept blocks and embeds", take, look="success"
    )
    show()
    previews.watchers["accept"] = lambda: board.queue(renew)
    previews.scanner.watchers["accept"] = lambda: board.queue(show)
    return column(stands, row(name, button), board.messages)
