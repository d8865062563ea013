"""A project's own copies of the notebooks: what a run takes from them.

A run executes the package's notebooks. Of the copies it takes the values of their
cell of parameters, and says which of the other cells were changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.events import Noticed
from cmsmig.run.engine import CodeCell, code_cells, declared_parameters
from cmsmig.run.locations import Notebook
from cmsmig.run.parameters import Parameter, Value, parse
from cmsmig.settings import Project

_OF_THE_RUN = frozenset({"project", "target", "reports"})
"""A run has these from its own options."""


@dataclass(frozen=True, slots=True)
class Copies:
    """What the project's copies of a run's notebooks hold of their own."""

    values: Mapping[str, Mapping[str, Value]]
    """By notebook, then by name: parameters that differ from their defaults."""
    changed: tuple[Noticed, ...]
    """One sentence for each copy with a changed cell."""

    def notices(self, given: Mapping[str, str]) -> Iterator[Noticed]:
        """Yield what a person should know; `given` are parameters of the command."""
        for notebook, values in self.values.items():
            taken = [
                f"{name}={value}" for name, value in values.items() if name not in given
            ]
            if taken:
                yield Noticed(
                    notebook,
                    f"{', '.join(taken)} from the parameters cell of the project's "
                    f"notebooks/{notebook}.ipynb; -p NAME=VALUE overrides it",
                )
        yield from self.changed


def read_copies(project: Project, notebooks: Sequence[Notebook]) -> Copies:
    """Compare a project's notebooks with those that a run executes. Reads only.

    Raises `UsageError` for a copy that is no notebook, and for a parameter in one
    that the notebook does not have or that does not fit.
    """
    values: dict[str, Mapping[str, Value]] = {}
    changed: list[Noticed] = []
    for each in notebooks:
        copy = project.notebooks / each.path.name
        if not copy.is_file() or copy.samefile(each.path):
            continue
        theirs, ours = code_cells(copy), code_cells(each.path)
        values[each.name] = _own_values(copy, theirs, declared_parameters(each.path))
        cells = list(_changed_cells(theirs, ours))
        if cells:
            changed.append(Noticed(each.name, _advice(copy, cells)))
    return Copies(values, tuple(changed))


def _own_values(
    copy: Path, cells: Sequence[CodeCell], declared: Mapping[str, Parameter]
) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for cell in cells:
        if not cell.is_parameters:
            continue
        for name, text in _assigned(copy, cell):
            if name not in declared:
                known = ", ".join(each for each in declared if each not in _OF_THE_RUN)
                raise _wrong(copy, cell, f"{name} is none of its parameters ({known})")
            if name not in _OF_THE_RUN:
                found[name] = _parsed(copy, cell, text, declared[name])
    return {
        name: value
        for name, value in found.items()
        if value != ast.literal_eval(declared[name].default)
    }


def _assigned(copy: Path, cell: CodeCell) -> Iterator[tuple[str, object]]:
    """Yield names and values, read as text: nothing of the cell is executed."""
    try:
        for statement in ast.parse(cell.source).body:
            targets = (
                statement.targets
                if isinstance(statement, ast.Assign)
                else [statement.target]
                if isinstance(statement, ast.AnnAssign)
                else []
            )
            value = getattr(statement, "value", None)
            if len(targets) != 1 or not isinstance(targets[0], ast.Name) or not value:
                line = ast.unparse(statement)
                raise _wrong(copy, cell, f"`{line}` is no line NAME = VALUE")
            yield targets[0].id, ast.literal_eval(value)
    except (SyntaxError, ValueError, RecursionError) as error:
        why = f"it cannot be read as lines NAME = VALUE ({error})"
        raise _wrong(copy, cell, why) from error


def _parsed(copy: Path, cell: CodeCell, value: object, parameter: Parameter) -> Value:
    if not isinstance(value, str | int | float):
        raise _wrong(copy, cell, f"{parameter.name} takes no {type(value).__name__}")
    try:
        return parse(str(value), parameter, copy.stem)
    except UsageError as error:
        raise _wrong(copy, cell, str(error).rstrip(".")) from error


def _changed_cells(
    theirs: Sequence[CodeCell], ours: Sequence[CodeCell]
) -> Iterator[str]:
    """Yield what differs, each named as a person finds it in the notebook."""
    sources = {each.source for each in ours if not each.is_parameters}
    known = {each.name: each for each in ours}
    for each in theirs:
        if each.is_parameters or each.source in {"", *sources}:
            continue
        how = "changed" if each.name in known else "added"
        yield f"{_named(each)} was {how}"
    present = {each.source for each in theirs}
    names = {each.name for each in theirs if each.source}
    for each in ours:
        if not (each.is_parameters or each.source in present or each.name in names):
            yield f"{_named(each)} was taken out"


def _named(cell: CodeCell) -> str:
    lines = [line for line in cell.source.splitlines() if line.strip()]
    first = lines[0].strip() if lines else ""
    return f"cell {cell.name} `{first if len(first) <= 60 else first[:59] + '…'}`"


def _advice(copy: Path, cells: Sequence[str]) -> str:
    return (
        f"the project's copy has other code: {'; '.join(cells)}. This run executes the "
        "package's own notebook. To run the copy, execute "
        f"`papermill {copy} OUT.ipynb`; to have the package's in its place, move "
        f"{copy} away: `cmsmig lab` lays a new copy"
    )


def _wrong(copy: Path, cell: CodeCell, why: str) -> UsageError:
    return UsageError(
        f"{copy}, cell {cell.name}: {why}. Correct it there, or move the notebook "
        "away: `cmsmig lab` lays a new copy."
    )
