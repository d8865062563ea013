"""Starts JupyterLab on a project's notebooks, for this machine only, without news."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cmsmig.errors import UsageError
from cmsmig.run.child import run_child, this_kernel, this_python
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.run.rehearsal import kept_sandbox_running
from cmsmig.settings import Project
from cmsmig.steps.project_init import lay_notebooks

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


STARTUP = """\
try:
    __import__("ipywidgets")
except ImportError:
    pass
"""
"""What each kernel runs first. A page asks a new kernel for the controls it has; before
ipywidgets is loaded no answer comes, the page asks in another way after four seconds,
and misses some of the controls that cells make meanwhile."""
_WIDGET = "application/vnd.jupyter.widget-view+json"


def place_of(project: Project) -> Place:
    """Return the project folder and the first of its notebooks.

    Lays those that are missing. Raises `UsageError` where no project was started.
    """
    if not project.toml.is_file():
        raise UsageError(
            f"There is no project in {project.root} yet; run `cmsmig init` first."
        )
    lay_notebooks(project, notebooks_folder())
    first = find_notebooks(project.notebooks)[0]
    return Place(project.root.absolute(), f"notebooks/{first.path.name}")


def trust_unchanged(notebooks: Path, package: Path) -> None:
    """Let JupyterLab trust the notebooks that are as the package has them: their
    button runs them, and nothing asks whether they are malicious."""
    from nbformat import read
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary()  # type: ignore[no-untyped-call]
    for each in find_notebooks(package):
        copy = notebooks / each.path.name
        if copy.is_file() and copy.read_bytes() == each.path.read_bytes():
            document = read(copy, as_version=4)  # type: ignore[no-untyped-call]
            notary.sign(document)  # type: ignore[no-untyped-call]


def write_settings(folder: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Write what differs from JupyterLab's own into a folder for its settings; return
    its environment, in which a notebook's kernel is of this interpreter."""
    from ipykernel.kernelspec import write_kernel_spec

    (folder / "overrides.json").write_text(json.dumps(OVERRIDES), "utf-8")
    startup = folder / "startup.py"
    startup.write_text(STARTUP, "utf-8")
    write_kernel_spec(folder / "kernels" / "python3", {"argv": this_kernel()})
    places = filter(None, [str(folder), environ.get("JUPYTER_PATH")])
    return {
        # A startup file of the person's own comes before ours.
        "PYTHONSTARTUP": str(startup),
        **environ,
        # The first place comes before those of the user and of the environment.
        "JUPYTER_PATH": os.pathsep.join(places),
    }


def own_options(place: Place, *, keep_outputs: bool) -> list[str]:
    """Return what makes a JupyterLab this project's alone: tabs, saved notebooks."""
    hook = leave_static if keep_outputs else strip_outputs
    return [
        f"--LabApp.workspaces_dir={place.root / '.lab' / 'workspaces'}",
        f"--ContentsManager.pre_save_hook={__name__}.{hook.__name__}",
    ]


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
        *(("--allow-root",) if _is_root() else ()),
        *more,
    )


def open_lab(
    project: Project,
    environ: Mapping[str, str],
    *,
    browser: bool = True,
    port: int = 8888,
    keep_outputs: bool = False,
    more: Sequence[str] = (),
    tell: Callable[[str], None] = print,
) -> int:
    """Run JupyterLab until it is ended; return its exit code.

    Starts the rehearsal's sandbox again when the settings point to it and it is
    down. Notebooks are saved without outputs unless `keep_outputs`. Raises
    `UsageError`.
    """
    place = place_of(project)
    trust_unchanged(project.notebooks, notebooks_folder())
    with tempfile.TemporaryDirectory(prefix="cmsmig-lab-") as folder:
        settings = Path(folder)
        own = [*own_options(place, keep_outputs=keep_outputs), *more]
        command = lab_command(place, settings, browser=browser, port=port, more=own)
        named = write_settings(settings, environ)
        named["CMSMIG_PROJECT"] = str(place.root)
        with kept_sandbox_running(project, environ, tell):
            # In the project it would find page templates and language servers.
            return run_child(command, named, cwd=settings)


def strip_outputs(model: dict[str, Any], **context: object) -> None:
    """Take a client's content out of a notebook that is about to be saved.

    JupyterLab calls this with what it was sent. What the page shows stays there.
    """
    for cell in _code_cells(model):
        cell["outputs"] = []
        cell["execution_count"] = None
        cell.get("metadata", {}).pop("execution", None)


def leave_static(model: dict[str, Any], **context: object) -> None:
    """Leave of each panel its static form in a notebook that is about to be saved.

    Without a kernel JupyterLab shows nothing of a panel, and takes it before all else.
    """
    for cell in _code_cells(model):
        for output in cell.get("outputs", ()):
            if "text/html" in (shown := output.get("data", {})):
                shown.pop(_WIDGET, None)


def _code_cells(model: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the cells with code of a notebook, of whose metadata only stays what is
    the same for everyone."""
    content = model.get("content")
    if model.get("type") != "notebook" or not isinstance(content, dict):
        return
    metadata = content.get("metadata", {})
    metadata.pop("widgets", None)
    if "language_info" in metadata:
        metadata["language_info"] = {"name": "python"}
    for cell in content.get("cells", ()):
        if cell.get("cell_type") == "code":
            yield cell


def _is_root() -> bool:
    """Return whether this runs with all rights, as in many containers."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
