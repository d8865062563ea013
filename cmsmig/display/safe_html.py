"""HTML that is safe to show: escaped texts, tables, and previews of untrusted bodies.

`Markup` marks what is safe; formatting it escapes everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from markupsafe import Markup
from markupsafe import escape as _escape

from cmsmig.display.sanitizer import sanitised as _sanitised
from cmsmig.whole_text import whole_text

UNTYPESET = "mathjax_ignore tex2jax_ignore"
"""Classes of what is not typeset."""
Cell: TypeAlias = "Markup | str | int | float | None"

_STYLE = Markup(
    "<style>"
    ".cmsmig-sheet{font:14px/1.45 system-ui,sans-serif;max-width:100%;"
    "overflow-x:auto;color:var(--jp-content-font-color1,#222)}"
    ".cmsmig-sheet table{border-collapse:collapse;margin:.4em 0 .8em;"
    "font-size:13px}"
    ".cmsmig-sheet caption{text-align:left;font-weight:600;padding:.2em 0}"
    ".cmsmig-sheet th,.cmsmig-sheet td{padding:.25em .7em;"
    "text-align:left!important;vertical-align:top!important;"
    "border-bottom:1px solid var(--jp-border-color2,#d5d5d5);"
    "overflow-wrap:anywhere}"
    # Else a long word beside it squeezes a column to a letter a line.
    ".cmsmig-sheet td:not(.number){min-width:4.5em}"
    ".cmsmig-sheet td:empty{min-width:0}"
    ".cmsmig-sheet thead th{border-bottom-width:2px;white-space:nowrap;"
    "overflow-wrap:normal}"
    ".cmsmig-sheet .number{text-align:right!important;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".cmsmig-sheet a{color:var(--jp-content-link-color,#0b57d0);"
    "text-decoration:underline}"
    ".cmsmig-sheet h3{font-size:15px;font-weight:600;margin:.8em 0 .3em}"
    ".cmsmig-sheet p{margin:.4em 0;max-width:60em}"
    ".cmsmig-sheet pre{white-space:pre-wrap;overflow-wrap:anywhere;"
    "word-break:normal!important;"
    "font-size:12px;max-height:30em;overflow:auto}"
    ".cmsmig-note{border-left:4px solid #4a7fb5;padding:.3em .8em;margin:.5em 0}"
    ".cmsmig-note.good{border-color:#2e8b57}"
    ".cmsmig-note.warning{border-color:#c77700}"
    ".cmsmig-note.bad{border-color:#b3261e}"
    "</style>"
)
_FRAME_STYLE = Markup(
    "<style>:root{color-scheme:light}body{font:14px/1.5 system-ui,sans-serif;"
    "margin:10px;background:#fff;color:#222;overflow-wrap:anywhere}"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .5em}"
    "figure{margin:.8em 0}figcaption{font-size:12px;color:#555}"
    "blockquote{border-left:3px solid #ccc;margin-left:0;padding-left:1em}"
    "pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}"
    ".cmsmig-box{display:inline-block;border:1px dashed #777;background:#f3f3f3;"
    "padding:.3em .6em;margin:.1em;font-size:12px;color:#333}"
    ".cmsmig-link{color:#0b57d0;text-decoration:underline}"
    "ins{background:#dff3e4;text-decoration:none}"
    "mark,del{background:#ffe3c2}</style>"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def escape(value: object) -> Markup:
    """Return a text as HTML that shows it as it is."""
    return _escape("" if value is None else value)


def coded(text: str | Markup) -> Markup:
    """Return a sentence as HTML; what it holds between backticks stands as code."""
    if isinstance(text, Markup):
        return text
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part)
        for index, part in enumerate(parts)
    )


def untypeset(content: Markup) -> Markup:
    """Return whole HTML in which front ends take no dollar signs for formulas.

    Source: MathJax, `ignoreHtmlClass` of version 3, in JupyterLab, and tex2jax of
    version 2, elsewhere. Amounts of money would come out garbled, and `\\href` in
    somebody's text would be a link.
    """
    if not content:
        return content
    return Markup('<div class="{}">{}</div>').format(
        UNTYPESET, Markup(whole_text(content))
    )


def sheet(*parts: Markup) -> Markup:
    """Return parts as one piece with the style that tables and notes need."""
    return Markup('<div class="cmsmig-sheet">{}{}</div>').format(
        _STYLE, Markup("").join(parts)
    )


def heading(text: str) -> Markup:
    """Return a small heading."""
    return Markup("<h3>{}</h3>").format(text)


def paragraph(text: str | Markup) -> Markup:
    """Return a paragraph; what a text holds between backticks stands as code."""
    return Markup("<p>{}</p>").format(coded(text))


def note(
    text: str | Markup, kind: Literal["", "good", "warning", "bad"] = ""
) -> Markup:
    """Return a sentence that stands out, backticks as in `paragraph`; `kind`
    colours its edge."""
    return Markup('<div class="cmsmig-note {}" role="note">{}</div>').format(
        kind, coded(text)
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[Cell]], *, caption: str = ""
) -> Markup:
    """Return a table; texts are escaped, numbers stand to the right."""
    titled = Markup("<caption>{}</caption>").format(caption) if caption else Markup("")
    heads = Markup("").join(
        Markup('<th scope="col">{}</th>').format(name) for name in head
    )
    body = Markup("").join(_row(row) for row in rows)
    return Markup(
        "<table>{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table>"
    ).format(titled, heads, body)


def facts(rows: Iterable[tuple[str, Cell]]) -> Markup:
    """Return names and values as a table with the names at the left."""
    body = Markup("").join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(name, _cell(value))
        for name, value in rows
    )
    return Markup("<table><tbody>{}</tbody></table>").format(body)


def more(count: int, shown: int) -> Markup:
    """Return the line below a table that says how many rows are left out, if any."""
    return paragraph(f"… and {count - shown:,} more.") if count > shown else Markup("")


def source(text: str) -> Markup:
    """Return a text as code, every blank kept."""
    return Markup("<pre>{}</pre>").format(text)


def sanitised(body: str) -> Markup:
    """Return untrusted HTML with nothing in it that runs, loads or leads away.

    Images, embeds, forms and scripts become labelled boxes; a link keeps its text
    and shows its address when pointed at. For showing only, never for converting.
    """
    return Markup(_sanitised(body))


def framed(content: Markup, *, title: str, height: int = 320) -> Markup:
    """Return safe HTML in a frame of its own in which nothing can run or load.

    The frame allows no script, no form, no navigation of the page around it and
    no request; `height` in pixels, and a reader can drag it larger.
    """
    document = Markup(
        '<!doctype html><html lang="und"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{}">'
        "<title>{}</title>{}</head><body>{}</body></html>"
    ).format(_POLICY, title, _FRAME_STYLE, content)
    return Markup(
        '<iframe sandbox="" referrerpolicy="no-referrer" title="{}" srcdoc="{}" '
        'style="box-sizing:border-box;width:100%;height:{}px;border:1px solid #bbb;'
        'background:#fff;resize:vertical;overflow:auto"></iframe>'
    ).format(title, str(document), height)


def preview(body: str, *, title: str, height: int = 320) -> Markup:
    """Return untrusted HTML to look at: sanitised, and in a frame."""
    return framed(sanitised(body), title=title, height=height)


def _row(cells: Sequence[Cell]) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup("").join(_cell(each) for each in cells))


def _cell(value: Cell) -> Markup:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Markup('<td class="number" style="text-align:right">{}</td>').format(
            f"{value:,}"
        )
    if isinstance(value, bool):
        return Markup("<td>yes</td>") if value else Markup("<td></td>")
    # Said here too: an untrusted page loses the style sheet.
    return Markup('<td style="text-align:left">{}</td>').format(
        "" if value is None else value
    )
