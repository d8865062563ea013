"""Blocks for what rich text has no node for: videos, frames, raw HTML, figures."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.element_rules import link_allowed
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.block_tags import BLOCK_TAGS
from cmsmig.richtext.html.dom import Element, Text, walk
from cmsmig.richtext.policy import EmbedPolicy, Treatment
from cmsmig.richtext.prepare.embed_signatures import clean_address, hosts_of

_DEFAULTS = {
    "video": Treatment.COMPONENT,
    "iframe": Treatment.COMPONENT,
    "media": Treatment.COMPONENT,
    "embed": Treatment.HTML,
    "component": Treatment.HTML,
}
_ADDRESSES = ("src", "href", "poster", "data-src", "data-page-url")


@dataclass(frozen=True, slots=True)
class Found:
    """An embed that was recognised."""

    kind: str
    element: Element
    url: str
    """The address a reader would open; may be empty."""
    html: str
    title: str = ""
    caption: str = ""
    frame: str = ""
    """The address that a frame shows."""
    shape: str = ""
    """Width to height, or the height as a share of the width."""


class Embeds:
    """Turns recognised embeds into nodes, as the policy says. One per body."""

    def __init__(
        self, source: str, policy: EmbedPolicy, assets: AssetLookup, losses: Collector
    ) -> None:
        self._source = source
        self._policy = policy
        self._assets = assets
        self._losses = losses
        self._made = 0

    @property
    def policy(self) -> EmbedPolicy:
        """What was chosen for this body."""
        return self._policy

    def html_of(self, element: Element) -> str:
        """Return an element's HTML as it stands, file addresses rewritten."""
        return self._mapped(element, self._source[element.start : element.end])

    def html_around(self, element: Element, html: str) -> str:
        """Return HTML in the tags of an element around it."""
        begin = self._source[element.start : element.inner_start]
        return f"{begin}{html}</{element.tag}>" if begin else html

    def html_within(self, element: Element) -> str:
        """Return the HTML inside of a wrapper, file addresses rewritten."""
        inner = self._source[element.inner_start : element.inner_end]
        return self._mapped(element, inner)

    def _mapped(self, element: Element, html: str) -> str:
        for below in (element, *walk(element)):
            for name in _ADDRESSES:
                if address := below.attributes.get(name, ""):
                    html = self._rewritten(html, address)
        return html.replace("\0", "\ufffd")

    def _rewritten(self, html: str, address: str) -> str:
        asset = self._assets.uploaded_asset(address)
        new = asset.filename if asset else address
        if not new or new == address:
            return html
        return html.replace(escape(address), escape(new)).replace(address, new)

    def treatment(self, kind: str, element: Element) -> Treatment:
        """Return the choice for an embed; one for its host beats its kind's."""
        if chosen := self._policy.signatures:
            for host in hosts_of(element):
                if host in chosen:
                    return chosen[host]
        return self._policy.kinds.get(kind, _DEFAULTS[kind])

    def node(self, found: Found, treatment: Treatment | None = None) -> list[Element]:
        """Return what stands for an embed: a block, a paragraph, or an element
        that shows nothing."""
        if treatment is None:
            treatment = self.treatment(found.kind, found.element)
        if treatment is Treatment.DROP:
            self._losses.lose(found.kind, found.html or found.url, found.element)
            return [emptied(found.element)]
        if treatment is Treatment.LINK and addressed(found.url):
            return self._as_link(found)
        if treatment is not Treatment.COMPONENT or not addressed(found.url):
            component = self._policy.html_component
            return [self.blok(found.element, component, html=found.html)]
        component = self._policy.embed_component
        return [self.blok(found.element, component, **self._fields(found))]

    def _fields(self, found: Found) -> JsonObject:
        later = {"frame": clean_address(found.frame), "shape": found.shape}
        return {
            "url": clean_address(found.url),
            "kind": found.kind,
            "title": found.title,
            "caption": found.caption,
            "html": found.html,
            **{name: later[name] for name in later if self.keeps(name)},
        }

    def keeps(self, name: str) -> bool:
        """Say whether embed components have a field that older designs lack."""
        return name in self._policy.embed_fields

    def _as_link(self, found: Found) -> list[Element]:
        self._losses.lose(
            found.kind,
            found.html,
            found.element,
            why="Only a link to it stands, as the embed choices say.",
        )
        address = clean_address(found.url)
        link = Element("a", {"href": address}, found.element.start)
        link.children.append(Text(found.title or address))
        paragraph = Element("p", {}, found.element.start)
        paragraph.append(link)
        return [paragraph]

    def blok(self, element: Element, component: str, /, **fields: Json) -> Element:
        """Return a finished `blok` node holding one component."""
        self._made += 1
        place = f"{component}[{self._made}]"
        body: JsonObject = {
            "_uid": self._assets.uid(f"{place}/body"),
            "component": component,
            **fields,
        }
        made = Element("cms:blok", {}, element.start)
        made.parent, made.nth = element.parent, element.nth
        made.payload = {"id": self._assets.uid(place), "body": [body]}
        return made


def addressed(url: str) -> bool:
    """Say whether a reader can be led to an address."""
    return bool(url) and link_allowed(url)


def emptied(element: Element) -> Element:
    """Return an element without its content; it parts the texts around it still."""
    element.children = []
    element.tag = "div" if element.tag in BLOCK_TAGS else "span"
    name = element.attributes.get("id")
    element.attributes = {"id": name} if name else {}
    return element


def link_value(href: str) -> JsonObject:
    """Return a multilink field's value for an address. Spec: link value."""
    shared: JsonObject = {"fieldtype": "multilink", "id": ""}
    if href.lower().startswith("mailto:"):
        return {
            **shared,
            "linktype": "email",
            "url": "",
            "cached_url": "",
            "email": href[len("mailto:") :],
        }
    return {**shared, "linktype": "url", "url": href, "cached_url": href}


def asset_value(
    asset_id: int | None, filename: str, alt: str, title: str
) -> JsonObject:
    """Return an asset field's value. Spec: destination field types."""
    return {
        "id": asset_id,
        "fieldtype": "asset",
        "filename": filename,
        "alt": alt,
        "name": "",
        "title": title,
        "focus": "",
        "source": "",
        "copyright": "",
        "meta_data": {},
        "is_external_url": asset_id is None,
    }
