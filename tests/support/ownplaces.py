"""Places of a test's own for all that programs keep for the user who runs them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

OF_THE_TESTS = frozenset({"CMSMIG_CHROMIUM", "CMSMIG_SCREENSHOTS"})
"""What is set for the browser tests; all else of that name is the machine's own."""
_PLACES = {
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
    "XDG_STATE_HOME": "states",
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
    "IPYTHONDIR": "ipython",
}


_MEMORY = Path("/dev/shm")
_ENOUGH = 4 * 1024**3
"""Bytes free in memory for the folders of all tests; those of passed tests go
at once."""


def use_memory() -> None:
    """Let pytest keep the folders of tests in memory, where there is room: on a disk,
    tests wait for it a quarter of their time.

    Nothing is done where the environment names a place.
    """
    named = {"PYTEST_DEBUG_TEMPROOT", "TMPDIR"} & os.environ.keys()
    if not named and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_MEMORY)


def own_places(patch: pytest.MonkeyPatch, folder: Path, state: Path) -> None:
    """Take the machine's settings, tokens, budgets and programs' files away.

    Budgets go to `state`, the rest below `folder`, which is made: IPython warns of a
    place that it cannot make its own folder in.
    """
    for name in list(os.environ):
        if name.startswith("CMSMIG_") and name not in OF_THE_TESTS:
            patch.delenv(name)
    patch.setenv("CMSMIG_STATE_DIR", str(state))
    patch.delenv("JUPYTER_PATH", raising=False)
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in _PLACES.items():
        patch.setenv(name, str(folder / place))
