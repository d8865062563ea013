"""The official package is found, or installed once, exactly as pinned."""

from __future__ import annotations

import asyncio
import json
import re
from importlib import resources
from pathlib import Path

import pytest

from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Noticed
from cmsmig.official.install import Installation, installation
from tests.support.official.fakenode import FakePrograms


@pytest.fixture
def programs(tmp_path: Path) -> FakePrograms:
    """Return a folder without any program yet."""
    return FakePrograms(tmp_path / "bin")


async def installed(programs: FakePrograms, seen: list | None = None) -> Installation:
    """Install with these programs alone."""
    observer = (lambda event: None) if seen is None else seen.append
    return await installation(
        programs.cache, environ=programs.environ, observer=observer
    )


async def refused(programs: FakePrograms) -> str:
    """Return why the installation is refused."""
    with pytest.raises(OfficialUnavailableError) as caught:
        await installed(programs)
    return str(caught.value)


def shipped(name: str) -> str:
    """Return a file of the package."""
    return resources.files("cmsmig.official").joinpath(name).read_text("utf-8")


async def test_it_is_installed_once(programs: FakePrograms) -> None:
    """The first call installs and reports it; the next one starts nothing."""
    programs.node()
    programs.npm()
    seen: list[object] = []
    first = await installed(programs, seen)
    assert await installed(programs, seen) == first
    assert [type(each) for each in seen] == [Noticed]
    (arguments,) = programs.installs()
    assert arguments.startswith("ci --ignore-scripts ")
    for name in ("package.json", "package-lock.json"):
        assert (first.folder / name).read_text("utf-8") == shipped(name)


async def test_two_at_once_end_with_one(programs: FakePrograms) -> None:
    """Installations at the same time do not disturb each other."""
    programs.node()
    programs.npm()
    first, second = await asyncio.gather(installed(programs), installed(programs))
    assert first == second
    assert [each.name for each in programs.cache.iterdir()] == [first.folder.name]


async def test_half_an_installation_is_made_again(programs: FakePrograms) -> None:
    """A folder without the mark of a complete one is replaced."""
    programs.node()
    programs.npm()
    made = await installed(programs)
    (made.folder / ".installed").unlink()
    await installed(programs)
    assert len(programs.installs()) == 2


async def test_without_node(programs: FakePrograms) -> None:
    """Without Node the sentence says what to install."""
    assert await refused(programs) == (
        "The official converter needs Node, which is not on the PATH; install Node "
        "20.0 or newer, or go on without this comparison."
    )


async def test_an_old_node(programs: FakePrograms) -> None:
    """A Node that the package does not run on is named with its version."""
    programs.node("v18.20.4")
    assert "needs Node 20.0 or newer" in await refused(programs)
    assert "is v18.20.4;" in await refused(programs)


async def test_something_else_called_node(programs: FakePrograms) -> None:
    """A program that does not say a version is not taken for Node."""
    programs.node("usage: node FILE")
    assert "does not say its version" in await refused(programs)


async def test_without_npm(programs: FakePrograms) -> None:
    """The message names the missing npm."""
    programs.node()
    assert "installed with npm, which is not on the PATH" in await refused(programs)


async def test_npm_refuses(programs: FakePrograms) -> None:
    """npm's reason is shown, no partial installation stays, and a repeat works."""
    programs.node()
    programs.npm(refusal=True)
    said = await refused(programs)
    assert "(404 Not Found - the package)" in said
    assert list(programs.cache.iterdir()) == []
    programs.npm()
    assert (await installed(programs)).folder.exists()


async def test_a_cache_folder_that_cannot_be_written(programs: FakePrograms) -> None:
    """A cache that is no folder is one sentence, not a traceback."""
    programs.node()
    programs.npm()
    programs.cache.write_text("a file", encoding="utf-8")
    assert "cannot be kept in" in await refused(programs)


def test_the_lock_file_holds_no_address() -> None:
    """Each user installs from their own registry."""
    for name in ("package.json", "package-lock.json", ".npmrc"):
        assert "http" not in shipped(name)
        assert '"resolved"' not in shipped(name)


def test_the_lock_file_pins_what_was_compared_with() -> None:
    """One version of every package that decides about the output, with its hash."""
    packages = json.loads(shipped("package-lock.json"))["packages"]
    found: dict[str, set[str]] = {}
    for path, entry in packages.items():
        if path:
            assert entry["integrity"].startswith("sha512-")
            name = re.sub(r"^.*node_modules/", "", path)
            found.setdefault(name, set()).add(entry["version"])
    assert found["@storyblok/richtext"] == {"5.3.1"}
    assert found["happy-dom"] == {"20.14.6"}
    assert found["prosemirror-model"] == {"1.25.13"}
    assert found["markdown-it"] == {"14.3.3"}
    assert found["entities"] == {"7.0.1"}
    tiptap = {name: found[name] for name in found if name.startswith("@tiptap/")}
    assert len(tiptap) == 26
    assert set().union(*tiptap.values()) == {"3.31.3"}
