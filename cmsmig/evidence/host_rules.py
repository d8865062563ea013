"""The rules of an address map as a host is given them, and what it has no place for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias, TypeVar
from urllib.parse import quote

from cmsmig.counting import counted
from cmsmig.mapping.decisions.redirects import ABSOLUTE, REST
from cmsmig.mapping.redirects.address_map import AddressMap, AddressOutcome, AddressRow
from cmsmig.mapping.select.address import Address

_TAIL = "%/?#&=+!',@~"
"""What a target keeps as it is: no sign that a host takes for a variable or a group."""

ESCAPE = re.compile(r"(%[0-9A-F]{2})")
"""A byte of a path as it is sent."""

T = TypeVar("T")
Refusal: TypeAlias = tuple[str, Callable[[Address, T], bool]]
"""Why a host has no place for a rule, and whether it has none for this one."""
Moved: TypeAlias = tuple[Address, str]
"""An old address, and the address that it leads to."""


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file of redirects."""

    name: str
    """Below the folder of the redirects."""
    text: str
    left: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Old addresses that the file cannot hold, by the reason."""
    unlike: Sequence[str] = ()
    """What else the host will not do, each a sentence."""

    @property
    def notes(self) -> str:
        """Return what the file cannot hold, for a person, by address."""
        lines = [f"  {each}\n" for each in self.unlike]
        for why, olds in self.left.items():
            lines.append(f"  {_left_out(olds)}: {why}\n")
            lines += (f"    {old}\n" for old in olds)
        said = "".join(lines) or "  Nothing is left out.\n"
        return f"{self.name}\n{said}"

    @property
    def limits(self) -> Iterator[str]:
        """Yield the same as sentences, with one address each."""
        yield from self.unlike
        for why, olds in self.left.items():
            yield f"{_left_out(olds)}, such as {min(olds)}: {why}"


def _left_out(olds: Collection[str]) -> str:
    return f"{counted(len(olds), 'address', 'addresses')} left out"


@dataclass
class Rules:
    """The rules of a map, with their targets as addresses; and what has no place.

    Those of addresses with a query come first: a host takes the first that matches.
    """

    addresses: AddressMap
    left: dict[str, dict[str, None]] = field(default_factory=dict)
    """Old addresses that a file cannot hold, by the reason."""

    def single(self) -> list[Moved]:
        """Return the old addresses that moved, with their targets."""
        return _query_first(
            (row.address, target(self.addresses, row))
            for row in self.addresses.rules
            if row.outcome is AddressOutcome.MOVED and not row.is_pattern
        )

    def gone(self) -> list[Address]:
        """Return the old addresses that are gone."""
        rows = self.addresses.of(AddressOutcome.GONE)
        return [old for old, _ in _query_first((row.address, "") for row in rows)]

    def patterns(self, rest: str) -> list[Moved]:
        """Return what patterns are below, with their targets; `rest` is what a host
        writes for the rest of the address."""
        rows = self.addresses.patterns
        return [(Address(row.above), target(self.addresses, row, rest)) for row in rows]

    def staying(self, rule: str) -> Iterator[str]:
        """Yield what a person has to add for pages of another domain whose path stays:
        a file may be used at the new domain, where such a rule leads in a circle."""
        host = self.addresses.host
        if host and (kept := self.addresses.of(AddressOutcome.UNCHANGED)):
            yield (
                f"No rule is for {counted(len(kept), 'address', 'addresses')} whose "
                f"path stays, such as {kept[0].old}. Where the old domain has a host "
                f"of its own, add there, as the last: {rule.replace('{host}', host)}"
            )

    def is_below(self, old: Address) -> bool:
        """Return whether a pattern would lead an address on that has its own rule."""
        return any(old.below(row.above) for row in self.addresses.patterns)

    def spelled(self, old: Address) -> list[str]:
        """Return the path as it is sent; with lower-case hex digits too, where a
        pattern would lead that one elsewhere."""
        lower = ESCAPE.sub(lambda found: found[0].lower(), old.sent)
        return [*dict.fromkeys((old.sent, lower))] if self.is_below(old) else [old.sent]

    def gone_below(self, above: Address) -> list[str]:
        """Return the rest of each address below a path that is gone, though a pattern
        leads all others on."""
        return [rest for old in self.gone() if (rest := old.below(above.path))]

    def is_alone(self, old: Address) -> bool:
        """Return whether no other address differs from this one in case alone."""
        return self._spellings[old.path.casefold()] < 2

    @cached_property
    def _spellings(self) -> Counter[str]:
        rows = self.addresses.rows
        paths = {path for row in rows for path in (row.address.path, row.new)}
        return Counter(path.casefold() for path in paths)

    def kept(self, made: Iterable[tuple[Address, T]], *refusals: Refusal[T]) -> list[T]:
        """Return the rules of old addresses, without those that a host refuses."""
        found: list[T] = []
        for old, rule in made:
            why = next((why for why, refuses in refusals if refuses(old, rule)), "")
            if why:
                self.left.setdefault(why, {})[str(old)] = None
            else:
                found.append(rule)
        return found

    def limited(
        self, made: Sequence[tuple[Address, T]], most: int
    ) -> Iterator[tuple[Address, T]]:
        """Yield the first rules of old addresses; the rest has no place."""
        yield from made[:most]
        why = f"the host takes {most:,} rules of this kind."
        self.kept(made[most:], (why, lambda *_: True))


def either_case(escape: str) -> str:
    """Return an expression for an escape with its hex digits in either case."""
    return "".join(
        f"[{sign}{sign.lower()}]" if sign.isalpha() else sign for sign in escape
    )


def _query_first(rules: Iterable[Moved]) -> list[Moved]:
    return sorted(rules, key=lambda rule: not rule[0].query)


def target(addresses: AddressMap, row: AddressRow, rest: str = REST) -> str:
    """Return the address that a row leads to, percent-encoded; `rest` is what is
    written for the rest of an address below a pattern."""
    path = row.new.removesuffix(REST) if row.is_pattern else row.new
    if found := ABSOLUTE.fullmatch(row.new):
        end = max(found.start("path"), 0) or len(path)
        made = quote(path[:end], safe="/:[]") + quote(path[end:], safe=_TAIL)
    else:
        made = addresses.host + quote(path, safe="/~")
    return f"{made}{rest if path != row.new else ''}{quote(row.tail, safe=_TAIL)}"
