"""The official package on this machine: found, or installed once, as pinned.

It is in the user's cache folder, under the fingerprint of the lock file, and is
never part of the project. Nothing of it is needed to migrate.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import platformdirs

from cmsmig.errors import OfficialUnavailableError
from cmsmig.events import Noticed, Observer, unobserved

OLDEST_NODE = (20, 0)
"""What the pinned packages name as their engine."""
PATIENCE = 600.0
"""Seconds for an installation, which downloads about 20 MB."""
PACKAGE_FILES = ("package.json", "package-lock.json")
_DONE = ".installed"
_INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


@dataclass(frozen=True, slots=True)
class Installation:
    """A Node program and the folder that holds the package."""

    node: str
    folder: Path
    environment: Mapping[str, str]


def default_folder() -> Path:
    """Return the folder of installations; the first one makes it."""
    return platformdirs.user_cache_path("cmsmig") / "official"


async def installation(
    cache: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    observer: Observer = unobserved,
) -> Installation:
    """Return the official package, installed first when it is not there yet.

    `environ` is where `PATH` is looked up and what the programs are started with,
    without our own settings. Raises `OfficialUnavailableError` when Node or npm is
    missing, Node too old, or the installation refused.
    """
    known = os.environ if environ is None else environ
    passed = {name: known[name] for name in known if not name.startswith("CMSMIG_")}
    node = await _node(passed)
    folder = (cache or default_folder()) / _fingerprint()
    try:
        if not (folder / _DONE).exists():
            observer(Noticed("official converter", f"being installed into {folder}"))
            await _install(folder, passed)
    except OSError as error:
        raise OfficialUnavailableError(
            f"The official converter cannot be kept in {folder} ({error.strerror}); "
            "make that folder writable and run this again."
        ) from error
    return Installation(node, folder, passed)


def _shipped(name: str) -> bytes:
    return resources.files("cmsmig.official").joinpath(name).read_bytes()


def _fingerprint() -> str:
    content = b"\0".join(_shipped(name) for name in PACKAGE_FILES)
    return hashlib.sha256(content).hexdigest()[:16]


async def _node(environ: Mapping[str, str]) -> str:
    node = shutil.which("node", path=environ.get("PATH", os.defpath))
    needed = ".".join(map(str, OLDEST_NODE))
    if node is None:
        raise OfficialUnavailableError(
            "The official converter needs Node, which is not on the PATH; install "
            f"Node {needed} or newer, or go on without this comparison."
        )
    _, said, _ = await _ran((node, "--version"), None, environ, 30.0)
    version = re.match(r"v(\d+)\.(\d+)", said)
    if version is None:
        raise OfficialUnavailableError(
            f"{node} does not say its version, so it is not taken for Node; install "
            f"Node {needed} or newer."
        )
    if tuple(map(int, version.groups())) < OLDEST_NODE:
        raise OfficialUnavailableError(
            f"The official converter needs Node {needed} or newer, and {node} is "
            f"{said.strip()}; install a newer one."
        )
    return node


async def _install(folder: Path, environ: Mapping[str, str]) -> None:
    npm = shutil.which("npm", path=environ.get("PATH", os.defpath))
    if npm is None:
        raise OfficialUnavailableError(
            "The official converter is installed with npm, which is not on the PATH; "
            "install npm, or go on without this comparison."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as made:
        new = Path(made, "package")
        new.mkdir()
        for name in PACKAGE_FILES:
            (new / name).write_bytes(_shipped(name))
        code, _, wrong = await _ran((npm, *_INSTALL), new, environ, PATIENCE)
        if code != 0:
            raise OfficialUnavailableError(
                f"npm could not install the official converter ({_reason(wrong)}); "
                "check the network and npm's settings, then run this again."
            )
        (new / _DONE).touch()
        _move(new, folder)


def _move(new: Path, folder: Path) -> None:
    """Put an installation in place, unless another process was quicker."""
    if folder.exists() and not (folder / _DONE).exists():
        shutil.rmtree(folder)
    try:
        new.rename(folder)
    except OSError:
        if not (folder / _DONE).exists():
            raise


def _reason(wrong: str) -> str:
    """Return the first line of npm's error output that gives a reason."""
    lines = (line.removeprefix("npm").strip() for line in wrong.splitlines())
    bare = [re.sub(r"^(error|ERR!)\s*", "", line) for line in lines if line]
    return next((line for line in bare if not line.startswith("code ")), "no reason")


async def _ran(
    command: tuple[str, ...],
    folder: Path | None,
    environ: Mapping[str, str],
    patience: float,
) -> tuple[int, str, str]:
    """Run a program to its end; return its code and what it said."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(environ),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError as error:
        return 126, "", f"{command[0]} cannot be started: {error.strerror}"
    try:
        async with asyncio.timeout(patience):
            said, wrong = await process.communicate()
    except TimeoutError:
        return 124, "", f"no end after {patience:.0f} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    code = process.returncode or 0
    return code, said.decode("utf-8", "replace"), wrong.decode("utf-8", "replace")
