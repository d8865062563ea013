"""The browser of the tests is found, installed or asked for; never done without."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.browser.chromium import Machine, NoChromiumError, chromium


class Programs:
    """The programs of a machine; apt-get brings Chromium where it may."""

    def __init__(self, *names: str, brings: bool = True) -> None:
        self.names = set(names)
        self.brings = brings
        self.ran: list[str] = []

    def which(self, name: str) -> str | None:
        return f"/bin/{name}" if name in self.names else None

    def run(self, command: Sequence[str]) -> bool:
        self.ran.append(" ".join(command))
        if self.brings and "install" in command:
            self.names.add("chromium")
        return self.brings


def on(
    programs: Programs, *, root: bool = False, environ: Mapping[str, str] | None = None
) -> str:
    """Return the Chromium found on a machine with these programs."""
    return chromium(Machine(environ or {}, root, programs.which, programs.run))


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_on_the_path_is_taken(name: str) -> None:
    """Under each of its usual names, without installing anything."""
    programs = Programs(name, "apt-get")
    assert on(programs, root=True) == f"/bin/{name}"
    assert programs.ran == []


def test_a_named_browser_comes_first() -> None:
    """The variable wins over what is on the path."""
    programs = Programs("chromium", "my-browser")
    environ = {"CMSMIG_CHROMIUM": "my-browser"}
    assert on(programs, environ=environ) == "/bin/my-browser"


def test_a_named_browser_that_is_not_there_is_said() -> None:
    """It is not replaced in silence by another one."""
    programs = Programs("chromium")
    with pytest.raises(NoChromiumError, match="CMSMIG_CHROMIUM names nothing-here"):
        on(programs, environ={"CMSMIG_CHROMIUM": "nothing-here"})


def test_root_gets_it_installed() -> None:
    """The package lists first, then the browser."""
    programs = Programs("apt-get")
    assert on(programs, root=True) == "/bin/chromium"
    assert programs.ran == ["apt-get update", "apt-get install -y chromium"]


def test_a_second_process_waits_for_the_installation() -> None:
    """One of two that find none installs it; the other one finds what it brought."""
    both_searched = threading.Barrier(2, timeout=10)
    programs = Programs("apt-get")

    def search() -> str:
        def which(name: str) -> str | None:
            if name == "apt-get":
                both_searched.wait()
            return programs.which(name)

        return chromium(Machine({}, True, which, programs.run))

    with ThreadPoolExecutor(2) as pool:
        found = [each.result() for each in [pool.submit(search) for _ in range(2)]]
    assert found == ["/bin/chromium"] * 2
    assert programs.ran == ["apt-get update", "apt-get install -y chromium"]


@pytest.mark.parametrize(
    ("programs", "root", "command"),
    [
        (Programs("apt-get"), False, "sudo apt-get install -y chromium"),
        (Programs("apt-get", brings=False), True, "apt-get install -y chromium"),
        (Programs("dnf"), False, "sudo dnf install -y chromium"),
        (Programs("brew"), False, "brew install --cask chromium"),
        (Programs(), False, "export CMSMIG_CHROMIUM=/path/to/chromium"),
    ],
)
def test_else_one_command_is_named(
    programs: Programs, root: bool, command: str
) -> None:
    """The message holds the command that fits the machine, and nothing else ran."""
    with pytest.raises(NoChromiumError, match=f"  {command}  "):
        on(programs, root=root)
    assert root or programs.ran == []
