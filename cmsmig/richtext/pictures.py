"""Pictures: plain ones become image nodes, those that link become blocks."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.attributes import image_layout
from cmsmig.richtext.collect import Collector
from cmsmig.richtext.dom import Element, Node
from cmsmig.richtext.embeds import Embeds, asset_value, link_value
from cmsmig.richtext.engine import AssetLookup, ImageTarget
from cmsmig.richtext.policy import Treatment
from cmsmig.richtext.rules import link_allowed

_INHERIT = "__wf_reserved_inherit"
_DECORATIVE = "__wf_reserved_decorative"


class Pictures:
    """Makes the nodes of one body's pictures."""

    def __init__(self, embeds: Embeds, assets: AssetLookup, losses: Collector) -> None:
        self._embeds = embeds
        self._assets = assets
        self._losses = losses

    def plain(self, element: Element) -> list[Node]:
        """Return an image node, or nothing and a loss when it has no address."""
        address = _address(element)
        if not address:
            what = element.attributes.get("alt", "")
            self._losses.lose("image", what, element)
            return []
        target = self._target(element, address)
        node = Element("cms:image", {}, element.start)
        node.parent, node.nth = element.parent, element.nth
        node.payload = {
            "id": target.asset_id,
            "src": target.src,
            "alt": self._alt(element, address),
            "title": element.attributes.get("title", ""),
            "source": "",
            "copyright": "",
            "meta_data": {},
        }
        self._losses.settle(element)
        return [node]

    def linked(self, element: Element, link: Element, caption: str) -> Element | None:
        """Return a block for a picture in a link; None: treat it as plain."""
        href = _full_href(link)
        address = _address(element)
        if not href or not address or not link_allowed(href):
            return None
        treatment = self._embeds.treatment("linked-image", element)
        if treatment in (Treatment.DROP, Treatment.LINK):
            return None
        target = self._target(element, address)
        self._losses.settle(element)
        self._losses.settle(link)
        title = element.attributes.get("title", "")
        fields: JsonObject = {
            "image": asset_value(
                target.asset_id, target.src, self._alt(element, address), title
            ),
            "link": self._link_value(link, href),
            "caption": caption,
        }
        return self._embeds.blok(element, self._embeds.image_component, **fields)

    def _link_value(self, link: Element, href: str) -> Json:
        given = link.attributes
        if given.get("data-linktype") == "asset" or (new := self._assets.file(href)):
            address = href if given.get("data-linktype") == "asset" else str(new)
            value: JsonObject = {**link_value(address), "linktype": "asset"}
        else:
            value = link_value(href)
        if (target := given.get("target")) in ("_blank", "_self"):
            value["target"] = target
        return value

    def _target(self, element: Element, address: str) -> ImageTarget:
        image_layout(element, self._losses)
        if reason := self._assets.missing(address):
            self._losses.lose("missing-file", address, element, why=reason)
        return self._assets.image(address) or ImageTarget(None, address)

    def _alt(self, element: Element, address: str) -> str:
        alt = element.attributes.get("alt", "")
        if alt.strip() == _INHERIT:
            alt = self._assets.alt(address)
        return "" if alt.strip() in (_INHERIT, _DECORATIVE) else alt


def _address(element: Element) -> str:
    return element.attributes.get("src") or element.attributes.get("data-src", "")


def _full_href(link: Element) -> str:
    href = link.attributes.get("href", "").strip()
    if link.attributes.get("data-linktype") == "email":
        return f"mailto:{href}"
    return href
