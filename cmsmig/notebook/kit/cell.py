"""A cell: the kernel that it runs in, and the value that it ends with.

The only module that asks IPython.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from markupsafe import Markup

from cmsmig.errors import CmsmigError, UsageError
from cmsmig.masking import masking
from cmsmig.printable import printable, printable_lines
from cmsmig.run.parameters import nearest_name
from cmsmig.ui.html.safe_html import Cell, facts, note, paragraph, sheet, untypeset

if TYPE_CHECKING:
    from cmsmig.ui.live import Element

T = TypeVar("T")
_HOOK = "_render_traceback_"
"""What IPython calls on an exception instead of drawing a traceback."""
_INJECTED = "# Parameters\n"
"""How papermill's own cell begins, which it puts below the notebook's."""
_MOST = 200_000
"""Letters that a cell may look through before its controls come: a second or two."""
_LARGE = "not kept here, since it takes a while to find. `cmsmig run` keeps it."
_WHEN = Markup("<small>As it was saved. Run this notebook for the controls.</small>")


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


def named_values(kind: type[T]) -> list[T]:
    """Return the values of a type that the cells of this kernel gave a name."""
    names = getattr(_shell(), "user_ns", {})
    return [each for each in names.values() if isinstance(each, kind)]


def executed_cells() -> list[str]:
    """Return what this kernel was given so far, as Python, the running cell last."""
    history = getattr(_shell(), "history_manager", None)
    return list(getattr(history, "input_hist_parsed", ()))


def require_known_parameters(cells: Sequence[str]) -> None:
    """Raise `UsageError` for a value that papermill was given and no cell declares.

    `cells` are what the kernel was given so far, in order. A pilot whose `limit` is
    mistyped would import everything.
    """
    declared: list[str] = []
    for cell in cells:
        names = list(_assigned(cell))
        if not cell.startswith(_INJECTED):
            declared += names
            continue
        for name in names:
            if name not in declared:
                hint = nearest_name(name, sorted(set(declared)))
                end = "" if hint.endswith("?") else "."
                raise UsageError(f"This notebook has no parameter {name}; {hint}{end}")


def show(value: object) -> None:
    """Show a value below the running cell, before its last expression does."""
    from IPython.display import display

    display(value)  # type: ignore[no-untyped-call]


def _assigned(cell: str) -> Iterator[str]:
    try:
        statements = ast.parse(cell).body
    except (SyntaxError, ValueError, RecursionError):
        return
    for statement in statements:
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        else:
            continue
        yield from (each.id for each in targets if isinstance(each, ast.Name))


def _sentence(error: CmsmigError) -> list[str]:
    return [f"{type(error).__name__}: {error}"]


def _shell() -> Any:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return None
    return get_ipython()


@dataclass(frozen=True, slots=True)
class Panel:
    """The value of a cell: controls before a person, else plain safe HTML.

    Make it with `Workspace.panel`, which knows whether a person is there.
    """

    static: Markup | Callable[[], Markup]
    """What is left in the output notebook, also for those who open it without a
    kernel; a function is called only when it is shown."""
    widget: Callable[[], Element] | None = None
    """Makes the controls; None where no one could use them, and then no widget
    is made at all."""
    text: str = ""
    """The same in one line, for where there is no HTML."""
    size: int = 0
    """How many letters the static form looks through."""

    def html(self) -> Markup:
        """Return the static form."""
        return self.static if isinstance(self.static, Markup) else self.static()

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, object] | tuple[dict[str, object], dict[str, object]]:
        plain = self.text or "A table or picture that needs HTML to be seen."
        if self.widget is None:
            return bundle(self.html(), plain)
        controls, metadata = self.widget().bundle()
        return controls | bundle(self._saved(), plain), metadata

    def _saved(self) -> Markup:
        """Return what a saved notebook shows in place of the controls."""
        if self.size > _MOST:
            return sheet(paragraph(f"{self.text}: {_LARGE}"))
        try:
            return self.html() + sheet(paragraph(_WHEN))
        except CmsmigError as error:
            return sheet(note(str(error), "bad"))


def bundle(html: Markup, text: str) -> dict[str, object]:
    """Return what a front end shows a value with: every output of ours but widgets.

    The HTML is not typeset, and the text holds nothing that acts on a terminal.
    """
    return {"text/html": str(untypeset(html)), "text/plain": printable_lines(text)}


def facts_bundle(rows: Sequence[tuple[str, Cell]]) -> dict[str, object]:
    """Return what a front end shows names and values with, a line each."""
    lines = [f"{name}: {printable(str(value))}" for name, value in rows]
    return bundle(sheet(facts(rows)), "\n".join(lines))
