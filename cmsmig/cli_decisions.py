"""`cmsmig decisions`: what changed, whether it holds together, and merging.

A command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cmsmig.terminal.console import complain, emit_json, emit_lines
from cmsmig.terminal.target_option import TARGET, target_named


@click.group()
@click.pass_obj
def decisions(folder: Path | None) -> None:
    """Review decision files in git: diff, check, merge."""
    from cmsmig.settings import find_project
    from cmsmig.steps.decide.merge_driver import renew_driver

    project = find_project(folder, os.environ, Path.cwd())
    if any({*map(renew_driver, (project.root, Path.cwd()))}):
        complain(
            "The merge driver of this clone ran Python from the working tree; it was "
            "renewed, and now runs the installed cmsmig alone."
        )


@decisions.command()
@TARGET
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.argument("before", metavar="[A]", required=False)
@click.argument("after", metavar="[B]", required=False)
@click.pass_obj
def diff(
    folder: Path | None, before: str | None, after: str | None, as_json: bool
) -> None:
    """Say in words what was decided otherwise in B than in A.

    A and B are revisions of git or folders. Without B: as it stands here; without
    A: since the last commit. Exits with 1 where anything differs.
    """
    from cmsmig.mapping.decisions.decision_differences import tell_differences
    from cmsmig.settings import choose_target, find_project
    from cmsmig.steps.decide.decision_versions import state_at, state_now

    found = find_project(folder, os.environ, Path.cwd())
    project = choose_target(found, target_named(), needed=False)
    old = state_at(project, before or "HEAD")
    new = state_at(project, after) if after else state_now(project)
    told = tell_differences(old, new)
    if as_json:
        emit_json({"differences": [*told]})
    else:
        emit_lines(told or ["nothing was decided otherwise"])
    sys.exit(1 if told else 0)


@decisions.command()
@TARGET
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def check(folder: Path | None, as_json: bool) -> None:
    """Check the decision files; against the origin too, where it was pulled.

    Asks no service and needs no token: exit code 0, 2 for what is malformed or does
    not fit, 3 for what is missing.
    """
    from cmsmig.settings import choose_target, find_project, load_settings
    from cmsmig.steps.decide.decision_check import check_decisions

    found = find_project(folder, os.environ, Path.cwd())
    project = choose_target(found, target_named(), needed=False)
    settings = load_settings(
        project, os.environ, need_origin=False, need_destination=False
    )
    checked = check_decisions(project, settings)
    emit_json(checked.as_json()) if as_json else emit_lines(checked.lines)


@decisions.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--install", is_flag=True, help="Have git call this for decision files.")
@click.pass_obj
def merge(folder: Path | None, files: tuple[Path, ...], install: bool) -> None:
    """Merge decision files as git asks for it: BASE OURS THEIRS NAME.

    `--install` sets that up in the repository of the project, once for each clone.
    """
    from cmsmig.steps.decide.decision_merge import merge_files
    from cmsmig.steps.decide.merge_driver import install_driver

    if install:
        from cmsmig.settings import find_project

        project = find_project(folder, os.environ, Path.cwd())
        emit_lines(install_driver(project, sys.executable))
        return
    if len(files) != 4:
        raise click.UsageError("Give BASE, OURS, THEIRS and NAME, or --install.")
    base, ours, theirs, name = files
    if conflicts := merge_files(base, ours, theirs, str(name)):
        complain(
            f"{name}: {conflicts} decided otherwise by both; choose between the marks."
        )
        sys.exit(1)
