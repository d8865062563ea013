"""An independent account: what a body shows, against what a document and its
losses hold. Reads HTML with another parser than the kit does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Comment, Doctype
from bs4.element import NavigableString, Tag

from cmsmig.richtext.engine import Converted

_UNSEEN = str.maketrans(
    "",
    "",
    " \t\r\n\f\v\u00a0\u200b\u200c\u200d\u2060\ufeff\u2028\u2029\x1c\x1d\x1e\x1f\x85",
)
_SILENT = ("script", "style")


def soup(html: str) -> BeautifulSoup:
    """Return a tree made by a parser that the kit does not use."""
    return BeautifulSoup(
        f" {html}",  # with a blank it is not mistaken for an address
        "html.parser",
        multi_valued_attributes=None,
        on_duplicate_attribute="ignore",
    )


def characters(text: str) -> Counter[str]:
    """Return how often each visible character stands in `text`."""
    return Counter("".join(text.translate(_UNSEEN).split()))


def shown(tree: Tag) -> str:
    """Return what a reader sees of a tree."""
    return "".join(
        node
        for node in tree.descendants
        if isinstance(node, NavigableString)
        and not isinstance(node, (Comment, Doctype))
        and not (node.parent is not None and node.parent.name in _SILENT)
    )


def addresses(tree: Tag, tag: str, name: str) -> set[str]:
    """Return the addresses that elements of one kind carry."""
    found = {str(element.get(name) or "").strip() for element in tree.find_all(tag)}
    return found - {""}


def strings(value: object) -> Iterator[str]:
    """Yield every string of a JSON value."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, str):
            yield current
        elif isinstance(current, dict):
            stack.extend(current.values())
        elif isinstance(current, list):
            stack.extend(current)


def texts(document: dict[str, object]) -> Iterator[str]:
    """Yield the texts that a document shows, blocks included."""
    stack: list[object] = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(node)
        if not isinstance(node, dict):
            continue
        if node.get("type") == "text":
            yield str(node["text"])
        if node.get("type") == "emoji":
            yield str(node["attrs"]["emoji"])
        if "component" in node:
            yield from (str(node.get("caption", "")),)
            if "html" in node:
                yield shown(soup(str(node["html"])))
        stack.extend(value for key, value in node.items() if key != "text")


def unaccounted(html: str, converted: Converted) -> list[str]:
    """Return what of `html` is neither in the document nor in its losses."""
    tree = soup(html)
    missing: list[str] = []
    lost = [loss.what for loss in converted.losses]
    held = "".join(texts(converted.document))
    named = "".join(shown(soup(what)) for what in lost if "<" in what)
    named += "".join(loss.what for loss in converted.losses if loss.kind == "text")
    gone = characters(shown(tree)) - characters(held) - characters(named)
    if gone:
        missing.append(f"characters {dict(gone)}")
    everything = [*strings(converted.document), *lost]
    known = {entry.strip() for entry in everything} | {
        f"mailto:{entry}" for entry in everything
    }
    raw = [soup(entry) for entry in everything if "<" in entry]
    for tag, name in (("a", "href"), ("img", "src"), ("iframe", "src")):
        inside = _all(addresses(part, tag, name) for part in raw)
        gone_from = addresses(tree, tag, name) - known - inside
        missing.extend(f"{tag} {name} {address}" for address in gone_from)
    return missing


def invented(html: str, converted: Converted) -> dict[str, int]:
    """Return the characters that a document shows more often than `html`."""
    held = characters("".join(texts(converted.document)))
    return dict(held - characters(shown(soup(html))))


def _all(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)
