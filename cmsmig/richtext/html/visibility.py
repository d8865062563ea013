"""Which elements show something to a reader."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cmsmig.richtext.html.dom import MORE_BLOCK_TAGS, Element, Node, Text, tag_set
from cmsmig.richtext.html.inline_style import looks

_PICTURE = re.compile(
    r"(?:^|[;\s])(?:background|background-image|list-style|list-style-image"
    r"|border-image|border-image-source|--[\w-]+)\s*+:[^;:]*?url\(\s*+[\"']?\s*+"
    r"(?!javascript:|[\"'#)\s])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:^|[\"'])\s*+(?:https?:)?\\?/\\?/\w", re.IGNORECASE)
"""An address as a value, or in a value that is JSON."""
_LEADING = re.compile(
    r"(?:^|-)(?:src|source|file|video|poster|ur[li]|href|path|permalink|bg"
    r"|background|image)$"
)
"""Ends of names of attributes whose values may be relative addresses."""
_FILE = re.compile(r"[^?#]*/[^?#]*\.[a-z][a-z0-9]{2,4}(?:[?#].*)?", re.IGNORECASE)
"""A relative address that says itself that it is a file's."""
_OWN = tag_set("src url uri href data poster background")
_OTHERS = tag_set("a area base link meta source track param img cms:blok")
"""Elements whose addresses are looked at apart."""
_EDITING = ("data-w-", "data-wf-", "data-rt-", "data-page-url", "data-mce-")
_PARTS = tag_set(
    "body thead tbody tfoot tr td th caption colgroup col li dt dd pre code source"
)
"""Parts of something else: no block can take their place."""
_NO_SIGN = re.compile(
    r"Apple-|Mso|mce|cke_|ql-|rangy|(?:bold|italic|text|link|highlight)(?:-|$)|anchor"
    r"|clear|spacer|space$|break|hid(?:e|den)|sr-only|screen-reader|strut|line$|caret"
    r"|cursor|bookmark|language-|hljs|token$|[a-z]{1,2}[0-9]+$|w-"
)
"""Classes that editors and style sheets write on what shows nothing."""
_SIGN = re.compile(
    r"icon|glyph|symbol|emoji|rating|(?:^|[-_])(?:fa[bdlrs]?|bi|mdi?|ion|ti|ri|bx[ls]?|lni"
    r"|la[brs]?|ico|check(?:mark|box)?|tick|cross|star|arrow)(?:[-_]|$)"
    r"|^(?:yes|no|true|false|on|off)$",
    re.IGNORECASE,
)
_MOUNT = re.compile(
    r"widget|embed|elfsight|formula|latex|katex|youtube|vimeo|twitter|instagram|^pin-do$|(?:^|-)(?:form|live"
    r"|video|player|playlist|calendar|booking|survey|quiz|poll|chart|map|lat|lng"
    r"|countdown|feed)(?:-|id|$)",
    re.IGNORECASE,
)
"""Classes and names of data by which a script finds where it shows something."""
_MOUNTS = tag_set("div span section article aside blockquote a")
_EXTENSION = re.compile(r"grammarly-|lt-|scribe-|loom-|plasmo-|deepl-|languagetool-")
"""Elements that extensions of an editor's own browser have left in a text."""
_PLAIN_NAMES = tag_set("class id style slot title lang dir hidden role")
"""Attributes that say nothing of what a script shows in an element of its own."""
_GIVES = re.compile(r"(?!0(?![.\d])|0px|none|auto|transparent|initial|inherit|unset)")
"""Values of a style that give an element something."""
_FILLING = re.compile(
    r"background(?:-color|-image)?|border(?:-(?:top|right|bottom|left))?"
)
_DRAWING = re.compile(r"^data-(?:.*icon.*|feather|lucide|glyph)$|^icon$")
"""Attributes from which a script draws a sign."""


def has_picture(style: str) -> bool:
    """Return whether an inline style shows a picture by its address."""
    return "url(" in style.lower() and _PICTURE.search(style) is not None


def is_carrier(tag: str, name: str, value: str) -> bool:
    """Return whether an attribute says where something is that a page shows."""
    own = name.startswith("data-") or name in _OWN or "-" in tag
    if not own or tag in _OTHERS or name.startswith(_EDITING) or name == "style":
        return False
    bare = value.strip()
    if bare.startswith(("#", "javascript:")):
        return False
    if _ADDRESS.search(bare):
        return not name.startswith("xmlns")
    if " " in bare:
        return False
    led = ("/" in bare or "." in bare) and _LEADING.search(name) is not None
    return led or _FILE.fullmatch(bare) is not None


def carried(element: Element) -> Iterator[str]:
    """Yield the values of the attributes that say where something is."""
    if "data-emoji" in element.attributes or element.tag.startswith("wf-"):
        return
    for name, value in element.attributes.items():
        if is_carrier(element.tag, name, value):
            yield value.strip()


def is_widget(element: Element) -> bool:
    """Return whether an element shows something at an address, if it has no text, and
    may be a block."""
    if element.tag in _PARTS or element.reopened:
        return False
    given = element.attributes
    if has_picture(given.get("style", "")):
        return element.tag != "img"
    if _is_scripted(element.tag) and not _SIGN.search(element.tag):
        return not given.keys() <= _PLAIN_NAMES
    shared = element.tag in ("a", "blockquote") and mount_of(element)
    return bool(shared and _leads(element)) or any(carried(element))


def _leads(element: Element) -> bool:
    """Return whether an element names an address, or holds a link to one."""
    inside = [each for each in element.children if isinstance(each, Element)]
    below = (each for above in inside for each in above.children)
    elements = (e for e in (element, *inside, *below) if isinstance(e, Element))
    addresses = (each.attributes.get("href") for each in elements)
    return "cite" in element.attributes or any(addresses)


def _is_scripted(tag: str) -> bool:
    """Return whether a script defines an element."""
    return "-" in tag and not tag.startswith("wf-") and not _EXTENSION.match(tag)


def mount_of(element: Element) -> str:
    """Return the name of the attribute by which a script finds an element that it
    fills, if it has no text; its tag for one that a script defines; empty for none."""
    given = element.attributes
    if _is_scripted(element.tag):
        return element.tag
    if element.tag not in _MOUNTS:
        return ""
    data = (name for name in given if name.startswith("data-") and given[name].strip())
    for name in data:
        if not name.startswith(_EDITING) and _MOUNT.search(name.removeprefix("data-")):
            return name
    return "class" if any(map(_MOUNT.search, element.classes)) else ""


def sign_of(element: Element) -> str:
    """Return the name of the attribute by which an element draws a sign if it has no
    text; its tag for one that a script defines; empty for none.

    An inline element has its class for something; others, and those that are places
    to jump to or hold a blank, must be called so.
    """
    given = element.attributes
    if not given and "-" not in element.tag:
        return ""
    drawing = next((name for name in given if _DRAWING.match(name)), "")
    if drawing:
        return drawing
    blank = any(isinstance(child, Text) for child in element.children)
    if _is_scripted(element.tag):
        return element.tag if _SIGN.search(element.tag) and not blank else ""
    place = "id" in given or (element.tag == "a" and "name" in given)
    named = blank or place or element.tag in MORE_BLOCK_TAGS
    if any(
        _SIGN.search(each) or not (named or _NO_SIGN.match(each))
        for each in element.classes
    ):
        return "class"
    drawn = _is_drawn(given.get("style", ""), round_only=element.tag in MORE_BLOCK_TAGS)
    return "style" if drawn else ""


def _is_drawn(style: str, *, round_only: bool) -> bool:
    """Return whether a style draws a dot or a box: a block that is not round may be a
    line, and is for looks."""
    if not style:
        return False
    found = {name: said for name, said in looks(style).items() if _GIVES.match(said)}
    sized = {"width", "height"} <= found.keys()
    filled = any(_FILLING.fullmatch(name) for name in found)
    return sized and filled and (not round_only or "border-radius" in found)


INVISIBLE = " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff"
"""A paragraph of nothing else is a spacer."""


def spelled(text: str) -> str:
    """Return an invisible text so that a person can read it."""
    bare = text.strip(" \t\r\n\f").replace("\u00a0", "&nbsp;")
    return bare.encode("ascii", "xmlcharrefreplace").decode()


SHOWN = tag_set(
    "img iframe video audio hr input select textarea svg canvas object embed math map "
    "wf-component script style picture form button table cms:blok"
)
"""Elements that show something, or are a loss of their own, without a text."""
HIDDEN = tag_set("head title noscript object")
"""Elements that the official leaves out with everything in them."""
_SILENT = HIDDEN | {"script", "style"}
_EMBED_MARKS = ("data-rt-embed-type", "data-emoji")


LEFT_OUT = tag_set("script style head title noscript input")
"""Elements that are listed, with everything in them, and leave nothing."""


class Visibility:
    """Says which elements of one body show something, or with `texts` hold a text;
    linear over all questions."""

    def __init__(self, *, texts: bool = False) -> None:
        self._known: dict[Element, bool] = {}
        self._texts = texts

    def shows(self, root: Element) -> bool:
        """Return whether anything below `root` is seen."""
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
            if known is None and self._texts and node.tag in _SILENT:
                continue
            if known or (known is None and self._is_shown(node)):
                shown_in = parent
            elif known is None:
                entered[node] = parent
                stack.extend((child, node) for child in reversed(node.children))
        self._known.update(dict.fromkeys(entered, False))
        while shown_in is not None:
            self._known[shown_in] = True
            shown_in = entered[shown_in]
        return self._known[root]

    def _is_shown(self, element: Element) -> bool:
        if self._texts:
            return False
        return is_widget(element) or _is_shown(element)


def _is_shown(element: Element) -> bool:
    if element.tag in SHOWN:
        return True
    given = element.attributes
    return bool(given) and (
        any(name in given for name in _EMBED_MARKS)
        or "w-embed" in given.get("class", "")
    )


LISTS = frozenset(("ul", "ol"))
LINED = tag_set("h1 h2 h3 h4 h5 h6 pre")
_OUTDOING = tag_set("ul ol li table tr td th blockquote")


def is_outdone(heading: Element) -> bool:
    """Return whether all that a heading shows is in lists, tables or quotes, which a
    heading can't hold."""
    stack: list[Node] = [heading]
    blocks = False
    while stack:
        node = stack.pop()
        if isinstance(node, Text):
            if node.value.strip(INVISIBLE):
                return False
        elif node.tag in _OUTDOING:
            blocks = True
        elif node is heading or node.tag not in LINED:
            stack.extend(node.children)
    return blocks


def is_unshown(element: Element) -> bool:
    """Return whether browsers show nothing of what is in an element."""
    unshown = element.tag == "template" or (
        element.tag == "dialog" and "open" not in element.attributes
    )
    return unshown and bool(element.children)
