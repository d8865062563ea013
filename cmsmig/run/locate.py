"""The numbered notebooks: where they are, and which of them a run takes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from cmsmig.errors import UsageError

DELTA = (1, 4, 5, 6, 7)
"""Pull and what moved, plan and preparation, both phases, verification and report."""
_NUMBERED = re.compile(r"(\d\d)_\w+\.ipynb")


@dataclass(frozen=True, slots=True)
class Notebook:
    """One numbered notebook."""

    number: int
    path: Path

    @property
    def name(self) -> str:
        """Return the file's name without its ending."""
        return self.path.stem


def notebooks_folder(package: Path | None = None) -> Path:
    """Return the folder of the notebooks that belong to this installation.

    A checkout's own, so that an editable install runs what is being edited; else
    those that travelled in the wheel.
    """
    package = package or Path(str(files("cmsmig")))
    checkout = checkout_of(package)
    return package / "_notebooks" if checkout is None else checkout / "notebooks"


def checkout_of(package: Path | None = None) -> Path | None:
    """Return the top of the checkout that the package lies in, if it does."""
    top = (package or Path(str(files("cmsmig")))).parent
    is_one = (top / "notebooks").is_dir() and (top / "pyproject.toml").is_file()
    return top if is_one else None


def find_notebooks(folder: Path) -> tuple[Notebook, ...]:
    """Return the numbered notebooks of a folder, in order.

    Raises `UsageError` when there is none.
    """
    names = [(path, _NUMBERED.fullmatch(path.name)) for path in folder.glob("*.ipynb")]
    found = [Notebook(int(match[1]), path) for path, match in names if match]
    if not found:
        raise UsageError(
            f"There are no numbered notebooks in {folder}; install cmsmig again."
        )
    return tuple(sorted(found, key=lambda each: (each.number, each.path.name)))


def select(
    notebooks: Sequence[Notebook],
    *,
    only: str | None = None,
    first: str | None = None,
    last: str | None = None,
) -> tuple[Notebook, ...]:
    """Return the notebooks that a run takes.

    Each choice is a number (`5` or `05`) or a notebook's name. Raises
    `UsageError` for one that names no notebook, or when nothing is left.
    """
    if only is not None:
        if first is not None or last is not None:
            raise UsageError("Give either --only, or --from and --to.")
        first = last = only
    low = _number("--from" if only is None else "--only", first, notebooks)
    high = _number("--to" if only is None else "--only", last, notebooks)
    chosen = tuple(
        each
        for each in notebooks
        if (low is None or each.number >= low) and (high is None or each.number <= high)
    )
    if not chosen:
        raise UsageError(f"No notebook lies between --from {first} and --to {last}.")
    return chosen


def select_delta(notebooks: Sequence[Notebook]) -> tuple[Notebook, ...]:
    """Return the notebooks of a delta run: those that ask nobody for a decision."""
    return tuple(each for each in notebooks if each.number in DELTA)


def _number(option: str, text: str | None, notebooks: Sequence[Notebook]) -> int | None:
    if text is None:
        return None
    for each in notebooks:
        numbered = text.isascii() and text.lstrip("0") == str(each.number or "")
        if numbered or text.removesuffix(".ipynb") == each.name:
            return each.number
    known = ", ".join(each.name for each in notebooks)
    raise UsageError(f"{option} {text} names no notebook; there are {known}.")
