"""The rule that a project brings along: the function `rule` of a Python file named in
`cmsmig.toml`.

The file is the operator's own code, and it is run; nothing else ever is. It lies
in the project folder, and only what is in it counts: its fingerprint is part of
every plan.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from cmsmig.errors import SettingsError
from cmsmig.printable import PrintableStream
from cmsmig.settings import Project, find_project, load_settings

if TYPE_CHECKING:
    from cmsmig.richtext.custom.claims import CustomRules
    from cmsmig.richtext.custom.rules import RuleFunction
    from cmsmig.richtext.html.soup import Tag


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A project's rules, loaded."""

    name: str
    """As `cmsmig.toml` names it."""
    digest: str
    rules: CustomRules


@dataclass(frozen=True, slots=True)
class NamedRules:
    """Which rules to load: small, so that it can be sent to every process."""

    project: Project
    name: str

    def loaded(self) -> CustomRules:
        """Return the rules, loaded once in each process."""
        return _load_named(self)


@cache
def _load_named(named: NamedRules) -> CustomRules:
    found = load_rules(named.project, named.name)
    if found is None:
        raise SettingsError(f"{named.project.toml} names no rules.")
    return found.rules


def named_rules(folder: Path | None, environ: Mapping[str, str]) -> NamedRules | None:
    """Return the rules for texts that are converted on their own.

    `folder`: the project's, else it is found from here. None outside of a project
    and where the project names none. Raises `SettingsError` when the settings are
    wrong.
    """
    project = find_project(folder, environ, Path.cwd())
    if not project.toml.is_file():
        return None
    settings = load_settings(
        project, environ, need_origin=False, need_destination=False
    )
    rules = settings.richtext_rules
    return NamedRules(project, rules) if rules else None


def load_rules(project: Project, name: str) -> RuleFile | None:
    """Return the rules in the file called `name`; None when none is named.

    Runs the file. Raises `SettingsError` when it is not in the project folder,
    goes wrong, or holds no function `rule`.
    """
    if not name:
        return None
    # Only here: BeautifulSoup takes longer to load than most commands run.
    from cmsmig.richtext.custom.claims import CustomRules

    path = _inside(project, name)
    try:
        source = path.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"{path}, which {project.toml} names as its rules, cannot be read "
            f"({error.strerror}); correct the name there or take it out."
        ) from error
    digest = hashlib.sha256(source).hexdigest()
    names = _run(source, path, digest)
    rule = names.get("rule")
    if not callable(rule):
        raise SettingsError(
            f"{path} holds no function `rule`; write one that takes an element and "
            f"returns a block or None, or take the file's name out of {project.toml}."
        )
    return RuleFile(name, digest, CustomRules(_aside(rule)))


def _inside(project: Project, name: str) -> Path:
    # Not `Path.resolve`, which raises for links that lead in a circle.
    root = Path(os.path.realpath(project.root))
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(root):
        raise SettingsError(
            f"{project.toml} names {name} as its rules, which lies outside of the "
            "project folder; move the file into it."
        )
    return path


def _run(source: bytes, path: Path, digest: str) -> Mapping[str, object]:
    """Return the names that the file leaves when it is run."""
    module = ModuleType(f"cmsmig_rules_{digest[:16]}")
    module.__file__ = str(path)
    # Dataclasses and pickles look their module up.
    sys.modules[module.__name__] = module
    try:
        with redirect_stdout(PrintableStream(sys.stderr)):
            code = compile(source, str(path), "exec", dont_inherit=True)
            exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise SettingsError(
            f"The rules in {path} cannot be used{_line(error, path)}: "
            f"{type(error).__name__}: {said}."
        ) from error
    return vars(module)


def _line(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [each.lineno for each in frames if each.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _aside(function: RuleFunction) -> RuleFunction:
    """Keep what the rule prints out of a command's own output."""

    def called(tag: Tag) -> Mapping[str, object] | None:
        with redirect_stdout(PrintableStream(sys.stderr)):
            return function(tag)

    return called
