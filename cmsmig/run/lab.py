"""Starts JupyterLab on the notebooks, for this machine only and without news."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.run.child import is_root, run_child, this_python
from cmsmig.run.locate import checkout_of, find_notebooks
from cmsmig.settings import Project

OVERRIDES = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    # Cells outside of the window stay in the page: a search in the page finds
    # them, and what a widget shows is there when it is scrolled to.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "defer"},
}
"""What differs from JupyterLab's own settings; a person's own still win."""


@dataclass(frozen=True, slots=True)
class Place:
    """What JupyterLab shows: a folder, and the notebook that it opens."""

    root: Path
    notebook: str
    """Below `root`, with slashes."""


def place_of(project: Project, package: Path | None = None) -> Place:
    """Return the checkout with its notebooks, else the project folder with its own.

    Raises `UsageError` where `init` has laid none.
    """
    checkout = checkout_of(package)
    if checkout is not None:
        first = find_notebooks(checkout / "notebooks")[0]
        return Place(checkout, f"notebooks/{first.path.name}")
    if not any(project.root.glob("[0-9][0-9]_*.ipynb")):
        raise UsageError(
            f"There are no notebooks in {project.root} yet; run `cmsmig init` first."
        )
    return Place(project.root, find_notebooks(project.root)[0].path.name)


def lab_command(
    place: Place, settings: Path, *, browser: bool, port: int, more: Sequence[str] = ()
) -> list[str]:
    """Return JupyterLab's command line; `settings` holds the overrides."""
    return this_python(
        "-m",
        "jupyterlab",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={place.root}",
        f"--LabApp.default_url=/lab/tree/{place.notebook}",
        f"--LabApp.app_settings_dir={settings}",
        # The extension manager would ask a package index for its catalogue.
        "--LabApp.extension_manager=readonly",
        *(() if browser else ("--no-browser",)),
        *(("--allow-root",) if is_root() else ()),
        *more,
    )


def open_lab(
    project: Project,
    environ: Mapping[str, str],
    *,
    browser: bool = True,
    port: int = 8888,
    more: Sequence[str] = (),
) -> int:
    """Run JupyterLab until it is ended; return its exit code.

    Its kernels work in `project`, wherever the notebooks lie. Raises `UsageError`.
    """
    place = place_of(project)
    with tempfile.TemporaryDirectory(prefix="cmsmig-lab-") as folder:
        settings = Path(folder)
        (settings / "overrides.json").write_text(json.dumps(OVERRIDES), "utf-8")
        command = lab_command(place, settings, browser=browser, port=port, more=more)
        named = {**environ, "CMSMIG_PROJECT": str(project.root)}
        return run_child(command, named, cwd=place.root)
