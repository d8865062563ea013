"""The project and settings that a command is about, and which of its destinations
(`--target NAME`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cmsmig.cli.console import complain, emit_doc, emit_json, emit_lines

if TYPE_CHECKING:
    from cmsmig.canonical import JsonObject
    from cmsmig.settings import Project, Settings
    from cmsmig.ui.doc import Part

_NAME = "cmsmig.target"


def _keep(context: click.Context, _: click.Parameter, value: object) -> None:
    context.meta[_NAME] = value


TARGET = click.option(
    "--target",
    metavar="NAME",
    expose_value=False,
    callback=_keep,
    help="Which destination, where the project names several.",
)


def target_named() -> str:
    """Return what `--target` of the running command says, or nothing."""
    context = click.get_current_context(silent=True)
    return str(context.meta.get(_NAME) or "") if context is not None else ""


def load_project(
    folder: Path | None,
    *,
    origin: bool = False,
    destination: bool = False,
    needs_target: bool = True,
) -> tuple[Project, Settings]:
    """Return the project and the settings that a command needs of either side.

    Raises `UsageError` where several targets are possible and one is needed, and
    `SettingsError`.
    """
    from cmsmig.settings import choose_target, find_project, load_settings

    found = find_project(folder, os.environ, Path.cwd())
    project = choose_target(found, target_named(), needed=needs_target)
    settings = load_settings(
        project, os.environ, need_origin=origin, need_destination=destination
    )
    if settings.warning:
        complain(settings.warning)
    return project, settings


def target_lines(project: Project, settings: Settings) -> list[str]:
    """Return the headline of a command about one target; none without one."""
    if not project.target:
        return []
    space = f"space {settings.space_id} at {settings.destination_base_url}"
    return [f"target: {project.target}, {space}"]


def emit_result(
    project: Project,
    settings: Settings,
    document: Callable[[], JsonObject],
    doc: Callable[[], Iterable[Part]],
    *,
    as_json: bool,
) -> None:
    """Print what a command found: as JSON, or for a person below the target's line."""
    if as_json:
        emit_json(with_target(document(), project))
    else:
        emit_named(project, settings, doc())


def emit_named(project: Project, settings: Settings, doc: Iterable[Part]) -> None:
    """Print a document below the target's line."""
    emit_lines(target_lines(project, settings))
    emit_doc(doc)


def with_target(document: JsonObject, project: Project) -> JsonObject:
    """Return a JSON document that names the target, if there is one."""
    return {"target": project.target, **document} if project.target else document
