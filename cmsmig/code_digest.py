"""The digest of code: what was derived by other code is derived again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable


@cache
def code_digest(rooms: tuple[str, ...], libraries: tuple[str, ...] = ()) -> str:
    """Return a digest of the package's root modules, of the modules in `rooms`, and of
    the versions of installed `libraries`."""
    digest = hashlib.sha256()
    package = files("cmsmig")
    modules = [each for each in _children(package) if each.name.endswith(".py")]
    for room in rooms:
        modules += _modules(package / room)
    for module in modules:
        digest.update(module.name.encode() + b"\0" + module.read_bytes())
    for library in libraries:
        digest.update(f"{library} {version(library)}\0".encode())
    return digest.hexdigest()


def _modules(folder: Traversable) -> Iterator[Traversable]:
    for each in _children(folder):
        if each.is_dir():
            yield from _modules(each)
        elif not each.name.endswith(".pyc"):
            yield each


def _children(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda one: one.name)
