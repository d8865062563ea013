"""Where the items of the old site have their pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import unquote

from cmsmig.canonical import JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.origin.schema import Collection, Locale, Site

Parts: TypeAlias = tuple[str, ...]
"""The parts of a path, decoded."""


@dataclass(frozen=True, slots=True)
class OldPaths:
    """The paths of a site's items: the public path of their collection, then the slug.

    The published path of a collection's template page is its public path. Without one
    it is the collection's slug, below the locale's subdirectory. That of the primary
    locale counts only where localization is enabled, and not where its template pages
    are published without it. An item of a locale that the site does not list belongs
    to the primary one. Source: origin, pages and locales.
    """

    prefixes: Mapping[str, Parts]
    """The parts before all others, by locale."""
    folders: Mapping[str, Mapping[str, Parts]]
    """The public path of each collection, by its id and the locale's."""
    primary: str
    """The primary locale; empty on a site that lists none."""

    @classmethod
    def of(cls, site: Site, collections: Iterable[Collection]) -> OldPaths:
        """Return the paths of a site."""
        primary = next((each for each in site.locales if each.primary), None)
        own = primary.locale_id if primary else ""
        listed = tuple(collections)
        shown = {each.collection_id: _shown(site, each, own) for each in listed}
        prefixes = {own: _primary_prefix(site, primary, shown.values())}
        for locale in site.locales:
            prefixes.setdefault(locale.locale_id, parts_of(locale.subdirectory))
        folders = {
            each.collection_id: _folders(each, shown[each.collection_id], prefixes, own)
            for each in listed
        }
        return cls(prefixes, folders, own)

    def folder(self, collection_id: str, locale_id: str) -> Parts:
        """Return the public path of a collection in a locale."""
        found = self.folders.get(collection_id, {self.primary: (collection_id,)})
        return found.get(locale_id) or found[self.primary]

    def bare_folder(self, collection_id: str) -> Parts:
        """Return the public path of a collection in the primary locale, without the
        part of the locale."""
        return _bare(
            self.folder(collection_id, self.primary), self.prefixes[self.primary]
        )

    def parts(self, key: ItemKey, slug: str) -> Parts:
        """Return the parts of the path of an item; without a slug its id is the last,
        as the origin has it."""
        folder = self.folder(key.collection_id, key.locale_id)
        return (*folder, slug or key.item_id)

    def path(self, key: ItemKey, slug: str) -> str:
        """Return the path of an item with a slug."""
        return joined(self.parts(key, slug))

    def below(self, above: Parts, key: ItemKey, slug: str) -> str:
        """Return the path of an item with a slug, below another path than its
        collection's."""
        prefix = self.prefixes.get(key.locale_id, self.prefixes[self.primary])
        return joined((*prefix, *above, slug))

    def split(self, parts: Parts) -> tuple[Parts, Parts, str]:
        """Return the part of the locale, what is above the slug, and the slug."""
        begins = (
            prefix for prefix in {(), *self.prefixes.values()} if begin(parts, prefix)
        )
        size = max(map(len, begins))
        return parts[:size], parts[size:-1], parts[-1] if parts[size:] else ""

    def below_prefix(self, collection_id: str, prefix: Parts) -> Iterator[Parts]:
        """Yield the public path of a collection in each locale whose paths begin so; in
        the primary one where none do."""
        same = [
            own for own, each in self.prefixes.items() if fold(each) == fold(prefix)
        ]
        for locale in same or [self.primary]:
            yield self.folder(collection_id, locale)

    def as_json(self) -> JsonObject:
        """Return the public path of each collection in each locale."""
        return {
            collection: {locale: joined(each) for locale, each in sorted(found.items())}
            for collection, found in sorted(self.folders.items())
        }


def _shown(site: Site, collection: Collection, primary: str) -> dict[str, Parts]:
    """Return the published path of a collection's template page in each locale; one
    that names no locale of the site is of the primary, where that has no other."""
    named = {name: each.locale_id for each in site.locales for name in each.names}
    found: dict[str, Parts] = {}
    for page in sorted(
        collection.templates,
        key=lambda each: bool(each.locale_id) - (each.locale_id in named),
    ):
        if parts := parts_of(page.path):
            found.setdefault(named.get(page.locale_id, primary), parts)
    return found


def _primary_prefix(
    site: Site, primary: Locale | None, shown: Iterable[Mapping[str, Parts]]
) -> Parts:
    if primary is None or not site.is_localized:
        return ()
    prefix = parts_of(primary.subdirectory)
    own = primary.locale_id
    paths = [each[own] for each in shown if own in each]
    return prefix if not paths or any(begin(each, prefix) for each in paths) else ()


def _folders(
    collection: Collection,
    shown: Mapping[str, Parts],
    prefixes: Mapping[str, Parts],
    primary: str,
) -> dict[str, Parts]:
    """Return the public path of a collection in each locale."""
    own = shown.get(primary, (*prefixes[primary], collection.slug))
    bare = _bare(own, prefixes[primary])
    found = {each: (*prefix, *bare) for each, prefix in prefixes.items()}
    for each, path in shown.items():
        # The service lists some paths of a locale without its subdirectory.
        is_whole = each == primary or begin(path, prefixes[each])
        found[each] = path if is_whole else (*prefixes[each], *path)
    return {**found, primary: own}


def _bare(path: Parts, prefix: Parts) -> Parts:
    # A collection may be named like the locale's subdirectory.
    size = len(prefix)
    return path[size:] if begin(path, prefix) and path[size:] else path


def parts_of(path: str) -> Parts:
    """Return the parts of a path, decoded, without `.` and `..`. Source: RFC 3986,
    5.2.4."""
    found: list[str] = []
    for part in map(unquote, path.split("/")):
        if part == "..":
            del found[-1:]
        elif part not in ("", "."):
            found.append(part)
    return tuple(found)


def clean_path(path: str) -> str:
    """Return a path decoded, with a slash in front and none at its end."""
    return joined(parts_of(path))


def joined(parts: Parts) -> str:
    """Return the path with these parts."""
    return "/" + "/".join(parts)


def fold(parts: Parts) -> Parts:
    """Return the parts as the origin compares them."""
    return tuple(part.casefold() for part in parts)


def begin(parts: Parts, prefix: Parts) -> bool:
    """Return whether a path begins with other parts."""
    return fold(parts[: len(prefix)]) == fold(prefix)
