"""Bodies made readable for a review: losses marked, blocks as forms.

The results hold the origin's own HTML and are as untrusted as that: they are
sanitised where they are shown. `word_marks` reads the labels of a form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from mimetypes import guess_type

from markupsafe import Markup

from cmsmig.canonical import Json
from cmsmig.reconcile.labels import EMPTY, NO_LABELS, Labels
from cmsmig.review.bodies import elements_by_path
from cmsmig.richtext.html.dom import Element, tag_set
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.render import render_rich_text
from cmsmig.ui.html.sanitizer import sanitised
from cmsmig.ui.html.word_marks import SIGN

_INLINE = tag_set(
    "a abbr b big cite code del em font i ins kbd mark q s samp small span strike "
    "strong sub sup tt u var"
)
_CELLS = frozenset(("li", "td", "th", "caption", "figcaption", "dt", "dd"))
_BETWEEN = tag_set("tr thead tbody tfoot colgroup col")
"""Nothing is put before these: browsers would move it out of the table."""
_OWN = ("component", "_uid")
"""What a block has besides its fields."""
_LONGEST = 160
"""Characters of a value that are shown in a form."""
_NUMBER = re.compile(rf"<sup>{SIGN}(\d+)</sup>")


def marked_html(html: str, losses: Sequence[Loss]) -> str:
    """Return a body with a number at each loss; those beyond looks are marked.

    Numbers are positions in `losses`, from 1. A loss without a place in the body,
    such as a file named in its text, is listed only.
    Whatever no preview shows is named by the sanitiser.
    """
    places = elements_by_path(html)
    pieces: list[tuple[int, str]] = []
    for number, loss in enumerate(losses, start=1):
        element = places.get(loss.where)
        if element is not None:
            pieces += _marks(element, number, loss.severity)
    return _with(html.replace(SIGN, "\ufffd"), pieces)


def numbered(clean: Markup) -> Markup:
    """Return what `marked_html` gave, once it is clean, with the number of each loss
    where the page finds it."""
    shown = r'<sup class="cmsmig-loss" data-loss="\1">\1</sup>'
    return Markup(_NUMBER.sub(shown, str(clean)).replace(SIGN, ""))


def destination_html(document: Json, labels: Labels = NO_LABELS) -> str:
    """Return a document, or some of its nodes, as readers will see it; each block as a
    form: its component, then its fields.

    The renderer leaves blocks to the new site's own components.
    """
    return render_rich_text(document, block=partial(_form, labels))


def _marks(element: Element, number: int, severity: Severity) -> list[tuple[int, str]]:
    digits = f"<sup>{SIGN}{number}</sup>"
    if severity is Severity.LAYOUT:
        return [(_before(element), f"{digits} ")]
    if element.tag in _INLINE and element.end > element.start:
        return [(element.start, f"<mark>{digits}"), (element.end, "</mark>")]
    return [(_before(element), f"<mark>{digits}</mark> ")]


def _before(element: Element) -> int:
    """Return where a mark can be put: in a cell, but never between two."""
    if element.tag in _CELLS:
        return element.inner_start
    current: Element | None = element
    while current is not None and current.tag in _BETWEEN:
        current = current.parent
    return element.start if current is None else current.start


def _with(html: str, pieces: Iterable[tuple[int, str]]) -> str:
    written, last = [], 0
    for position, text in sorted(pieces, key=lambda piece: piece[0]):
        written += [html[last:position], text]
        last = position
    return "".join(written) + html[last:]


def _form(labels: Labels, block: object) -> str:
    """Return a block as a list of its fields with their labels."""
    if not isinstance(block, dict):
        return ""
    component = str(block.get("component"))
    rows = [
        f"<dt>{_label(label)}</dt><dd>{shown}</dd>"
        for name, value in block.items()
        if name not in _OWN
        for label, shown in _rows(labels, labels.key(component, name), value)
    ]
    return f"<dl><dt>{_label(f'▣ block {component}')}</dt>{''.join(rows)}</dl>"


def _rows(labels: Labels, label: str, value: Json) -> Iterator[tuple[str, str]]:
    """Yield what a field holds with its label: rich text as such, blocks as forms, all
    else in a line; a picture with what it says to those who cannot see it."""
    listed = value if isinstance(value, list) else []
    if held := [e for e in listed if isinstance(e, dict) and "component" in e]:
        yield label, "".join(_form(labels, each) for each in held)
        return
    if isinstance(value, dict) and value.get("type") == "doc":
        yield label, destination_html(value, labels)
        return
    text = labels.value(value)
    if text != EMPTY:
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        yield label, _picture(value) + _label(short, value)
    if isinstance(value, dict) and (alt := value.get("alt")):
        yield "Alternative text", _label(str(alt))


def _label(text: str, value: Json = None) -> str:
    """Return what is shown of a name or a value, with the HTML that a text holds."""
    held = str(sanitised(value)) if isinstance(value, str) else ""
    return f'<span title="{SIGN}{escape(held.replace(SIGN, ""))}">{escape(text)}</span>'


def _picture(value: Json) -> str:
    """Return the picture that an asset field holds, if it is one."""
    held = value if isinstance(value, dict) else {}
    address, alt = (str(held.get(name) or "") for name in ("filename", "alt"))
    if not (guess_type(address)[0] or "").startswith("image/"):
        return ""
    return f'<img src="{escape(address)}" alt="{escape(alt)}">'
