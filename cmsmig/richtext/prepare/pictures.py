"""Pictures: what an image node holds of them, and the component that holds more."""

from __future__ import annotations

from collections.abc import Set

from cmsmig.canonical import Json, JsonObject
from cmsmig.richtext.build.attributes import account_image, window_of
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviation import Deviation
from cmsmig.richtext.engine import AssetLookup, UploadedAsset
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.html.sizes import width_of
from cmsmig.richtext.prepare.embeds import Embeds, addressed, asset_value, link_value
from cmsmig.richtext.prepare.figure_layout import Layout

INHERIT = "__wf_reserved_inherit"
DECORATIVE = "__wf_reserved_decorative"
RESERVED = frozenset((INHERIT, DECORATIVE))
NO_LAYOUT = Layout()


class Pictures:
    """Works on the pictures of one body."""

    def __init__(
        self,
        embeds: Embeds,
        assets: AssetLookup,
        losses: Collector,
        on: Set[Deviation],
    ) -> None:
        self._embeds = embeds
        self._assets = assets
        self._losses = losses
        self._on = on
        self._linking = Deviation.LINKED_IMAGE in on and embeds.policy.keeps(
            "linked-image"
        )

        self.links: list[Element] = []
        """Those that components lead to."""

    def place(self, element: Element, link: Element | None) -> Element:
        """Return what stands for a picture: itself, or a component with its link."""
        made = self.component(element, link, NO_LAYOUT, None)
        if made is not None:
            return made
        self._as_node(element)
        return element

    def component(
        self,
        element: Element,
        link: Element | None,
        layout: Layout,
        caption: Element | None,
    ) -> Element | None:
        """Return the component for a picture with more than a node holds, or None.

        The caption is made a document when the component is placed.
        """
        address = self.address(element)
        if not address:
            return None
        leads = self._link_of(link)
        if leads is None and caption is None and layout == NO_LAYOUT:
            return None
        target = self._target(element, address)
        title = element.attributes.get("title", "")
        alt = self._alt(element, address) or ""
        fields: JsonObject = {
            "image": asset_value(target.asset_id, target.filename, alt, title)
        }
        if caption is not None:
            fields["caption"] = None
        if leads is not None and link is not None:
            self._losses.settle(link)
            self.links.append(link)
            fields["link"] = leads
        if layout.alignment:
            fields["alignment"] = layout.alignment
        if layout.size:
            fields["size"] = layout.size
        own = width_of(element)
        account_image(element, self._losses, sized=own != "" and own == layout.size)
        made = self._embeds.blok(
            element, self._embeds.policy.figure_component, **fields
        )
        made.attributes = _named(element)
        if caption is not None:
            made.children.append(caption)
        return made

    def address(self, element: Element) -> str:
        """Return where a picture lies, or empty when rich text can't show it."""
        given = element.attributes
        source = given.get("src", "")
        if Deviation.IMAGE_SOURCE not in self._on:
            return "" if source.startswith("data:") else source
        return source or given.get("data-src", "")

    def _as_node(self, element: Element) -> None:
        """Note what an image node holds that the picture itself does not say."""
        account_image(element, self._losses)
        given = element.attributes
        held: JsonObject = {}
        element.payload = held
        address = self.address(element)
        if not address:
            what = given.get("src") or given.get("data-src") or given.get("alt", "")
            self._losses.lose("image", what, element)
            return
        target = self._target(element, address)
        if target.asset_id is not None or Deviation.ANCHOR in self._on:
            held["id"] = target.asset_id
        if target.filename != given.get("src"):
            held["src"] = target.filename
        alt = self._alt(element, address)
        if alt != given.get("alt"):
            held["alt"] = alt

    def _link_of(self, link: Element | None) -> JsonObject | None:
        if link is None or not self._linking:
            return None
        given = link.attributes
        href = given.get("href", "").strip()
        if not addressed(href):
            return None
        if given.get("data-linktype") == "asset":
            value: JsonObject = {**link_value(href), "linktype": "asset"}
        else:
            value = link_value(href)
        if target := self._window_of(link):
            value["target"] = target
        return value

    def _window_of(self, link: Element) -> str:
        """Return where a picture's link opens, or empty."""
        said = link.attributes.get("target", "")
        target = window_of(said) if Deviation.LINK_TARGET in self._on else said
        if target in ("_blank", "_self"):
            return target
        if target.strip():
            why = "A picture's link opens in a new window or where it stands."
            self._losses.lose("target", said, link, why=why)
        return ""

    def _target(self, element: Element, address: str) -> UploadedAsset:
        if reason := self._assets.missing(address):
            self._losses.lose("missing-file", address, element, why=reason)
        return self._assets.uploaded_asset(address) or UploadedAsset(None, address)

    def _alt(self, element: Element, address: str) -> str | None:
        alt = element.attributes.get("alt")
        if alt is None or alt.strip() not in RESERVED:
            return alt
        if Deviation.RESERVED_ALT not in self._on:
            return alt
        return self._assets.alt(address) if alt.strip() == INHERIT else ""


def _named(element: Element) -> dict[str, str]:
    name = element.attributes.get("id", "")
    return {"id": name} if name else {}


def body_of(made: Element) -> dict[str, Json]:
    """Return the fields of a finished block's one component."""
    held = made.payload["body"] if made.payload is not None else []
    first = held[0] if isinstance(held, list) and held else {}
    return first if isinstance(first, dict) else {}
