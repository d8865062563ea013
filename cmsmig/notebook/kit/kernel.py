"""The kernel this code runs in, if any: the only module that asks IPython."""

from __future__ import annotations

from typing import Any

from cmsmig.errors import CmsmigError
from cmsmig.masking import masking

_HOOK = "_render_traceback_"
"""What IPython calls on an exception instead of drawing a traceback."""


def can_ask() -> bool:
    """Return whether a person sits before the cell that runs now.

    JupyterLab and VS Code send their requests with `allow_stdin`; papermill,
    nbclient and `jupyter execute` do not. False outside of a kernel.
    """
    kernel = getattr(_shell(), "kernel", None)
    return bool(getattr(kernel, "_allow_stdin", False))


def show_errors_as_sentences() -> None:
    """Let a cell that ends in an error of ours show its sentence, no traceback.

    The error's class and message still reach the front end and papermill.
    """
    setattr(CmsmigError, _HOOK, _sentence)


def mask_outputs() -> None:
    """Have tokens masked in all that this kernel sends: outputs, errors, panels."""
    session = getattr(getattr(_shell(), "kernel", None), "session", None)
    if session is not None and not hasattr(session.pack, "__wrapped__"):
        session.pack = masking(session.pack)


def executed_cells() -> list[str]:
    """Return what this kernel was given so far, as Python, the running cell last."""
    history = getattr(_shell(), "history_manager", None)
    return list(getattr(history, "input_hist_parsed", ()))


def show(value: object) -> None:
    """Show a value below the running cell, before its last expression does."""
    from IPython.display import display

    display(value)  # type: ignore[no-untyped-call]


def _sentence(error: CmsmigError) -> list[str]:
    return [f"{type(error).__name__}: {error}"]


def _shell() -> Any:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    return get_ipython()
