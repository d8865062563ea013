"""By which hosts an embed is known: those of its addresses, of its scripts, and of
the libraries that scripts without an address call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from cmsmig.richtext.html.dom import Element, Text, text_of

_ADDRESSES = frozenset(("src", "href", "poster", "action", "data", "component-url"))
_LAZY = ("data-src", "data-lazy-src", "data-url")
"""Where scripts that load frames late keep the address, the commonest first."""
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
            if name in _ADDRESSES:
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

    Frames that are loaded late have a stand-in in `src` or none at all.
    """
    source = element.attributes.get("src", "").strip()
    if source and not source.lower().startswith(("about:", "data:", "javascript:")):
        return source
    for name in _LAZY:
        if late := element.attributes.get(name, "").strip():
            return late
    return source


def clean_address(address: str) -> str:
    """Return the address of an embed without characters that nobody sees.

    They come with what people paste, and no server knows an address with them.
    """
    return _INVISIBLE.sub("", address).strip()
