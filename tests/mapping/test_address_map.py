"""Where old addresses lead, and what is proposed for those that wait."""

from __future__ import annotations

from typing import Any

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.redirects import (
    RedirectAction,
    RedirectChoice,
    RedirectsDecision,
)
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressRow,
    KnownAddress,
    Outcome,
    Source,
)
from cmsmig.mapping.redirects.address_resolver import map_addresses
from cmsmig.mapping.redirects.redirect_proposals import propose_redirects
from tests.support.cases import cases


def addresses_of(case: dict[str, Any]) -> AddressMap:
    """Return the map of a case."""
    known, pages, lists = [], {}, set()
    for name, listed in case["known"].items():
        source = Source(name.removesuffix(" again"))
        for old, new in listed.items():
            key = ItemKey("c", f"{old} {name}", "") if source is Source.ITEM else None
            known.append(KnownAddress(old, source, new, key))
            if key and new:
                pages.setdefault(new, key)
            if source is Source.COLLECTION:
                lists.add(new)
    decided = tuple(_choice(*each) for each in case.get("decided", {}).items())
    return map_addresses(known, pages, frozenset(lists), RedirectsDecision(decided))


def _choice(old: str, what: str) -> RedirectChoice:
    if what.startswith("/"):
        return RedirectChoice(old=old, action=RedirectAction.MOVE, to=what)
    return RedirectChoice(old=old, action=RedirectAction(what))


def _outcome(row: AddressRow) -> str:
    moved = row.outcome is Outcome.MOVED
    assert row.is_pattern or bool(row.why) == (row.outcome is Outcome.WAITING)
    return f"{row.new}{row.tail}" if moved else str(row.outcome)


@cases(__file__, "address_map.yaml")
def test_every_address_has_one_outcome(case: dict[str, Any]) -> None:
    """No chain, no loop, no hidden page; and each rule once."""
    found = addresses_of(case)
    rows = {row.old: _outcome(row) for row in found.rows}
    wanted = case.get("leads", {})
    assert {old: rows[old] for old in wanted} == wanted
    moved = {old for old, new in rows.items() if new.startswith("/")}
    assert not [old for old in moved if rows[old] in moved]
    for name in {"shadowed", "shared"} & case.keys():
        assert [*getattr(found, name)] == case[name]
    if "patterns" in case:
        assert {row.old: row.new for row in found.patterns} == case["patterns"]
    if "rules" in case:
        assert [row.old for row in found.rules] == case["rules"]
    if "proposed" in case:
        proposed = propose_redirects(found)
        assert {each.old: each.to or str(each.action) for each in proposed} == case[
            "proposed"
        ]
