"""The parts of a table where a page shows them: captions above it, its foot below."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.richtext.html.dom import Element, Text

_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_ROWS = frozenset(("thead", "tbody", "tr"))


def taken_out_captions(table: Element) -> list[Element]:
    """Take the captions out of a table and return them."""
    found = list(_captions(table))
    for holder, caption in found:
        apart = Element("div", {}, caption.start)
        apart.parent = holder
        loose = any(isinstance(e, Text) and e.value.strip() for e in holder.children)
        at = next(i for i, each in enumerate(holder.children) if each is caption)
        holder.children[at : at + 1] = [apart] if loose else []
    return [caption for _, caption in found]


def is_bare(table: Element) -> bool:
    """Return whether nothing is in a table."""
    return not any(
        isinstance(each, Element) or each.value.strip() for each in table.children
    )


def lower_feet(table: Element) -> None:
    """Move the feet of a table below its rows, where pages show them."""
    tags = [each.tag if isinstance(each, Element) else "" for each in table.children]
    foot = tags.index("tfoot") if "tfoot" in tags else len(tags)
    if not _ROWS.isdisjoint(tags[foot:]):
        children = zip(tags, table.children, strict=True)
        table.children = [
            each for _, each in sorted(children, key=lambda row: row[0] == "tfoot")
        ]


def _captions(table: Element) -> Iterator[tuple[Element, Element]]:
    """Yield the captions of a table, each behind the element that holds it."""
    for child in table.children:
        if not isinstance(child, Element):
            continue
        if child.tag == "caption":
            yield table, child
        elif child.tag in _SECTIONS:
            for each in child.children:
                if isinstance(each, Element) and each.tag == "caption":
                    yield child, each
