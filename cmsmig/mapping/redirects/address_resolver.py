"""Follows every known address of the old site to where it ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from urllib.parse import quote

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.redirects import (
    ABSOLUTE,
    BELOW,
    REST,
    RedirectAction,
    RedirectChoice,
    RedirectsDecision,
)
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    AddressRow,
    KnownAddress,
    LeftOut,
    Source,
)
from cmsmig.mapping.redirects.moved_files import NO_FILES, MovedFiles, is_closing
from cmsmig.mapping.select.address import Address, AddressKey

_REST_BELOW = f"/{REST}"
_UNKNOWN = (
    "No page of this address is known: choose a target, keep it, or call it gone."
)
_CLOSING = (
    "It leads to {}, on a host that ends with the old site, and that file is not "
    "uploaded: upload it to the new space, and choose its address."
)
_ONLY_KNOWN = (
    "Pages of the new site, or addresses that wait, are at this place or below it: "
    "only the known addresses get a redirect."
)
_WHY: Mapping[Source, str] = {
    Source.ITEM: "The item has no story: it failed, is left out, or is to come.",
    Source.COLLECTION: "The collection is not migrated.",
    Source.PAGE: "It is a static page: decide whether the new site has it.",
    Source.FILE: "Its file is not uploaded: import it, or choose a target.",
    Source.RULE: "The rule's wildcard has no equal; only (.*) at the end has one.",
    Source.GONE_ITEM: "Its item is gone at the origin and so is its story.",
}


def map_addresses(
    known: Iterable[KnownAddress],
    pages: Mapping[str, ItemKey],
    lists: Set[str],
    decided: RedirectsDecision,
    left_out: Mapping[str, LeftOut],
    files: MovedFiles = NO_FILES,
) -> AddressMap:
    """Return the outcome of every known address.

    `pages` are the paths of the stories that exist or are planned, `lists` those of
    their folders, which an address may lead to. `left_out` are the items that are not
    imported, by their address in lower case: the origin takes one in any case. `files`
    are those of the old file hosts. Pure.
    """
    return _Resolver(known, pages, lists, decided, left_out, files).addresses()


def _split(target: str) -> tuple[str, str]:
    """Return the path of a target, and its query and anchor."""
    if ABSOLUTE.fullmatch(target):
        return target, ""
    ends = [place for sign in "?#" if (place := target.find(sign)) >= 0]
    end = min(ends, default=len(target))
    return Address.of(target[:end]).path.rstrip("/") or "/", target[end:]


class _Resolver:
    """Follows each address to its end."""

    def __init__(
        self,
        known: Iterable[KnownAddress],
        pages: Mapping[str, ItemKey],
        lists: Set[str],
        decided: RedirectsDecision,
        left_out: Mapping[str, LeftOut],
        files: MovedFiles,
    ) -> None:
        self._pages = pages
        self._files = files
        self._left_out = left_out
        self._ends = pages.keys() | lists
        self._there = {
            Address(path).key: path for path in sorted(self._ends, reverse=True)
        }
        self._host = decided.host
        self._choices = {each.old: each for each in decided.addresses}
        self._chosen = {
            Address.of(each.old).key: each for each in reversed(decided.addresses)
        }
        self._claims: dict[str, list[KnownAddress]] = {}
        self._alike: dict[AddressKey, list[KnownAddress]] = {}
        rank = {source: place for place, source in enumerate(Source)}
        own = (KnownAddress(old, Source.DECISION) for old in self._choices)
        for each in sorted(
            {*known, *own},
            key=lambda each: (rank[each.source], each.key or (), each.to, each.name),
        ):
            self._claims.setdefault(each.old, []).append(each)
            self._alike.setdefault(Address.of(each.old).key, []).append(each)
        self._rank = rank
        below = [old.removesuffix(BELOW) for old in self._claims if old.endswith(BELOW)]
        self._below = sorted(below, key=lambda above: (-len(above), above))

    def addresses(self) -> AddressMap:
        rows = {
            old: self._settle(old) for old in self._claims if not old.endswith(BELOW)
        }
        fixed = {
            *self._pages,
            *(
                row.address.path
                for row in rows.values()
                if row.outcome in (AddressOutcome.UNCHANGED, AddressOutcome.WAITING)
                and not row.address.query
            ),
        }
        held = {above for path in fixed for above in _at_and_above(path)}
        renamed = {row.above: row for row in _renamed(rows.values(), held)}
        wild = {
            f"{above}{BELOW}": self._settle_pattern(above, held, renamed)
            for above in self._below
        }
        moved = (row for row in wild.values() if row.outcome is AddressOutcome.MOVED)
        patterns = [row for row in moved if not row.why]
        patterns += [row for row in renamed.values() if row.old not in wild]
        every = {**rows, **wild}
        return AddressMap(
            rows=tuple(every[old] for old in sorted(every)),
            patterns=tuple(sorted(patterns, key=lambda row: (-len(row.old), row.old))),
            host=self._host,
            shared=tuple(sorted(self._shared())),
            shadowed=tuple(sorted(filter(self._is_shadowed, self._claims))),
        )

    def _shared(self) -> Iterator[str]:
        for old, claims in self._claims.items():
            live = {
                each.key for each in claims if each.source is Source.ITEM and each.to
            }
            if len(live) > 1:
                yield old

    def _is_shadowed(self, old: str) -> bool:
        first = self._claims[old][0]
        return first.source is Source.ITEM and self._pages.get(old, first.key) not in {
            each.key for each in self._claims[old]
        }

    def _settle(self, old: str) -> AddressRow:
        """Return an address with the end of the way that it leads."""
        row = step = self._step(old)
        seen, tail = {old}, row.tail
        while step.outcome is AddressOutcome.MOVED:
            if end := self._end(step.new):
                step = replace(step, new=end)
                break
            at, tail = self._next(step.new, tail)
            if at in seen:
                return _waiting(row, f"It leads in a circle, by {at}.")
            seen.add(at)
            before, step = step, self._step(at)
            tail = step.tail or tail
            if step.outcome is AddressOutcome.GONE:
                return replace(row, outcome=AddressOutcome.GONE, new="", tail="")
            if step.outcome is AddressOutcome.UNCHANGED:
                step = before
                break
            if step.outcome is AddressOutcome.WAITING:
                if step.left_out is not None:
                    why = f"It leads to {step.old}. {step.why}"
                    return replace(_waiting(row, why), left_out=step.left_out)
                return _waiting(
                    row,
                    f"It leads to {step.old}, which is no page of the new site yet: "
                    "decide about that address, or choose another target.",
                )
        if is_closing(step.new):
            return _waiting(row, _CLOSING.format(step.new))
        settled = replace(row, outcome=step.outcome, new=step.new, tail=tail)
        # Hosts pass a query on: a rule from it to its own path would never end.
        own = settled.outcome is AddressOutcome.MOVED and row.address.query
        if own and Address(step.new).key == Address(row.address.path).key:
            return replace(row, outcome=AddressOutcome.UNCHANGED, new="", tail="")
        return settled

    def _end(self, new: str) -> str:
        """Return the page, list or other site that a target is, as it is spelled there;
        empty for another target."""
        if new in self._ends:
            return new
        if ABSOLUTE.fullmatch(new):
            return self._files.new_address(new) or new
        return self._there.get(Address(new).key, "")

    def _next(self, new: str, tail: str) -> tuple[str, str]:
        """Return the old address that a target is, with its query where that is a part
        of a known one; and what is left of the query and the anchor."""
        query, sign, anchor = tail.partition("#")
        whole = Address(new, query.removeprefix("?"))
        if whole.query and whole.key in self._alike:
            return str(whole), sign + anchor
        return str(Address(new)), tail

    def _step(self, old: str) -> AddressRow:
        """Return an address with the place that it leads to first."""
        address = Address.of(old)
        claims = sorted(
            self._alike.get(address.key) or [KnownAddress(old, Source.DECISION)],
            key=lambda each: (self._rank[each.source], each.old != old),
        )
        spelled = self._claims.get(old, claims)
        sources = tuple(dict.fromkeys(each.source for each in spelled))
        first = claims[0]
        row = AddressRow(
            old, AddressOutcome.WAITING, sources, key=first.key, name=first.name
        )
        choice = self._choices.get(old) or self._chosen.get(address.key)
        if old in self._pages:
            if choice and not self._keeps(choice, old):
                return _waiting(
                    row,
                    f"`{choice.action}` is decided, but a story of the new site is at "
                    "this address, and a redirect would hide it.",
                )
            if self._is_shadowed(old):
                return _waiting(row, "The new site has another item's page here.")
            return replace(row, outcome=AddressOutcome.UNCHANGED)
        if choice:
            row = replace(row, decided=choice.reviewed)
            return _decided(row, choice.action, choice.to)
        # What has a page at the origin is led on by nothing else.
        own = first.source in (Source.ITEM, Source.COLLECTION, Source.PAGE)
        to = first.to if own else next((each.to for each in claims if each.to), "")
        if to == old:
            return replace(row, outcome=AddressOutcome.UNCHANGED)
        if to:
            return _moved(row, to)
        there = "" if address.query else self._there.get(address.key, old)
        if there not in ("", old):
            return _moved(row, there)
        for above in () if own else self._below:
            if rest := address.below(above):
                action, to = self._pattern(above)
                rest = quote(rest) if ABSOLUTE.fullmatch(to) else rest
                return _decided(row, action, to.replace(REST, rest))
        left = self._left_out.get(old.casefold())
        # Another item's page may be at the same address.
        if left is None or first.key not in (None, left.key):
            return _waiting(row, _WHY.get(first.source, _UNKNOWN))
        named = replace(row, key=left.key, name=left.name, left_out=left)
        return _waiting(named, left.why)

    def _keeps(self, choice: RedirectChoice, old: str) -> bool:
        """Return whether a decision leaves a page of the new site where it is: it may
        lead to the address from which that page came here."""
        if choice.action is RedirectAction.MOVE and choice.to not in self._pages:
            return self._settle(str(Address(_split(choice.to)[0]))).new == old
        return choice.action is RedirectAction.KEEP

    def _pattern(self, above: str) -> tuple[RedirectAction, str]:
        if choice := self._choices.get(f"{above}{BELOW}"):
            return choice.action, choice.to
        (first, *_) = self._claims[f"{above}{BELOW}"]
        return RedirectAction.MOVE, first.to

    def _settle_pattern(
        self, above: str, held: Set[str], renamed: Mapping[str, AddressRow]
    ) -> AddressRow:
        old = f"{above}{BELOW}"
        choice = self._choices.get(old)
        row = AddressRow(
            old,
            AddressOutcome.UNCHANGED,
            tuple(dict.fromkeys(each.source for each in self._claims[old])),
            decided=choice.reviewed if choice else None,
        )
        action, to = self._pattern(above)
        if action is not RedirectAction.MOVE:
            return _decided(row, action, to)
        end = self._pattern_end(row, to, renamed)
        if end.outcome is AddressOutcome.MOVED and (not above or above in held):
            return replace(end, why=_ONLY_KNOWN)
        return end

    def _pattern_end(
        self, row: AddressRow, to: str, renamed: Mapping[str, AddressRow]
    ) -> AddressRow:
        if REST not in to:
            return self._end_of(_moved(row, to))
        base = to.removesuffix(_REST_BELOW)
        if is_closing(to):
            return _waiting(row, _CLOSING.format(to))
        if base in renamed:
            return _moved(row, renamed[base].new)
        is_there = any(path.startswith(f"{base}/") for path in self._pages)
        if base and REST not in base and (ABSOLUTE.fullmatch(to) or is_there):
            return replace(row, outcome=AddressOutcome.MOVED, new=to)
        return _waiting(
            row, f"The wildcard leads to {to}, below which the new site has no page."
        )

    def _end_of(self, row: AddressRow) -> AddressRow:
        """Return a pattern that leads to one address with the end of that."""
        if there := self._end(row.new):
            row = replace(row, new=there)
            closing = _waiting(row, _CLOSING.format(there))
            return closing if is_closing(there) else row
        end = self._settle(str(Address(row.new)))
        if end.outcome is AddressOutcome.UNCHANGED:
            return row
        return replace(row, outcome=end.outcome, new=end.new, why=end.why)


def _waiting(row: AddressRow, why: str) -> AddressRow:
    return replace(row, outcome=AddressOutcome.WAITING, new="", tail="", why=why)


def _moved(row: AddressRow, to: str) -> AddressRow:
    new, tail = _split(to)
    return replace(row, outcome=AddressOutcome.MOVED, new=new, tail=tail)


def _decided(row: AddressRow, action: RedirectAction, to: str) -> AddressRow:
    if action is RedirectAction.MOVE:
        return _moved(row, to)
    kept = action is RedirectAction.KEEP
    return replace(
        row, outcome=AddressOutcome.UNCHANGED if kept else AddressOutcome.GONE
    )


def _at_and_above(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]


def _renamed(rows: Iterable[AddressRow], held: Set[str]) -> Iterator[AddressRow]:
    """Yield a pattern for each path from which several addresses moved to one other."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    spelled: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        above, _, slug = row.address.path.rpartition("/")
        base, _, new_slug = row.new.rpartition("/")
        is_same = slug == new_slug and not row.tail and not row.address.query
        if row.outcome is AddressOutcome.MOVED and is_same:
            groups[above.casefold()][base] += 1
            spelled[above.casefold()].add(above)
    for folded, bases in groups.items():
        (base, times), *_ = bases.most_common(1)
        for above in sorted(spelled[folded] - held) if base and times > 1 else ():
            if not above or above == base:
                continue
            yield AddressRow(
                f"{above}{BELOW}",
                AddressOutcome.MOVED,
                (Source.COLLECTION,),
                new=f"{base}{_REST_BELOW}",
            )
