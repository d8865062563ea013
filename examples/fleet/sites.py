"""The sites of a fleet, as `fleet.toml` names them."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEYS = {"name", "project", "space", "cron", "command", "target"}
_ELSEWHERE = re.compile(r"--(?:project|target)(?:=.*)?|(?:-p)?target=.*", re.S)
"""Words of a command that would lead it to another space than the site's."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site: a project folder, and the space that it goes to."""

    name: str
    """In small letters, digits and dashes: it is part of the artifacts' keys."""
    project: str
    """The project folder, the same on every machine that may run the site."""
    space: int
    cron: str | None = None
    """When it runs by itself; None: only when a person starts it."""
    command: tuple[str, ...] = ("run",)
    """What cmsmig is called with, after `--project`."""
    target: str = ""
    """The project's target that the space is; empty where it names none."""

    @property
    def limit(self) -> str:
        """Return the name of the limit that admits one run per space."""
        return f"space-{self.space}"


def read_sites(path: Path) -> list[Site]:
    """Return the sites of a file in its order.

    A project is relative to the file's folder. Raises `ValueError` naming what is
    wrong with which site.
    """
    document = tomllib.loads(path.read_text("utf-8"))
    sites = [_site(entry, path.parent) for entry in document.get("site", ())]
    if not sites:
        raise ValueError(f"{path} names no [[site]].")
    for key in ("name", "project"):
        values = [
            (getattr(site, key), site.target if key == "project" else "")
            for site in sites
        ]
        if twice := {value for value in values if values.count(value) > 1}:
            raise ValueError(f"{path}: two sites have the {key} {min(twice)[0]}.")
    return sites


def _site(entry: dict[str, object], folder: Path) -> Site:
    match {"target": "", **entry}:
        case {
            "name": str(name),
            "project": str(project),
            "space": int(space),
            "target": str(target),
        }:
            cron, command = entry.get("cron"), entry.get("command", ["run"])
        case _:
            raise ValueError(
                "Each [[site]] needs a name, a project (texts) and a space (number), "
                f"and its target is a text: {entry}."
            )
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"The name {name!r} has to be small letters, digits and single dashes."
        )
    if unknown := entry.keys() - _KEYS:
        raise ValueError(f"The site {name} has the unknown key {min(unknown)}.")
    if not (cron is None or isinstance(cron, str)):
        raise ValueError(f"The cron of the site {name} has to be text.")
    if not (isinstance(command, list) and all(isinstance(w, str) for w in command)):
        raise ValueError(f"The command of the site {name} has to be a list of texts.")
    if any(_ELSEWHERE.fullmatch(word) for word in command):
        raise ValueError(
            f"The command of the site {name} names a project or target; write project "
            "and target of the [[site]] instead, so that its space is limited."
        )
    project = str((folder / project).resolve())
    return Site(name, project, space, cron, tuple(command), target)
