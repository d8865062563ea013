"""Values that papermill injects are declared, and read as `cmsmig run` reads them."""

from __future__ import annotations

import pytest

from cmsmig.errors import UsageError
from cmsmig.mapping.select.pilot import WHOLE, Pilot
from cmsmig.notebook.importing import pilot_of
from cmsmig.notebook.kit.cell import require_known_parameters
from cmsmig.notebook.kit.parameters import takes_parameters

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


@takes_parameters(run="cross_check")
def received(
    text: str = "", limit: int = 0, dry_run: bool = False, run: bool | None = None
) -> tuple[object, ...]:
    """Return what a cell's function gets."""
    return text, limit, dry_run, run


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ({"dry_run": "false", "run": "no"}, ("", 0, False, False)),
        ({"dry_run": "Yes", "run": True}, ("", 0, True, True)),
        ({"limit": "5", "text": 5}, ("5", 5, False, None)),
        ({"text": None, "limit": None, "dry_run": None}, ("", 0, False, None)),
    ],
)
def test_a_value_is_what_was_meant(
    given: dict[str, object], got: tuple[object, ...]
) -> None:
    """Plain papermill hands over `false` as text, and `None` as None."""
    assert received(**given) == got  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"dry_run": "perhaps"}, "dry_run=perhaps does not fit"),
        ({"limit": 2.5}, "takes a whole number"),
        ({"run": 7}, "cross_check=7 does not fit"),
    ],
)
def test_another_value_is_refused(given: dict[str, object], said: str) -> None:
    """By the name that the notebook has for it."""
    with pytest.raises(UsageError) as raised:
        received(**given)  # type: ignore[arg-type]
    assert said in str(raised.value)


def test_a_pilot_is_of_texts_too() -> None:
    """As papermill's `-r limit 5` and `-p item None` give them."""
    assert pilot_of(None, None, "fr", "5") == Pilot(locales=("fr",), limit=5)  # type: ignore[arg-type]
    assert pilot_of(limit=None) == WHOLE  # type: ignore[arg-type]
