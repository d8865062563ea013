"""An import that is taken back: the space is as it was, whatever goes wrong meanwhile.

Either a whole import is taken back and that goes wrong, or the import is killed and
then taken back.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cmsmig.ledger.store import Ledger
from tests.proofs.faults.site import Prepared
from tests.proofs.faults.world import Whole, World, confirmed, world

ROLLBACK = "rollback"
_INTENTS = ("component", "folder", "asset_folder", "sign", "create", "update",
            "publish", "datasource", "delete")  # fmt: skip


def whole_rollback(prepared: Prepared, work: Path) -> Whole:
    """Return a rollback that nothing happens to, of a whole import."""
    with world(prepared, work) as one:
        before = one.comparable()
        if problem := bring(one):
            sys.exit(problem)
        code, said = one.run(ROLLBACK)
        taken = Whole(list(one.entries), one.comparable(), one.facts())
        problems = taken_back_problems(one, taken, 0, whole=True)
        if (code, taken.space, problems) != (0, before, []):
            sys.exit(f"The undisturbed rollback went wrong: {said} {problems}")
        return taken


def bring(one: World) -> str:
    """Import, and begin the history anew; return what went wrong."""
    code, said = one.run()
    one.entries.clear()
    one.codes.clear()
    one.hooks.seen = 0
    # Requests are counted from here on.
    one.handle.state.injector.set(())
    return "" if code == 0 else f"the import ended with {code}: {said}"


def taken_back_problems(
    one: World, taken: Whole, unknown: int, *, whole: bool
) -> list[str]:
    """Return what of an import is left in space or ledger.

    `unknown` counts the writes whose answers a client may have missed. With `whole`
    nothing but the rollback wrote, and each of its writes once.
    """
    found: list[str] = []
    if one.comparable() != taken.space:
        found.append(f"the space is not as it was: {one.comparable()[:400]!r}")
    if one.space.assets:
        found.append(f"assets are left: {sorted(one.space.assets)}")
    if not one.project.ledger.exists():
        # It was killed before it had one.
        return found
    facts = one.facts()
    found += [f"the ledger still has {row}" for row in facts["made"] if row[2]]
    found += [f"the ledger still has the file {row}" for row in facts["assets"]]
    found += [
        f"the ledger still has the story of {r[0]}" for r in facts["items"] if r[5]
    ]
    if whole:
        again = confirmed(one.entries) - confirmed(taken.entries)
        if again.total() > unknown:
            found.append(f"{again.total()} writes too many: {dict(again)}")
    violations = one.handle.state.recorder.violations
    found += [f"violation {each.kind} at {each.where}" for each in violations]
    with Ledger.open_existing(one.project.ledger) as ledger:
        for kind in _INTENTS:
            found += [f"open intent {each}" for each in ledger.intents.open(kind)]
    return found
