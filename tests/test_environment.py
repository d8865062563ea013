"""The two lists of dependencies agree, and nothing names a host."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import cast

import yaml

TOP = Path(__file__).parent.parent
ONLY_CONDA = {"python", "nodejs", "pip"}
"""What conda brings and pip cannot, or brings by itself."""


def split(requirement: str) -> tuple[str, frozenset[str]]:
    """Return a requirement's name and its bounds."""
    found = re.fullmatch(r"([A-Za-z0-9._-]+)\s*([<>=!~].*)?", requirement)
    assert found is not None, requirement
    bounds = (found.group(2) or "").replace(" ", "")
    return found.group(1).lower(), frozenset(bounds.split(",")) - {""}


def project() -> dict[str, object]:
    """Return the project's table in pyproject.toml."""
    document = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    return cast("dict[str, object]", document["project"])


def conda() -> tuple[dict[str, frozenset[str]], list[object]]:
    """Return the conda dependencies by name, and those that are no text."""
    document = yaml.safe_load((TOP / "environment.yml").read_text("utf-8"))
    assert document["channels"] == ["conda-forge"]
    listed = document["dependencies"]
    texts = [entry for entry in listed if isinstance(entry, str)]
    named = dict(map(split, texts))
    assert len(named) == len(texts)
    return named, [entry for entry in listed if not isinstance(entry, str)]


def test_conda_and_pip_ask_for_the_same() -> None:
    """Every name and range of one list stands in the other."""
    wanted = dict(map(split, cast("list[str]", project()["dependencies"])))
    named, _ = conda()
    assert {name: named[name] for name in named if name not in ONLY_CONDA} == wanted


def test_conda_brings_what_pip_cannot() -> None:
    """Python in the project's range, node and pip, and the project itself."""
    named, others = conda()
    assert named.keys() >= ONLY_CONDA
    required = cast("str", project()["requires-python"])
    assert named["python"] == frozenset({required})
    assert others == [{"pip": ["-e ."]}]


def test_every_dependency_has_both_bounds() -> None:
    """A new major version of a dependency is a decision, not an accident."""
    for text in cast("list[str]", project()["dependencies"]):
        _, bounds = split(text)
        assert {bound[0] for bound in bounds} == {"<", ">"}, text


def test_constraints_are_versions_and_name_no_host() -> None:
    """Each line is a name and one exact version; every dependency has one."""
    lines = (TOP / ".ci" / "constraints.txt").read_text("utf-8").splitlines()
    pinned = set()
    for line in lines:
        found = re.fullmatch(r"([a-z0-9-]+)==[0-9][A-Za-z0-9.]*", line)
        assert found is not None, line
        pinned.add(found.group(1))
    assert len(pinned) == len(lines)
    extras = cast("dict[str, list[str]]", project()["optional-dependencies"])
    direct = [
        *cast("list[str]", project()["dependencies"]),
        *extras["test"],
        *extras["check"],
    ]
    assert {split(text)[0] for text in direct} <= pinned
