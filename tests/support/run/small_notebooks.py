"""Notebooks of a few cells, for what surrounds them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cmsmig.events import Event, Noticed
from cmsmig.run.locations import find_notebooks
from cmsmig.run.unattended import Finished, run_unattended
from cmsmig.settings import Project

_APART = """
import sys
from pathlib import Path
from cmsmig.events import unobserved
from cmsmig.run.locations import find_notebooks
from cmsmig.run.unattended import run_unattended
from cmsmig.settings import Project

here = Path(sys.argv[1])
finished = run_unattended(
    Project(here), find_notebooks(here / "notebooks"), (), reports=here / "reports",
    run_id="stopped", observer=unobserved,
)
print(finished.run.complaint)
sys.exit(finished.exit_code)
"""

PARAMETERS = (
    'project: str = ""  # project folder\n'
    "dry_run: bool = False  # write nothing\n"
    "limit: int = 3  # how many\n"
    "rate: float = 1.5  # per second"
)


def write_notebook(
    folder: Path, name: str, *sources: str, parameters: str = PARAMETERS, **tags: str
) -> Path:
    """Write a notebook with a parameters cell and these cells; return its path.

    `c1="a-tag"` tags the first cell after the parameters.
    """
    cells = [
        _cell("markdown", "title", "# A title"),
        _cell("code", "parameters", parameters, "parameters"),
        *(
            _cell("code", f"c{number}", source, *filter(None, [tags.get(f"c{number}")]))
            for number, source in enumerate(sources, start=1)
        ),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    document = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(document), "utf-8")
    return path


def run_notebooks(
    folder: Path, *values: str, dry_run: bool = False
) -> tuple[Finished, list[str]]:
    """Run the notebooks below a folder; return how they ended and what was noticed."""
    events: list[Event] = []
    finished = run_unattended(
        Project(folder / "project"),
        find_notebooks(folder / "notebooks"),
        values,
        reports=folder / "reports",
        run_id="run",
        dry_run=dry_run,
        observer=events.append,
    )
    noticed = (each for each in events if isinstance(each, Noticed))
    return finished, [f"{each.where}: {each.what}" for each in noticed]


def start_apart(folder: Path) -> subprocess.Popen[str]:
    """Start the notebooks below a folder in a process of their own, for signals."""
    return subprocess.Popen(
        [sys.executable, "-c", _APART, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _cell(kind: str, cell_id: str, source: str, *tags: str) -> dict:
    cell: dict = {"cell_type": kind, "id": cell_id, "source": source}
    cell["metadata"] = {"tags": list(tags)} if tags else {}
    return cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
