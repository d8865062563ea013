"""The engine of this kit: HTML stage, content model, losses."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from cmsmig.canonical import JsonObject
from cmsmig.richtext.build.anchors import Anchors
from cmsmig.richtext.build.attributes import account_field, is_anchor
from cmsmig.richtext.build.element_rules import link_allowed, mail_address
from cmsmig.richtext.build.loss_collector import LAYOUT, Collector
from cmsmig.richtext.build.open_nodes import Listener, Runs
from cmsmig.richtext.build.tree_builder import Context
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.engine import (
    NO_ASSETS,
    NO_EMBED_CHOICES,
    AssetLookup,
    Converted,
)
from cmsmig.richtext.html.dom import (
    MORE_BLOCK_TAGS,
    Element,
    Text,
    dissolve,
    has_items,
    walk,
)
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.html.visibility import INVISIBLE, Visibility, spelled
from cmsmig.richtext.links import addresses_in
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.prepare.pictures import body_of
from cmsmig.richtext.prepare.stage import Stage
from cmsmig.richtext.schema.content_model import TEXTBLOCKS
from cmsmig.richtext.schema.nodes import Mark, MarkSet, Open, Run, added

if TYPE_CHECKING:
    # Only a project with rules of its own needs BeautifulSoup, which loads slowly.
    from cmsmig.richtext.custom.claims import CustomRules
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector from running until the block is left.

    A conversion makes many objects in a short time, and each is needed to its end:
    the collector would look at them again and again and find nothing, for a fifth
    of the time and more than a third with large bodies. What else is garbage waits
    for the length of one conversion. The block that found the collector running
    always starts it again, so blocks may be nested; with several threads a pause
    may end early, but never lasts.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


_TAG = re.compile(r"<([a-zA-Z][^ \t\n\r\f/>]*)")
_BLANK = " \t\r\n\f"
_BLANK_LINK = "This link is around a blank, so there was nothing to click on."
_SIGN_LINK = "This link is around a sign that the page draws, so no text has it."
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
"""Characters for private use, which fonts of icons draw signs for."""
_PRIVATE_SIGN = "Only a font of the origin's page shows this sign; write it as a text."
_SAME_TYPE = frozenset(("textStyle", "highlight", "styled"))


class NativeEngine:
    """Converts bodies in this process; pure and deterministic."""

    def __init__(self, rules: CustomRules | None = None) -> None:
        """`rules` are a project's own."""
        self._custom = rules

    def from_html(
        self,
        html: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert an origin body. Never raises, whatever the text is."""
        with collector_paused():
            root = parse(html)
            converted = _Conversion(html, policy, assets).convert(root, self._custom)
            dissolve(root)
        return converted

    def from_markdown(
        self,
        text: str,
        policy: EmbedPolicy = NO_EMBED_CHOICES,
        assets: AssetLookup = NO_ASSETS,
    ) -> Converted:
        """Convert Markdown. Never raises, whatever the text is."""
        from cmsmig.richtext.markdown import html_within_limit, markdown_may_differ

        html, unread = html_within_limit(text)
        converted = self.from_html(html, policy, assets)
        root, losses = Element("body"), Collector()
        noted = (Deviation.MARKDOWN,) if unread or markdown_may_differ(text) else ()
        for each in unread:
            losses.lose("markdown", each, root)
        found = (*converted.losses, *losses.losses())
        return Converted(converted.document, found, (*converted.deviations, *noted))


class _Conversion(Listener):
    """One body on its way, with what is still looking for a place."""

    def __init__(
        self,
        html: str,
        policy: EmbedPolicy,
        assets: AssetLookup,
    ) -> None:
        self._source = html
        self._policy = policy
        self._assets = assets
        self._losses = Collector()
        self._anchors = Anchors(self._lose_anchor)
        self._named: set[str] = set()
        self._spans: list[Element] = []
        self._partly: set[int] = set()
        self._marking: set[int] = set()
        """Where the elements begin that are marks of something."""
        self._showing = Visibility(texts=True)
        self._seeing = Visibility()

    def convert(self, root: Element, rules: CustomRules | None = None) -> Converted:
        custom = (
            None
            if rules is None
            else rules.claimed(self._source, root, self._assets, self._losses)
        )
        if root.odd:
            self.deviates(Deviation.MARKUP)
        stage = Stage(self._source, self._policy, self._assets, self._losses, custom)
        stage.work(root)
        self._account_characters(root)
        document = self._built(root, ())
        for name, element in self._anchors.rest():
            self._lose_anchor(name, element)
        for element in self._spans:
            if not self._losses.settled(element):
                self._losses.lose("anchor", element.attributes["id"], element)
        for link in {link.start: link for link in stage.pictures.links}.values():
            if link.start not in self._marking:
                account_field(link, self._losses)
        self._account_links(stage.links.met, stage.widgets.links, document)
        noted = tuple(each for each in Deviation if each in self._losses.deviations)
        return Converted(document, self._losses.losses(), noted)

    def _built(self, root: Element, marks: MarkSet) -> JsonObject:
        return Context(self).build(root, marks)

    def _account_characters(self, root: Element) -> None:
        """Record that U+0000 is gone, which services that store texts refuse, and the
        signs that another font does not have."""
        if "&#" in self._source or _PRIVATE.search(self._source):
            for element in (root, *walk(root)):
                texts = (e.value for e in element.children if isinstance(e, Text))
                for sign in _PRIVATE.findall("".join(texts)):
                    what = f"U+{ord(sign):04X}"
                    self._losses.lose("icon", what, element, why=_PRIVATE_SIGN)
        at = self._source.find("\0")
        if at >= 0:
            around = [each for each in walk(root) if each.start <= at < each.end]
            innermost = max(around, key=lambda each: each.start, default=root)
            self._losses.lose("character", "U+0000", innermost)

    def _account_links(
        self,
        links: Sequence[tuple[Element, str, bool]],
        signs: Set[int],
        document: JsonObject,
    ) -> None:
        """Record the links that no text has. One around a blank loses nothing where
        the document holds the same link, for a text next to it or for the blank."""
        showing = {element.start for element, _, shows in links if shows}
        held: frozenset[str] | None = None
        for element, href, _ in links:
            if self._losses.settled(element) or not href.strip():
                continue
            if element.start in showing:
                self._losses.lose("link", href, element)
                continue
            if element.start in signs:
                self._losses.lose("link", href, element, why=_SIGN_LINK)
                continue
            held = addresses_in(document) if held is None else held
            now = element.attributes.get("href", href)  # that of an uploaded file
            if not held & {now, mail_address(now) or now}:
                self._losses.lose(
                    "link", href, element, why=_BLANK_LINK, severity=LAYOUT
                )

    def entered(self, element: Element) -> None:
        self._anchors.part(element)
        given = element.attributes
        if not given:
            return
        names = [given.get("id", "")]
        if element.tag == "a":
            href = given.get("href", "")
            if href and link_allowed(href) and self._showing.shows(element):
                return  # the link keeps its own names
            names.append(given.get("name", ""))
        for name in names:
            if is_anchor(name) and name not in self._named:
                self._named.add(name)
                self._name(name, element)

    def _name(self, name: str, element: Element) -> None:
        if element.tag == "span" and self._carries(element):
            self._spans.append(element)
        else:
            self._anchors.wait(name, element)

    def _lose_anchor(self, name: str, element: Element) -> None:
        if element.tag == "span":
            self._spans.append(element)
        else:
            self._losses.lose("anchor", name, element)

    def left(self, element: Element) -> None:
        self._anchors.left(element)
        self._anchors.part(element)

    def _carries(self, span: Element) -> bool:
        """Return whether a span's own content shows where its name is."""
        return self._seeing.shows(span)

    def placed(self, text: str, marks: MarkSet) -> Runs:
        if not self._anchors.waiting:
            return ((text, marks),)
        if not text.strip(INVISIBLE) or text.isspace():
            return ((text, marks),)
        if any(mark.name == "code" for mark in marks):
            self._anchors.pass_by()
            return ((text, marks),)
        made = self._anchors.marked(text, marks)
        if made != [(text, marks)]:
            self.deviates(Deviation.ANCHOR)
        return made

    def joined(self, mark: Mark, marks: MarkSet) -> MarkSet:
        if not marks:
            return (mark,)
        if mark.name == "code":
            return self._code(mark, marks)
        if marks[0].name == "code":
            if mark.name == "link":
                self.deviates(Deviation.CODE_IN_LINK)
                self._lose_mark("code-in-link", "<code>", marks[0], mark)
                return (mark,)
            if mark.name not in ("link", "code", "anchor"):
                self._lose_mark("mark-in-code", mark.name, mark, mark)
            return marks
        for other in marks:
            if other.name != mark.name or other == mark:
                continue
            if mark.name in _SAME_TYPE and any(other.attributes.values()):
                what = " ".join(str(value) for value in other.attributes.values())
                self._lose_mark("style", f"{other.name}: {what}", other, mark)
        return added(mark, marks)

    def _code(self, mark: Mark, marks: MarkSet) -> MarkSet:
        if any(other.name == "link" for other in marks):
            self.deviates(Deviation.CODE_IN_LINK)
            self._lose_mark("code-in-link", "<code>", mark, mark)
            return marks
        for other in marks:
            if other.name not in ("link", "code", "anchor"):
                self._lose_mark("mark-in-code", other.name, mark, mark)
        return added(mark, marks)

    def _lose_mark(self, kind: str, what: str, mark: Mark, inner: Mark) -> None:
        """Record a mark that what is in `inner` can't have, if anything is."""
        source, inside = mark.source, inner.source
        if source is not None and inside is not None and self._showing.shows(inside):
            self._losses.lose(kind, what, source)

    def marked(self, marks: MarkSet) -> None:
        for mark in marks:
            if mark.source is not None:
                self._losses.settle(mark.source)
                self._marking.add(mark.source.start)

    def coded(self, marks: MarkSet) -> None:
        self._anchors.pass_by()
        for mark in marks:
            if mark.source is None:
                continue
            if mark.name == "link":
                self._lose_link(mark, mark.source)
                if is_anchor(name := mark.source.attributes.get("id", "")):
                    self._losses.lose("anchor", name, mark.source)
            elif mark.name not in ("anchor", "code"):
                self._losses.lose("mark-in-code", mark.name, mark.source)

    def filled(self, element: Element, marks: MarkSet) -> None:
        """Make a document of a caption; note a link that a block can't have."""
        body = body_of(element) if element.tag == "cms:blok" else {}
        if "link" not in body and not self._losses.settled(element):
            for mark in marks:
                if mark.name == "link" and mark.source is not None:
                    kind = "linked-image" if element.tag == "img" else "link"
                    self._lose_link(mark, mark.source, kind)
        if "caption" in body and body["caption"] is None:
            outside = tuple(
                mark
                for mark in marks
                if mark.source is None
                or (mark.source.parent or mark.source).start < element.inner_start
            )
            body["caption"] = self._built(element, outside)

    def _lose_link(self, mark: Mark, source: Element, kind: str = "link") -> None:
        self._losses.settle(source)
        if id(source) not in self._partly:
            self._partly.add(id(source))
            href = source.attributes.get("href", "")
            self._losses.lose(kind, href or str(mark.attributes["href"]), source)

    def cut(self, element: Element) -> None:
        """Record that a picture or embed parts a sentence, if a page shows it there."""
        found = _TAG.match(self._source, element.start)
        name = found[1].lower() if found else element.tag
        if name not in MORE_BLOCK_TAGS:
            self._losses.lose("sentence", f"<{name}>", element)

    def renumbered(self, item: Element) -> None:
        self._losses.lose("item-number", f'value="{item.attributes["value"]}"', item)

    def deviates(self, name: Deviation) -> None:
        self._losses.deviates(name)

    def unplaced(self, element: Element) -> None:
        self._losses.lose("dropped", element.tag, element)

    def finished(self, node: Open) -> None:
        for child in node.content:
            if not isinstance(child, Run) or not child.text.strip(_BLANK):
                continue  # a blank may be at an end, where it goes
            for mark in child.marks:
                if mark.source is not None and mark.name in ("link", "anchor"):
                    self._losses.settle(mark.source)
                    self._marking.add(mark.source.start)

    def left_out(self, node: Open) -> None:
        source = node.source
        spelling = f"<{source.name}>"
        if node.kind == "table":
            self.deviates(Deviation.TABLE_PARTS)
            self._losses.lose("table-blank", spelling, source)
        elif node.kind not in TEXTBLOCKS:
            self.deviates(Deviation.LIST_BLANKS)
            if node.solid and not has_items(source):
                self._losses.lose("list-blank", spelling, source)
        elif node.solid and not node.left:
            self.deviates(Deviation.SPACER)
            self._losses.lose("spacer", spelling, source)
        else:
            for child in node.content:
                self.deviates(Deviation.SPACER)
                what = spelled(child.text) if isinstance(child, Run) else "<br>"
                if what:  # Blanks of the source show nothing anywhere.
                    self._losses.lose("spacer", what, source)


def convert_text(
    text: str,
    *,
    source: str = "html",
    rules: CustomRules | None = None,
) -> Converted:
    """Convert one text on its own, as the command line does.

    `source` is `html` or `markdown`; raises `ValueError` for others.
    """
    engine = NativeEngine(rules)
    if source == "markdown":
        return engine.from_markdown(text)
    if source != "html":
        raise ValueError(f"{source!r} is neither html nor markdown.")
    return engine.from_html(text)
