"""What bodies lose, one by one: a list that is searched, sorted and saved."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.notebook.kit.finding_table import FindingTable, FindingWords
from cmsmig.notebook.preview.preview_html import bodies_html
from cmsmig.notebook.preview.previews import Previews
from cmsmig.ui.relation import Nouns

LOSSES = Nouns("loss", "losses", "No body loses anything.")
_WORDS = FindingWords(
    prefix="losses",
    title="What bodies lose, one by one",
    nouns=LOSSES,
    not_yet="No loss is found so far.",
    left_out="Bodies that are not looked through yet are left out.",
)


class LossTable(FindingTable):
    """The counts of bodies and the list of losses, which follow the choices."""

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        super().__init__(_WORDS, previews.workspace.list_source(previews.losses))

    @property
    def complete(self) -> bool:
        """Return whether all bodies were looked through."""
        return self._previews.scanner.tally().complete

    def above(self) -> Markup:
        """Return how many bodies each field has."""
        return bodies_html(self._previews.body_index, self._previews.blocks)

    def opened(self) -> None:
        """Follow the choices, and look through the bodies."""
        for each in (self._previews.watchers, self._previews.scanner.watchers):
            each["bodies"] = lambda: self.queue.start(self.renew)
        self._previews.scanner.start()
