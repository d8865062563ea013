"""The command line: one thin handler per command.

A command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from cmsmig import __version__
from cmsmig.cli.command_groups import OrderedGroup
from cmsmig.cli.console import (
    complain,
    emit_doc,
    emit_json,
    emit_lines,
    report_error,
    require_output,
    run_process,
)
from cmsmig.cli.handover import HANDOVER
from cmsmig.cli.target_option import (
    TARGET,
    emit_result,
    load_project,
    target_named,
    with_target,
)
from cmsmig.cli.tools import DRY_RUN, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from cmsmig.cli.commands import Options, Part
    from cmsmig.cli.progress import Progress
    from cmsmig.cli.rollback import RollbackOptions

_COLLECTIONS = (10_000, 50, 100)
"""When the cyclic garbage collector looks. Nearly nothing that a command makes is in
a circle; with Python's own 700 it looks so often that it costs a tenth of the time."""
_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."
)
_SPLITS = ["headings", "images", "embeds", "tables", "quotes", "code", "galleries"]
_RECREATE = click.option(
    "--recreate", is_flag=True, help="Create missing stories again."
)


_PILOT = (
    click.option("--collection", multiple=True, metavar="SLUG", help="A pilot of it."),
    click.option("--item", multiple=True, metavar="ID", help="A pilot of it."),
    click.option("--locale", multiple=True, metavar="TAG", help="A pilot of it."),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="So many items."),
)


def _pilot(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_PILOT):
        command = option(command)
    return command


@click.group(
    cls=OrderedGroup,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--project",
    "folder",
    type=click.Path(path_type=Path),
    help="The project folder; else $CMSMIG_PROJECT, else the nearest one above.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(__version__)
@click.pass_context
def commands(context: click.Context, folder: Path | None, debug: bool) -> None:
    """Move a site's content into a headless CMS, and prove it."""
    from cmsmig.cli.console import log_printably

    log_printably()
    context.obj = folder


@commands.command()
@click.pass_obj
def init(folder: Path | None) -> None:
    """Start a project folder; changes nothing that is there."""
    from cmsmig.run.locations import notebooks_folder
    from cmsmig.settings import find_project
    from cmsmig.steps.project_init import next_steps, start_project

    project = find_project(folder, os.environ, Path.cwd())
    report = start_project(project, notebooks_folder())
    emit_lines([f"project folder: {project.root.absolute()}"])
    emit_lines(f"{name} written" for name in report.written)
    emit_lines(f"{name} was there and stays as it is" for name in report.kept)
    emit_lines(next_steps(project))


@commands.command()
@TARGET
@_JSON
@click.pass_obj
def check(folder: Path | None, as_json: bool) -> None:
    """Check tokens, site, space and limits; writes nothing."""
    from cmsmig.cli.commands import check as ask

    project, settings = load_project(folder, origin=True, destination=True)
    ask(project, settings, as_json=as_json)


@commands.command()
@TARGET
@click.option("--refresh", is_flag=True, help="Read everything again.")
@_JSON
@click.pass_obj
def pull(folder: Path | None, refresh: bool, as_json: bool) -> None:
    """Read all schemas, items and files of the origin; resumable."""
    from cmsmig.cli.commands import resumable
    from cmsmig.cli.outcomes import pull_doc, pull_json, shortfall
    from cmsmig.steps.decide.decision_store import not_migrated
    from cmsmig.steps.pull.pull import pull as read

    project, settings = load_project(folder, origin=True, needs_target=False)
    reading = read(
        settings,
        project,
        observer=_progress(),
        refresh=refresh,
        not_migrated=not_migrated(project),
    )
    report = resumable(reading)
    emit_json(pull_json(report)) if as_json else emit_doc(pull_doc(report))
    code, sentence = shortfall(report) or (0, "")
    if sentence:
        complain(sentence)
    sys.exit(code)


@commands.command()
@TARGET
@click.option("--accept-proposals", is_flag=True, help="Write proposals as decisions.")
@click.option("--reviewer", default="", help="Who accepts them.")
@click.option("--overwrite", is_flag=True, help="Replace decisions that are there.")
@click.option(
    "--split", "rules", multiple=True, type=click.Choice(_SPLITS), help="Make blocks."
)
@click.option("--heading-level", type=click.IntRange(1, 6), help="For headings; or 2.")
@_JSON
@click.pass_obj
def decide(
    folder: Path | None,
    accept_proposals: bool,
    reviewer: str,
    overwrite: bool,
    rules: tuple[str, ...],
    heading_level: int | None,
    as_json: bool,
) -> None:
    """Write the proposals as decisions, accepted in bulk by a person."""
    from cmsmig.cli.commands import accept

    if not accept_proposals:
        raise click.UsageError(
            "Decide in the notebooks 01 to 03, or give --accept-proposals."
        )
    project, settings = load_project(folder, needs_target=False)
    splits = (rules, heading_level)
    accept(project, settings, reviewer, splits, overwrite=overwrite, as_json=as_json)


@commands.command()
@TARGET
@_RECREATE
@_pilot
@_JSON
@click.pass_obj
def plan(
    folder: Path | None,
    recreate: bool,
    as_json: bool,
    **part: Unpack[Part],
) -> None:
    """Show what an import, or a pilot, would do now; writes nothing there."""
    from cmsmig.cli.commands import plan as show

    project, settings = load_project(folder, destination=True)
    sys.exit(show(project, settings, as_json=as_json, recreate=recreate, **part))


@commands.command("import")
@TARGET
@click.option("--plan", "plan_hash", help="Refuse unless this plan still fits.")
@_RECREATE
@_pilot
@DRY_RUN
@_JSON
@click.pass_obj
def import_(folder: Path | None, **options: Unpack[Options]) -> None:
    """Prepare, create, link and publish; resumable."""
    _write("import", folder, options)


def _part(name: str, summary: str) -> None:
    @commands.command(name, help=summary)
    @TARGET
    @_RECREATE
    @_pilot
    @DRY_RUN
    @_JSON
    @click.pass_obj
    def run_part(folder: Path | None, **options: Unpack[Options]) -> None:
        _write(name, folder, options)


_part("prepare", "Make components, folders and assets.")
_part("create", "Phase one: create the stories, relations empty.")
_part("link", "Phase two: fill relations and internal links.")
_part("publish", "Publish what was decided to be published.")


@commands.command()
@TARGET
@_JSON
@click.pass_obj
def changes(folder: Path | None, as_json: bool) -> None:
    """What moved since the last import, on both sides."""
    from cmsmig.cli.commands import changes as find

    project, settings = load_project(folder, destination=True)
    find(project, settings, as_json=as_json)


@commands.command()
@TARGET
@_JSON
@click.pass_obj
def verify(folder: Path | None, as_json: bool) -> None:
    """Read everything back and compare it with decisions and ledger."""
    from cmsmig.cli.commands import verify as read_back

    project, settings = load_project(folder, destination=True)
    sys.exit(read_back(project, settings, as_json=as_json))


@commands.command()
@click.option("--site", default="", metavar="URL", help="The old site's address.")
@click.option("--rate", type=click.IntRange(1), default=2, help="Pages a second; or 2.")
@click.option("--refresh", is_flag=True, help="Ask for all pages again.")
@click.option("--compare", metavar="URL", help="Say what changed at the new site.")
@click.option(
    "--host", "hosts", multiple=True, help="With --compare: the host after the switch."
)
@_JSON
@click.pass_obj
def baseline(
    folder: Path | None,
    compare: str | None,
    hosts: tuple[str, ...],
    site: str,
    rate: int,
    refresh: bool,
    as_json: bool,
) -> None:
    """Keep how each old address answers; resumable."""
    from cmsmig.cli import baseline as shown
    from cmsmig.evidence.old_addresses import gone_addresses

    project, settings = load_project(folder, needs_target=False)
    if compare is not None:
        if site or refresh:
            raise click.UsageError("--compare goes with --host, --rate, --json only.")
        gone = gone_addresses(project, settings)
        code = shown.compare(
            project, settings, compare, hosts, gone, rate, as_json=as_json
        )
        sys.exit(code)
    code = shown.take(project, settings, site, rate, refresh=refresh, as_json=as_json)
    sys.exit(code)


@commands.command()
@TARGET
@_JSON
@click.pass_obj
def rebuild(folder: Path | None, as_json: bool) -> None:
    """Rebuild a lost ledger from the destination."""
    from cmsmig.cli.commands import resumable
    from cmsmig.cli.outcomes import rebuilt_doc
    from cmsmig.steps.rebuild.rebuild import rebuild as make

    project, settings = load_project(folder, destination=True)
    found = resumable(make(project, settings, observer=_progress()))
    doc = rebuilt_doc(found)
    emit_result(project, settings, found.as_json, lambda: doc, as_json=as_json)


@commands.command()
@TARGET
@click.argument("plan_hash", metavar="[HASH]", required=False)
@click.option("--plan", "planning", is_flag=True, help="Show what it would do.")
@DRY_RUN
@_JSON
@click.pass_obj
def rollback(
    folder: Path | None,
    planning: bool,
    dry_run: bool,
    **options: Unpack[RollbackOptions],
) -> None:
    """Remove what the import created, and nothing else; resumable."""
    from cmsmig.cli.rollback import roll_back

    project, settings = load_project(folder, destination=True)
    sys.exit(roll_back(project, settings, planning=planning or dry_run, **options))


@commands.command()
@TARGET
@_JSON
@click.pass_obj
def status(folder: Path | None, as_json: bool) -> None:
    """Show the accounting, asking no service."""
    from cmsmig.settings import choose_target, find_project
    from cmsmig.steps.verify.accounting import read_status

    found = find_project(folder, os.environ, Path.cwd())
    project = choose_target(found, target_named())
    lines, document = read_status(project)
    if as_json:
        emit_json(with_target(document, project))
    else:
        named = [f"target: {project.target}"] if project.target else []
        emit_lines([*named, *lines])


for each in (*HANDOVER, *TOOLS):
    commands.add_command(each)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code; an error is one sentence."""
    if arguments is None:
        run_process(main)
    gc.set_threshold(*_COLLECTIONS)
    try:
        require_output()
        given = arguments or ["--help"]
        commands.main(given, prog_name="cmsmig", standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:
        sys.exit(report_error(error, debug="--debug" in arguments))


def _write(command: str, folder: Path | None, options: Options) -> None:
    from cmsmig.cli.commands import write

    project, settings = load_project(folder, destination=True)
    sys.exit(write(command, project, settings, **options))


def _progress() -> Progress:
    from cmsmig.cli.progress import Progress

    return Progress(sys.stderr)
