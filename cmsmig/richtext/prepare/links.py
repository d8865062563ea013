"""Links: where they lead now, and what is lost of them."""

from __future__ import annotations

from cmsmig.richtext.build.attributes import WINDOWS, account, account_link
from cmsmig.richtext.build.element_rules import link_allowed
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.dom import Element


class Links:
    """Works on the links of one body."""

    def __init__(
        self,
        source: str,
        assets: AssetLookup,
        losses: Collector,
    ) -> None:
        self._source = source
        self._assets = assets
        self._losses = losses
        self.met: list[tuple[Element, str, bool]] = []
        """Every link that was met, where it leads, and whether it shows anything."""

    def work(self, element: Element) -> None:
        """Let a link lead to the new address of a file, and list what it loses."""
        given = element.attributes
        href = given.get("href", "")
        asset = self._assets.uploaded_asset(href) if href else None
        if asset is None and (not href or not link_allowed(href)):
            account(element, self._losses)
            if href.strip():
                self.note(element)
            elif "href" in given:
                self._blank(element)
            return
        account_link(element, self._losses)
        window = given.get("target", "")
        if window.strip() and window.lower() not in WINDOWS:
            self._losses.lose("target", window, element)
        self.note(element)
        if reason := self._assets.missing(href):
            self._losses.lose("missing-file", href, element, why=reason)
        if asset is not None:
            given["href"] = asset.filename
            given["data-linktype"] = "asset"

    def note(self, element: Element) -> None:
        """Remember a link, which is a loss unless the document holds it."""
        href = element.attributes.get("href", "")
        self.met.append((element, href, self._losses.showing.shows(element)))

    def _blank(self, element: Element) -> None:
        """Record a link that leads nowhere, if it shows anything to click on."""
        if self._losses.settled(element) or not self._losses.showing.shows(element):
            return
        self._losses.settle(element)  # it may continue in another element
        what = self._source[element.start : element.inner_start] or "<a>"
        why = "This link has no address, so only its content stays."
        self._losses.lose("link", what, element, why=why)
