"""Notebook 07: the checklist, which follows what is read back."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.evidence.report import checklist_doc
from cmsmig.notebook.handover import Handover
from cmsmig.ui.controls import bar
from cmsmig.ui.html.safe_html import doc_sheet
from cmsmig.ui.view import View, action


class ChecklistView(View):
    """The lines of the checklist."""

    prefix = "checklist"
    label = "Checklist before the DNS switch"

    def __init__(self, handover: Handover) -> None:
        super().__init__()
        self._handover = handover
        self._checks = handover.checks()
        handover.on_checked(self.renew)

    def renew(self) -> None:
        """Show the lines as they are now."""
        self._checks = self._handover.checks()
        self.show(calm=True)

    @action("again", "Look again")
    def again(self, _: str) -> None:
        """Look at everything again."""
        self.renew()

    def html(self, *, live: bool) -> Markup:
        """Return the lines; live, with what looks at them again."""
        lines = doc_sheet(*checklist_doc(self._checks))
        if not live:
            return lines
        return self.panel(again=bar(self.act("again")), checklist=lines)
