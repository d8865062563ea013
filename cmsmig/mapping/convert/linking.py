"""Phase two: relations and internal links, once stories have UUIDs.

Spec: import rules 3 and 4. A PUT replaces the whole content, so the whole
content is what comes out; the draft stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.draft import ExistingStory, RelationUse, StoryDraft
from cmsmig.mapping.select.routes import PageCause, Routes, RouteTarget, StaticPage
from cmsmig.richtext.links import StoryLink, look_up_links, rewrite_links

_LEFT_ALONE = frozenset(("story", "asset", "email"))


@dataclass(frozen=True, slots=True)
class LeftLink:
    """A link into the old site that leads to no story and stays as it is."""

    href: str
    cause: PageCause


@dataclass(frozen=True, slots=True)
class Linked:
    """A story's whole content for phase two."""

    content: JsonObject
    filled: int
    """References filled; each entry of a list counts."""
    links: int
    """Links that lead to a story now."""
    pending: tuple[ItemKey, ...]
    """Targets that will have a story and have none yet; each named once."""
    dangling: tuple[ItemKey, ...]
    """Targets of references that are left out for good."""
    left: tuple[LeftLink, ...]
    """Links that stay, in the content's order."""


def link_story(
    draft: StoryDraft, existing: Mapping[ItemKey, ExistingStory], routes: Routes
) -> Linked:
    """Return the draft's content with relations and internal links filled.

    References keep the origin's order; those without a target are left out.
    What waits for a story to be created is left as it is and named in
    `pending`. Linking what is linked changes nothing.
    """
    linking = _Linking(draft.key.locale_id, existing, routes)
    content: JsonObject = {
        name: linking.field(value) for name, value in draft.content.items()
    }
    for relation in draft.relations:
        content[relation.field] = linking.relation(relation)
    return Linked(
        content=content,
        filled=linking.filled,
        links=linking.links,
        pending=tuple(linking.pending),
        dangling=tuple(linking.dangling),
        left=tuple(linking.left),
    )


@dataclass(frozen=True, slots=True)
class ResolvedLinks:
    """What `link_story` will make of a draft, told without its content."""

    stories: tuple[ExistingStory | None, ...]
    """What each link leads to, in the order of `link_uses`."""
    relations: tuple[Json, ...]
    """The value of each relation."""
    filled: int
    links: int
    pending: tuple[ItemKey, ...]
    waiting: tuple[ItemKey, ...]
    """The target of each link that has no story yet."""
    left: tuple[LeftLink, ...]


def resolve_links(
    addresses: Sequence[str],
    mentions: Sequence[str],
    relations: Sequence[RelationUse],
    locale: str,
    existing: Mapping[ItemKey, ExistingStory],
    routes: Routes,
) -> ResolvedLinks:
    """Return what the links and relations of a draft lead to; `mentions` are what its
    raw HTML holds in code and data."""
    linking = _Linking(locale, existing, routes)
    found = [linking.find(each) for each in addresses]
    for each in mentions:
        linking.mention(each)
    return ResolvedLinks(
        stories=tuple(each[1] if each else None for each in found),
        relations=tuple(linking.relation(each) for each in relations),
        filled=linking.filled,
        links=linking.links,
        pending=tuple(linking.pending),
        waiting=tuple(linking.waiting),
        left=tuple(linking.left),
    )


@dataclass(frozen=True, slots=True)
class LinkUses:
    """Every address that `link_story` looks up in a draft, in its order."""

    links: tuple[tuple[str, str], ...]
    """The field of the story that a link is in, and its address."""
    mentions: tuple[tuple[str, str], ...]
    """The same of what raw HTML mentions in code and data."""


def link_uses(draft: StoryDraft) -> LinkUses:
    """Return every address that `link_story` looks up in a draft."""
    links: list[tuple[str, str]] = []
    mentions: list[tuple[str, str]] = []
    for name, value in draft.content.items():
        found, mentioned = _addresses(value)
        links += ((name, each) for each in found)
        mentions += ((name, each) for each in mentioned)
    return LinkUses(tuple(links), tuple(mentions))


def _addresses(value: Json) -> tuple[list[str], list[str]]:
    """Return the addresses of a field's links, and those that raw HTML mentions."""
    links: list[str] = []
    mentions: list[str] = []
    if isinstance(value, dict) and value.get("fieldtype") == "multilink":
        if (address := _address_of(value)) is not None:
            links.append(address)
    elif isinstance(value, (dict, list)):
        look_up_links({"value": value}, links.append, mentions.append)
    return links, mentions


def _address_of(link: JsonObject) -> str | None:
    """Return the address of a link value, unless it is another kind of link."""
    address = link.get("url")
    if link.get("linktype") in _LEFT_ALONE or not isinstance(address, str):
        return None
    return address


class _Linking:
    """Fills one story and counts what it did."""

    __slots__ = (
        "_existing",
        "_locale",
        "_routes",
        "dangling",
        "filled",
        "left",
        "links",
        "pending",
        "waiting",
    )

    def __init__(
        self, locale: str, existing: Mapping[ItemKey, ExistingStory], routes: Routes
    ) -> None:
        self._locale = locale
        self._existing = existing
        self._routes = routes
        self.filled = 0
        self.links = 0
        self.pending: dict[ItemKey, None] = {}
        self.waiting: list[ItemKey] = []
        self.dangling: list[ItemKey] = []
        self.left: list[LeftLink] = []

    def relation(self, relation: RelationUse) -> Json:
        """Return the value of a relation field. Source: destination, relations."""
        uuids: list[Json] = []
        for meant in relation.targets:
            target = meant if meant in self._existing else self._routes.stand_in(meant)
            home = self._existing.get(target)
            if home is not None:
                uuids.append(home.uuid)
            elif target in self._routes.places:
                self.pending[target] = None
            else:
                self.dangling.append(target)
        self.filled += len(uuids)
        if relation.multiple:
            return uuids
        return uuids[0] if uuids else ""

    def field(self, value: Json) -> Json:
        """Return a field's value with its links filled; plain text as it is."""
        if not isinstance(value, (dict, list)):
            return value
        if isinstance(value, dict) and value.get("fieldtype") == "multilink":
            return self._multilink(value)
        linked, _ = rewrite_links({"value": value}, self._story, self.mention)
        return linked["value"]

    def _multilink(self, link: JsonObject) -> JsonObject:
        address = _address_of(link)
        found = None if address is None else self.find(address)
        if found is None:
            return link
        target, home = found
        # The value has no key for a query: the address that keeps it stands
        # beside the story, for whoever reads `url`.
        url = f"/{home.full_slug}?{target.query}" if target.query else ""
        new: JsonObject = {
            **link,
            "id": home.uuid,
            "url": url,
            "linktype": "story",
            "cached_url": home.full_slug,
        }
        if target.anchor:
            new["anchor"] = target.anchor
        return new

    def _story(self, href: str) -> StoryLink | None:
        found = self.find(href)
        return None if found is None else StoryLink(found[1].uuid, found[1].full_slug)

    def find(self, href: str) -> tuple[RouteTarget, ExistingStory] | None:
        """Return what an address leads to, and count it."""
        found = self._routes.resolve(href, self._locale)
        if isinstance(found, StaticPage):
            self.left.append(LeftLink(href, found.cause))
        if not isinstance(found, RouteTarget):
            return None
        home = self._existing.get(found.key)
        if home is None:
            self.pending[found.key] = None
            self.waiting.append(found.key)
            return None
        self.links += 1
        return found, home

    def mention(self, address: str) -> None:
        """Note an address in code or data of raw HTML that leads to an item."""
        if isinstance(self._routes.resolve(address, self._locale), RouteTarget):
            self.left.append(LeftLink(address, PageCause.RAW_HTML))
