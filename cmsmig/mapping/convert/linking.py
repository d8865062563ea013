"""Phase two: relations and internal links, once stories have UUIDs.

Spec: import rules 3 and 4. A PUT replaces the whole content, so the whole
content is what comes out; the draft stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft, StoryDraft
from cmsmig.mapping.draft import ExistingStory, RelationUse
from cmsmig.mapping.select.routes import PageCause, Routes, RouteTarget, StaticLink
from cmsmig.mapping.select.translations import language_of, translated_key
from cmsmig.richtext.links import StoryLink, address_at, rewrite_links

_Addresses: TypeAlias = tuple[tuple[str, str], ...]
"""The field of a story that a link is in, and its address."""
_LEFT_ALONE = frozenset(("story", "asset", "email"))


@dataclass(frozen=True, slots=True)
class LeftLink:
    """A link into the old site that leads to no story and stays as it is."""

    href: str
    cause: PageCause


def link_story(
    story: StoryDraft, existing: Mapping[ItemKey, ExistingStory], routes: Routes
) -> JsonObject:
    """Return the story's content with relations and internal links filled.

    References keep the origin's order; those without a target are left out. What
    waits for a story to be created stays as it is. Linking what is linked changes
    nothing.
    """
    linking = _Linking(story.key, existing, routes)
    holding = {field for field, _ in story.draft.links}
    content: JsonObject = {
        name: linking.fill(name, value)
        if any(at in holding for at, _ in _parts(name, value))
        else value
        for name, value in story.content.items()
    }
    for relation in story.draft.relations:
        content[relation.field] = linking.relation(relation)
    return content


@dataclass(frozen=True, slots=True)
class ResolvedLinks:
    """What `link_story` will make of a draft, known without the draft's content."""

    stories: tuple[StoryLink | None, ...]
    """What each link leads to, in the order of `link_uses`."""
    relations: tuple[Json, ...]
    """The value of each relation."""
    filled: int
    """References filled; each entry of a list counts."""
    links: int
    """Links that lead to a story."""
    pending: tuple[ItemKey, ...]
    """Targets that will have a story and have none yet; each named once."""
    waiting: tuple[ItemKey, ...]
    """The target of each link that has no story yet."""
    left: tuple[LeftLink, ...]
    """Links that stay, in the content's order."""

    @property
    def changes(self) -> bool:
        """Return whether linking gives other content than the draft's."""
        return bool(self.filled or any(self.stories))

    @property
    def state(self) -> str:
        """Return what the ledger writes of them: `pending`, `linked` or `nothing`."""
        if self.pending:
            return "pending"
        return "linked" if self.changes else "nothing"


def resolve_links(
    draft: ItemDraft,
    existing: Mapping[ItemKey, ExistingStory],
    routes: Routes,
) -> ResolvedLinks:
    """Return what the links and relations of a draft lead to."""
    linking = _Linking(draft.key, existing, routes)
    found = [linking.find_in(field, address) for field, address in draft.links]
    for name, address in draft.mentions:
        linking.at = name
        linking.mention(address)
    return ResolvedLinks(
        stories=tuple(each[1] if each else None for each in found),
        relations=tuple(linking.relation(each) for each in draft.relations),
        filled=linking.filled,
        links=linking.links,
        pending=tuple(linking.pending),
        waiting=tuple(linking.waiting),
        left=tuple(linking.left),
    )


def link_uses(content: JsonObject) -> tuple[_Addresses, _Addresses]:
    """Return every address that `link_story` looks up in content, in its order, and
    those that raw HTML mentions in code and data."""
    links: list[tuple[str, str]] = []
    mentions: list[tuple[str, str]] = []
    for name, value in content.items():
        if isinstance(value, dict) and value.get("fieldtype") == "multilink":
            if (address := _address_of(value)) is not None:
                links.append((name, address))
        elif isinstance(value, (dict, list)):
            for at, part in _parts(name, value):
                found: tuple[list[str], list[str]] = ([], [])
                rewrite_links(part, found[0].append, found[1].append)
                links += ((at, each) for each in found[0])
                mentions += ((at, each) for each in found[1])
    return tuple(links), tuple(mentions)


def _parts(field: str, value: Json) -> Iterator[tuple[str, JsonObject]]:
    """Yield what is looked through at once, and the field that it is: the story's, or
    each of a section's block that holds translations."""
    block = _section(value)
    if block is None:
        yield field, {field: value}
        return
    for name, each in block.items():
        yield name, {"component": block.get("component"), name: each}


def _address_of(link: JsonObject) -> str | None:
    """Return the address of a link value, unless it is another kind of link."""
    address = link.get("url")
    if link.get("linktype") in _LEFT_ALONE or not isinstance(address, str):
        return None
    return address


@dataclass(slots=True)
class _Linking:
    """Fills one story and counts what it did."""

    key: ItemKey
    existing: Mapping[ItemKey, ExistingStory]
    routes: Routes
    at: str = ""
    """The field whose links are filled; its language is that of their paths."""
    filled: int = 0
    links: int = 0
    pending: dict[ItemKey, None] = field(default_factory=dict)
    waiting: list[ItemKey] = field(default_factory=list)
    left: list[LeftLink] = field(default_factory=list)

    def relation(self, relation: RelationUse) -> Json:
        """Return the value of a relation field. Source: destination, relations."""
        uuids: list[Json] = []
        for target in relation.targets:
            found_story = self.existing.get(target)
            if found_story is None:
                target = self.routes.follow(target)
                found_story = self.existing.get(target)
            if found_story is not None:
                uuids.append(found_story.uuid)
            elif target in self.routes.places:
                self.pending[target] = None
        self.filled += len(uuids)
        if relation.multiple:
            return uuids
        return uuids[0] if uuids else ""

    def fill(self, name: str, value: Json) -> Json:
        """Return a field's value with its links filled; plain text as it is."""
        self.at = name
        if not isinstance(value, (dict, list)):
            return value
        if isinstance(value, dict) and value.get("fieldtype") == "multilink":
            return self._multilink(value)
        block = _section(value)
        linked = dict(block or {})
        for at, part in _parts(name, value):
            self.at = at
            linked |= rewrite_links(part, self._story, self.mention)[0]
        return linked[name] if block is None else [linked]

    def _multilink(self, link: JsonObject) -> JsonObject:
        address = _address_of(link)
        found = None if address is None else self.find(address)
        if found is None:
            return link
        target, found_story = found
        # The value has no key for a query: the address that keeps it is
        # in `url`, for front ends that read it.
        url = f"/{found_story.full_slug}?{target.query}" if target.query else ""
        if not found_story.uuid:
            path = address_at(found_story, str(address))
            return {**link, "url": path, "cached_url": path}
        new: JsonObject = {
            **link,
            "id": found_story.uuid,
            "url": url,
            "linktype": "story",
            "cached_url": found_story.full_slug,
        }
        if target.anchor:
            new["anchor"] = target.anchor
        return new

    def _story(self, href: str) -> StoryLink | None:
        found = self.find(href)
        return None if found is None else found[1]

    def find_in(self, name: str, href: str) -> tuple[RouteTarget, StoryLink] | None:
        """Return what an address in a field leads to, and count it."""
        self.at = name
        return self.find(href)

    def find(self, href: str) -> tuple[RouteTarget, StoryLink] | None:
        """Return what an address leads to, and count it: the story with the path that
        it has in the language of the field, or the address of the page in another one,
        which no story link leads to."""
        found = self._resolve(href)
        if isinstance(found, StaticLink):
            self.left.append(LeftLink(href, found.cause))
        if not isinstance(found, RouteTarget):
            return None
        story = self.existing.get(found.key)
        if story is None:
            self.pending[found.key] = None
            self.waiting.append(found.key)
            return None
        if leads_elsewhere(found, self.at):
            self.left.append(LeftLink(href, PageCause.LANGUAGE))
            return found, StoryLink("", story.path(found.language))
        self.links += 1
        return found, StoryLink(story.uuid, story.path(found.language))

    def mention(self, address: str) -> None:
        """Note an address in code or data of raw HTML that leads to an item."""
        if isinstance(self._resolve(address), RouteTarget):
            self.left.append(LeftLink(address, PageCause.RAW_HTML))

    def _resolve(self, href: str) -> RouteTarget | StaticLink | None:
        return self.routes.resolve_on(self.key, language_of(self.at), href)


def leads_elsewhere(target: RouteTarget, field: str) -> bool:
    """Return whether a link in a field leads to a page in another language than the
    field's."""
    return language_of(translated_key("", target.language)) != language_of(field)


def _section(value: Json) -> JsonObject | None:
    """Return the block of a section that holds translations; None for anything else."""
    block = value[0] if isinstance(value, list) and len(value) == 1 else None
    if not isinstance(block, dict) or not any(map(language_of, block)):
        return None
    return block
