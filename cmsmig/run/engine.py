"""The seam to papermill, nbclient, nbformat and nbconvert; only this module
imports them, and none of their values leaves it."""

from __future__ import annotations

import errno
import logging
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import nbformat
from jinja2 import DictLoader
from jupyter_client.kernelspec import NATIVE_KERNEL_NAME, KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbconvert import HTMLExporter

from cmsmig.errors import UsageError
from cmsmig.event_log import VARIABLE
from cmsmig.masking import masked_bytes
from cmsmig.run.child import last_line, this_kernel
from cmsmig.run.outcome import Cell, Executed
from cmsmig.run.parameters import Parameter, Value, kind_of

LONGEST_PATH = 103
"""Bytes that the path of a socket may have: `sun_path` holds 104 on macOS and 108
on Linux (unix(4), unix(7)), the zero at its end included."""
_NAME_IN_FOLDER = "/k-5"
_NAME_OF_FOLDER = "cmsmig-12345678"
_PAGE_NAME = "cmsmig-page"
_EXTENSION = "cmsmig.run.strict_shell"
_STARTUP = 120
"""Seconds that a kernel may take to start: a cold disk is slow."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
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
        from papermill.translators import PythonTranslator

        try:
            cells = nbformat.read(notebook, as_version=4).cells  # type: ignore[no-untyped-call]
            tagged = (c for c in cells if "parameters" in c.metadata.get("tags", ()))
            cell = next(tagged, None)
            found = PythonTranslator.inspect(cell) if cell is not None else []
        except Exception as error:
            raise _unreadable(notebook, error) from error
    return {
        each.name: Parameter(
            name=each.name,
            kind=kind_of(each.inferred_type_name, each.default),
            default=each.default,
            help=each.help,
        )
        for each in found
    }


@dataclass(frozen=True, slots=True)
class CodeCell:
    """One code cell as it is in a notebook's file."""

    name: str
    """Its id, or its place where it has none."""
    source: str
    is_parameters: bool


def code_cells(notebook: Path) -> tuple[CodeCell, ...]:
    """Return the code of a notebook in its order. Reads only.

    Raises `UsageError` when the file is no notebook.
    """
    try:
        with _quiet():
            document = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
        return tuple(
            CodeCell(
                str(each.get("id") or number),
                str(each.source).strip(),
                "parameters" in each.metadata.get("tags", ()),
            )
            for number, each in enumerate(document.cells, start=1)
            if each.cell_type == "code"
        )
    except Exception as error:
        raise _unreadable(notebook, error) from error


def execute(
    notebook: Path,
    output: Path,
    values: Mapping[str, Value],
    started: Callable[[int], None],
    log: Path | None = None,
    begin: Callable[[], None] = lambda: None,
) -> Executed:
    """Run a notebook in a kernel of its own and return what is left of it.

    Writes `output` after each cell. `started` gets the kernel's process id; the
    kernel appends its events to `log`. `begin` is called before the kernel starts and
    before each cell, and ends the notebook by raising. A failing notebook is not an
    exception.
    """
    crash, unready = "", False
    with _quiet(), tempfile.TemporaryFile("w+b") as said, socket_prefix() as sockets:
        import papermill
        from papermill.exceptions import PapermillExecutionError

        try:
            papermill.execute_notebook(
                _literal(notebook),
                _literal(output),
                dict(values),
                # Also where a notebook names a kernel of elsewhere, or none.
                kernel_name=NATIVE_KERNEL_NAME,
                language="python",
                progress_bar=False,
                start_timeout=_STARTUP,
                kernel_manager_class=_kernel(said, sockets, started, log, begin),
                on_cell_execute=lambda cell, cell_index: begin(),
                extra_arguments=[
                    f"--InteractiveShellApp.extra_extensions={_EXTENSION}",
                    # For an IPython that does not know of a safe path.
                    "--InteractiveShellApp.ignore_cwd=True",
                ],
            )
        except PapermillExecutionError:
            pass  # The output says it better: name and text apart.
        except Exception as error:
            last = last_line(said)
            crash = f"{_words(error)}{f' ({last})' if last else ''}"
            # What nbclient raises where a kernel dies early or never answers.
            unready = type(error) is RuntimeError
    try:
        _mask_tokens(output)
        return _read(output, crash, unready)
    except (OSError, ValueError) as error:  # What a full disk cut off is no JSON.
        return Executed((), True, crash or _words(error))


def _mask_tokens(output: Path) -> None:
    """Mask what a kernel could not know yet: a cell may have read the settings."""
    if output.exists():
        written = output.read_bytes()
        shown = masked_bytes(written)
        if shown != written:
            output.write_bytes(shown)


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
        require_js_url="",
        mathjax_url="",
        mermaid_js_url="",
        mermaid_layout_elk_js_url="",
        jquery_url="",
        jupyter_widgets_base_url="",
    )


def _kernel(
    said: IO[bytes],
    sockets: str | None,
    started: Callable[[int], None],
    log: Path | None,
    begin: Callable[[], None],
) -> type[Any]:
    class Kernel(AsyncKernelManager):
        """A kernel of this interpreter at private sockets, whose output stays off
        our streams."""

        @property
        def kernel_spec(self) -> KernelSpec:
            # The one that is found by name may be of any environment.
            return KernelSpec(argv=this_kernel(), language="python")

        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            begin()
            if sockets is not None:
                self.transport, self.ip = "ipc", sockets
            options["env"] = {**os.environ, **({VARIABLE: str(log)} if log else {})}
            await super().start_kernel(stdout=said, stderr=said, **options)
            started(int(getattr(self.provisioner, "pid", None) or 0))

    return Kernel


def _read(output: Path, crash: str, unready: bool) -> Executed:
    if not output.exists():
        return Executed((), True, crash or "no output was written", unready)
    with _quiet():
        document = nbformat.read(output, as_version=4)  # type: ignore[no-untyped-call]
    cells = [_cell(each) for each in document.cells if each.cell_type == "code"]
    unready = unready and not any(each.begun for each in cells)
    ran = document.metadata.get("papermill", {})
    return Executed(tuple(cells), bool(ran.get("exception")), crash, unready)


def _cell(cell: nbformat.NotebookNode) -> Cell:
    errors = [each for each in cell.outputs if each.output_type == "error"]
    return Cell(
        source=str(cell.source).strip(),
        prompt=cell.get("execution_count"),
        begun=bool(cell.metadata.get("papermill", {}).get("start_time")),
        raised=(str(errors[0].ename), str(errors[0].evalue)) if errors else None,
    )


def _literal(path: Path) -> str:
    # Papermill fills {names} in paths from the parameters.
    return str(path.absolute()).replace("{", "{{").replace("}", "}}")


def _words(error: Exception) -> str:
    if type(error).__name__ == "DeadKernelError":
        return "the kernel ended on its own"
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"the disk takes no more ({error.strerror}); free some space"
    return f"{type(error).__name__}: {error}"


def _unreadable(notebook: Path, error: Exception) -> UsageError:
    return UsageError(f"{notebook} cannot be read as a notebook ({error}).")


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


@contextmanager
def socket_prefix(places: Sequence[str] = ()) -> Iterator[str | None]:
    """Yield what the paths of a kernel's sockets begin with; None without a place.

    Makes a folder for this user alone in the first of `places` (else the folders
    for temporary files) whose path leaves room, and removes it in the end. TCP ports of
    a kernel are drawn by its parent and bound by the kernel a second later: until then
    any other process may take them. A socket in a private folder cannot be taken.
    """
    for place in places or (tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if _leaves_room(place) and os.access(place, os.W_OK | os.X_OK):
            with tempfile.TemporaryDirectory(
                prefix="cmsmig-", dir=place, ignore_cleanup_errors=True
            ) as folder:
                yield str(Path(folder) / "k")
            return
    yield None


def _leaves_room(place: str) -> bool:
    longest = os.path.join(place, _NAME_OF_FOLDER) + _NAME_IN_FOLDER
    return len(os.fsencode(longest)) <= LONGEST_PATH
