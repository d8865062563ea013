"""The engine of this kit: HTML stage, content model, losses."""

from __future__ import annotations

from enum import StrEnum

from cmsmig.canonical import JsonObject
from cmsmig.richtext.collect import Collector
from cmsmig.richtext.context import Context, Hooks, Repairs, Runs
from cmsmig.richtext.dom import Element, walk
from cmsmig.richtext.engine import (
    NO_ASSETS,
    NO_EMBED_CHOICES,
    AssetLookup,
    Converted,
)
from cmsmig.richtext.marks import Mark, MarkSet, added
from cmsmig.richtext.parse import parse
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.rules import RULES, Rule, Rules
from cmsmig.richtext.stage import Stage


class Mode(StrEnum):
    """How HTML is converted."""

    FAITHFUL = "faithful"
    """With the HTML stage; repaired, and every loss listed."""
    EXACT = "exact"
    """As the official converter does it, without stage and losses."""


def _lasting(rule: Rule) -> Rule:
    return Rule(rule.name, rule.read, rule.mark, consuming=False)


FAITHFUL_RULES: Rules = {
    **RULES,
    "span": tuple(
        _lasting(rule) if rule.name == "anchor" else rule for rule in RULES["span"]
    ),
}
"""A span keeps its class beside its id."""


class NativeEngine:
    """Converts bodies in this process; pure and deterministic."""

    def __init__(self, mode: Mode = Mode.FAITHFUL) -> None:
        self._mode = mode

    def from_html(
        self,
        html: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert an origin body. Never raises, whatever the text is."""
        root = parse(html)
        if self._mode is Mode.EXACT:
            return Converted(Context(RULES).build(root))
        return _Conversion(html, policy, assets).convert(root)

    def from_markdown(
        self,
        text: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert Markdown. Never raises, whatever the text is."""
        from cmsmig.richtext.markdown import html_of_markdown

        return self.from_html(html_of_markdown(text), policy, assets)


class _Conversion:
    """One body on its way, with what is still looking for a place."""

    def __init__(self, html: str, policy: EmbedPolicy, assets: AssetLookup) -> None:
        self._losses = Collector()
        self._stage = Stage(html, policy, assets, self._losses)
        self._waiting: tuple[str, Element] | None = None

    def convert(self, root: Element) -> Converted:
        sources = [
            (element, element.attributes["href"])
            for element in walk(root)
            if element.tag in ("a", "area") and "href" in element.attributes
        ]
        self._stage.work(root)
        document = self._build(root)
        if self._waiting is not None:
            self._losses.lose("anchor", *self._waiting)
        self._account(sources)
        return Converted(document, self._losses.losses())

    def _build(self, root: Element) -> JsonObject:
        hooks = Hooks(
            entered=self._entered, placed=self._placed, unplaced=self._unplaced
        )
        repairs = Repairs(inside=True, apart=True, blanks=True)
        return Context(FAITHFUL_RULES, repairs, hooks).build(root)

    def _entered(self, element: Element) -> None:
        if (name := element.attributes.get("id")) is None:
            return
        if element.tag == "span" and element.children:
            return
        if self._waiting is not None:
            self._losses.lose("anchor", *self._waiting)
        self._waiting = (name, element)

    def _placed(self, text: str, marks: MarkSet) -> Runs:
        return ((text, self._marked(text, marks)),)

    def _marked(self, text: str, marks: MarkSet) -> MarkSet:
        for mark in marks:
            if mark.source is not None and mark.name == "link":
                self._losses.settle(mark.source)
        if self._waiting is None or not text.strip():
            return marks
        if any(mark.name in ("code", "anchor") for mark in marks):
            return marks
        mark = Mark("anchor", {"id": self._waiting[0]})
        self._waiting = None
        return added(mark, marks)

    def _unplaced(self, element: Element) -> None:
        self._losses.lose("dropped", element.tag, element)

    def _account(self, sources: list[tuple[Element, str]]) -> None:
        """Record the links that no text carries: empty, refused, or in code."""
        for element, href in sources:
            if not self._losses.settled(element) and href.strip():
                self._losses.lose("link", href, element)


def convert_text(
    text: str, *, source: str = "html", mode: str = "faithful"
) -> Converted:
    """Convert one text on its own, as the command line does.

    `source` is `html` or `markdown`, `mode` one of `Mode`; raises `ValueError`
    for others.
    """
    engine = NativeEngine(Mode(mode))
    if source == "markdown":
        return engine.from_markdown(text)
    if source != "html":
        raise ValueError(f"{source!r} is neither html nor markdown.")
    return engine.from_html(text)
