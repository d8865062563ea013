"""A failing site and way made smaller: what is left is what it takes to fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Any, TypeVar

from tests.support.same_content.sites import AS_PROPOSED, Entry, Shown, Site, Variant
from tests.support.same_content.ways import Arrangement

Case = tuple[Site, Arrangement]
S = TypeVar("S", bound=Shown)


def smallest(
    site: Site, way: Arrangement, fails: Callable[[Site, Arrangement], bool]
) -> Case:
    """Return the case without everything that it fails without, too.

    Tries the way first, then whole items, then what is in them; each thing once.
    """
    case = site, way
    for simpler in (_plainer, _fewer, _emptier):
        number = 0
        # What could be left out is no longer tried: the next one has its number.
        while (tried := next(islice(simpler(*case), number, None), None)) is not None:
            if fails(*tried):
                case = tried
            else:
                number += 1
    return case


def _plainer(site: Site, way: Arrangement) -> Iterator[Case]:
    for orders in _reset(way.orders):
        yield site, replace(way, orders=orders)
    for index in range(len(way.breaks)):
        yield site, replace(way, breaks=_without(way.breaks, index))
    for plainer in _reset(way):
        yield site, plainer
    if site.choices != AS_PROPOSED:
        yield replace(site, choices=AS_PROPOSED), way


def _fewer(site: Site, way: Arrangement) -> Iterator[Case]:
    for index, entry in enumerate(site.entries):
        if len(site.entries) > 1:
            yield replace(site, entries=_without(site.entries, index)), way
        for at in range(len(entry.variants) if len(entry.variants) > 1 else 0):
            less = replace(entry, variants=_without(entry.variants, at))
            yield _with_entry(site, index, less), way


def _emptier(site: Site, way: Arrangement) -> Iterator[Case]:
    for index, entry in enumerate(site.entries):
        for at, (locale, variant) in enumerate(entry.variants):
            for emptier in _emptied(variant):
                variants = list(entry.variants)
                variants[at] = (locale, emptier)
                less = replace(entry, variants=tuple(variants))
                yield _with_entry(site, index, less), way


def _emptied(variant: Variant) -> Iterator[Variant]:
    if variant != Variant():
        yield Variant()
    yield from _reset(variant)
    for name in ("body", "plates", "many"):
        parts = getattr(variant, name)
        for index in range(len(parts) if len(parts) > 1 else 0):
            less: dict[str, Any] = {name: _without(parts, index)}
            yield replace(variant, **less)


def _reset(record: S) -> Iterator[S]:
    """Yield the record with each thing that is not as always as it is always."""
    for one in fields(record):  # type: ignore[arg-type]
        if getattr(record, one.name) != one.default:
            yield replace(record, **{one.name: one.default})  # type: ignore[type-var]


def _with_entry(site: Site, index: int, entry: Entry) -> Site:
    entries = list(site.entries)
    entries[index] = entry
    return replace(site, entries=tuple(entries))


def _without(parts: tuple, index: int) -> tuple:
    return parts[:index] + parts[index + 1 :]
