"""Every address of the old site that is known, and where it is known from. Asks no
service."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from cmsmig.canonical import fingerprint
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.file_addresses import host_of
from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.propose.former_paths import find_links
from cmsmig.mapping.redirects.address_map import (
    KnownAddress,
    LeftOut,
    Source,
    UnusedRule,
)
from cmsmig.mapping.redirects.origin_rules import read_rules
from cmsmig.mapping.select.address import Address
from cmsmig.mapping.select.old_paths import joined
from cmsmig.mapping.select.routes import Routes
from cmsmig.mapping.select.selection import SkippedItem
from cmsmig.mapping.select.translations import IN_PRIMARY_STORY
from cmsmig.origin.cache import RawCache
from cmsmig.origin.page_list import PUBLISHED
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import decision_text
from cmsmig.steps.decide.pulled_origin import Origin, live_paths

RULES = "redirects.csv"
"""In the folder of decisions: the origin's own rules, as it exports them."""
_ASK = "Name a target, keep it or call it gone."
_STILL_LIVE = "archived_live"


@dataclass(frozen=True, slots=True)
class NewPaths:
    """Where the new site has its pages; each begins with a slash."""

    stories: Mapping[ItemKey, str]
    folders: Mapping[tuple[str, str], str]
    """Of collections, by their id and the locale's."""
    files: Mapping[str, UploadedAsset] = field(default_factory=dict)
    """Uploaded files, by their old address."""

    @classmethod
    def unchanged(cls, origin: Origin) -> NewPaths:
        """Return every page where it is now."""
        paths = origin.old_paths
        stories = live_paths(origin)
        # An item of a locale that the site does not list belongs to the primary one.
        used = {
            (
                key.collection_id,
                key.locale_id if key.locale_id in paths.prefixes else paths.primary,
            )
            for key in stories
        }
        folders = {each: joined(paths.folder(*each)) for each in used}
        return cls(stories, folders)


def known_addresses(
    project: Project,
    origin: Origin,
    decided: CollectionsDecision,
    new: NewPaths,
) -> list[KnownAddress]:
    """Return the addresses of items, collections, static pages and files, those that a
    renamed collection had, those that links lead to, and the origin's own rules."""
    now = NewPaths.unchanged(origin)
    names = {each.key: each.name for items in origin.live.values() for each in items}
    found = [
        *(
            KnownAddress(path, Source.ITEM, new.stories.get(key, ""), key, names[key])
            for key, path in now.stories.items()
        ),
        *(
            KnownAddress(path, Source.COLLECTION, new.folders.get(place, ""))
            for place, path in now.folders.items()
        ),
        *_former(origin, decided, now.stories),
        *(
            KnownAddress(str(Address.at(page.path)), Source.PAGE, name=page.title)
            for page in RawCache(project.raw).static_pages() or ()
            if page.state == PUBLISHED
        ),
        *_files(origin, new.files),
        *_rules(project, origin)[0],
    ]
    links = (Address(link) for link in _links(project, origin))
    # A link may lead to a page that is not live yet. What several items have leads to
    # the first by key, as the address of an item does.
    paths = origin.old_paths
    stories = {
        paths.path(key, item.slug): new.stories[key]
        for key, item in sorted(origin.every_item().items(), reverse=True)
        if key in new.stories
    }
    return [
        *found,
        *(
            KnownAddress(str(each), Source.LINK, stories.get(each.path, ""))
            for each in links
        ),
    ]


def left_out_items(
    origin: Origin, decided: CollectionsDecision, skipped: Iterable[SkippedItem]
) -> dict[str, LeftOut]:
    """Return the items that are not imported, by the addresses of their page in lower
    case: as it is at the origin or would be, and before a collection was renamed."""
    paths, live = origin.old_paths, live_paths(origin)
    items = origin.every_item()
    found: dict[str, LeftOut] = {}
    for each in skipped:
        item = items.get(each.key)
        if item is None or each.reason == IN_PRIMARY_STORY:
            continue
        # Until the next publish of the site, an archived item is live.
        gone = item.archived and (each.reason == _STILL_LIVE or each.key not in live)
        todo = "410 is proposed." if gone else _ASK
        why = f"Its item is left out: {each.sentence} {todo}"
        left = LeftOut(each.key, each.name, why, gone)
        own = [paths.path(each.key, item.slug), live.get(each.key, "")]
        own += [
            paths.below(former.parts, each.key, item.slug)
            for former in decided.followed_paths
            if former.collection_id == each.key.collection_id
        ]
        for path in filter(None, own):
            found.setdefault(path.casefold(), left)
    return found


def _former(
    origin: Origin, decided: CollectionsDecision, old: Mapping[ItemKey, str]
) -> Iterator[KnownAddress]:
    """Yield the paths that live items had before their collection was renamed; they
    lead to the items' addresses of now. One that two items had leads nowhere."""
    paths = origin.old_paths
    found: dict[str, list[ItemKey]] = defaultdict(list)
    for former in decided.followed_paths:
        for item in origin.live.get(former.collection_id, ()):
            found[paths.below(former.parts, item.key, item.slug)].append(item.key)
    for path, keys in found.items():
        if len(keys) == 1:
            yield KnownAddress(path, Source.FORMER, old[keys[0]], keys[0])


def _files(
    origin: Origin, uploaded: Mapping[str, UploadedAsset]
) -> Iterator[KnownAddress]:
    """Yield the files below the site's own address, and where they are now."""
    routes = Routes(origin.site, origin.collections, {}, {})
    for old in origin.files:
        if host_of(old) and (address := routes.local_address(old)):
            to = uploaded[old].filename if old in uploaded else ""
            yield KnownAddress(str(address), Source.FILE, to)


def _links(project: Project, origin: Origin) -> tuple[str, ...]:
    code, paths = code_digest(("mapping", "origin")), origin.old_paths.as_json()
    made_of = fingerprint([code, dict(origin.hashes), paths])
    return DerivedFile(project.derived).derive(
        "links",
        made_of,
        TypeAdapter(tuple[str, ...]),
        lambda: find_links(
            origin.site, origin.collections, origin.every_item().values()
        ),
    )


def unused_rules(project: Project, origin: Origin) -> tuple[UnusedRule, ...]:
    """Return the rows of the origin's rules that are not used. Raises
    `DecisionsError` for a file that is no text."""
    return _rules(project, origin)[1]


def _rules(
    project: Project, origin: Origin
) -> tuple[tuple[KnownAddress, ...], tuple[UnusedRule, ...]]:
    text = decision_text(project.decisions / RULES) or ""
    return read_rules(text, Routes(origin.site, origin.collections, {}, {}))
