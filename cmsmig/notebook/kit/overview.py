"""How every notebook opens: where the migration is, and the button of the next step."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.errors import CmsmigError
from cmsmig.evidence.project_state import REPORT, VERIFY, NextStep, read_state
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.notebook.kit.project_news import CONFLICTS, DECISIONS, LEDGER, RAW, RUNS
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.ui.controls import bar, button
from cmsmig.ui.html.safe_html import facts, folded, note, paragraph, sheet
from cmsmig.ui.view import View

_SETTINGS = "Where this notebook works"


class Overview(View):
    """The state of the project in a sentence, and one button."""

    prefix = "overview"
    label = "Where the migration is"

    def __init__(self, workspace: Workspace, notebook: str) -> None:
        super().__init__()
        self._workspace, self._notebook = workspace, notebook
        self._files = {
            f"{each.number:02}": each.path.name
            for each in find_notebooks(notebooks_folder())
        }
        self._read()
        workspace.news.follow(
            self.prefix, self.renew, RAW, DECISIONS, LEDGER, RUNS, CONFLICTS
        )

    def renew(self) -> None:
        """Show where the migration is now."""
        self._read()
        self.show(calm=True)

    def _read(self) -> None:
        news = self._workspace.news
        self._wrong, self._step = "", None
        try:
            found = news.conflicts, news.is_planned
            state = read_state(self._workspace.project, *found)
        except CmsmigError as error:
            self._sentence, self._wrong = "", str(error)
            return
        self._sentence, self._step = state.sentence, state.next_step
        if self._step == VERIFY and news.is_verified:
            self._step = None if news.is_reported else REPORT

    def html(self, *, live: bool) -> Markup:
        """Return the sentence, the button, and the settings, folded."""
        said = note(self._wrong, "bad") if self._wrong else paragraph(self._sentence)
        settings = folded(_SETTINGS, facts(self._workspace.facts()))
        if not live:
            next_step = [paragraph(f"Next: {self._label}.")] if self._step else []
            return sheet(said, *next_step, settings)
        buttons = [self._button(self._step)] if self._step else []
        return self.panel(
            state=sheet(said), next=bar(*buttons), settings=sheet(settings)
        )

    def _button(self, step: NextStep) -> Markup:
        is_here = step.notebook == self._notebook
        goes = f"panel {step.panel}" if is_here else ""
        goes = goes or f"notebook {self._files[step.notebook]}"
        name = self.named("next")
        return button(name, self._label, main=True, goes=goes)

    @property
    def _label(self) -> str:
        assert self._step is not None
        if self._step.notebook == self._notebook:
            return self._step.label
        return f"Go on to {self._step.notebook}: {self._step.label}"
