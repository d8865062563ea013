"""What the list of items shows of each one: cells, the first picture, findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from cmsmig.counting import and_more
from cmsmig.mapping.dates import iso_text, parse_moment, utc_day
from cmsmig.mapping.select.selection import PublicationState
from cmsmig.survey.catalogue import Catalogue, Entry
from cmsmig.survey.item_findings import Sighting
from cmsmig.survey.references import item_names
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.survey.value_facts import REFERENCE
from cmsmig.ui import controls
from cmsmig.ui.html.safe_html import escape, stacked

STATES: Mapping[PublicationState, str] = {
    PublicationState.PUBLISHED: "published",
    PublicationState.CHANGES_IN_DRAFT: "live, with newer edits in draft",
    PublicationState.DRAFT: "draft, never live",
    PublicationState.UNPUBLISHED: "was live, is not any more",
    PublicationState.QUEUED: "goes live with the next publish",
    PublicationState.QUEUED_CHANGES: "live, with changes that go live next",
    PublicationState.ARCHIVED: "archived",
    PublicationState.ARCHIVED_LIVE: "archived, still live",
    PublicationState.LIVE_ONLY: "live only, gone for editors",
}
"""States of items in words."""
_LINES = 4
"""Findings of one item that a list shows."""


def entry_cells(
    catalogue: Catalogue, entry: Entry
) -> Mapping[str, Markup | str | controls.Copied]:
    """Return the cells of the columns that every item has."""
    item_id = entry.key.item_id
    return {
        "slug": entry.slug,
        "collection": catalogue.collection(entry).display_name,
        "locale": catalogue.locale_tag(entry),
        "state": STATES[entry.state],
        "updated": _day(entry.updated),
        "left_out": entry.left_out,
        "published": _day(entry.published),
        "created": _day(entry.created),
        "losses": "" if entry.losses is None else f"{entry.losses:,}",
        "path": entry.path,
        "id": controls.Copied(item_id, f"Copy the id of {entry.title}: {item_id}"),
    }


def entry_texts(catalogue: Catalogue, entry: Entry) -> tuple[str, ...]:
    """Return the texts of the columns that every CSV has."""
    moment = parse_moment(entry.updated)
    return (
        catalogue.collection(entry).display_name,
        entry.name,
        entry.slug,
        catalogue.locale_tag(entry),
        STATES[entry.state],
        iso_text(moment) if moment else entry.updated,
        entry.path,
        entry.key.item_id,
    )


def first_pictures(
    catalogue: Catalogue, thumbnails: Thumbnails, entries: Sequence[Entry]
) -> Mapping[int, Markup]:
    """Return the first picture of each item that has a local copy of one: in its
    fields, else in its bodies; an empty place before that is drawn."""
    rows = catalogue.all(
        "SELECT entry, field, sha256, min(ordinal) FROM held_file WHERE entry IN "
        f"({', '.join(str(each.entry_id) for each in entries)}) "
        "AND picture AND sha256 <> '' GROUP BY entry, field"
    )
    held = {(entry, field): sha256 for entry, field, sha256, _ in rows}
    found = {}
    for each in entries:
        fields = catalogue.collection(each).fields
        for field in sorted(fields, key=lambda field: field.type == "RichText"):
            if sha256 := held.get((each.entry_id, field.slug)):
                source = thumbnails.kept(sha256, small=True) or ""
                found[each.entry_id] = controls.thumbnail(source)
                break
    return found


def field_texts(
    catalogue: Catalogue, entries: Sequence[Entry], fields: Sequence[str]
) -> Mapping[tuple[int, str], str]:
    """Return what lists show of fields, by entry and field."""
    rows = catalogue.all(
        "SELECT entry, field, kind, facet, shown FROM cell WHERE entry IN "
        f"({', '.join(str(each.entry_id) for each in entries)}) "
        f"AND field IN ({', '.join('?' * len(fields))}) "
        "ORDER BY entry, field, ordinal",
        fields,
    )
    targets = (facet for _, _, kind, facet, _ in rows if kind == REFERENCE)
    names = item_names(catalogue, targets)
    found: dict[tuple[int, str], list[str]] = {}
    for entry, field, kind, facet, shown in rows:
        text = names[facet] if kind == REFERENCE else shown
        found.setdefault((entry, field), []).append(text)
    return {key: ", ".join(each) for key, each in found.items()}


def findings_html(found: Sequence[Sighting]) -> Markup:
    """Return what was found in an item, a line each."""
    lines = [
        f"{each.field}: {each.what}" if each.field else each.what
        for each in found[:_LINES]
    ]
    lines.append(and_more(len(found), _LINES, "… and "))
    return stacked(line for line in lines if line)


def _day(moment: str) -> Markup:
    found = parse_moment(moment)
    return controls.day(utc_day(found), moment) if found else escape(moment)
