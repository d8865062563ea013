"""Pictures that scripts of the origin's page load late: each gets the address that
readers saw."""

from __future__ import annotations

from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, find
from cmsmig.richtext.html.picture_source import PictureSources
from cmsmig.richtext.prepare.embeds import is_custom_embed


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
