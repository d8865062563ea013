"""Frames, players, custom embeds: what shows something that is not text."""

from __future__ import annotations

from cmsmig.richtext.build.attributes import account_wrapper
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.dom import Element, find, tag_set, text_of, walk
from cmsmig.richtext.html.visibility import SHOWN
from cmsmig.richtext.prepare.embed_signatures import frame_address
from cmsmig.richtext.prepare.embeds import Embeds, Found

_ANYTHING = (
    *SHOWN,
    *tag_set("head title noscript template meta link base param source area"),
)


_WRAPPERS = frozenset(("div", "figure", "section", "span"))
"""Elements that show nothing of their own around a custom embed."""


def is_custom_embed(element: Element) -> bool:
    """Say whether an element wraps HTML that somebody typed: in the API's dialect,
    or in that of the published page."""
    given = element.attributes
    return "data-rt-embed-type" in given or (
        "w-embed" in given.get("class", "") and "w-embed" in element.classes
    )


def is_empty(embed: Element) -> bool:
    """Say whether the origin delivered a custom embed without its code.

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


class Frames:
    """Makes the blocks of one body's embeds."""

    def __init__(self, embeds: Embeds, assets: AssetLookup, losses: Collector) -> None:
        self._embeds = embeds
        self._assets = assets
        self._losses = losses

    def custom_embed(self, element: Element) -> list[Element]:
        """Return the block for a custom embed: the HTML inside of its wrapper.

        What is marked and no bare wrapper, as a link or a frame, is in the HTML.
        """
        wraps = element.tag in _WRAPPERS
        if wraps:
            account_wrapper(element, self._losses)
        html = (self._embeds.html_within if wraps else self._embeds.html_of)(element)
        made = self._embeds.node(Found("embed", element, first_address(element), html))
        if name := element.attributes.get("id"):
            made[0].attributes["id"] = name
        return made

    def component(self, element: Element) -> list[Element]:
        """Return the block for a component instance of the origin's designer."""
        html = self._embeds.html_of(element)
        return self._embeds.node(Found("component", element, "", html))

    def frame(self, element: Element) -> list[Element]:
        """Return the block for an iframe."""
        url = first_address(element)
        return self._addressed("iframe", element, url, frame=url)

    def media(self, element: Element) -> list[Element]:
        """Return the block for a video or audio element."""
        url = first_address(element)
        asset = self._assets.uploaded_asset(url)
        new = asset.filename if asset else ""
        return self._addressed("media", element, new or url)

    def other(self, element: Element) -> list[Element]:
        """Return the block for drawings, plug-ins and maps."""
        html = self._embeds.html_of(element)
        return self._embeds.node(Found("embed", element, "", html))

    def _addressed(
        self, kind: str, element: Element, url: str, *, frame: str = ""
    ) -> list[Element]:
        title = element.attributes.get("title", "").strip()
        html = self._embeds.html_of(element)
        return self._embeds.node(Found(kind, element, url, html, title, frame=frame))
