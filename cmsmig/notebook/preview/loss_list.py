"""What bodies lose, one by one: a list that is searched, sorted and saved."""

from __future__ import annotations

from cmsmig.evidence.decided import site_address
from cmsmig.notebook.kit.finding_panel import (
    FindingPanel,
    FindingSources,
    FindingWords,
)
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.preview.preview_html import bodies_html
from cmsmig.notebook.preview.previews import Previews

_WORDS = FindingWords(
    prefix="losses",
    title="What bodies lose, one by one",
    one="loss",
    many="losses",
    none="No body loses anything.",
    not_yet="No loss is found so far.",
    left_out="Bodies that are not looked through yet are left out.",
)


def bodies_board(previews: Previews) -> Element:
    """Return the counts of bodies and the list of losses, which follow the choices."""
    scanner, workspace = previews.scanner, previews.workspace
    panel = FindingPanel(
        _WORDS,
        FindingSources(
            rows=previews.losses,
            folder=workspace.project.root / "lists",
            file="losses",
            dry_run=workspace.dry_run,
            is_complete=lambda: scanner.tally().complete,
            site=site_address(previews.origin.site),
            above=lambda: bodies_html(previews.body_index, previews.blocks),
        ),
    )
    panel.show()
    for each in (previews.watchers, scanner.watchers):
        each["bodies"] = lambda: panel.board.queue(panel.renew)
    scanner.start()
    return panel.live
