"""Gathers losses during one conversion, and what has found its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, Node, Text, path_of
from cmsmig.richtext.html.visibility import INVISIBLE, Visibility
from cmsmig.richtext.losses import Loss, Severity

_CONTEXT_LENGTH = 80
_MOST_ALIKE = 100
"""Losses of one kind, thing and reason that are kept; the last one counts the rest."""

LAYOUT, MEANING, CONTENT = Severity.LAYOUT, Severity.MEANING, Severity.CONTENT

KINDS: dict[str, tuple[Severity, str]] = {
    "alignment": (LAYOUT, "Nothing here can hold this alignment."),
    "anchor": (MEANING, "Links to this place of the page lead to its top now."),
    "attribute": (LAYOUT, "Rich text has no place for this attribute."),
    "background": (CONTENT, "Rich text has no place for the picture behind this."),
    "caption": (
        MEANING,
        "This caption is a paragraph next to its video or embed now: it is more than a "
        "text, or that is raw HTML.",
    ),
    "mark-in-code": (LAYOUT, "A text that is code can't be anything else besides."),
    "code-in-link": (LAYOUT, "A text can't be code and a link, so it stays a link."),
    "character": (LAYOUT, "Services that store texts refuse this character."),
    "comment": (MEANING, "A comment that never ends hides the rest of the body."),
    "component": (CONTENT, "Components are left out, as the embed choices say."),
    "custom-rule": (MEANING, "A rule of this project has to do with it."),
    "description": (MEANING, "Rich text has no place for a text that isn't shown."),
    "dropped": (CONTENT, "Rich text can't hold this element and it was left out."),
    "element": (LAYOUT, "Rich text has no such element; its text stays unchanged."),
    "embed": (CONTENT, "This embed is left out, as the embed choices say."),
    "empty-code": (
        CONTENT,
        "The origin delivered this code block empty, so its code must be copied "
        "by hand.",
    ),
    "empty-embed": (
        CONTENT,
        "The origin delivered this embed empty, so its code must be copied by hand.",
    ),
    "form-control": (CONTENT, "Rich text can't hold form controls."),
    "head": (LAYOUT, "This belongs to the head of a page, and no reader saw it."),
    "hidden": (MEANING, "What this hid on the origin's page shows now."),
    "item-number": (
        MEANING,
        "This item has the number of its place in the list here; the next ones count "
        "on from there.",
    ),
    "icon": (CONTENT, "The page draws a sign here by this; write it as a text."),
    "iframe": (CONTENT, "Frames are left out, as the embed choices say."),
    "image": (CONTENT, "This picture has no address, so it can't be shown."),
    "link": (CONTENT, "The text stays, but this link could not be kept."),
    "linked-image": (CONTENT, "The picture stays without its link, as chosen."),
    "list-blank": (LAYOUT, "A list without an item is no list."),
    "markdown": (
        MEANING,
        "This text has so many brackets, quotes or addresses that reading it as "
        "Markdown would take too long. It is kept as raw HTML; shorten it at the "
        "origin.",
    ),
    "media": (CONTENT, "Video and audio are left out, as the embed choices say."),
    "machine-data": (
        MEANING,
        "This is data for search engines, which no reader saw.",
    ),
    "missing-file": (CONTENT, "This file could not be fetched; its old address stays."),
    "noscript": (MEANING, "Only readers whose browsers run no scripts saw this."),
    "nesting": (LAYOUT, "Nested this deep, the content stays without this level."),
    "placeholder": (
        LAYOUT,
        "Scripts showed another picture in the place of this one; that is here now.",
    ),
    "reversed": (MEANING, "The numbers of this list counted down, and count up now."),
    "script": (CONTENT, "Scripts don't belong in rich text, and this one never ran."),
    "sentence": (LAYOUT, "This is a block here, and splits the sentence around it."),
    "size": (LAYOUT, "Nothing here can hold the size of this picture."),
    "source-set": (LAYOUT, "The destination makes its own picture sizes."),
    "spacer": (LAYOUT, "A blank that shows nothing was left out."),
    "style": (LAYOUT, "Rich text has no place for this style."),
    "style-sheet": (LAYOUT, "Rich text has no place for a style sheet."),
    "table-blank": (LAYOUT, "This has no cell and shows nothing in a table."),
    "target": (LAYOUT, "No link can open in a window of this name; a new one opens."),
    "text": (CONTENT, "Rich text can't show this text here."),
    "unclosed-embed": (
        MEANING,
        "Something in this embed is never closed, so it holds the rest of the body; "
        "close it at the origin.",
    ),
    "video": (CONTENT, "Videos are left out, as the embed choices say."),
    "widget": (
        CONTENT,
        "A page may show what is at this address; only the text stays here.",
    ),
}
"""Every kind of loss: how bad it is as a rule, and why it happens."""

_COUNTED = frozenset(("icon",))
"""Kinds that are counted together whatever their severity."""
_SPACERS = {
    "<p>": "paragraph",
    "<br>": "line break",
    **dict.fromkeys((f"<h{level}>" for level in range(1, 7)), "heading"),
}


class Collector:
    """One conversion's losses. Layout losses and signs of one thing are one, and of
    all others that are alike the first hundred are kept and the rest is counted."""

    def __init__(self) -> None:
        self._found: list[tuple[int, int, Loss]] = []
        self._counted: dict[tuple[str, str, str], tuple[Element, int]] = {}
        self._settled: set[int] = set()
        self.deviations: set[Deviation] = set()
        self.showing = Visibility()
        """Which elements of the body show something, before it is worked over."""
        self._recorded: dict[tuple[str, str, int], bool] = {}
        self._times: Counter[tuple[str, str, str]] = Counter()
        self._last: dict[tuple[str, str, str], int] = {}
        """The last one that is kept of losses that are alike."""

    def lose(
        self,
        kind: str,
        what: str,
        at: Element,
        *,
        why: str = "",
        severity: Severity | None = None,
    ) -> None:
        """Record that `what` has no place; layout losses are counted together.

        A reopened element loses nothing a second time, except its text: that is
        another text, though it may read the same.
        """
        usual, reason = KINDS[kind]
        place = (kind, what, at.start)
        again = place in self._recorded and (at.reopened or self._recorded[place])
        if again and kind != "text":
            return
        self._recorded[place] = at.reopened
        if kind in _COUNTED or ((severity or usual) is LAYOUT and not why):
            first, times = self._counted.get((kind, what, why), (at, 0))
            self._counted[kind, what, why] = (first, times + 1)
            return
        same = (kind, what, why)
        self._times[same] += 1
        if self._times[same] > _MOST_ALIKE:
            return
        loss = Loss(
            kind, what, path_of(at), context_of(at), why or reason, severity or usual
        )
        if self._times[same] == _MOST_ALIKE:
            self._last[same] = len(self._found)
        self._found.append((at.start, len(self._found), loss))

    def deviates(self, name: Deviation) -> None:
        """Note a deviation from the official converter."""
        self.deviations.add(name)

    def settle(self, element: Element) -> None:
        """Remember that an element has its place or is a loss already."""
        self._settled.add(element.start)

    def settled(self, element: Element) -> bool:
        """Return whether an element has its place or is a loss already."""
        return element.start in self._settled

    def losses(self) -> tuple[Loss, ...]:
        """Return the losses in the order of the body."""
        found = list(self._found)
        for same, index in self._last.items():
            if more := self._times[same] - _MOST_ALIKE:
                start, number, loss = found[index]
                context = f"{loss.context} … and {more:,} more times in this body"
                found[index] = (start, number, replace(loss, context=context))
        for (kind, what, special), (at, times) in self._counted.items():
            counted = context_of(at) if times == 1 else f"{times} times in this body"
            severity, why = KINDS[kind]
            why = special or why
            if kind == "spacer":
                why = why.replace("blank", _SPACERS.get(what, "blank"))
            loss = Loss(kind, what, path_of(at), counted, why, severity)
            found.append((at.start, len(found), loss))
        return tuple(loss for _, _, loss in sorted(found, key=lambda row: row[:2]))


def context_of(element: Element) -> str:
    """Return the beginning of the text in or around an element."""
    return _beginning(element) or (
        _beginning(element.parent) if element.parent is not None else ""
    )


def _beginning(element: Element) -> str:
    pieces: list[str] = []
    length, steps = 0, 0
    stack: list[Iterator[Node]] = [iter((element,))]
    while stack and length < _CONTEXT_LENGTH and steps < 4 * _CONTEXT_LENGTH:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
            continue
        steps += 1
        if isinstance(node, Text):
            piece = " ".join(node.value[: 2 * _CONTEXT_LENGTH].split())
            piece = piece.strip(INVISIBLE)
            pieces.append(piece)
            length += len(piece)
        elif node.tag not in ("script", "style"):
            stack.append(islice(node.children, 2 * _CONTEXT_LENGTH))
    return " ".join(piece for piece in pieces if piece)[:_CONTEXT_LENGTH]
