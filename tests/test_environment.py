"""The two lists of dependencies agree, and nothing names a host."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import cast

import pytest
import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TOP = Path(__file__).parent.parent
UNPINNED = {"fleet"}
"""Extras that neither `make test` nor `make demo` installs."""
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
    """Both lists hold the same names and version ranges."""
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


PYTHONS = ("3.11.2", "3.11.9", "3.12.1", "3.13.0", "3.14.0")
SYSTEMS = ("linux", "darwin")
PIN = r"([a-z0-9-]+)==([0-9][A-Za-z0-9.]*)(?: ; (.+?))?((?: \\\n    --hash=\S+)+)"


@dataclass(frozen=True)
class Pin:
    """One version of a distribution, where its marker holds."""

    name: str
    version: str
    marker: Marker | None
    hashes: tuple[str, ...]

    def holds(self, **environment: str) -> bool:
        """Return whether it is installed there; here, if nothing is given."""
        return self.marker is None or self.marker.evaluate(environment or None)


@cache
def pins() -> tuple[Pin, ...]:
    """Return the pins; fail where the file holds anything but pins and comments."""
    text = (TOP / ".ci" / "constraints.txt").read_text("utf-8")
    text = re.sub("^#.*\n", "", text, flags=re.MULTILINE)
    found = list(re.finditer(PIN + "\n", text))
    assert "".join(each.group() for each in found) == text
    return tuple(
        Pin(
            name=each[1],
            version=each[2],
            marker=Marker(each[3]) if each[3] else None,
            hashes=tuple(each[4].split("--hash=")[1:]),
        )
        for each in found
    )


def direct() -> list[str]:
    """Return the names that pyproject.toml asks for, the build's included."""
    texts = cast("list[str]", project()["dependencies"])
    pinned = [each for name, each in extras().items() if name not in UNPINNED]
    return [split(text)[0] for text in sum(pinned, texts)]


def extras() -> dict[str, list[str]]:
    """Return what each extra asks for."""
    return cast("dict[str, list[str]]", project()["optional-dependencies"])


def needed(name: str, extras: frozenset[str], seen: set[str]) -> None:
    """Collect what an installed distribution needs in this environment."""
    for text in distribution(name).requires or []:
        wanted = Requirement(text)
        ways = [{"extra": extra} for extra in ("", *extras)]
        if wanted.marker and not any(map(wanted.marker.evaluate, ways)):
            continue
        found = canonicalize_name(wanted.name)
        if found not in seen or wanted.extras:
            seen.add(found)
            needed(found, frozenset(wanted.extras), seen)


def test_constraints_are_versions_with_hashes_and_name_no_host() -> None:
    """Each pin has a hash of each file that it may be installed from."""
    for pin in pins():
        kinds = {
            re.sub("[0-9a-f]{64}", "…", each.strip(" \\\n")) for each in pin.hashes
        }
        assert kinds == {"sha256:…"}, pin.name
        assert len(set(pin.hashes)) == len(pin.hashes)
    assert len({(pin.name, pin.version) for pin in pins()}) == len(pins())


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_constraints_serve_every_python_and_system(python: str, system: str) -> None:
    """Everywhere one version of each; every dependency has one."""
    environment = {
        "python_full_version": python,
        "python_version": python.rpartition(".")[0],
        "sys_platform": system,
        "platform_system": system.capitalize(),
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    here = [pin.name for pin in pins() if pin.holds(**environment)]
    assert len(set(here)) == len(here)
    assert set(direct()) <= set(here)


def test_only_the_fleet_extra_needs_its_engine() -> None:
    """The engine of many sites is in no other extra, and in no pin."""
    own = {split(text)[0] for text in extras()["fleet"]}
    assert "prefect" in own
    assert not own & {pin.name for pin in pins()}
    assert not own & set(direct())


def test_constraints_leave_nothing_out() -> None:
    """What the dependencies need in turn, in this environment, is pinned too."""
    seen: set[str] = set()
    needed("cmsmig", frozenset({"build", "test", "check"}), seen)
    assert seen - {pin.name for pin in pins() if pin.holds()} == set()
