"""A project's own rule over one body: which elements it claims, and the nodes that
replace those."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmsmig.canonical import JsonObject
from cmsmig.richtext.build.attributes import account
from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.custom.rules import (
    ADDRESSES,
    RuleFunction,
    block_of,
    holds,
    missing_parts,
)
from cmsmig.richtext.engine import AssetLookup
from cmsmig.richtext.html.dom import Element, Node, tag_set, walk
from cmsmig.richtext.html.soup import Tag, Tree
from cmsmig.richtext.prepare.pictures import layout_of, lose_layout

_LONGEST = 300
_PLACE_IN_MEMORY = re.compile(r" at 0x[0-9a-fA-F]+")
"""An object's address differs from run to run, and losses must not."""
_KEPT = tag_set(
    "a abbr b big blockquote body caption cite code del em font i ins li mark ol q s "
    "small span strike strong sub sup table tbody td tfoot th thead tr u ul"
)
"""Elements that the stage keeps around their content anyway."""
_TEXTBLOCKS = tag_set("p h1 h2 h3 h4 h5 h6 pre div section article")
_PASSED_OVER = tag_set("figure figcaption main nav header footer aside hgroup picture")
"""Elements that show nothing of their own."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An element that a rule made a block of."""

    element: Element
    block: JsonObject
    place: str
    link: Element | None
    """The link around the element."""


@dataclass(frozen=True, slots=True)
class CustomRules:
    """The rule of a project."""

    rule: RuleFunction

    def claimed(
        self, html: str, root: Element, assets: AssetLookup, losses: Collector
    ) -> Claimed | None:
        """Return what the rule makes of a body; None when it takes nothing."""
        found = Claimed(html, assets, losses)
        return found if found.ask(self.rule, root) else None


class Claimed:
    """Answers the HTML stage, element by element."""

    def __init__(self, html: str, assets: AssetLookup, losses: Collector) -> None:
        self._html = html
        self._assets = assets
        self._losses = losses
        self.claims: dict[int, Claim] = {}
        self._opened: dict[int, Element | None] = {}
        """Elements around a claimed one, which no other structure may swallow, and
        the link that each is in."""

    def ask(self, rule: RuleFunction, root: Element) -> bool:
        """Ask about each element, in the order of the body, but for those inside of a
        claimed one; return whether one is claimed. What goes wrong is a loss."""
        inside: set[int] = set()
        for element, tag in Tree(root).pairs:
            if id(element) not in inside and self._claims(rule, element, tag):
                inside.update(id(below) for below in walk(element))
        return bool(self.claims)

    def _claims(self, rule: RuleFunction, element: Element, tag: Tag) -> bool:
        place = f"rule/{len(self.claims) + 1}"
        try:
            returned = rule(tag)
        except (Exception, SystemExit) as error:
            said = _PLACE_IN_MEMORY.sub("", f"{type(error).__name__}: {error}")
            return self._went_wrong(element, said)
        if returned is None:
            return False
        try:
            block = block_of(returned, self._assets.uid, f"{place}/body")
        except ValueError as error:
            return self._went_wrong(element, str(error))
        link = _open_around(element, self._opened)
        self.claims[id(element)] = Claim(element, block, place, link)
        return True

    def _went_wrong(self, element: Element, said: str) -> bool:
        said = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}…"
        why = (
            f"The rule of this project went wrong here ({said}), so the element was "
            "treated as without it."
        )
        tag = self._html[element.start : element.inner_start] or f"<{element.tag}>"
        what = tag if len(tag) <= _LONGEST else f"{tag[:_LONGEST]}…"
        self._losses.lose("custom-rule", what, element, why=why)
        return False

    def __call__(self, element: Element) -> list[Node] | None:
        """Return what replaces an element; None: treat it as without rules."""
        if (claim := self.claims.get(id(element))) is not None:
            return [self._node(claim)]
        if id(element) in self._opened:
            return self._open(element)
        return None

    def _node(self, claim: Claim) -> Element:
        element = claim.element
        if missing := missing_parts(element, claim.block):
            why = "The rule of this project left it out of its block."
            self._losses.lose("custom-rule", missing, element, why=why)
        made = Element("cms:blok", {}, element.start)
        made.parent, made.nth = element.parent, element.nth
        body: JsonObject = {
            "id": self._assets.uid(claim.place),
            "body": [claim.block],
        }
        made.payload = body
        if claim.link is not None and holds(claim.block, _href(claim.link)):
            self._losses.settle(claim.link)
            self._losses.settle(made)
        return made

    def _open(self, element: Element) -> list[Node] | None:
        """Replace a structure around a claimed element by its content."""
        wraps = "data-rt-embed-type" in element.attributes or (
            "w-embed" in element.classes or "data-emoji" in element.attributes
        )
        if element.tag in _KEPT and not wraps:
            return None
        for name in ADDRESSES:
            if address := element.attributes.pop(name, "").strip():
                why = "The rule of this project made a block of something inside of it."
                self._losses.lose("custom-rule", address, element, why=why)
        if element.tag == "figure":
            lose_layout(layout_of(element), element, self._losses)
        else:
            account(element, self._losses)
        if element.tag not in _TEXTBLOCKS:
            if element.tag not in _PASSED_OVER:
                self._losses.lose("element", f"<{element.tag}>", element)
            element.tag = "div"
        element.attributes = {
            name: value
            for name, value in element.attributes.items()
            if name in ("id", "style")
        }
        return [element]


def _href(link: Element) -> str:
    return link.attributes.get("href", "").strip()


def _open_around(element: Element, opened: dict[int, Element | None]) -> Element | None:
    """Open what is around an element; return the link that it is in."""
    path: list[Element] = []
    outer = element.parent
    while outer is not None and id(outer) not in opened:
        path.append(outer)
        outer = outer.parent
    link = None if outer is None else opened[id(outer)]
    for each in reversed(path):
        if each.tag == "a" and _href(each):
            link = each
        opened[id(each)] = link
    return link
