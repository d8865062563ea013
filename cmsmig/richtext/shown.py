"""Which elements show something to a reader."""

from __future__ import annotations

from cmsmig.richtext.dom import Element, Node, Text, tag_set

INVISIBLE = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""A paragraph of nothing else is a spacer."""
SHOWN = tag_set(
    "img iframe video audio hr input select textarea svg canvas object embed math map "
    "wf-component script style picture form button table cms:blok"
)
"""Elements that show something, or are a loss of their own, without a text."""
HIDDEN = tag_set("head title noscript object")
"""Elements that the official leaves out with everything in them."""
_EMBED_MARKS = ("data-rt-embed-type", "data-emoji")


class Showing:
    """Says which elements of one body show something; linear over all questions."""

    def __init__(self) -> None:
        self._known: dict[Element, bool] = {}

    def shows(self, root: Element) -> bool:
        """Say whether anything below `root` is seen."""
        for child in root.children:
            if isinstance(child, Text) and child.value.strip(INVISIBLE):
                return True
        if (known := self._known.get(root)) is not None:
            return known
        entered: dict[Element, Element | None] = {root: None}
        stack: list[tuple[Node, Element]] = [
            (child, root) for child in reversed(root.children)
        ]
        shown_in: Element | None = None
        while stack and shown_in is None:
            node, parent = stack.pop()
            if isinstance(node, Text):
                if node.value.strip(INVISIBLE):
                    shown_in = parent
                continue
            known = self._known.get(node)
            if known or (known is None and _is_shown(node)):
                shown_in = parent
            elif known is None:
                entered[node] = parent
                stack.extend((child, node) for child in reversed(node.children))
        self._known.update(dict.fromkeys(entered, False))
        while shown_in is not None:
            self._known[shown_in] = True
            shown_in = entered[shown_in]
        return self._known[root]


def _is_shown(element: Element) -> bool:
    if element.tag in SHOWN:
        return True
    given = element.attributes
    return bool(given) and (
        any(name in given for name in _EMBED_MARKS)
        or "w-embed" in given.get("class", "")
    )
