"""The last cell of notebook 03: who accepted blocks and embeds, and its button."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.notebook.kit.decision_files import describe_review, save
from cmsmig.notebook.preview.previews import Previews
from cmsmig.ui.controls import bar, text
from cmsmig.ui.html.safe_html import note, sheet
from cmsmig.ui.view import View, action


class AcceptView(View):
    """What is accepted and what is left, a name, and the button."""

    prefix = "bodies"
    label = "Who accepted blocks and embeds"

    def __init__(self, previews: Previews) -> None:
        super().__init__()
        self._previews = previews

    def opened(self) -> None:
        """Follow the choices and the scan."""
        self._previews.follow("accept", self)

    @action("reviewer")
    def name_reviewer(self, value: str) -> None:
        """Take the name that decisions are signed with."""
        self._previews.review.reviewer = value.strip()

    @action("accept", "Accept blocks and embeds", main=True)
    def accept(self, _: str) -> None:
        """Write both decisions as accepted by the reviewer.

        Raises `UsageError` without a name.
        """
        previews = self._previews
        previews.check()
        previews.review.sign()
        previews.embeds = save(
            previews.workspace, previews.embeds, previews.review.reviewer
        )
        said = "Written to decisions/blocks.yaml and decisions/embeds.yaml."
        if previews.workspace.dry_run:
            said = "Dry run: blocks.yaml and embeds.yaml would be written now."
        self.say(said, "good")
        self.show()
        previews.tell("accept")

    def html(self, *, live: bool) -> Markup:
        """Return what is accepted; live, with the name and the button."""
        state = acceptance_text(self._previews)
        if not live:
            return sheet(note(state, "good"))
        left = self._previews.scanner.tally().left
        decisions = (self._previews.blocks, self._previews.embeds)
        if not left and all(each.reviewed for each in decisions):
            return self.panel(accepted=sheet(note(state, "good")))
        reviewer = self._previews.review.reviewer
        name = text(self.named("reviewer"), "Reviewed by", reviewer, hint="your name")
        return self.panel(
            accepted=sheet(note(state, "warning" if left else "")),
            accept=bar(name, self.act("accept")),
        )


def acceptance_text(previews: Previews) -> str:
    """Return who accepted blocks and embeds, and what is left, as sentences."""
    folder = previews.workspace.project.decisions
    said = []
    for title, each in (("Blocks", previews.blocks), ("Embeds", previews.embeds)):
        state = describe_review(each.reviewed)
        if each.reviewed is None and (folder / FILE_NAMES[type(each)]).exists():
            state = "Chosen and written; no one has accepted the file as a whole yet."
        said.append(f"{title}: {state}")
    if left := previews.scanner.tally().left:
        said.append(f"{left:,} split bodies still await their review above.")
    return " ".join(said)
