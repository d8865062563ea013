"""Blocks for what rich text has no node for: videos, frames, raw HTML, figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import account_wrapper
from cmsmig.richtext.build.element_rules import link_allowed
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.dom import (
    BLOCK_TAGS,
    Element,
    Text,
    find,
    tag_set,
    text_of,
    walk,
)
from cmsmig.richtext.html.visibility import SHOWN
from cmsmig.richtext.policy import EmbedPolicy, Treatment

_DEFAULTS = {
    "video": Treatment.COMPONENT,
    "iframe": Treatment.COMPONENT,
    "media": Treatment.COMPONENT,
    "embed": Treatment.HTML,
    "component": Treatment.HTML,
}
MEDIA = frozenset(("video", "audio"))
PLAYERS = MEDIA | {"iframe"}
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


@dataclass(slots=True)
class Embeds:
    """Turns recognised embeds into nodes, as the policy says. One per body."""

    source: str
    policy: EmbedPolicy
    assets: AssetLookup
    losses: Collector
    made: int = 0
    """How many blocks there are."""

    def html_of(self, element: Element) -> str:
        """Return an element's HTML unchanged, except for file addresses."""
        return self._mapped(element, self.source[element.start : element.end])

    def html_around(self, element: Element, html: str) -> str:
        """Return HTML in the tags of an element around it."""
        begin = self.source[element.start : element.inner_start]
        return f"{begin}{html}</{element.tag}>" if begin else html

    def _mapped(self, element: Element, html: str) -> str:
        new: dict[str, str] = {}
        for below in (element, *walk(element)):
            for name in _ADDRESSES:
                address = below.attributes.get(name, "")
                asset = self.assets.uploaded_asset(address) if address else None
                if asset is not None and asset.filename not in ("", address):
                    new[address] = asset.filename
                    new[escape(address)] = escape(asset.filename)
        # An address may begin as another one does: the longest comes first.
        for address in sorted(new, key=len, reverse=True):
            html = html.replace(address, new[address])
        return html.replace("\0", "\ufffd")

    def choice(self, found: Found) -> Treatment:
        """Return the treatment of an embed; a choice for its host beats its kind's. One
        that no reader can be led to is raw HTML, unless it is left out."""
        chosen = self._chosen(found.kind, found.element)
        if chosen is Treatment.DROP or addressed(found.url):
            return chosen
        return Treatment.HTML

    def _chosen(self, kind: str, element: Element) -> Treatment:
        if chosen := self.policy.signatures:
            for host in hosts_of(element):
                if host in chosen:
                    return chosen[host]
        return self.policy.kinds.get(kind, _DEFAULTS[kind])

    def node(self, found: Found, treatment: Treatment | None = None) -> list[Element]:
        """Return what replaces an embed: a block, a paragraph, or an element that
        shows nothing."""
        treatment = treatment or self.choice(found)
        if treatment is Treatment.DROP:
            self.losses.lose(found.kind, found.html or found.url, found.element)
            return [emptied(found.element)]
        if treatment is Treatment.LINK:
            return self._as_link(found)
        if treatment is Treatment.HTML:
            component = self.policy.html_component
            return [self.blok(found.element, component, html=found.html)]
        component = self.policy.embed_component
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
        """Return whether embed components have a field that older designs lack."""
        return name in self.policy.embed_fields

    def _as_link(self, found: Found) -> list[Element]:
        self.losses.lose(
            found.kind,
            found.html,
            found.element,
            why="Only a link to it stays, as the embed choices say.",
        )
        address = clean_address(found.url)
        link = Element("a", {"href": address}, found.element.start)
        link.children.append(Text(found.title or address))
        paragraph = Element("p", {}, found.element.start)
        paragraph.append(link)
        return [paragraph]

    def blok(self, element: Element, component: str, /, **fields: Json) -> Element:
        """Return a finished `blok` node holding one component."""
        self.made += 1
        place = f"{component}[{self.made}]"
        body: JsonObject = {
            "_uid": self.assets.uid(f"{place}/body"),
            "component": component,
            **fields,
        }
        made = Element("cms:blok", {}, element.start)
        made.parent, made.nth = element.parent, element.nth
        made.payload = {"id": self.assets.uid(place), "body": [body]}
        return made

    def custom_embed(self, element: Element) -> list[Element]:
        """Return the block for a custom embed: the HTML inside of its wrapper.

        What is marked and no bare wrapper, as a link or a frame, is in the HTML.
        """
        wraps = element.tag in _WRAPPERS
        if wraps:
            account_wrapper(element, self.losses)
            self._note_unclosed(element)
        html = self.source[element.inner_start : element.inner_end]
        html = self._mapped(element, html) if wraps else self.html_of(element)
        made = self.node(Found("embed", element, first_address(element), html))
        if name := element.attributes.get("id"):
            made[0].attributes["id"] = name
        return made

    def _note_unclosed(self, wrapper: Element) -> None:
        """List a wrapper whose end tag has ended something in it, so that it holds what
        follows: an element of a body begins behind that end tag."""
        follows = re.compile(rf"</{wrapper.tag}\s*>\s*{_OWN}", re.IGNORECASE)
        begin, end = wrapper.inner_start, wrapper.inner_end
        if end == wrapper.end and follows.search(self.source, begin, end):
            what = self.source[wrapper.start : begin]
            self.losses.lose("unclosed-embed", what, wrapper)

    def whole(self, kind: str, element: Element) -> list[Element]:
        """Return the block for an element whose HTML is all of it."""
        return self.node(Found(kind, element, "", self.html_of(element)))

    def player(self, element: Element) -> list[Element]:
        """Return the block for a frame, a video or an audio element."""
        return self.node(self.found(element))

    def found(self, element: Element) -> Found:
        """Recognise a frame, a video or an audio element."""
        url, kind = first_address(element), "media"
        frame = ""
        if element.tag == "iframe":
            kind, frame = "iframe", url
        elif (asset := self.assets.uploaded_asset(url)) is not None:
            url = asset.filename or url
        title = element.attributes.get("title", "").strip()
        html = self.html_of(element)
        return Found(kind, element, url, html, title, frame=frame)


def addressed(url: str) -> bool:
    """Return whether a reader can be led to an address."""
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


_ANYTHING = (
    *SHOWN,
    *tag_set("head title noscript template meta link base param source area"),
)


_OWN = r"<(?:(?:p|h[1-6]|[uo]l|blockquote|figure|pre)[\s>]|[^<>]*(?:data-rt-|w-embed))"
"""The beginning of an element that a body consists of."""
_WRAPPERS = frozenset(("div", "figure", "section", "span"))
"""Elements that show nothing of their own around a custom embed."""


def is_custom_embed(element: Element) -> bool:
    """Return whether an element wraps an editor's HTML: in the API's dialect, or in
    that of the published page."""
    given = element.attributes
    return "data-rt-embed-type" in given or (
        "w-embed" in given.get("class", "") and "w-embed" in element.classes
    )


def is_empty(embed: Element) -> bool:
    """Return whether the origin delivered a custom embed without its code.

    An element with attributes is code: a script elsewhere may fill it.
    """
    if text_of(embed).strip() or find(embed, *_ANYTHING) is not None:
        return False
    inside = (below for below in walk(embed) if below.attributes)
    return all(is_custom_embed(below) for below in inside)


def first_address(element: Element) -> str:
    """Return the first address shown in or on an element, or empty."""
    for below in (element, *walk(element)):
        if address := frame_address(below):
            return address
    return ""


_LOADING = frozenset(("src", "href", "poster", "action", "data", "component-url"))
_LATE = re.compile(r"data-(?:(?!poster)[\w-]+-)?src|data-url")
"""Where scripts that load frames late, or when a reader consents, keep the address."""
_QUOTED = re.compile(
    r"(?:https?:|[\"'`(=])\\?/\\?/((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,})",
    re.IGNORECASE,
)
"""An address in code or in a value; in JSON its slashes may be escaped."""

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Controls, joiners, marks of direction and the like."""

MARKERS = {
    "hbspt.": "js.hsforms.net",
    "twttr.": "platform.twitter.com",
    "fbq(": "connect.facebook.net",
    "instgrm.": "www.instagram.com",
    "gtag(": "www.googletagmanager.com",
    "dataLayer.push": "www.googletagmanager.com",
    "Calendly.": "assets.calendly.com",
    "grecaptcha.": "www.google.com",
    "google.maps.": "maps.googleapis.com",
    "mapboxgl.": "api.mapbox.com",
    "MktoForms2.": "app-sj01.marketo.com",
    "Typeform.": "embed.typeform.com",
    "YT.Player": "www.youtube.com",
    "Vimeo.Player": "player.vimeo.com",
    "turnstile.": "challenges.cloudflare.com",
}
"""Calls of well known libraries, by the host that each library is loaded from."""


def hosts_of(root: Element) -> Iterator[str]:
    """Yield the hosts that an embed names, in its order, from its own start tag on.

    Whatever loads, links or waits in a `data-` attribute counts; then addresses
    in the code of scripts, and the libraries that they call.
    """
    stack: list[Element] = [root]
    while stack:
        element = stack.pop()
        for name, value in element.attributes.items():
            if name in _LOADING:
                if host := host_of(value):
                    yield host
            elif name.startswith("data-") or name in ("srcset", "onclick", "srcdoc"):
                yield from _hosts_in(value)
        if element.tag == "script":
            code = text_of(element)
            yield from _hosts_in(code)
            yield from (host for call, host in MARKERS.items() if call in code)
        else:
            below = [each for each in element.children if not isinstance(each, Text)]
            stack.extend(reversed(below))


def _hosts_in(text: str) -> Iterator[str]:
    if host := host_of(text.partition(" ")[0]):
        yield host
    elif "//" in text or "/\\/" in text:
        yield from (found.lower() for found in _QUOTED.findall(text))


def host_of(address: str) -> str:
    """Return the lower case host of an address, or empty."""
    if "//" not in address:
        return ""
    try:
        return (urlsplit(address.strip()).hostname or "").lower()
    except ValueError:
        return ""


def frame_address(element: Element) -> str:
    """Return the address that an element shows or will show, or empty.

    Frames that are loaded late have a placeholder in `src` or no `src`.
    """
    source = element.attributes.get("src", "").strip()
    if source and not source.lower().startswith(("about:", "data:", "javascript:")):
        return source
    given = element.attributes
    late = (given[name].strip() for name in given if _LATE.fullmatch(name))
    return next(filter(None, late), source)


def oembed_page(element: Element) -> str:
    """Return the page that CKEditor's element for a video shows, or empty."""
    name = "url" if element.tag == "oembed" else "data-oembed-url"
    address = element.attributes.get(name, "").strip()
    return address if addressed(address) else ""


def clean_address(address: str) -> str:
    """Return the address of an embed without invisible characters.

    They come with pasted text, and no server knows an address with them.
    """
    return _INVISIBLE.sub("", address).strip()
