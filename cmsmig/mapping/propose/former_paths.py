"""Links to paths that a collection had before it was renamed, by the items' slugs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from cmsmig.mapping.decisions.choices import FormerPath
from cmsmig.mapping.select.old_paths import OldPaths, parts_of
from cmsmig.mapping.select.routes import PageCause, Routes, StaticLink
from cmsmig.origin.schema import Collection, Item, Site

_HREF = re.compile(r"""\bhref=(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})')""", re.I)
_EXAMPLES = 3


@dataclass(slots=True)
class RenamedCollection:
    """Links to one path of static pages that end in slugs of a collection's items."""

    path: str
    """Above the slugs, without the part of a locale; `/` is the root."""
    collection: Collection
    links: int = 0
    pages: dict[str, None] = field(default_factory=dict)
    """The slugs, in the order in which they were found."""

    @property
    def decision(self) -> FormerPath:
        """Return the proposal: links below the path lead to the items."""
        return FormerPath(
            self.path, self.collection.slug, self.collection.collection_id
        )

    @property
    def examples(self) -> tuple[str, ...]:
        """Return some of the paths."""
        above = self.path.rstrip("/")
        return tuple(f"{above}/{slug}" for slug in [*self.pages][:_EXAMPLES])

    @property
    def in_bulk(self) -> bool:
        """Return whether the proposal may be accepted without a look.

        At the root there are static pages too: a page `/prices` may share its slug
        with an item by chance.
        """
        return self.path != "/"


def find_renamed(
    site: Site, collections: Sequence[Collection], items: Sequence[Item]
) -> tuple[RenamedCollection, ...]:
    """Return the paths below which links look for items of a collection that has
    another slug now, most links first. Reads all values once.

    A slug that items of two collections have says nothing.
    """
    paths = OldPaths.of(site, collections)
    routes = Routes(site, collections, {}, {})
    by_slug: dict[str, set[str]] = {}
    for item in items:
        by_slug.setdefault(item.slug.casefold(), set()).add(item.key.collection_id)
    by_id = {each.collection_id: each for each in collections}
    found: dict[tuple[tuple[str, ...], str], RenamedCollection] = {}
    for address, on in _addresses(by_id, items, paths):
        page = routes.resolve(address, "", on)
        if not isinstance(page, StaticLink) or page.cause is not PageCause.STATIC:
            continue
        _, above, slug = paths.split(parts_of(page.path))
        owners = by_slug.get(slug.casefold(), set()) if slug else set()
        if len(owners) == 1:
            (owner,) = owners
            named = f"/{'/'.join(above)}"
            key = tuple(part.casefold() for part in above), owner
            one = found.setdefault(key, RenamedCollection(named, by_id[owner]))
            one.links += 1
            one.pages[slug] = None
    return tuple(
        sorted(
            found.values(),
            key=lambda each: (-each.links, each.path, each.decision.collection_id),
        )
    )


def find_links(
    site: Site, collections: Sequence[Collection], items: Iterable[Item]
) -> tuple[str, ...]:
    """Return the paths of the old site that bodies and link fields lead to, decoded and
    sorted. Reads all values once.

    What is written as a plain word, or as a host without `https://`, is no path of the
    old site unless an item has it.
    """
    paths, routes = OldPaths.of(site, collections), Routes(site, collections, {}, {})
    by_id = {each.collection_id: each for each in collections}
    found = {
        routes.local_path(address, page if address.lstrip().startswith(".") else "")
        for address, page in _addresses(by_id, items, paths)
    }
    return tuple(sorted(each for each in found if each))


def _addresses(
    collections: Mapping[str, Collection], items: Iterable[Item], paths: OldPaths
) -> Iterator[tuple[str, str]]:
    """Yield the address of every link in bodies and link fields, and the path of the
    page that it is on."""
    for item in items:
        collection = collections[item.key.collection_id]
        data, page = item.data, paths.path(item.key, item.slug)
        for each in collection.fields:
            value = data.get(each.slug)
            if not isinstance(value, str):
                continue
            if each.type == "Link":
                yield value, page
            elif each.type == "RichText":
                for double, single in _HREF.findall(value):
                    yield unescape(double or single), page
