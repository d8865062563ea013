"""HTML that is safe to show: escaped texts, tables, documents, and previews of
untrusted bodies.

`Markup` marks what is safe; formatting it escapes everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeAlias
from urllib.parse import quote

from markupsafe import Markup
from markupsafe import escape as _escape

from cmsmig.counting import and_more
from cmsmig.ui import doc
from cmsmig.ui.html.html_templates import breakable, fragment
from cmsmig.ui.html.sanitizer import sanitised
from cmsmig.valid_text import valid_text

UNTYPESET = "mathjax_ignore tex2jax_ignore"
"""Classes of what is not typeset."""
Cell: TypeAlias = "Markup | str | int | float | None"

_IN_PATH = "/%:@!$&'()*+,;=~-._"
"""What a path of an address holds as it is, a per cent sign of before included."""
NOTHING = Markup("")
"""No HTML at all."""
_made = partial(fragment, "ui/html/safe_html.html")


def escape(value: object) -> Markup:
    """Return a text as HTML that shows it as it is."""
    return _escape("" if value is None else value)


def code(text: str) -> Markup:
    """Return a text as code in a sentence."""
    return Markup("<code>{}</code>").format(breakable(text))


def coded(text: str | Markup) -> Markup:
    """Return a sentence as HTML; what it holds between backticks is code."""
    if isinstance(text, Markup):
        return text
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return breakable(text)
    return joined(
        code(part) if index % 2 else breakable(part) for index, part in enumerate(parts)
    )


def joined(parts: Iterable[Markup]) -> Markup:
    """Return parts one after the other."""
    return NOTHING.join(parts)


def stacked(lines: Iterable[str | Markup]) -> Markup:
    """Return texts below each other, a line each."""
    return Markup("<br>").join(lines)


def untypeset(content: Markup) -> Markup:
    """Return whole HTML in which front ends take no dollar signs for formulas.

    Source: MathJax, `ignoreHtmlClass` of version 3, in JupyterLab, and tex2jax of
    version 2, elsewhere. Amounts of money would come out garbled, and `\\href` in
    a text would be a link.
    """
    if not content:
        return content
    return _made("untypeset", classes=UNTYPESET, content=Markup(valid_text(content)))


def sheet(*parts: Markup) -> Markup:
    """Return parts as one piece with the style that tables and notes need."""
    return _made("sheet", parts=parts)


def heading(text: str) -> Markup:
    """Return a small heading."""
    return _made("heading", text=text)


def paragraph(text: str | Markup) -> Markup:
    """Return a paragraph; what a text holds between backticks is code."""
    return _made("paragraph", text=coded(text))


def note(text: str | Markup, kind: doc.Severity = "") -> Markup:
    """Return a sentence with a coloured edge, backticks as in `paragraph`; `kind`
    is its colour."""
    return _made("note", text=coded(text), kind=kind)


def table(
    head: Sequence[str], rows: Iterable[Sequence[Cell]], *, caption: str = ""
) -> Markup:
    """Return a table; texts are escaped, numbers and their headings are to the right.

    One of many columns scrolls in a frame of its own.
    """
    cells = [*rows]
    numbers = {
        index
        for index, cell in enumerate(cells[-1] if cells else ())
        if isinstance(cell, int | float) and not isinstance(cell, bool)
    }
    return _made("table", head=head, rows=cells, caption=caption, numbers=numbers)


def scrolling(label: str, content: Markup) -> Markup:
    """Return content in a frame that scrolls where it is wider than the page, by
    keys too; `label` names it for those who cannot see it."""
    return _made("scrolling", label=label, content=content)


def site_link(site: str, path: str) -> Markup:
    """Return a path as a link to its page; a text where no web address is known.

    The host is always that of `site`, whatever the path holds.
    """
    if not path or not site.startswith(("https://", "http://")):
        return escape(path)
    address = f"{site.rstrip('/')}/{quote(path.lstrip('/'), safe=_IN_PATH)}"
    return _made("link", address=address, text=path)


def facts(rows: Iterable[tuple[str, Cell]]) -> Markup:
    """Return names and values as a table with the names at the left."""
    return _made("facts", rows=rows)


def folded(title: str, content: Markup) -> Markup:
    """Return content behind a title that opens it."""
    return _made("folded", title=title, content=content)


def more(count: int, shown: int, after: str = "") -> Markup:
    """Return the line below a table that says how many rows are left out, if any;
    `after` says where they are."""
    said = and_more(count, shown, "… and ", f"{after}.", form=",")
    return paragraph(said) if said else NOTHING


def source(text: str) -> Markup:
    """Return a text as code, every blank kept."""
    return _made("source", text=text)


def framed(content: Markup, *, title: str, height: int = 320) -> Markup:
    """Return safe HTML in a frame of its own in which nothing can run or load.

    The frame allows no script, no form, no navigation of the page around it and
    no request; `height` in pixels, and a reader can drag it larger.
    """
    document = _made("document", title=title, content=content)
    # As a text: what is an attribute's value is escaped once more.
    return _made("frame", title=title, document=str(document), height=height)


def preview(body: str, *, title: str, height: int = 320) -> Markup:
    """Return untrusted HTML to look at: sanitised, and in a frame."""
    return framed(sanitised(body), title=title, height=height)


def doc_html(parts: Iterable[doc.Part]) -> Markup:
    """Return a document as HTML without a style sheet."""
    return joined(map(_part, parts))


def doc_sheet(*parts: doc.Part | Markup) -> Markup:
    """Return a document as a notebook shows it; HTML among its parts stays as it is."""
    return sheet(*(each if isinstance(each, Markup) else _part(each) for each in parts))


def doc_page(title: str, about: doc.Doc, content: doc.Doc) -> str:
    """Return a document as one page that can be sent: it runs nothing and asks no host
    for anything. `about` is below its title."""
    made = fragment(
        "ui/page.html",
        "page",
        title=title,
        about=doc_html(about),
        content=doc_html(content),
    )
    return str(made)


def _part(part: doc.Part) -> Markup:
    match part:
        case doc.Text(text):
            return paragraph(text)
        case doc.Heading(text):
            return heading(text)
        case doc.Note(text, kind):
            return note(text, kind)
        case doc.Facts(rows):
            return facts((name, _value(cell)) for name, cell in rows)
        case doc.Table(head, rows, caption, shown):
            cells = [[_cell(cell) for cell in row] for row in rows[:shown]]
            made = table(head, cells, caption=caption)
            return made + (paragraph(part.more) if part.more else "")
        case doc.Fold(title, parts):
            return folded(title, doc_html(parts))


def _value(cell: doc.Cell) -> Cell:
    return _cell(doc.Text(cell) if isinstance(cell, str) else cell)


def _cell(cell: doc.Cell) -> Cell:
    match cell:
        case doc.Text(text):
            return coded(text)
        case doc.Mark(text, kind):
            return _made("mark", text=text, kind=kind)
        case doc.Link(path, site):
            return site_link(site, path)
        case doc.Address(text):
            return _made("link", address=text, text=text)
        case doc.Folder(text):
            return _made("link", address="./", text=text)
        case None | str() | int() | float():
            return cell
        case links:
            return stacked(site_link(each.site, each.path) for each in links)
