"""What a command leaves, compared with what it leaves when nothing happens to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from cmsmig.ledger.store import Ledger
from cmsmig.origin.cache import RawCache
from cmsmig.settings import Project, load_settings
from tests.proofs.frozen.compare import differing
from tests.proofs.world.disturbances import READS
from tests.proofs.world.world import World
from tests.support.sandbox.fault_rules import MOVING
from tests.support.sandbox.history import Entry
from tests.support.steps.staged_project import decide_about

WRITING_READS = ("publish story",)
"""Routes that change the space although their method is GET."""
FILLING = ("update story", "publish story")
SHORTEST, LONGEST = 1.0, 20.0
"""Seconds of the pause after the first 429 in a row, and of the longest one."""
_LEEWAY = 0.99


@dataclass(frozen=True)
class Left:
    """What a command asked, and what was there after it."""

    entries: tuple[Entry, ...]
    """Its requests, in order."""
    space: Any
    ledger: dict[str, list]
    cache: dict[str, bytes]
    """Every file under `raw/` and `files/`, by its path."""

    @classmethod
    def by(cls, one: World) -> Left:
        """Look at everything."""
        ledger, cache = ledger_of(one.folder), cache_of(one.folder)
        return cls(tuple(one.entries), one.comparable(), ledger, cache)


def cache_of(project: Path) -> dict[str, bytes]:
    """Return every file below `raw/` and `files/`, the address of the origin and the
    digest of its token aside."""
    own = [load_settings(Project(project), {}).origin_api_url]
    own += filter(None, [RawCache(project / "raw").key()])
    found = [
        path
        for name in ("raw", "files")
        for path in (project / name).rglob("*")
        if path.is_file()
    ]
    return {str(each.relative_to(project)): _without(each, own) for each in found}


def _without(path: Path, own: list[str]) -> bytes:
    data = path.read_bytes()
    for each in own:
        data = data.replace(each.encode(), b"its own")
    return data


def ledger_of(project: Path) -> dict[str, list]:
    """Return what the ledger knows, ids and times aside."""
    path = project / "ledger.sqlite"
    if not path.exists():
        return {"made": [], "items": [], "assets": []}
    with Ledger.open_existing(path) as ledger:
        made = [
            (kind, row.name, row.made)
            for kind in ("component", "datasource", "folder", "asset_folder")
            for row in ledger.inventory.made(kind).values()
        ]
        items = [
            (str(key), row.status, row.reason, row.link_state,
             bool(row.published), bool(row.story_record and row.story_record.made))
            for key, row in ledger.items.all().items()
        ]  # fmt: skip
        assets = [
            (row.sha256, row.status) for row in ledger.inventory.assets().values()
        ]
    return {"made": sorted(made), "items": sorted(items), "assets": sorted(assets)}


def published_by_decision(project: Path) -> bool:
    """Decide that stories are published whose publication a killed run had sent and
    that are not public; return whether there are any."""
    with Ledger.open_existing(project / "ledger.sqlite") as ledger:
        in_doubt = any(
            row.story_record and row.story_record.left_public and not row.published
            for row in ledger.items.all().values()
        )
    if in_doubt:
        own = {"kind": "story", "what": "*", "field": "published", "seen": ""}
        decide_about(project, "edits", **own, take="ours")
    return in_doubt


def confirmed(entries: Iterable[Entry]) -> Counter[tuple[str, str, str]]:
    """Count the writes that were applied and answered, by what they were about."""
    return Counter(
        (entry.method, entry.route, entry.subject)
        for entry in entries
        if (entry.method not in READS or entry.route in WRITING_READS)
        and 200 <= entry.status < 300
        and not entry.fault
    )


def answered(entries: Iterable[Entry]) -> Counter[tuple[str, str]]:
    """Count the requests that were answered as they should, by what they were about."""
    return Counter(
        (entry.route, entry.subject)
        for entry in entries
        if entry.status == 200 and not entry.fault
    )


def violations(one: World) -> list[str]:
    """Return which rules of the services were broken."""
    recorder = one.handle.state.recorder
    return [f"violation {each.kind} at {each.where}" for each in recorder.violations]


def import_problems(
    one: World, whole: Left, unknown: int, codes: list[int]
) -> list[str]:
    """Return what is not as an undisturbed import leaves it.

    `unknown` counts the writes whose answers a client may have missed, `codes` are the
    exit codes of the runs.
    """
    again = confirmed(one.entries) - confirmed(whole.entries)
    if 1 in codes:
        # What failed in one run came a run later; stories that link to it or
        # show it were filled without it, and are filled again.
        again = Counter({k: n for k, n in again.items() if k[1] not in FILLING})
    found = [*differing("ledger", whole.ledger, ledger_of(one.folder))]
    found += differing("space", whole.space, one.comparable())
    if again.total() > unknown:
        found.append(f"{again.total()} writes too many: {dict(again)}")
    found += violations(one)
    verified = one.run("verify", "--json")
    # No editor is there, so that nothing can be an edit.
    found += [
        f"verify: {each}"
        for name in ("differences", "kept")
        for each in verified.document[name]
    ]
    if verified.code not in (0, 4):
        found.append(f"verify ended with {verified.code}: {verified.err}")
    listed = {row for (row,) in one.rows("SELECT asset_id FROM asset")}
    stray = set(one.space.assets) - listed
    found += [f"orphan asset {each} is not listed" for each in sorted(stray)]
    found += [f"open intent {each}" for each in one.open_intents()]
    accounting = one.status()["accounting"]
    if accounting["open"] or accounting["failed"]:
        found.append(f"accounting: {accounting}")
    return found


def rollback_problems(
    one: World, whole: Left, unknown: int, codes: list[int], *, is_whole: bool = True
) -> list[str]:
    """Return what of an import is left in space or ledger.

    If it `is_whole`, nothing but the rollback wrote, and each of its writes once.
    """
    found = [*differing("space", whole.space, one.comparable())]
    if one.space.assets:
        found.append(f"assets are left: {sorted(one.space.assets)}")
    if not (one.folder / "ledger.sqlite").exists():
        return found
    facts = ledger_of(one.folder)
    found += [f"the ledger still has {row}" for row in facts["made"] if row[2]]
    found += [f"the ledger still has the file {row}" for row in facts["assets"]]
    stories = [row[0] for row in facts["items"] if row[5]]
    found += [f"the ledger still has the story of {each}" for each in stories]
    again = confirmed(one.entries) - confirmed(whole.entries)
    if is_whole and again.total() > unknown:
        found.append(f"{again.total()} writes too many: {dict(again)}")
    found += [f"open intent {each}" for each in one.open_intents()]
    return found + violations(one)


def pull_problems(one: World, whole: Left, unknown: int, codes: list[int]) -> list[str]:
    """Return what is not as an undisturbed pull leaves it."""
    there = cache_of(one.folder)
    found = [
        f"{name} is too much, missing or another"
        for name in sorted(there.keys() | whole.cache.keys())
        if there.get(name) != whole.cache.get(name)
    ]
    again = answered(one.entries) - answered(whole.entries)
    if 1 in codes:
        # A collection that could not be read is read again as a whole.
        unread = {each.subject.partition(" ")[0] for each in one.entries if each.fault}
        for route, subject in [*again]:
            if subject.partition(" ")[0] in unread - {""}:
                del again[route, subject]
    # A list that moved while it was read is read again from its first page.
    has_moved = any(entry.fault in MOVING for entry in one.entries)
    if again.total() > unknown and not has_moved:
        found.append(f"{again.total()} requests too many: {dict(again)}")
    found += [
        f"429 for {each.path} although no fault was planned there"
        for each in one.entries
        if each.status == 429 and not each.fault
    ]
    return found + violations(one)


def changes_problems(
    one: World, whole: Left, unknown: int, codes: list[int]
) -> list[str]:
    """Return what `changes`, which writes nothing, has changed."""
    wrote = confirmed(one.entries)
    found = [f"changes wrote {dict(wrote)}"] if wrote else []
    return [*found, *differing("space", whole.space, one.comparable())]


def too_soon(entries: Iterable[Entry], asked: float) -> list[str]:
    """Return what was asked before the pause after a 429 was over.

    One request at a time: each pause is twice the one before, and none is shorter
    than the `asked` seconds of `Retry-After`. Spec: import rule 6.
    """
    drawing = [entry for entry in entries if entry.quota]
    found: list[str] = []
    row = 0
    for refused, after in pairwise(drawing):
        row = row + 1 if refused.status == 429 else 0
        pause = max(asked, min(SHORTEST * 2.0 ** (row - 1), LONGEST))
        waited = after.time - refused.time
        if row and waited < pause * _LEEWAY:
            found.append(
                f"{after.method} {after.route} {after.subject} came {waited:.2f} s "
                f"after 429 number {row} in a row, not {pause:.0f} s"
            )
    return found[:3]
