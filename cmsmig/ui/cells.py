"""What cells of lists hold besides text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "ui/cells.html")


@dataclass(frozen=True, slots=True)
class Copied:
    """A text that a button copies; without controls it is shown."""

    text: str
    about: str
    """What it is."""

    def button(self) -> Markup:
        """Return the button."""
        return _made("copied", text=self.text, about=self.about)


def day(text: str, moment: str) -> Markup:
    """Return a day; the moment itself shows when it is pointed at."""
    return _made("day", text=text, moment=moment)
