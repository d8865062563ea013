"""What an import makes of single fields, by the rules alone.

Of each field three values count: the one that the origin wanted when an import compared
it last (the base), the one that is there (theirs), and the one that the origin wants
now (ours). Predicted are fields that nothing but an edit or a decision moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from tests.proofs.machine import components
from tests.proofs.machine.book import Days
from tests.proofs.machine.broken import insist
from tests.proofs.machine.decided import (
    COMPONENT,
    STAYS,
    STORY,
    THEIRS,
    WAITS,
    WRITTEN,
    outcome_of,
)
from tests.proofs.machine.seen import LINE, NAME, Space
from tests.proofs.machine.site import Item, Words

Field = tuple[int, str]


@dataclass(frozen=True)
class Thing:
    """A story or the component, as it is there and as it is wanted."""

    kind: str
    what: str
    """How decisions name it."""
    subject: str
    """How a verification names it."""
    ours: Mapping[str, Any]
    theirs: Mapping[str, Any]


Things = Mapping[int, Thing]


def things(days: Days, space: Space) -> dict[int, Thing]:
    """Return what an import compares, by its number; the component has 0."""
    book, setup = days.book, days.world.setup
    found = {}
    parts = components.parts_of(days.world)
    if parts is not None and not (book.is_foreign or book.is_unclear):
        name = components.NAME
        found[0] = Thing(COMPONENT, name, name, book.design, parts)
    if setup.items == "mirror":
        return found
    there = {own: each for own, each in space.items() if not each.trashed}
    counted = Counter(each.key for each in there.values())
    subjects = {key: subject for subject, key in days.subjects().items()}
    for own, seen in there.items():
        unclear = counted[seen.key] > 1 or own in book.estranged
        if unclear or book.is_gone(seen.key, setup):
            continue
        words = draft_of(book.pulled[seen.key], setup.items)
        ours = {NAME: words.name, LINE: words.line}
        theirs = {name: seen.values[name] for name in ours}
        found[own] = Thing(STORY, seen.path, subjects[seen.key], ours, theirs)
    return found


def draft_of(item: Item, items: str) -> Words:
    """Return the version of an item that editors are to see."""
    return item.live if items == "live" and item.live else item.staged


def side_of(days: Days, thing: Thing, name: str) -> str | None:
    """Return whose value is decided for a field."""
    return days.book.decisions.side(thing.what, name, thing.theirs[name], thing.kind)


def outcomes(days: Days, before: Things) -> dict[Field, str]:
    """Return what an import makes of each field whose base is known."""
    return {
        (own, name): outcome_of(
            base, thing.ours[name], thing.theirs[name], side_of(days, thing, name)
        )
        for own, thing in before.items()
        for name, base in days.book.bases[own].items()
    }


def settle(days: Days, before: Things, after: Things) -> None:
    """Take note of what an import compared and wrote that was not disturbed."""
    waiting = {field for field, how in outcomes(days, before).items() if how == WAITS}
    bases = days.book.bases
    for own, thing in after.items():
        for name, ours in thing.ours.items():
            known = name in bases[own] or thing.theirs[name] == ours
            if known and (own, name) not in waiting:
                bases[own][name] = ours


def unsettle(days: Days, before: Things, failed: Container[int]) -> None:
    """Forget what an import may have compared or not of things that failed."""
    for own in [each for each in days.book.bases if each in failed]:
        base, thing = days.book.bases[own], before.get(own)
        for name in list(base):
            if thing is None or thing.ours[name] != base[name]:
                del base[name]


def merged(days: Days, before: Things, after: Things) -> None:
    """Insist that an import made of each field what it had to."""
    for (own, name), how in outcomes(days, before).items():
        if own in after:
            thing, found = before[own], after[own].theirs[name]
            wanted = thing.ours[name] if how == WRITTEN else thing.theirs[name]
            what = f"{thing.what}, {name}: {found!r}, expected {wanted!r}"
            insist(f"a field that {how}", found == wanted, what)


def asked(days: Days, before: Things, code: int) -> None:
    """Insist that an import does not end as if nothing waited for a decision."""
    waiting = [field for field, how in outcomes(days, before).items() if how == WAITS]
    insist("what waits is undone", not waiting or code == 1, waiting)


def planned(days: Days, there: Things, document: Mapping[str, Any]) -> None:
    """Insist that a plan shows exactly the fields that wait for a decision."""
    shown = {(each["what"], each["field"]) for each in document["edit_conflicts"]}
    for (own, name), how in outcomes(days, there).items():
        what = there[own].what, name
        insist("a plan shows what waits", (what in shown) == (how == WAITS), what)


def named(days: Days, there: Things, document: Mapping[str, Any]) -> None:
    """Insist that a verification names exactly the fields that differ undecided, and
    lists as kept exactly those that an editor alone changed."""
    different, kept = (
        {
            (each["subject"], each["where"])
            for each in document[name]
            if not each["code"].startswith("public")  # What visitors get.
        }
        for name in ("differences", "kept")
    )
    for (own, name), how in outcomes(days, there).items():
        thing = there[own]
        differs = thing.ours[name] != thing.theirs[name]
        expected = differs and side_of(days, thing, name) != THEIRS
        at = thing.subject, name.removeprefix("content.")
        found = at in different, at in kept
        what = (
            f"{thing.what}, {name}: {thing.theirs[name]!r}, ours {thing.ours[name]!r}"
        )
        wanted = expected and how != STAYS, expected and how == STAYS
        insist("a verification names what differs", found == wanted, what)
