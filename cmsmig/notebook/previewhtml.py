"""What notebook 03 shows, as safe HTML: bodies side by side, losses, embeds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from cmsmig.mapping.choices import BlocksDecision, EmbedsDecision
from cmsmig.report.bodies import BodyShelf
from cmsmig.report.embeds import treatment_of
from cmsmig.report.marking import destination_html, marked_html
from cmsmig.report.safehtml import (
    Cell,
    escape,
    heading,
    note,
    paragraph,
    preview,
    sanitised,
    sheet,
    source,
    table,
)
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import Treatment

TREATMENTS = {
    Treatment.HTML: "raw HTML block",
    Treatment.COMPONENT: "embed block",
    Treatment.LINK: "link",
    Treatment.DROP: "left out",
}
"""What becomes of an embed, in words."""

_WHAT = 240
"""Characters of a lost thing that a table shows; the ledger keeps all of it."""
_UNBROKEN = 26
"""Characters of a cell that stay on one line."""
_DOCUMENT = 60_000
"""Characters of a document that are shown."""
_SCROLLED = Markup('<div style="max-height:340px;overflow:auto">{}</div>')
_UNFRAMED = Markup(
    "<style>.cmsmig-unframed{{display:none}}</style>{}"
    '<div class="cmsmig-unframed" style="max-height:340px;overflow:auto">{}</div>'
)


_SIDE_BY_SIDE = Markup(
    '<div style="display:grid;gap:8px;'
    'grid-template-columns:repeat(3,minmax(0,1fr))">{}{}{}</div>'
)


def bodies_html(shelf: BodyShelf, blocks: BlocksDecision) -> Markup:
    """Return the bodies per field and the losses by kind, as tables."""
    modes = {(each.collection_id, each.field): str(each.mode) for each in blocks.bodies}
    rows: dict[tuple[str, str], list[int]] = {}
    titles: dict[tuple[str, str], tuple[str, str]] = {}
    for index, body in enumerate(shelf.bodies):
        place = (body.collection.collection_id, body.design.origin)
        titles[place] = (body.collection.display_name, body.design.origin)
        losses = shelf.converted(index)
        counts = rows.setdefault(place, [0, 0, 0])
        for position, more in enumerate((1, bool(losses.losses), bool(losses.worst))):
            counts[position] += more
    listed: list[tuple[Cell, ...]] = [
        (*titles[place], modes.get(place, "one_richtext").replace("_", " "), *counts)
        for place, counts in rows.items()
    ]
    head = ("collection", "field", "stored as", "bodies", "with losses", "of content")
    return sheet(
        table(head, listed, caption="Bodies to import"), _losses_by_kind(shelf)
    )


def body_html(shelf: BodyShelf, index: int, *, kept: bool = False) -> Markup:
    """Return one body: origin, destination and document, then its losses.

    `kept` for what is stored in a notebook, which may be opened without trust.
    """
    show = _kept_preview if kept else preview
    body, converted = shelf.bodies[index], shelf.converted(index)
    place = f"{body.collection.display_name}, {body.design.origin}"
    document = json.dumps(converted.document, ensure_ascii=False, indent=1)
    if len(document) > _DOCUMENT:
        document = f"{document[:_DOCUMENT]}\n… {len(document) - _DOCUMENT} more"
    origin = show(
        marked_html(body.text, converted.losses), title=f"Origin of {body.title}"
    )
    target = show(
        destination_html(converted.document), title=f"Destination of {body.title}"
    )
    return sheet(
        heading(f"{body.title} — {place}"),
        _SIDE_BY_SIDE.format(
            _titled("Origin", origin),
            _titled("Destination", target),
            _titled("Document", _SCROLLED.format(source(document))),
        ),
        losses_html(converted.losses),
    )


def losses_html(losses: Sequence[Loss]) -> Markup:
    """Return a body's losses; the numbers are those of the marks in the origin."""
    if not losses:
        return note("Nothing of this body is lost.", "good")
    rows = [
        (
            number,
            _whole(loss.severity),
            _whole(loss.kind),
            _whole(_short(loss.what)),
            _whole(loss.where),
            loss.context,
            loss.why,
        )
        for number, loss in enumerate(losses, start=1)
    ]
    head = ("", "lost of", "kind", "what", "where", "near", "why")
    return table(head, rows, caption=f"Losses: {len(losses)}")


def embeds_html(shelf: BodyShelf, decision: EmbedsDecision) -> Markup:
    """Return the embeds by kind and host with their treatment, as a table."""
    found = shelf.embeds()
    if not found:
        return sheet(note("No body holds an embed."))
    rows = [
        (
            _whole(each.kind),
            _whole(each.signature or "no address"),
            each.count,
            each.bodies,
            _whole(TREATMENTS[treatment_of(each, decision)]),
            _short(each.example),
        )
        for each in found
    ]
    head = ("kind", "host", "embeds", "bodies", "becomes", "such as")
    return sheet(table(head, rows, caption="Embeds in all bodies"))


def _losses_by_kind(shelf: BodyShelf) -> Markup:
    counts: Counter[tuple[str, str]] = Counter()
    touched: Counter[tuple[str, str]] = Counter()
    reasons: dict[tuple[str, str], str] = {}
    for index in range(len(shelf.bodies)):
        losses = shelf.converted(index).losses
        kinds = [(str(loss.severity), loss.kind) for loss in losses]
        counts.update(kinds)
        touched.update(set(kinds))
        for kind, loss in zip(kinds, losses, strict=True):
            reasons.setdefault(kind, loss.why)
    if not counts:
        return note("No body loses anything.", "good")
    rows = [
        (_whole(kind[0]), _whole(kind[1]), reasons[kind], count, touched[kind])
        for kind, count in sorted(counts.items())
    ]
    head = ("lost of", "kind", "why, such as", "losses", "bodies")
    return table(head, rows, caption="What bodies lose")


def _kept_preview(body: str, *, title: str) -> Markup:
    """Return a preview that is readable where frames and styles are taken out.

    A front end that does not trust a notebook does both, and then shows the
    sanitised body itself; everywhere else the style hides that one.
    """
    return _UNFRAMED.format(preview(body, title=title), sanitised(body))


def _titled(title: str, content: Markup) -> Markup:
    return Markup("<div>{}{}</div>").format(
        paragraph(Markup("<b>{}</b>").format(title)), content
    )


def _whole(text: str) -> Markup:
    """Return a text that a narrow column does not break, unless it is long."""
    if len(text) > _UNBROKEN:
        return escape(text)
    return Markup('<span style="white-space:nowrap">{}</span>').format(text)


def _short(text: str) -> str:
    return text if len(text) <= _WHAT else f"{text[:_WHAT]}…"
