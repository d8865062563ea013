"""What is proposed for old addresses that wait for a decision."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from os.path import commonpath

from cmsmig.mapping.decisions.redirects import RedirectAction, RedirectChoice
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    AddressRow,
    Source,
)

_DECIDED = frozenset((Source.DECISION,))
_PERSON = _DECIDED | {Source.ITEM, Source.GONE_ITEM, Source.FILE}
"""What had a page of its own, or is a file: only a person knows its successor."""


def propose_redirects(addresses: AddressMap) -> tuple[RedirectChoice, ...]:
    """Return a proposal for each address that waits, where there is one. Pure.

    The address of an item that editors archived is proposed to be gone; that of another
    item that is left out needs a person. An address that ends in the slug of exactly
    one item is proposed to lead there, in the language of its path, one below a path of
    a collection, or a former one, to be gone, any other to be kept.
    """
    slugs: dict[str, list[AddressRow]] = defaultdict(list)
    pages: dict[tuple[str, ...], list[AddressRow]] = defaultdict(list)
    roots = {
        f"{row.old}/" for row in addresses.rows if Source.COLLECTION in row.sources
    }
    roots |= {
        f"{row.old.rpartition('/')[0]}/"
        for row in addresses.rows
        if Source.FORMER in row.sources
    }
    for row in addresses.rows:
        if row.sources[0] is Source.ITEM and row.outcome is not AddressOutcome.WAITING:
            slugs[_slug(row)].append(row)
            if row.key:
                pages[row.key[:2]].append(row)
    found = (
        _choice(row, _pages(slugs[_slug(row)], pages), roots)
        for row in addresses.of(AddressOutcome.WAITING)
        if not (_DECIDED if row.left_out else _PERSON).intersection(row.sources)
    )
    return tuple(each for each in found if each is not None)


def _choice(
    row: AddressRow, items: list[AddressRow], roots: Iterable[str]
) -> RedirectChoice | None:
    if row.left_out is not None:
        gone = RedirectChoice(
            old=row.old, action=RedirectAction.GONE, note="archived, left out"
        )
        return gone if row.left_out.is_gone else None
    known, note = row.sources[0], ", ".join(row.sources)
    is_deep = row.old.count("/") > 1 or known is Source.RULE
    if known is not Source.PAGE and is_deep and _only(items):
        target = min(
            (
                -len(_common(each.old, row.old)),
                _slug(each) != _slug(row),
                len(each.old),
                each.old,
            )
            for each in items
        )[-1]
        move = RedirectAction.MOVE
        return RedirectChoice(old=row.old, action=move, to=target, note=note)
    if known is Source.RULE:
        return None
    is_item = known is not Source.PAGE and any(map(row.old.startswith, roots))
    action = RedirectAction.GONE if is_item else RedirectAction.KEEP
    return RedirectChoice(old=row.old, action=action, note=note)


def _common(one: str, other: str) -> str:
    return commonpath([one.casefold(), other.casefold()])


def _pages(
    rows: list[AddressRow], pages: dict[tuple[str, ...], list[AddressRow]]
) -> list[AddressRow]:
    """Return the rows of an item in all its languages, if these are of one item: the
    origin has its page below each language's path, with the slug of any."""
    key = rows[0].key if _only(rows) else None
    return pages[key[:2]] if key else rows


def _only(rows: list[AddressRow]) -> bool:
    """Return whether all rows are of one item, in whatever locales."""
    return len({row.key[:2] for row in rows if row.key}) == 1


def _slug(row: AddressRow) -> str:
    return row.address.path.rpartition("/")[2].casefold()
