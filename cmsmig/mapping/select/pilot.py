"""A pilot: a part of what was selected, imported before the whole is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import first_of
from cmsmig.errors import UsageError
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import LocaleChoice
from cmsmig.mapping.select.selection import Selected, SkippedItem, locale_of
from cmsmig.origin.schema import Collection

_NAMED = 8
"""Names that a sentence lists."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """Which of the selected items are handled: those that fit all that is given."""

    collections: tuple[str, ...] = ()
    """Slugs at the origin; empty: all."""
    items: tuple[str, ...] = ()
    """Ids at the origin, or whole keys; an id means the item in every locale."""
    locales: tuple[str, ...] = ()
    """Tags, such as `fr-FR`, or the folders of locales."""
    limit: int = 0
    """At most so many, in the order of the import; 0: all."""

    @property
    def is_whole(self) -> bool:
        """Return whether everything that is selected is handled."""
        return not (self.collections or self.items or self.locales or self.limit)

    def as_json(self) -> JsonObject:
        """Return the pilot as plans hold it; the order of what is given is none."""
        return {
            "collections": _sorted(self.collections),
            "items": _sorted(self.items),
            "locales": _sorted(self.locales),
            "limit": self.limit,
        }

    def __str__(self) -> str:
        """Return what was given, for a person; empty for the whole."""
        named = {
            "collection": self.collections,
            "item": self.items,
            "locale": self.locales,
            "limit": (str(self.limit),) if self.limit else (),
        }
        return "; ".join(
            f"{name} {first_of(sorted(set(values)), _NAMED)}"
            for name, values in named.items()
            if values
        )


WHOLE: Final = Pilot()


def pilot_of(
    collection: str | Sequence[str] = (),
    item: str | Sequence[str] = (),
    locale: str | Sequence[str] = (),
    limit: int | None = None,
) -> Pilot:
    """Return the pilot of an operator's options; a text holds names with commas.

    Raises `UsageError` for a limit below 0.
    """
    if limit is not None and limit < 0:
        raise UsageError(
            f"A pilot of {limit} items cannot be; give a limit of 1 or more."
        )
    return Pilot(_names(collection), _names(item), _names(locale), limit or 0)


def choose(
    pilot: Pilot,
    selected: Sequence[Selected],
    skipped: Iterable[SkippedItem],
    collections: Sequence[Collection],
    locales: Sequence[LocaleChoice],
) -> tuple[Selected, ...]:
    """Return the selected items that a pilot handles, in their order.

    Raises `UsageError` for a name that nothing has, for an item that was decided to
    be skipped, and when nothing fits all that is given.
    """
    if pilot.is_whole:
        return tuple(selected)
    slugs = {each.slug: each.collection_id for each in collections}
    _require("collection", pilot.collections, slugs)
    tongues = _chosen_locales(pilot, locales)
    _require_items(pilot, selected, skipped)
    wanted = {slugs[name] for name in pilot.collections}
    items = set(pilot.items)
    found = [
        entry
        for entry in selected
        if (not wanted or entry.item.key.collection_id in wanted)
        and (not items or items & _names_of(entry.item.key))
        and (not pilot.locales or locale_of(entry.item.key, locales) in tongues)
    ]
    if not found:
        raise UsageError(
            f"No selected item fits the pilot ({pilot}); each of them narrows it, so "
            "leave one out."
        )
    return tuple(found[: pilot.limit] if pilot.limit else found)


def needed_collections(
    pilot: Pilot, chosen: Iterable[Selected], collections: Sequence[Collection]
) -> frozenset[str]:
    """Return the collections whose components and folders a pilot needs."""
    named = {e.collection_id for e in collections if e.slug in pilot.collections}
    return frozenset(named | {entry.item.key.collection_id for entry in chosen})


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    listed = given.split(",") if isinstance(given, str) else given
    return tuple(name.strip() for name in listed if name.strip())


def _names_of(key: ItemKey) -> set[str]:
    return {key.item_id, str(key)}


def _chosen_locales(
    pilot: Pilot, locales: Sequence[LocaleChoice]
) -> frozenset[LocaleChoice]:
    named: dict[str, LocaleChoice] = {}
    for each in locales:
        named |= dict.fromkeys((each.tag, each.folder, each.tag.lower()), each)
    unknown = [name for name in pilot.locales if name not in named]
    _require("locale", unknown, [each.tag for each in locales])
    return frozenset(named[name] for name in pilot.locales)


def _require(
    what: str, given: Sequence[str], known: Mapping[str, str] | Sequence[str]
) -> None:
    for name in given:
        if name not in known:
            listed = first_of(sorted(known), _NAMED) or "none"
            raise UsageError(f"There is no {what} `{name}`; known: {listed}.")


def _require_items(
    pilot: Pilot, selected: Sequence[Selected], skipped: Iterable[SkippedItem]
) -> None:
    if not pilot.items:
        return
    known = {name for entry in selected for name in _names_of(entry.item.key)}
    missing = [name for name in pilot.items if name not in known]
    if not missing:
        return
    why = dict(_sentences(skipped)).get(missing[0])
    reason = f"is not migrated: {why}" if why else "is none of the items pulled."
    raise UsageError(f"The item `{missing[0]}` {reason}")


def _sentences(skipped: Iterable[SkippedItem]) -> Iterator[tuple[str, str]]:
    for entry in skipped:
        for name in _names_of(entry.key):
            yield name, entry.sentence


def _sorted(values: Iterable[str]) -> list[Json]:
    return [*sorted(set(values))]
