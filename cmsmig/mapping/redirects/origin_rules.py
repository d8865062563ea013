"""The origin's own rules, as its export or a spreadsheet has them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cmsmig.mapping.decisions.redirects import ABSOLUTE, BELOW, REST
from cmsmig.mapping.redirects.address_map import KnownAddress, Source, UnusedRule
from cmsmig.mapping.select.address import Address, AddressKey
from cmsmig.mapping.select.routes import Routes

_DELIMITERS = ",;\t"
_ESCAPE = re.compile(r"%([^0-9A-Za-z])")
"""A sign that a rule of the origin does not take for a wildcard. Source: Webflow, 301
redirects."""
_HEADER = re.compile(r"(?:[^\W\d]|[ _-])*|sep=.?")
"""Names of columns; a spreadsheet writes its delimiter as `sep=;`."""


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: Sequence[str]
    delimiter: str

    @property
    def old(self) -> str:
        return self.cells[0]

    @property
    def to(self) -> str:
        said = self.cells[1] if len(self.cells) > 1 else ""
        return f"https:{said}" if said.startswith("//") else said

    @property
    def problem(self) -> str:
        """Return why it is no rule; empty for one."""
        if not _is_address(self.old):
            return "Its old path does not begin with `/`."
        if not self.to:
            return "It has no target."
        return "" if _is_address(self.to) else "Its target does not begin with `/`."

    def unused(self, why: str) -> UnusedRule:
        row = self.delimiter.join(self.cells).rstrip(self.delimiter)
        return UnusedRule(self.line, row, why)


def read_rules(
    text: str, routes: Routes
) -> tuple[tuple[KnownAddress, ...], tuple[UnusedRule, ...]]:
    """Return the rules in a file, and the rows that are not used.

    Columns are parted by a comma, a semicolon or a tab, whichever gives most rules. Of
    two rules for one address the first holds, as at the origin. Pure. Source: Webflow,
    301 redirects.
    """
    rows = max(
        (_rows(text, each) for each in _DELIMITERS),
        key=lambda rows: sum(not row.problem for row in rows),
    )
    found: dict[AddressKey, KnownAddress] = {}
    known: dict[str, KnownAddress] = {}
    unused: list[UnusedRule] = []
    for row in rows:
        if row.problem:
            unused.append(row.unused(row.problem))
            continue
        rule = _rule(row.old, row.to, routes)
        if rule is None:
            unused.append(row.unused("Its old address is on another site."))
            continue
        first = found.setdefault(Address.of(rule.old).key, rule)
        if first.to != rule.to:
            why = f"Another rule for this address is above it, and leads to {first.to}."
            unused.append(row.unused(why))
        known.setdefault(rule.old, KnownAddress(rule.old, Source.RULE, first.to))
    return tuple(known.values()), tuple(unused)


def _rows(text: str, delimiter: str) -> list[_Row]:
    ends = io.StringIO(text.removeprefix("\ufeff"), newline=None)
    lines = csv.reader(ends, delimiter=delimiter)
    rows = [
        _Row(lines.line_num, [*map(str.strip, cells)], delimiter) for cells in lines
    ]
    return [*_without_header(row for row in rows if any(row.cells))]


def _without_header(rows: Iterable[_Row]) -> Iterator[_Row]:
    is_first = True
    for row in rows:
        is_first = is_first and all(map(_HEADER.fullmatch, row.cells))
        if not is_first:
            yield row


def _is_address(text: str) -> bool:
    return text.startswith("/") or ABSOLUTE.fullmatch(text) is not None


def _rule(old: str, to: str, routes: Routes) -> KnownAddress | None:
    """Return a rule; None for one of another site."""
    above = _ESCAPE.sub(r"\1", old.removesuffix(BELOW))
    is_pattern = above != _ESCAPE.sub(r"\1", old)
    address = routes.local_address(above)
    if address is None:
        return None
    groups = "(" in _ESCAPE.sub("", old.removesuffix(BELOW))
    if groups or (is_pattern and address.query):
        return KnownAddress(str(address), Source.RULE)
    rest = f"/{REST}" if is_pattern and to.endswith(f"/{REST}") else ""
    target = to.removesuffix(rest)
    if local := routes.local_path(target):
        tail = target[len(re.split("[?#]", target)[0]) :]
        path = str(Address(local))
        target = path.rstrip("/") + tail if rest else path + tail
    path = str(address)
    return KnownAddress(
        path.rstrip("/") + BELOW if is_pattern else path, Source.RULE, target + rest
    )
