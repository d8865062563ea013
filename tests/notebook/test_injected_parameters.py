"""Values that papermill injects are those that the notebook declares."""

from __future__ import annotations

import pytest

from cmsmig.errors import UsageError
from cmsmig.notebook.kit.cell import require_known_parameters

DECLARED = 'project: str = ""  # folder\nlimit: int = 0'
OPENING = "workspace = open_workspace(project)"


@pytest.mark.parametrize(
    "cells",
    [
        ["", DECLARED, OPENING],
        ["", DECLARED, '# Parameters\nproject = "x"\nlimit = 5\n', OPENING],
        # By hand, in an executed notebook: in any order, again, besides own cells.
        ["", DECLARED, OPENING, "mine = 1", "# Parameters\nlimit = 5\n", OPENING],
        ["", DECLARED, "not python (", "# mine\nother = 1", OPENING],
    ],
)
def test_declared_values_pass(cells: list[str]) -> None:
    """What a notebook declares may be given, and a person may write any cell."""
    require_known_parameters(cells)


@pytest.mark.parametrize(
    ("given", "said"),
    [("limt = 5", "did you mean limit?"), ("zzz: int = 5", "known: limit, project.")],
)
def test_another_name_is_refused(given: str, said: str) -> None:
    """With the nearest name, or with all."""
    cells = ["", DECLARED, f"# Parameters\nproject = 'x'\n{given}\n", OPENING]
    with pytest.raises(UsageError) as raised:
        require_known_parameters(cells)
    assert str(raised.value).endswith(said)
