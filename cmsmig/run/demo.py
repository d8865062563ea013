"""A whole migration of the sample site, with the commands an operator uses."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cmsmig.errors import UsageError
from cmsmig.run.child import clean_environment, run_child, this_python
from cmsmig.run.rehearsal import sandbox_running
from cmsmig.settings import Project, load_settings

RATE = 60
"""Writes per second of the demo's sandbox; the real service allows 3 or 6."""
ORIGIN_RATE = 6000
"""Reads per minute; the real service allows 60 or 120."""
REVIEWER = "the demo"
_FOUND = ("writes:", "files failed:", "differences:", "in ")
MARK = ".demo"
"""A file in the project of a demo."""
_SANDBOX = "http://127.0.0.1:"
_COMMAND = this_python("-m", "cmsmig.cli")


@dataclass(frozen=True, slots=True)
class Demo:
    """Where a demo works."""

    project: Project
    reports: Path
    run_id: str
    content: Path | None
    """A content folder to move instead of the sample site."""

    @property
    def run_folder(self) -> Path:
        """Return the folder with the executed notebooks and the report."""
        return self.reports / self.run_id

    @property
    def report(self) -> Path:
        """Return the evidence, as a page."""
        return self.run_folder / "report.html"


def plan_demo(folder: Path | None, reports: Path, content: Path | None) -> Demo:
    """Return where a demo works: in `folder`, else in `demo` below the current one.

    Never the project that the environment names, nor `migration`: those may be real.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return Demo(Project(folder or Path("demo")), reports, f"{stamp}-demo", content)


def run_demo(
    demo: Demo, environ: Mapping[str, str], tell: Callable[[str], None]
) -> int:
    """Move the site and say what came of it; return the exit code.

    Settings of this machine are left out, so that nothing but the sandbox is
    reached. Raises `UsageError` when the folder holds a project that is not a
    demo's.
    """
    clear_own(demo.project)
    demo.project.root.mkdir(0o775, parents=True, exist_ok=True)
    content = [] if demo.content is None else ["--content", str(demo.content)]
    options = [*content, "--rate", str(RATE), "--origin-rate", str(ORIGIN_RATE)]
    failure = "The sandbox did not start, so there is no demo."
    tell(f"A sandbox of both services, {RATE} writes a second; the real one: 3 or 6.")
    with tempfile.TemporaryDirectory(prefix="cmsmig-demo-") as state:
        own = clean_environment(environ, CMSMIG_STATE_DIR=state)
        with sandbox_running(demo.project, options, own, failure):
            code, said = _migrate(demo, own, tell)
    for line in said:
        tell(line)
    for name, path in (("notebooks", demo.run_folder), ("report", demo.report)):
        if path.exists():
            tell(f"{name}: {path}")
    if not code:
        project = demo.project.root
        tell(
            f"next: `cmsmig --project {project} lab` opens the notebooks of this demo;"
        )
        tell("`cmsmig init` starts a project of your own.")
    return code


def clear_own(project: Project) -> None:
    """Take away what an earlier demo left, and no other project.

    Another destination than a sandbox makes it one's own. Raises `UsageError`.
    """
    kept = [path for path in _parts(project) if path.exists()]
    settings = load_settings(project, {}, need_origin=False, need_destination=False)
    is_rehearsal = settings.destination_base_url.startswith(_SANDBOX)
    if kept and not (is_rehearsal and (project.root / MARK).exists()):
        raise UsageError(
            f"{project.root} holds a project that is not a demo's; move it away, or "
            "name another folder: `cmsmig --project DIR demo`."
        )
    for path in kept:
        whole = path.is_dir() and not path.is_symlink()
        shutil.rmtree(path) if whole else path.unlink()


def _parts(project: Project) -> Iterator[Path]:
    yield from (project.toml, project.env, project.decisions, project.raw)
    yield from (project.files, project.lock, project.sandbox, project.notebooks)
    yield from sorted(project.root.glob(f"{project.ledger.name}*"))


def _migrate(
    demo: Demo, environ: Mapping[str, str], tell: Callable[[str], None]
) -> tuple[int, list[str]]:
    """Run each command; return the first exit code that is not 0, and the end."""
    run = ("run", "--reports", str(demo.reports), "--run-id", demo.run_id)
    commands = (
        ("init",),
        (*run, "--to", "01"),
        ("decide", "--accept-proposals", "--reviewer", REVIEWER),
        (*run, "--from", "02"),
        ("import",),
    )
    code, said = 0, [""]
    for command in commands:
        tell(f"$ cmsmig {shlex.join(command)}")
        code, said = _said(demo, environ, command)
        if command == ("init",):
            (demo.project.root / MARK).touch()
        if code:
            break
    return code, [line for line in said if line.startswith(_FOUND)]


def _said(
    demo: Demo, environ: Mapping[str, str], command: tuple[str, ...]
) -> tuple[int, list[str]]:
    line = [*_COMMAND, "--project", str(demo.project.root), *command]
    with tempfile.TemporaryFile("w+b") as out:
        code = run_child(line, environ, stdout=out)
        out.seek(0)
        return code, out.read().decode("utf-8", "replace").splitlines()
