"""Pictures: what an image node holds of them, and the component that holds more."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.data_address import holds_picture, is_data
from cmsmig.richtext.build.attributes import (
    AUTO,
    UNFIT,
    account_image,
    is_anchor,
    is_size,
    lose_flag,
    lose_said,
    set_flags,
    width_of,
    window_of,
)
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.engine import UploadedAsset
from cmsmig.richtext.html.dom import Element, find
from cmsmig.richtext.html.inline_style import declarations
from cmsmig.richtext.html.picture_source import PictureSources
from cmsmig.richtext.prepare.embeds import (
    Embeds,
    addressed,
    asset_value,
    is_custom_embed,
    link_value,
)

_PAIR = re.compile(r"([0-9]+(?:\.[0-9]+)?)[:x/]([0-9]+(?:\.[0-9]+)?)")
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?)%")
_NEAR = 0.5
"""Percent by which two ways to say one shape may differ: they are rounded."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A figure's layout on the page."""

    alignment: str = ""
    size: str = ""
    shape: str = ""
    """Of a video: `854:480`, or its height as a share of its width."""
    shaped: str = ""
    """The attribute or declaration that says the shape, as it is lost."""
    unfit: tuple[str, ...] = ()
    """Sizes that no browser knows."""
    others: tuple[str, ...] = ()
    """What the figure says besides."""
    flags: tuple[str, ...] = ()
    """Its boolean attributes."""


def layout_of(figure: Element) -> Layout:
    """Return the layout that a figure's attributes describe."""
    given = dict(figure.attributes)
    alignment, names = _alignment(
        given.pop("data-rt-align", "").strip(), given.pop("class", "").split()
    )
    style = dict(declarations(given.pop("style", "")))
    said = given.pop("data-rt-max-width", "").strip()
    size, unfit = _size(said, style)
    shape, shaped = _shape(given, style)
    flags = tuple(set_flags(given))
    others = (
        *names,
        *_written({name: given[name] for name in given if name not in flags}),
        *(f"{name}: {value}" for name, value in style.items()),
    )
    return Layout(alignment, size, shape, shaped, unfit, others, flags)


def lose_layout(
    layout: Layout, figure: Element, losses: Collector, *, kept: Layout | None = None
) -> None:
    """Record what of a layout found no place; `kept` is what did."""
    kept = kept or Layout()
    if layout.alignment and not kept.alignment:
        losses.lose("alignment", layout.alignment, figure)
    if layout.size and not kept.size:
        losses.lose("size", f"max-width: {layout.size}", figure)
    if layout.shape and not kept.shape:
        losses.lose("size", layout.shaped, figure)
    for what in layout.unfit:
        losses.lose("size", what, figure, why=UNFIT)
    for what in layout.others:
        lose_said(figure, what, losses)
    for name in layout.flags:
        lose_flag(figure, name, losses)


def _alignment(said: str, names: list[str]) -> tuple[str, list[str]]:
    others: list[str] = []
    for name in names:
        if name.startswith("w-richtext-align-"):
            found = name.removeprefix("w-richtext-align-")
            if not said:
                said = found
            elif found != said:
                others.append(name)
        elif not name.startswith("w-richtext-figure-type-"):
            others.append(name)
    return said, others


def _size(said: str, style: dict[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return the size, and what is none; takes both out of the style."""
    size, unfit = "", dict[str, None]()
    for name, value in (
        ("max-width", said),
        *((name, style.get(name, "")) for name in ("max-width", "width")),
    ):
        if value.lower() in AUTO:
            style.pop(name, None)
        elif not is_size(value):
            unfit[f"{name}: {value}"] = None
            if style.get(name) == value:
                del style[name]
        elif not size or size.lower() == value.lower():
            size = value
            if style.get(name) == value:
                del style[name]
    return size, tuple(unfit)


def _shape(given: Mapping[str, str], style: dict[str, str]) -> tuple[str, str]:
    """Return the shape and what says it; takes out what says the same in the style."""
    padding = style.get("padding-bottom", "")
    if not _share(padding):
        padding = ""
    sources = (
        (_said(given, "data-rt-dimensions"), 'data-rt-dimensions="{}"'),
        (padding, "padding-bottom: {}"),
        (_said(given, "data-rt-max-height"), 'data-rt-max-height="{}"'),
    )
    shape, written = next((each for each in sources if _is_shape(each[0])), ("", ""))
    if padding and (padding == shape or _alike(padding, shape)):
        del style["padding-bottom"]
    return shape, written.replace("{}", shape)


def _said(given: Mapping[str, str], name: str) -> str:
    return given.get(name, "").strip()


def _is_shape(said: str) -> bool:
    """Return whether a text says a shape: the origin writes `0:0` where it knows
    none."""
    pair = _PAIR.fullmatch(said)
    return bool(said) and (pair is None or bool(float(pair[1]) and float(pair[2])))


def _alike(one: str, other: str) -> bool:
    first, second = _share(one), _share(other)
    return first is not None and second is not None and abs(first - second) <= _NEAR


def _share(shape: str) -> float | None:
    """Return a shape's height in percent of its width."""
    if pair := _PAIR.fullmatch(shape):
        width = float(pair[1])
        return 100 * float(pair[2]) / width if width else None
    found = _PERCENT.fullmatch(shape)
    return float(found[1]) if found else None


def _written(attributes: Mapping[str, str]) -> list[str]:
    return [
        f'{name}="{value}"'
        for name, value in attributes.items()
        if value.strip()
        and not name.startswith(("data-rt-", "data-page-url"))
        and (name != "id" or not is_anchor(value))
    ]


INHERIT = "__wf_reserved_inherit"
DECORATIVE = "__wf_reserved_decorative"
RESERVED = frozenset((INHERIT, DECORATIVE))
NO_LAYOUT = Layout()


class Pictures:
    """Works on the pictures of one body."""

    def __init__(self, embeds: Embeds) -> None:
        self._embeds = embeds
        self.links: list[Element] = []
        """Those that components lead to."""

    def place(self, element: Element, link: Element | None, around: str) -> Element:
        """Return what replaces a picture: itself, or a component with its link and the
        alignment that it has from `around`."""
        layout = NO_LAYOUT
        if around and self.address(element):
            # The choice is asked for here alone: bodies remember which they depend on.
            if self._embeds.policy.keeps("figure"):
                layout = Layout(around)
            else:
                self._embeds.losses.lose("alignment", around, element)
        made = self.component(element, link, layout, None)
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
        if caption is not None or layout != NO_LAYOUT:
            self._embeds.losses.deviates(Deviation.FIGURE)
        if leads is not None:
            self._embeds.losses.deviates(Deviation.LINKED_IMAGE)
        target = self._target(element, address)
        title = element.attributes.get("title", "")
        alt = self._alt(element, address) or ""
        fields: JsonObject = {
            "image": asset_value(target.asset_id, target.filename, alt, title)
        }
        if caption is not None:
            fields["caption"] = None
        if leads is not None and link is not None:
            self._embeds.losses.settle(link)
            self.links.append(link)
            fields["link"] = leads
        if layout.alignment:
            fields["alignment"] = layout.alignment
        if layout.size:
            fields["size"] = layout.size
        own = width_of(element)
        account_image(
            element, self._embeds.losses, sized=own != "" and own == layout.size
        )
        made = self._embeds.blok(
            element, self._embeds.policy.figure_component, **fields
        )
        name = element.attributes.get("id", "")
        made.attributes = {"id": name} if name else {}
        if caption is not None:
            made.children.append(caption)
        return made

    def address(self, element: Element) -> str:
        """Return a picture's address, or empty when rich text can't show it."""
        given = element.attributes
        source = given.get("src", "")
        # Its bytes decide, not whether it was fetched: no file changes a body's blocks.
        return source if not is_data(source) or holds_picture(source) else ""

    def _as_node(self, element: Element) -> None:
        """Note what an image node holds that the picture itself does not say."""
        account_image(element, self._embeds.losses)
        given = element.attributes
        held: JsonObject = {}
        element.payload = held
        address = self.address(element)
        if not address:
            source = given.pop("src", "")
            if source and not source.startswith("data:"):
                self._embeds.losses.deviates(Deviation.IMAGE_SOURCE)
            why = self._embeds.assets.missing(source) if source else ""
            kind, what = ("missing-file" if why else "image"), given.get("alt", "")
            self._embeds.losses.lose(kind, source or what, element, why=why)
            return
        if is_data(address):
            self._embeds.losses.deviates(Deviation.IMAGE_SOURCE)
        if "id" in given:
            self._embeds.losses.deviates(Deviation.ANCHOR)
        target = self._target(element, address)
        held["id"] = target.asset_id
        if target.filename != given.get("src"):
            held["src"] = target.filename
        alt = self._alt(element, address)
        if alt != given.get("alt"):
            held["alt"] = alt

    def _link_of(self, link: Element | None) -> JsonObject | None:
        if link is None or not self._embeds.policy.keeps("linked-image"):
            return None
        given = link.attributes
        href = given.get("href", "").strip()
        if not addressed(href):
            return None
        # A figure comes before the link in it, which has no new address yet.
        asset = self._embeds.assets.uploaded_asset(href)
        value = link_value(asset.filename if asset else href)
        if asset or given.get("data-linktype") == "asset":
            value["linktype"] = "asset"
        if target := self._window_of(link):
            value["target"] = target
        return value

    def _window_of(self, link: Element) -> str:
        """Return where a picture's link opens, or empty."""
        said = link.attributes.get("target", "")
        target = window_of(said)
        if target in ("_blank", "_self"):
            return target
        if target.strip():
            why = "A picture's link opens in a new window or in the same one."
            self._embeds.losses.lose("target", said, link, why=why)
        return ""

    def _target(self, element: Element, address: str) -> UploadedAsset:
        if reason := self._embeds.assets.missing(address):
            self._embeds.losses.lose("missing-file", address, element, why=reason)
        return self._embeds.assets.uploaded_asset(address) or UploadedAsset(
            None, address
        )

    def _alt(self, element: Element, address: str) -> str | None:
        alt = element.attributes.get("alt")
        if alt is None or alt.strip() not in RESERVED:
            return alt
        self._embeds.losses.deviates(Deviation.RESERVED_ALT)
        return self._embeds.assets.alt(address) if alt.strip() == INHERIT else ""


def body_of(made: Element) -> dict[str, Json]:
    """Return the fields of a finished block's one component."""
    held = made.payload["body"] if made.payload is not None else []
    first = held[0] if isinstance(held, list) and held else {}
    return first if isinstance(first, dict) else {}


def show_late_pictures(root: Element, losses: Collector) -> None:
    """Put the address that readers saw into `src`, and list what was there; take out
    the `noscript` that shows the same picture. What is kept as HTML stays as it is."""
    sources = PictureSources(root)
    stack = [root]
    while stack:
        parent = stack.pop()
        for child in [each for each in parent.children if isinstance(each, Element)]:
            if child.tag == "img":
                _show(child, sources, losses)
            elif child.tag != "noscript" and not is_custom_embed(child):
                stack.append(child)


def _show(image: Element, sources: PictureSources, losses: Collector) -> None:
    given = image.attributes
    before, shown = given.get("src", ""), sources.shown(image)
    late = shown.strip() != before.strip()
    if late:
        losses.deviates(Deviation.IMAGE_SOURCE)
        given["src"] = shown
        if before.strip():
            losses.lose("placeholder", before, image)
    twin = sources.twins.get(image)
    same = None if twin is None else find(twin, "img")
    if twin is not None and (late or (same and same.attributes.get("src") == shown)):
        twin.tag, twin.children, twin.attributes = "span", [], {}
