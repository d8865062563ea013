"""An import after both sides moved: it is disturbed, and ends as one that was not.

At the origin items were renamed, rewritten, added and deleted, a picture got another
text. Two changes are not published yet: both layers are mirrored. In the space somebody
edited stories and a picture; the design has another label. Whose value stands is
decided, so that nothing waits. `changes` reads all of that.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from cmsmig.ledger.store import Ledger
from tests.proofs.faults.importing import SAME
from tests.proofs.faults.site import Prepared
from tests.proofs.faults.taken_back import bring
from tests.proofs.faults.world import READS, Whole, World, world

DELTA = "delta"
CHANGES = "changes"
_NEW = "f" * 24
"""The id of the item that comes."""
_DECIDED = """edits:
- {kind: story, what: notes/note-3, field: '*', take: theirs, seen: ''}
- {kind: story, what: notes/note-5, field: name, take: ours, seen: ''}
- {kind: asset, what: spot-1.jpg, field: alt, take: theirs, seen: ''}
gone:
- {from: origin, what: notes/note-20, action: delete}
"""

Item = dict[str, Any]


def move(one: World) -> str:
    """Import, let both sides move, and begin the history anew; return what went
    wrong."""
    if problem := bring(one):
        return problem
    (one.project.root / SAME).unlink()
    _decide(one.project.decisions)
    _move_items(one.project.raw)
    _edit(one)
    one.plan_before = newest_plan(one)
    _begin_anew(one)
    return ""


def _begin_anew(one: World) -> None:
    one.entries.clear()
    one.hooks.seen = 0
    # Requests are counted from here on.
    one.handle.state.injector.set(())


def newest_plan(one: World) -> str:
    """Return the hash of the newest plan that the ledger has."""
    with Ledger.open_existing(one.project.ledger) as ledger:
        return str((ledger.plan("") or {}).get("hash", ""))


def whole_delta(prepared: Prepared, work: Path) -> tuple[Whole, Whole]:
    """Return a delta import that nothing happens to, and `changes` before it."""
    with world(prepared, work) as one:
        if problem := move(one):
            sys.exit(problem)
        code, said = one.run(CHANGES)
        told = Whole(list(one.entries), one.comparable(), {"said": [said]})
        _begin_anew(one)
        ended, moved = one.run()
        whole = Whole(list(one.entries), one.comparable(), one.facts())
        found, (_, again) = one.problems(whole, 0), one.run()
        if (code, ended, found, again) != (0, 0, [], "writes: 0"):
            sys.exit(
                f"The undisturbed delta went wrong: {said} {moved} {found} {again}"
            )
        return whole, told


def changes_problems(one: World, told: Whole) -> list[str]:
    """Return what is wrong with `changes` once nothing disturbs it any more."""
    one.handle.state.injector.set(())
    code, said = one.run(CHANGES)
    found = []
    if (code, [said]) != (0, told.ledger["said"]):
        found.append(f"changes ended with {code} and told {said}")
    if any(each.method not in READS for each in one.entries):
        found.append("changes wrote something")
    if one.comparable() != told.space:
        found.append("the space is not as it was")
    return found


def _decide(folder: Path) -> None:
    path = folder / "conflicts.yaml"
    text = path.read_text().replace("edits: []\n", "").replace("gone: []\n", "")
    path.write_text(text + _DECIDED)
    path = folder / "collections.yaml"
    text = path.read_text()
    mirrored = text.replace("items: staged\n", "items: mirror\n")
    if mirrored == text:
        sys.exit("no collection of the site is decided as staged")
    path.write_text(mirrored)
    path = folder / "design.yaml"
    path.write_text(path.read_text().replace("name: Line\n", "name: A line\n"))


def _move_items(raw: Path) -> None:
    for folder in ("items", "live"):
        for path in (raw / folder).glob("*.json"):
            items = json.loads(path.read_text())["items"]
            waiting = _UNPUBLISHED if folder == "live" else frozenset[str]()
            lines = ",\n".join(json.dumps(each) for each in _moved(items, waiting))
            path.write_text(f'{{"items": [\n{lines}\n]}}')


_UNPUBLISHED = frozenset(("note-1", "note-7"))
"""Items whose changes are not live yet."""


def _moved(items: list[Item], waiting: frozenset[str]) -> Iterator[Item]:
    for item in items:
        data = item["fieldData"]
        if data["slug"] == "note-20":
            continue
        if data["slug"] == "note-2":
            new = copy.deepcopy(item)
            new["id"], new["fieldData"]["slug"] = _NEW, "note-new"
            yield new
        change = _MOVES.get(data["slug"])
        if change is not None and data["slug"] not in waiting:
            change(data)
        yield item


def _rename(data: Item) -> None:
    data["name"] = "Named anew"


def _rewrite(data: Item) -> None:
    data["text"] = "<p>Written anew.</p>"


def _refer(data: Item) -> None:
    data["related"] = [*data["related"], _NEW]


def _describe(data: Item) -> None:
    data["picture"]["alt"] = "Described anew"


_MOVES: dict[str, Callable[[Item], None]] = {
    "note-1": _rename,
    "note-3": _rename,
    "note-5": _rename,
    "note-7": _rewrite,
    "note-9": _refer,
    "spot-1": _describe,
    "spot-2": _describe,
}


def _edit(one: World) -> None:
    """Do what editors do in the space."""
    by_path = {one.space.full_slug(each): each for each in one.space.stories.values()}
    for path in ("notes/note-3", "notes/note-5"):
        own = by_path[path].story_id
        _put(one, f"/stories/{own}", {"story": {"name": "Named there"}})
        # Otherwise it holds an unfinished edit, which an import shows to nobody.
        _ask(one, "GET", f"/stories/{own}/publish")
    for asset in [*one.space.assets.values()]:
        if asset.key.endswith("/spot-1.jpg"):
            _put(one, f"/assets/{asset.asset_id}", {"asset": {"alt": "Theirs"}})


def _put(one: World, path: str, body: object) -> None:
    _ask(one, "PUT", path, body)


def _ask(one: World, method: str, path: str, body: object = None) -> None:
    told = one.handle.announcement
    answer = httpx.request(
        method,
        f"{told['base_url']}/spaces/{told['space_id']}{path}",
        headers={"Authorization": told["destination_token"]},
        json=body,
        trust_env=False,
        verify=False,  # reading certificates takes longer than the request
    )
    answer.raise_for_status()
