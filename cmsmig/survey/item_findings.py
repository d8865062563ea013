"""What each finding of an item is: the picture, the reference, the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cmsmig.counting import counted
from cmsmig.mapping.select.reference_targets import explained
from cmsmig.survey.catalogue import Entry
from cmsmig.survey.catalogue_filter import LEAST_OF_LARGEST, Finding, is_noticed
from cmsmig.survey.item_browser import ItemBrowser
from cmsmig.survey.value_facts import file_name

_FILES: Mapping[str, str] = {
    Finding.NO_ALT: "picture AND alt = ''",
    Finding.LARGEST: f"size >= {LEAST_OF_LARGEST}",
    Finding.NO_FILE: "sha256 = ''",
}
"""Which files of an item a finding is about."""
SIZES = ("bytes", "kB", "MB", "GB")


@dataclass(frozen=True, slots=True)
class Sighting:
    """One finding in one item."""

    field: str
    """The field's name; empty for what is said of the item as a whole."""
    what: str


def sightings(
    browser: ItemBrowser, finding: str, entries: Sequence[Entry]
) -> Mapping[int, list[Sighting]]:
    """Return what a finding is in each of some items, by the entry's number."""
    found = _sightings(browser, finding, entries)
    for entry in entries:
        named = {f.slug: f.display_name for f in browser.collection(entry).fields}
        if entry.entry_id in found:
            found[entry.entry_id] = [
                replace(each, field=named.get(each.field, each.field))
                for each in found[entry.entry_id]
            ]
    return found


def _sightings(
    browser: ItemBrowser, finding: str, entries: Sequence[Entry]
) -> dict[int, list[Sighting]]:
    name = finding.partition(":")[0]
    found: dict[int, list[Sighting]] = {}
    if not entries or not name:
        return found
    if name == Finding.CHANGED:
        return {each.entry_id: changed_fields(browser, each) for each in entries}
    if name == Finding.LEFT_OUT:
        return {each.entry_id: [Sighting("", each.left_out)] for each in entries}
    if is_noticed(finding):
        return _noticed(browser, finding, entries)
    if name == Finding.LOSS:
        return {
            each.entry_id: [Sighting("", counted(each.losses or 0, "loss", "losses"))]
            for each in entries
        }
    ids = f"({', '.join(str(each.entry_id) for each in entries)})"
    if name == Finding.DANGLING:
        return _dangling(browser, ids, finding.partition(":")[2])
    if name in _FILES:
        return _files(browser, ids, name)
    return found


def changed_fields(browser: ItemBrowser, entry: Entry) -> list[Sighting]:
    """Return the fields in which visitors see something else than editors."""
    if entry.staged is None or entry.live is None:
        return []
    staged, live = entry.staged.read(), entry.live.read()
    known = [each.slug for each in browser.collection(entry).fields]
    return [
        Sighting(slug, "changed since it was published")
        for slug in dict.fromkeys((*known, *staged, *live))
        if staged.get(slug) != live.get(slug)
    ]


def _noticed(
    browser: ItemBrowser, finding: str, entries: Sequence[Entry]
) -> dict[int, list[Sighting]]:
    rows = browser.catalogue.all(
        "SELECT entry, field, times, what FROM noticed WHERE finding = ? AND entry IN "
        f"({', '.join(str(each.entry_id) for each in entries)}) ORDER BY entry, field",
        (finding,),
    )
    found: dict[int, list[Sighting]] = {}
    for entry, field, times, what in rows:
        told = f"{times:,} times, first {what}" if times > 1 else what
        found.setdefault(int(entry), []).append(Sighting(field, told))
    return found


def size_told(size: int) -> str:
    """Return a number of bytes in words: `1.4 MB`."""
    number = float(size)
    for unit in SIZES:
        if number < 1000 or unit == SIZES[-1]:
            return (
                f"{number:,.0f} {unit}" if unit in SIZES[:2] else f"{number:.1f} {unit}"
            )
        number /= 1000
    return f"{size} bytes"


def _dangling(browser: ItemBrowser, ids: str, cause: str) -> dict[int, list[Sighting]]:
    rows = browser.catalogue.all(
        "SELECT entry, field, facet, cause FROM cell "
        f"WHERE entry IN {ids} AND cause <> '' AND ? IN ('', cause) "
        "ORDER BY entry, field, ordinal",
        (cause,),
    )
    names = browser.names(row[2] for row in rows)
    found: dict[int, list[Sighting]] = {}
    for entry, field, target, why in rows:
        what = f"{names.get(target) or target}: {explained(why)}"
        found.setdefault(int(entry), []).append(Sighting(field, what))
    return found


def _files(browser: ItemBrowser, ids: str, name: str) -> dict[int, list[Sighting]]:
    rows = browser.catalogue.all(
        "SELECT entry, field, address, size FROM held_file "
        f"WHERE entry IN {ids} AND {_FILES[name]} "
        "ORDER BY entry, size DESC, field, ordinal"
    )
    found: dict[int, list[Sighting]] = {}
    for entry, field, address, size in rows:
        told = f" ({size_told(int(size))})" if size else ""
        found.setdefault(int(entry), []).append(
            Sighting(field, f"{file_name(address)}{told}")
        )
    return found
