"""How an executed notebook ended, and the exit code that follows.

Papermill lets several failures pass as success: `sys.exit(0)`, a cell skipped by
its tag, a kernel that ended between two cells. Each is a failure here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cmsmig.errors import CmsmigError, InterruptedRunError

_STOPPED = frozenset({"KeyboardInterrupt", "CancelledError", "InterruptedRunError"})
_SHOWN = 70


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell of an executed notebook."""

    source: str
    prompt: int | None
    """The number in `In [n]`; None when the cell did not come to its end."""
    begun: bool
    raised: tuple[str, str] | None
    """Name and text of the exception that it shows."""


@dataclass(frozen=True, slots=True)
class Executed:
    """What is left of a notebook that was run."""

    cells: tuple[Cell, ...]
    flagged: bool
    """Whether papermill saw an exception, in words or not."""
    crash: str
    """What went wrong outside of any cell; empty when nothing did."""
    unready: bool = False
    """Whether its kernel never got as far as to take a cell."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a notebook did not run to its end."""

    where: str
    why: str
    exit_code: int


def judge(executed: Executed) -> Failure | None:
    """Return why a notebook failed, or None when every cell ran and none raised."""
    for cell in executed.cells:
        if cell.raised is not None:
            return _make_failure(cell, *cell.raised)
    unrun = [each for each in executed.cells if each.source and each.prompt is None]
    if executed.crash:
        return Failure(_at(_last_begun(executed.cells)), executed.crash, 1)
    if unrun:
        return Failure(_at(unrun[0]), "it was not run, and nothing says why", 1)
    if executed.flagged:
        return Failure("", "an exception ended it without a word", 1)
    return None


def exit_code_of(name: str) -> int:
    """Return the exit code of the error class with this name; 1 if it is foreign."""
    if name in _STOPPED:
        return InterruptedRunError.exit_code
    codes = {each.__name__: each.exit_code for each in _tree(CmsmigError)}
    return codes.get(name, 1)


def _make_failure(cell: Cell, name: str, text: str) -> Failure:
    code = exit_code_of(name)
    if name == "SystemExit":
        why = "it called sys.exit, which leaves the rest of the notebook undone"
    elif name in _STOPPED:
        why = text.strip() if name == "InterruptedRunError" else "it was stopped"
    elif name in {each.__name__ for each in _tree(CmsmigError)}:
        why = text
    else:
        why = f"{name}: {text}" if text else name
    return Failure(_at(cell), " ".join(why.split()).rstrip("."), code)


def _at(cell: Cell | None) -> str:
    if cell is None:
        return ""
    lines = [line.strip() for line in cell.source.splitlines()]
    line = next((each for each in reversed(lines) if each and each[0] != "#"), "")
    shown = line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
    number = " " if cell.prompt is None else str(cell.prompt)
    return f"cell [{number}] `{shown}`"


def _last_begun(cells: Sequence[Cell]) -> Cell | None:
    return next((each for each in reversed(cells) if each.begun), None)


def _tree(root: type[CmsmigError]) -> Iterator[type[CmsmigError]]:
    yield root
    for each in root.__subclasses__():
        yield from _tree(each)
