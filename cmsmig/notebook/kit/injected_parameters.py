"""What papermill put into a kernel, checked: it only warns of a name nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from cmsmig.errors import UsageError
from cmsmig.run.parameters import nearest_name

_INJECTED = "# Parameters\n"
"""How papermill's own cell begins, which it puts below the notebook's."""


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
