"""New options for a drop-down that is on show."""

from __future__ import annotations

from collections.abc import Sequence

from cmsmig.notebook.ui import Choice


def offer(choice: Choice, options: Sequence[tuple[str, str]], value: str) -> None:
    """Replace a choice's options, (label, value) each, and choose one.

    In two steps: held together, the value is checked against the old options.
    """
    choice._handle.options = tuple(options)
    choice._handle.value = value
