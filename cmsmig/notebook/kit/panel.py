"""The value that a cell ends with: controls for a person, plain HTML unattended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from cmsmig.printable import printable, printable_lines
from cmsmig.ui.html.safe_html import Cell, facts, sheet, untypeset

if TYPE_CHECKING:
    from cmsmig.ui.live import Element


@dataclass(frozen=True, slots=True)
class Panel:
    """The value of a cell: controls before a person, else plain safe HTML.

    Make it with `Workspace.panel`, which knows whether a person is there.
    """

    static: Markup | Callable[[], Markup]
    """What an unattended run leaves in the output notebook; a function is called
    only when it is shown."""
    widget: Callable[[], Element] | None = None
    """Makes the controls; None where nobody could use them, and then no widget
    is made at all."""
    text: str = ""
    """The same in one line, for where there is no HTML."""

    def html(self) -> Markup:
        """Return the static form."""
        return self.static if isinstance(self.static, Markup) else self.static()

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object]:
        if self.widget is not None:
            return self.widget().bundle()
        plain = self.text or "A table or picture that needs HTML to be seen."
        return bundle(self.html(), plain)


def bundle(html: Markup, text: str) -> dict[str, object]:
    """Return what a front end shows a value with: every output of ours but widgets.

    The HTML is not typeset, and the text holds nothing that acts on a terminal.
    """
    return {"text/html": str(untypeset(html)), "text/plain": printable_lines(text)}


def facts_bundle(rows: Sequence[tuple[str, Cell]]) -> dict[str, object]:
    """Return what a front end shows names and values with, a line each."""
    lines = [f"{name}: {printable(str(value))}" for name, value in rows]
    return bundle(sheet(facts(rows)), "\n".join(lines))
