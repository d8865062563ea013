"""Commands about what is on disk: cleaning, schema, checklist. They ask no service.

A command imports what it needs when it runs, so that `--help` is instant.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cmsmig.cli.console import emit_json, emit_lines
from cmsmig.cli.target_option import (
    TARGET,
    emit_result,
    load_project,
    with_target,
)

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.command()
@TARGET
@click.option("--out", type=click.Path(path_type=Path), help="Else ./reports/schema.")
@_JSON
@click.pass_obj
def schema(folder: Path | None, out: Path | None, as_json: bool) -> None:
    """Write the design as JSON, as TypeScript types and as a reference page."""
    from cmsmig.design_export.schema_files import write_schema
    from cmsmig.steps.decide.decided_design import read_decided_design

    project, settings = load_project(folder, needs_target=False)
    target = out or Path("reports") / project.target / "schema"
    written = write_schema(read_decided_design(project, settings), target)
    if as_json:
        emit_json(with_target(written.as_json(), project))
    else:
        emit_lines(written.lines)


@click.command()
@TARGET
@click.option("--propose", is_flag=True, help="Add proposals, none of them accepted.")
@click.option("--alt-texts", type=click.Path(path_type=Path), help="A list, filled in.")
@click.option("--reviewer", default="", help="Who filled it in.")
@click.option("--ask-links", type=click.IntRange(1), help="Ask so many other sites.")
@_JSON
@click.pass_obj
def clean(
    folder: Path | None,
    propose: bool,
    alt_texts: Path | None,
    reviewer: str,
    ask_links: int | None,
    as_json: bool,
) -> None:
    """Show what the operations of decisions/cleaning.yaml change."""
    import asyncio

    from cmsmig.cli.cleaning import show_cleaning, take_alts
    from cmsmig.cli.progress import Progress
    from cmsmig.steps.baseline.external_links import find_dead_links
    from cmsmig.survey.cleaning_proposals import propose_cleaning

    project, settings = load_project(folder, needs_target=False)
    if alt_texts is not None:
        take_alts(project, alt_texts, reviewer)
    more = propose_cleaning(project, settings) if propose else {}
    if ask_links is not None:
        observer = Progress(sys.stderr)
        more |= asyncio.run(find_dead_links(project, settings, ask_links, observer))
    show_cleaning(project, settings, more, as_json=as_json)


@click.command("checklist")
@TARGET
@_JSON
@click.pass_obj
def list_checks(folder: Path | None, as_json: bool) -> None:
    """What has to be so before the DNS switch, from the project's files alone."""
    from cmsmig.evidence.checklist import open_checklist
    from cmsmig.evidence.report import checklist_doc

    project, settings = load_project(folder)
    checks = open_checklist(project, settings)
    emit_result(
        project,
        settings,
        lambda: {"checklist": [each.as_json() for each in checks]},
        lambda: checklist_doc(checks),
        as_json=as_json,
    )
    sys.exit(int(any(each.state == "open" for each in checks)))


HANDOVER = (clean, schema, list_checks)
"""The commands of this module."""
