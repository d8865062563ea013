"""Commands besides the migration itself: conversion, sandbox, notebooks, demo, and
decision files in git.

A command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cmsmig.cli.console import complain, emit_json, emit_lines
from cmsmig.cli.target_option import (
    TARGET,
    load_project,
    target_named,
)

DRY_RUN = click.option(
    "--dry-run", is_flag=True, help="Show the plan and write nothing."
)


@click.command()
@click.option("--from", "kind", type=click.Choice(["html", "markdown"]), default="html")
@click.option("--losses", type=click.Path(path_type=Path), help="Write losses here.")
@click.option("--batch", is_flag=True, help="Convert the folder IN_DIR into OUT_DIR.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.pass_obj
def convert(
    folder: Path | None,
    kind: str,
    losses: Path | None,
    batch: bool,
    paths: tuple[Path, ...],
) -> None:
    """Convert a body (FILE or -) or a folder of them.

    In a project with rules of its own, these are used.
    """
    from cmsmig.cli.conversion import convert_batch, convert_one
    from cmsmig.steps.decide.rules_file import named_rules

    rules = named_rules(folder, os.environ)
    if batch:
        convert_batch(paths, kind=kind, rules=rules)
    else:
        text = _read(paths)
        convert_one(text, kind=kind, rules=rules, losses=losses)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def render(paths: tuple[Path, ...]) -> None:
    """Render a rich text document (FILE or -) to HTML."""
    from cmsmig.cli.conversion import render_one

    render_one(_read(paths))


@click.command()
@click.option("--content", type=click.Path(path_type=Path), help="A content folder.")
@click.option("--origin-port", type=int, default=0)
@click.option("--destination-port", type=int, default=0)
@click.option("--rate", type=click.IntRange(1), help="Writes per second; else 6.")
@click.option("--origin-rate", type=click.IntRange(1), help="Reads a minute; else 60.")
@click.option("--demo-space", is_flag=True, help="Start with starter content.")
@click.option("--language", multiple=True, help="A language of the space, such as fr.")
@click.option(
    "--env-file", type=click.Path(path_type=Path), help="Write settings here."
)
@click.option(
    "--project",
    "kept_in",
    type=click.Path(path_type=Path),
    help="Keep state, ports and tokens in this project; go on from there.",
)
@click.pass_obj
def sandbox(
    folder: Path | None,
    content: Path | None,
    origin_port: int,
    destination_port: int,
    rate: int | None,
    origin_rate: int | None,
    demo_space: bool,
    language: tuple[str, ...],
    env_file: Path | None,
    kept_in: Path | None,
) -> None:
    """Run both services on this machine until stopped."""
    from cmsmig.run.rehearsal import kept_options, serve_until_stopped
    from cmsmig.sandbox.options import SandboxOptions
    from cmsmig.settings import find_project

    options = SandboxOptions(
        content=content,
        origin_port=origin_port,
        destination_port=destination_port,
        rate=rate or 6,
        origin_rate=origin_rate or 60,
        demo_space=demo_space,
        languages=language,
    )
    if kept_in or folder:
        project = find_project(kept_in or folder, os.environ, Path.cwd())
        given = {
            "rate": rate,
            "origin_rate": origin_rate,
            "languages": language or None,
        }
        options = kept_options(project, options, given)
        env_file = env_file or (None if project.env.exists() else project.env)
    serve_until_stopped(options, env_file)


@click.command()
@click.option("--only", metavar="NN", help="This notebook alone.")
@click.option("--from", "first", metavar="NN", help="The first notebook to run.")
@click.option("--to", "last", metavar="NN", help="The last notebook to run.")
@click.option("-p", "values", metavar="NAME=VALUE", multiple=True, help="A parameter.")
@click.option(
    "--reports",
    type=click.Path(path_type=Path),
    help="Else ./reports, and in it a folder for each target.",
)
@click.option("--run-id", help="The folder's name; else the time and the site.")
@click.option("--refresh", is_flag=True, help="Read the origin again: a delta run.")
@TARGET
@DRY_RUN
@click.pass_obj
def run(
    folder: Path | None,
    only: str | None,
    first: str | None,
    last: str | None,
    values: tuple[str, ...],
    reports: Path | None,
    run_id: str | None,
    refresh: bool,
    dry_run: bool,
) -> None:
    """Run the numbered notebooks unattended; keep each with its output.

    With --refresh and no choice of notebooks: pull, what moved, import, verify,
    report.
    """
    from cmsmig.cli.progress import Progress, moment
    from cmsmig.run.locations import (
        find_notebooks,
        notebooks_folder,
        select,
        select_delta,
    )
    from cmsmig.run.unattended import named_once, run_unattended
    from cmsmig.settings import choose_target, find_project

    named = named_once("project", str(folder or ""), values)
    project = choose_target(
        find_project(Path(named) if named else None, os.environ, Path.cwd()),
        named_once("target", target_named(), values),
    )
    found = find_notebooks(notebooks_folder())
    delta = refresh and only is None and first is None and last is None
    finished = run_unattended(
        project,
        select_delta(found)
        if delta
        else select(found, only=only, first=first, last=last),
        values,
        reports=(reports or Path("reports")) / project.target,
        run_id=run_id,
        dry_run=dry_run,
        refresh=refresh,
        observer=Progress(sys.stderr, stamp=moment),
    )
    emit_lines(finished.lines)
    if finished.run.complaint:
        complain(finished.run.complaint)
    sys.exit(finished.exit_code)


@click.command()
@click.option("--content", type=click.Path(path_type=Path), help="Another site.")
@click.option("--reports", type=click.Path(path_type=Path), default="reports")
@click.pass_obj
def demo(folder: Path | None, content: Path | None, reports: Path) -> None:
    """Move a sample site against a sandbox, from nothing to the report."""
    from cmsmig.run.demo import plan_demo, run_demo

    planned = plan_demo(folder, reports, content)
    sys.exit(run_demo(planned, os.environ, lambda line: emit_lines([line])))


@click.command()
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@click.option("--port", type=int, default=8888, help="Or the next one that is free.")
@click.option("--keep-outputs", is_flag=True, help="Save notebooks with outputs.")
@click.argument("more", nargs=-1, metavar="[-- OPTIONS OF JUPYTERLAB]")
@click.pass_obj
def lab(
    folder: Path | None,
    no_browser: bool,
    port: int,
    keep_outputs: bool,
    more: tuple[str, ...],
) -> None:
    """Open JupyterLab on the project's notebooks, on this machine only."""
    from cmsmig.run.lab import open_lab
    from cmsmig.settings import find_project

    project = find_project(folder, os.environ, Path.cwd())
    code = open_lab(
        project,
        os.environ,
        browser=not no_browser,
        port=port,
        keep_outputs=keep_outputs,
        more=more,
        tell=complain,
    )
    sys.exit(code)


def _read(paths: tuple[Path, ...]) -> str:
    if len(paths) > 1:
        raise click.UsageError("Give one file, or - for standard input.")
    if not paths or str(paths[0]) == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return paths[0].read_bytes().decode("utf-8", "replace")


@click.group()
def decisions() -> None:
    """Check decision files, as CI does for a pull request."""


@decisions.command()
@TARGET
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_obj
def check(folder: Path | None, as_json: bool) -> None:
    """Check the decision files; against the origin too, where it was pulled.

    Asks no service and needs no token: exit code 0, 2 for what is malformed or does
    not fit, 3 for what is missing.
    """
    from cmsmig.steps.decide.decision_check import check_decisions

    project, settings = load_project(folder, needs_target=False)
    checked = check_decisions(project, settings)
    emit_json(checked.as_json()) if as_json else emit_lines(checked.lines)


TOOLS = (convert, render, sandbox, run, demo, lab, decisions)
"""The commands of this module."""
