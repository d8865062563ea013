"""Where the old site's addresses lead: to an item, to a page, or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import quote

from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.choices import FormerPath, LocaleChoice
from cmsmig.mapping.draft import ExistingStory, Place
from cmsmig.mapping.select.address import Address
from cmsmig.mapping.select.old_paths import (
    OldPaths,
    Parts,
    fold,
    joined,
    parts_of,
)
from cmsmig.mapping.select.reference_targets import KnownItems, replacement_for
from cmsmig.mapping.select.story_paths import ForeseenStories
from cmsmig.mapping.select.translations import language_of, translated_key
from cmsmig.origin.schema import Collection, Site

_ABSOLUTE = re.compile(r"(?:https?:)?//([^/?#\\\s]*)(.*)", re.IGNORECASE | re.DOTALL)
_DEFAULT_PORT = re.compile(r":(?:80|443)?$")
_RELATIVE = re.compile(r"(?![a-z][a-z0-9+.-]*:|[/?#])(?=.)", re.IGNORECASE)
"""An address from the page that it is on to another. Source: RFC 3986, 4.2."""
_NO_LANGUAGES: Mapping[ItemKey, ItemKey] = {}
_Paths: TypeAlias = "dict[Parts, ItemKey | list[ItemKey]]"
"""The items of each path, one of a locale; most are alone, and in no list."""


class PageCause(StrEnum):
    """Why a link into the old site is left as it is."""

    STATIC = "static"
    """A page that is no item: the start page, an about page."""
    TEMPLATE = "template"
    """A collection's own path, which has no item behind it."""
    UNLISTED = "unlisted"
    """Below a collection's path, but no item that is migrated."""
    LANGUAGE = "other_language"
    """A page in another language than the text, where languages are fields of one
    story: its address is stored, as a link to a story leads to the reader's own."""
    RAW_HTML = "raw_html"
    """In code or data of raw HTML, where no link holds it: its item has a story."""


@dataclass(frozen=True, slots=True)
class RouteTarget:
    """A link to an item that becomes a story."""

    key: ItemKey
    anchor: str
    """Without `#`; empty when the link names none."""
    query: str
    """Without `?`; empty when the link names none."""
    language: str = ""
    """The destination's code of the language of the page, where languages are fields of
    one story; empty: the default one."""


@dataclass(frozen=True, slots=True)
class StaticLink:
    """A link into the old site that stays as it is."""

    path: str
    cause: PageCause


class Routes:
    """The old site's paths, and the items behind them. Reads only.

    Where the items of a site have their pages, `OldPaths` says.
    """

    def __init__(
        self,
        site: Site,
        collections: Iterable[Collection],
        places: Mapping[ItemKey, Place],
        slugs: Mapping[ItemKey, str],
        known: KnownItems | None = None,
        languages: Mapping[ItemKey, ItemKey] = _NO_LANGUAGES,
        former: Iterable[FormerPath] = (),
        translations: Iterable[LocaleChoice] = (),
    ) -> None:
        """Take the places of the stories to be, and the items' old slugs.

        An item without an entry in `slugs` is known by its new slug. `known` decides
        what replaces an item that lacks a language; without it nothing does.
        `languages` are the items whose story holds each item in another language,
        `translations` the locales of those languages.
        Below a path in `former`, what is no page of its own is a collection's item.
        """
        self._known = known
        self.places = places
        """Every item that becomes a story, and where it goes."""
        self._hosts = _site_hosts(site)
        self._paths = paths = OldPaths.of(site, collections)
        self._roots = {
            fold(each) for found in paths.folders.values() for each in found.values()
        }
        self._slugs = slugs
        self._languages = languages
        self._codes = {each.locale_id: each.code for each in translations}
        self._locales = {
            language_of(translated_key("", code)): each
            for each, code in self._codes.items()
        }
        self._former: dict[Parts, list[str]] = {}
        for each in former:
            if each.collection_id in paths.folders:
                self._former.setdefault(fold(each.parts), []).append(each.collection_id)
        self._exact: _Paths = {}
        ranked = sorted([*places, *languages])
        for key in ranked:
            _add(self._exact, self._parts(key), key)
        # Where all paths are in lower case, as most sites have them, one is enough.
        self._folded = self._exact
        if any(fold(path) != path for path in self._exact):
            self._folded = {}
            for key in ranked:
                path = fold(self._parts(key))
                _add(self._folded, path, key)

    def path(self, key: ItemKey) -> str:
        """Return the old path of an item that becomes a story, or empty."""
        return joined(self._parts(key)) if key in self.places else ""

    def path_in(self, key: ItemKey, language: str) -> str:
        """Return the old path of the page that shows a story's field, whose key says
        the language."""
        spoken = key._replace(locale_id=self._locales.get(language, key.locale_id))
        is_other = spoken in self._languages
        return joined(self._parts(spoken)) if is_other else self.path(key)

    def _parts(self, key: ItemKey) -> Parts:
        return self._paths.parts(key, self._slugs.get(key) or self.places[key].slug)

    def follow(self, target: ItemKey) -> ItemKey:
        """Return the item that a reference leads to: the target, or the same in the
        primary language where it lacks its own and that was decided."""
        known = self._known
        return (replacement_for(target, known) if known else None) or target

    def foreseen(
        self, there: Mapping[ItemKey, ExistingStory], coming: Set[ItemKey]
    ) -> ForeseenStories:
        """Return the stories that are there, with placeholders for those that are to
        come; items that become none are left out."""
        return ForeseenStories(there, coming, self.places)

    def resolve_on(
        self, key: ItemKey, language: str, href: str
    ) -> RouteTarget | StaticLink | None:
        """Return what a link in a story's field leads to, whose key says the language:
        `resolve` on the old page of the item."""
        is_relative = _RELATIVE.match(href.strip())
        page = self.path_in(key, language) if is_relative else ""
        return self.resolve(href, key.locale_id, page)

    def resolve(
        self, href: str, from_locale: str, page: str = ""
    ) -> RouteTarget | StaticLink | None:
        """Return what a link leads to; None for another site, no page at all, or the
        page that it is on.

        Absolute links with any of the site's domains are read, root-relative ones, and
        those that are relative to the path `page`, if there is one. The case of the
        path, a slash at its end and percent-encoding do not matter. A path that several
        locales share means the primary's item, else that of `from_locale`.
        """
        local = self._local(href.strip(), page)
        if local is None:
            return None
        path, _, anchor = local.partition("#")
        path, _, query = path.partition("?")
        parts = parts_of(path)
        found = self._find(parts, from_locale)
        if found is None:
            cause = self._cause(parts)
            if cause is PageCause.STATIC:
                found = self._find_renamed(parts, from_locale)
            if found is None:
                return StaticLink(path or "/", cause)
        language = self._codes.get(found.locale_id, "")
        return RouteTarget(self._languages.get(found, found), anchor, query, language)

    def local_path(self, href: str, page: str = "") -> str:
        """Return the decoded path of a link into the old site, on the page with a path;
        empty for another."""
        found = self.local_address(href, page)
        return found.path if found else ""

    def local_address(self, href: str, page: str = "") -> Address | None:
        """Return the same with its query; None for another."""
        local = self._local(href.strip(), page)
        return None if local is None else Address.requested(local)

    def _local(self, href: str, page: str) -> str | None:
        absolute = _ABSOLUTE.fullmatch(href)
        if absolute is None and page and _RELATIVE.match(href):
            return f"{quote(page.rpartition('/')[0])}/{href}"
        if absolute is None:
            return href if href.startswith("/") else None
        host = _DEFAULT_PORT.sub("", absolute[1].lower()).rstrip(".")
        rest = absolute[2]
        return rest if host in self._hosts else None

    def _find(self, parts: Parts, from_locale: str) -> ItemKey | None:
        found = self._exact.get(parts) or self._folded.get(fold(parts))
        if found is None:
            return None
        candidates = found if isinstance(found, list) else [found]
        for locale in (self._paths.primary, from_locale):
            for key in candidates:
                if key.locale_id == locale:
                    return key
        return min(candidates, key=lambda each: each.locale_id)

    def _find_renamed(self, parts: Parts, from_locale: str) -> ItemKey | None:
        """Return the item below a former path; none where collections share the path
        and the slug."""
        if not self._former:
            return None
        prefix, above, slug = self._paths.split(parts)
        collections = self._former.get(fold(above), []) if slug else []
        found = {
            self._find((*folder, slug), from_locale)
            for each in collections
            for folder in self._paths.below_prefix(each, prefix)
        } - {None}
        return found.pop() if len(found) == 1 else None

    def _cause(self, parts: Parts) -> PageCause:
        folded = fold(parts)
        if folded in self._roots:
            return PageCause.TEMPLATE
        if folded[:-1] in self._roots:
            return PageCause.UNLISTED
        return PageCause.STATIC


def _add(paths: _Paths, path: Parts, key: ItemKey) -> None:
    """Add an item to those of a path; the first of a locale has it."""
    there = paths.setdefault(path, key)
    if not isinstance(there, list):
        if there.locale_id != key.locale_id:
            paths[path] = [there, key]
    elif all(each.locale_id != key.locale_id for each in there):
        there.append(key)


def _site_hosts(site: Site) -> frozenset[str]:
    hosts = {domain.lower().rstrip(".") for domain in site.domains}
    if site.short_name:
        hosts.add(f"{site.short_name.lower()}.webflow.io")
    bare = {host.removeprefix("www.") for host in hosts}
    return frozenset(bare | {f"www.{host}" for host in bare})
