"""A document as safe HTML: in a notebook's output, and as a page of its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from markupsafe import Markup

from cmsmig.ui.doc import (
    Address,
    Cell,
    Doc,
    Facts,
    Fold,
    Heading,
    Link,
    Mark,
    Note,
    Part,
    Table,
    Text,
)
from cmsmig.ui.html import safe_html
from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "ui/html/safe_html.html")


def doc_html(doc: Iterable[Part]) -> Markup:
    """Return a document as HTML without a style sheet."""
    return safe_html.joined(map(_part, doc))


def doc_sheet(*parts: Part | Markup) -> Markup:
    """Return a document as a notebook shows it; HTML among its parts stays as it is."""
    return safe_html.sheet(
        *(each if isinstance(each, Markup) else _part(each) for each in parts)
    )


def doc_page(title: str, about: Doc, doc: Doc) -> str:
    """Return a document as one page that can be sent: it runs nothing and asks no host
    for anything. `about` is below its title."""
    made = fragment(
        "ui/page.html",
        "page",
        title=title,
        about=doc_html(about),
        content=doc_html(doc),
    )
    return str(made)


def _part(part: Part) -> Markup:
    match part:
        case Text(text):
            return safe_html.paragraph(text)
        case Heading(text):
            return safe_html.heading(text)
        case Note(text, kind):
            return safe_html.note(text, kind)
        case Facts(rows):
            return safe_html.facts((name, _value(cell)) for name, cell in rows)
        case Table(head, rows, caption, shown):
            cells = [[_cell(cell) for cell in row] for row in rows[:shown]]
            made = safe_html.table(head, cells, caption=caption)
            return made + (safe_html.paragraph(part.more) if part.more else "")
        case Fold(title, parts):
            return safe_html.folded(title, doc_html(parts))


def _value(cell: Cell) -> safe_html.Cell:
    return _cell(Text(cell) if isinstance(cell, str) else cell)


def _cell(cell: Cell) -> safe_html.Cell:
    match cell:
        case Text(text):
            return safe_html.coded(text)
        case Mark(text, kind):
            return _made("mark", text=text, kind=kind)
        case Link(path, site):
            return safe_html.site_link(site, path)
        case Address(text):
            return _made("link", address=text, text=text)
        case None | str() | int() | float():
            return cell
        case links:
            return safe_html.stacked(
                safe_html.site_link(each.site, each.path) for each in links
            )
