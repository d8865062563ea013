"""The seam to papermill, nbformat and nbconvert; only this module imports them, and
none of their values leaves it."""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import nbformat
from jinja2 import DictLoader
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbconvert import HTMLExporter

from cmsmig.errors import UsageError
from cmsmig.event_log import VARIABLE
from cmsmig.masking import masked_bytes
from cmsmig.run.child import this_kernel
from cmsmig.run.outcome import Failure, failure_of
from cmsmig.run.parameters import Parameter, Value, kind_of

_STARTUP = 120
"""Seconds that a kernel may take to start: a cold disk is slow."""
_SHOWN = 70
"""Characters that are shown of a cell's last line."""
_PAGE_NAME = "cmsmig-page"
_PAGE = """\
{% extends 'lab/index.html.j2' %}
{% block html_head %}
<meta http-equiv="Content-Security-Policy" content="default-src 'none';
 style-src 'unsafe-inline'; img-src data:; font-src data:">
{{ super() }}
{% endblock %}
{% block html_head_js %}{% endblock %}
{% block jupyter_widgets %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
"""
"""The standard page without the scripts that it would load from elsewhere. The
policy holds what a later template might bring: nothing runs, nothing loads."""


def declared_parameters(notebook: Path) -> dict[str, Parameter]:
    """Return the parameters of a notebook by name. Reads only.

    Raises `UsageError` when the file is no notebook.
    """
    with _quiet():
        from papermill import inspect_notebook

        try:
            found = inspect_notebook(_literal(notebook))
        except Exception as error:
            raise UsageError(
                f"{notebook} cannot be read as a notebook ({error})."
            ) from error
    return {
        name: Parameter(
            name=name,
            kind=kind_of(each["inferred_type_name"], each["default"]),
            default=each["default"],
        )
        for name, each in found.items()
    }


def execute(
    notebook: Path,
    output: Path,
    values: Mapping[str, Value],
    started: Callable[[int], None],
    log: Path | None = None,
    begin: Callable[[], None] = lambda: None,
) -> Failure | None:
    """Run a notebook in a kernel of its own and return why it failed, if it did.

    Writes `output` after each cell. `started` gets the kernel's process id; the
    kernel appends its events to `log`. `begin` is called before the kernel starts and
    before each cell, and ends the notebook by raising. A failing notebook is not an
    exception.
    """
    crash = ""
    with _quiet(), tempfile.TemporaryDirectory(prefix="k-") as sockets:
        import papermill
        from papermill.exceptions import PapermillExecutionError

        try:
            papermill.execute_notebook(
                _literal(notebook),
                _literal(output),
                dict(values),
                # Also where a notebook names a kernel of elsewhere.
                kernel_name=NATIVE_KERNEL_NAME,
                progress_bar=False,
                start_timeout=_STARTUP,
                kernel_manager_class=_kernel(f"{sockets}/k", started, log, begin),
                on_cell_execute=lambda cell, cell_index: begin(),
            )
        except PapermillExecutionError:
            pass  # The output says it better: name and text apart.
        except Exception as error:
            crash = f"{type(error).__name__}: {error}"
    try:
        _mask_tokens(output)
        return _failure_in(output, crash)
    except (OSError, ValueError) as error:  # What a full disk cut off is no JSON.
        return Failure("", crash or f"{type(error).__name__}: {error}", 1)


def _mask_tokens(output: Path) -> None:
    """Mask what a kernel could not know yet: a cell may have read the settings."""
    output.write_bytes(masked_bytes(output.read_bytes()))


def export_page(notebook: Path, page: Path) -> None:
    """Write an executed notebook as one HTML file that loads and runs nothing."""
    with _quiet():
        document = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
        document.metadata.pop("widgets", None)
        document.metadata["title"] = notebook.stem
        text, _ = _exporter().from_notebook_node(document)
    try:
        page.write_text(text, encoding="utf-8")
    except OSError:
        page.unlink(missing_ok=True)
        raise


@cache
def _exporter() -> HTMLExporter:
    """Return what writes pages; its templates are read and compiled once."""
    return HTMLExporter(  # type: ignore[no-untyped-call]
        # Templates run code, and are looked for in the current folder too: each of
        # these keeps it from coming first.
        template_file=_PAGE_NAME,
        extra_loaders=[DictLoader({_PAGE_NAME: _PAGE})],
        extra_template_basedirs=[],
    )


def _kernel(
    sockets: str,
    started: Callable[[int], None],
    log: Path | None,
    begin: Callable[[], None],
) -> type[Any]:
    class Kernel(AsyncKernelManager):
        """A kernel of this interpreter, whose own output stays off our streams.

        Not at TCP ports: they are drawn by the parent and bound by the kernel a second
        later, and until then another run may take them.
        """

        @property
        def kernel_spec(self) -> KernelSpec:
            # The one that is found by name may be of any environment.
            return KernelSpec(argv=this_kernel(), language="python")

        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            begin()
            self.transport, self.ip = "ipc", sockets
            options["env"] = {**os.environ, **({VARIABLE: str(log)} if log else {})}
            await super().start_kernel(stdout=DEVNULL, stderr=DEVNULL, **options)
            started(int(getattr(self.provisioner, "pid", None) or 0))

    return Kernel


def _failure_in(output: Path, crash: str) -> Failure | None:
    """Return why a notebook failed, or None when every cell ran and none raised.

    Papermill lets several failures pass as success: `sys.exit(0)`, a cell skipped by
    its tag, a kernel that ended between two cells. Each is a failure here.
    """
    with _quiet():
        document = nbformat.read(output, as_version=4)  # type: ignore[no-untyped-call]
    cells = [c for c in document.cells if c.cell_type == "code" and c.source.strip()]
    for cell in cells:
        for each in cell.outputs:
            if each.output_type == "error":
                return failure_of(each.ename, each.evalue, _place_of(cell))
    if crash:
        begun = [c for c in cells if c.metadata.get("papermill", {}).get("start_time")]
        return Failure(_place_of(begun[-1]) if begun else "", crash, 1)
    for cell in cells:
        if cell.execution_count is None:
            why = "it was not run, and nothing says why"
            return Failure(_place_of(cell), why, 1)
    if document.metadata.get("papermill", {}).get("exception"):
        return Failure("", "an exception ended it without a word", 1)
    return None


def _place_of(cell: nbformat.NotebookNode) -> str:
    lines = [line.strip() for line in cell.source.splitlines()]
    line = next((each for each in reversed(lines) if each and each[0] != "#"), "")
    number = cell.execution_count or " "
    return f"cell [{number}] `{line[:_SHOWN]}`"


def _literal(path: Path) -> str:
    # Papermill fills {names} in paths from the parameters.
    return str(path.absolute()).replace("{", "{{").replace("}", "}}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep their log lines and warnings off standard error."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
