"""What notebook 03 says of all bodies, as safe HTML: fields, embeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from markupsafe import Markup

from cmsmig.counting import first_of
from cmsmig.mapping.decisions.choices import BlocksDecision, BodyMode, EmbedsDecision
from cmsmig.review.body_index import BodyIndex
from cmsmig.review.embeds import PICTURES, treatment_of
from cmsmig.richtext.blocks.proposals import Heuristic
from cmsmig.richtext.policy import Treatment, Unclosed
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, Cell, escape, note, sheet, table

TREATMENTS: Mapping[str, str] = {
    Treatment.HTML: "raw HTML block",
    Treatment.COMPONENT: "embed block",
    Treatment.LINK: "link",
    Treatment.DROP: "left out",
    Treatment.PICTURE: "picture alone",
}
"""What becomes of an embed, in words."""

_NAMED = 5
"""Bodies that a note names."""
UNCLOSED: Mapping[str, str] = {
    Unclosed.KEEP: "keep the rest of the body as raw HTML",
    Unclosed.END: "end where the body goes on",
}
"""What becomes of embeds that are never closed, in words."""
_EXAMPLE = 240
"""Characters of an example that a table shows."""
_UNBROKEN = 26
"""Characters of a cell that stay on one line."""
_made = partial(fragment, "notebook/preview/preview_html.html")


def bodies_html(body_index: BodyIndex, blocks: BlocksDecision) -> Markup:
    """Return the bodies per field as a table, with those looked through so far that
    lose something."""
    rows: dict[tuple[str, str], list[int]] = {}
    titles: dict[tuple[str, str], tuple[str, str]] = {}
    digests = body_index.digests()
    for index, body in enumerate(body_index.bodies):
        place = (body.collection.collection_id, body.design.origin)
        titles[place] = (body.collection.display_name, body.design.origin)
        digest = digests.get(index)
        counts = rows.setdefault(place, [0, 0, 0])
        counts[0] += 1
        if digest is not None:
            counts[1] += bool(digest.losses)
            counts[2] += digest.content > 0
    listed: list[tuple[Cell, ...]] = [
        (*titles[place], mode_told(blocks, *place), *counts)
        for place, counts in rows.items()
    ]
    head = ("collection", "field", "stored as", "bodies", "with losses", "of content")
    return sheet(
        looked_html(body_index),
        table(head, listed, caption="Bodies to import"),
    )


def looked_html(body_index: BodyIndex) -> Markup:
    """Return how many bodies were looked through, while it is not all of them."""
    known, bodies = body_index.known, len(body_index.bodies)
    if known == bodies:
        return NOTHING
    return note(
        f"{known:,} of {bodies:,} bodies are looked through so far; "
        "the counts go on growing."
    )


def mode_told(blocks: BlocksDecision, collection_id: str, field: str) -> str:
    """Return how a field's bodies are stored, in words."""
    choice = blocks.choice(collection_id, field)
    if choice is None or choice.mode is BodyMode.ONE_RICHTEXT:
        return "one rich text"
    names = [
        f"headings 1 to {choice.heuristics.heading_level}"
        if each is Heuristic.HEADINGS
        else str(each)
        for each in Heuristic
        if each in choice.heuristics.on
    ]
    return f"blocks, split at: {', '.join(names) or 'nothing yet'}"


def becomes(kind: str, treatment: Treatment) -> str:
    """Return what an embed of this kind becomes, in words."""
    if treatment is Treatment.COMPONENT and kind in PICTURES:
        return "figure block"
    return TREATMENTS[treatment]


def fields_html(body_index: BodyIndex, blocks: BlocksDecision) -> Markup:
    """Return how each field's bodies are stored, and how many there are."""
    counts = Counter(
        (body.collection.collection_id, body.design.origin)
        for body in body_index.bodies
    )
    rows = [
        (
            each.collection_slug,
            each.field,
            counts[each.collection_id, each.field],
            mode_told(blocks, each.collection_id, each.field),
        )
        for each in blocks.bodies
    ]
    head = ("collection", "field", "bodies", "stored as")
    return table(head, rows, caption="How bodies are stored")


def embeds_html(body_index: BodyIndex, decision: EmbedsDecision) -> Markup:
    """Return the embeds by kind and host with their treatment, as a table."""
    found = body_index.embeds()
    if not found:
        return sheet(note("No body holds an embed."))
    rows = [
        (
            unbroken(each.kind),
            unbroken(each.signature or "no address"),
            each.count,
            each.bodies,
            unbroken(becomes(each.kind, treatment_of(each, decision))),
            _short(each.example),
        )
        for each in found
    ]
    head = ("kind", "host", "embeds", "bodies", "becomes", "such as")
    shown = table(head, rows, caption="Embeds in all bodies")
    return sheet(shown + unclosed_html(body_index, decision.unclosed))


def unclosed_html(body_index: BodyIndex, choice: Unclosed) -> Markup:
    """Return what is known of embeds that are never closed, or nothing."""
    found = body_index.unclosed()
    if not found:
        return NOTHING
    count = sum(each for _, each in found)
    names = first_of([title for title, _ in found], _NAMED)
    return note(
        f"{count:,} embeds in {len(found):,} bodies are never closed, so that browsers "
        f"take the rest of the body for a part of them: {names}. They "
        f"{UNCLOSED[choice]}; the losses of each body tell what each holds.",
        "warning" if choice is Unclosed.KEEP else "good",
    )


def unbroken(text: str) -> Markup:
    """Return a text that a narrow column does not break, unless it is long."""
    if len(text) > _UNBROKEN:
        return escape(text)
    return _made("unbroken", text=text)


def _short(text: str) -> str:
    return text if len(text) <= _EXAMPLE else f"{text[:_EXAMPLE]}…"
