"""Rows of what starts: commands, imports, notebooks."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.proofs.growth.growth import Figures
from tests.proofs.measuring.processes import Measured, Project, measured

BARE = [sys.executable, "-c", "pass"]
STARTS = {
    "cmsmig --help": [sys.executable, "-m", "cmsmig.cli", "--help"],
    "import cmsmig": [sys.executable, "-c", "import cmsmig"],
}
RIVAL_OF_STARTS = "bare Python"
_TIMES = 7
"""How often what is over in a moment is started in each round."""
OPENED = {"notebook 01": "01", "notebook 03": "03"}
OVERHEAD = "headless notebook, empty"
RIVAL_OF_NOTEBOOKS = "papermill, empty notebook"
_EXECUTE = """
import sys
from pathlib import Path
from cmsmig.run.engine import execute
execute(Path(sys.argv[1]), Path(sys.argv[2]), {}, lambda process: None)
"""
_EMPTY = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "nothing",
            "metadata": {},
            "outputs": [],
            "source": "",
        }
    ],
    "metadata": {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        }
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}


def starts(names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield one round of starts, each with a bare start."""
    bare = _middle([measured(BARE) for _ in range(_TIMES)])
    for name in names:
        took = _middle([measured(STARTS[name]) for _ in range(_TIMES)])
        yield name, {**took.figures(), "floor": bare.seconds}


def notebooks(here: Project, names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield one round of notebooks without a browser, each with papermill alone."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-bench-") as folder:
        empty, output = Path(folder) / "empty.ipynb", Path(folder) / "output.ipynb"
        empty.write_text(json.dumps(_EMPTY))
        papermill = [sys.executable, "-m", "papermill", "--no-progress-bar"]
        bare = measured([*papermill, str(empty), str(output)])
        if OVERHEAD in names:
            ours = [sys.executable, "-c", _EXECUTE, str(empty), str(output)]
            yield OVERHEAD, {**measured(ours).figures(), "floor": bare.seconds}
        for name in names:
            if name in OPENED:
                reports = ["--reports", f"{folder}/reports", "--run-id", OPENED[name]]
                took = here.run("run", "--only", OPENED[name], *reports)
                yield name, {**took.figures(), "floor": bare.seconds}


def _middle(runs: list[Measured]) -> Measured:
    middle = statistics.median_low(run.seconds for run in runs)
    return next(run for run in runs if run.seconds == middle)
