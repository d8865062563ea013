"""What a pull leaves: compared byte by byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cmsmig.origin.cache import RawCache
from cmsmig.sandbox.faults.fault_rules import MOVING
from cmsmig.sandbox.history import Entry
from tests.proofs.faults.world import World

FOLDERS = ("raw", "files")


@dataclass(frozen=True)
class WholePull:
    """What an undisturbed pull asks, and what it leaves."""

    entries: list[Entry]
    """Its requests, in order."""
    cache: dict[str, bytes]
    """Every file under `raw/` and `files/`, by its path."""


def cache_of(world: World) -> dict[str, bytes]:
    """Return every file that pulls left, the sandbox's own address and the digest of
    its token aside."""
    root = world.project.root
    own = {
        world.handle.announcement["origin_api_url"].encode(): b"ORIGIN",
        RawCache(world.project.raw).key().encode() or b"no token": b"TOKEN",
    }
    return {
        path.relative_to(root).as_posix(): _without(path.read_bytes(), own)
        for name in FOLDERS
        for path in (root / name).rglob("*")
        if path.is_file()
    }


def _without(data: bytes, own: Mapping[bytes, bytes]) -> bytes:
    """Return bytes with what differs from one sandbox to the next replaced."""
    for text, name in own.items():
        data = data.replace(text, name)
    return data


def answered(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    """Count the requests that were answered as they should, by what they were about."""
    return Counter(
        (entry.route, entry.subject)
        for entry in entries
        if entry.status == 200 and not entry.fault
    )


def pull_problems(world: World, whole: WholePull, unknown: int) -> list[str]:
    """Return what is not as an undisturbed pull leaves it.

    `unknown` counts the requests whose answers a pull may have missed.
    """
    found: list[str] = []
    cache = cache_of(world)
    for name in sorted(cache.keys() | whole.cache.keys()):
        if cache.get(name) != whole.cache.get(name):
            what = "differs" if name in cache and name in whole.cache else (
                "is too much" if name in cache else "is missing")  # fmt: skip
            found.append(f"{name} {what}")
    again = answered(world.entries) - answered(whole.entries)
    # A list that moved while it was read is read again from its first page.
    moved = any(entry.fault in MOVING for entry in world.entries)
    if again.total() > unknown and not moved:
        found.append(f"{again.total()} requests too many: {dict(again)}")
    recorder = world.handle.state.recorder
    found += [f"violation {each.kind} at {each.where}" for each in recorder.violations]
    found += [
        f"429 for {each.path} although no fault was planned there"
        for each in world.entries
        if each.status == 429 and not each.fault
    ]
    return found
