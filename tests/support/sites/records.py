"""The origin's records as its read API gives them: site, collections, items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.canonical import Json, JsonObject
from tests.support.sites.identity import (
    FILES,
    collection_id,
    long_id,
    moment,
    option_id,
    ref,
    short_id,
)

ENGLISH = short_id("locale:en")
FRENCH = short_id("locale:fr")


class State(StrEnum):
    """The state of an item; the envelope's booleans alone do not show it."""

    PUBLISHED = "published"
    CHANGED = "changed"
    """Live with older content, edited since: `isDraft` is true all the same."""
    DRAFT = "draft"
    UNPUBLISHED = "unpublished"
    """On the wire the same as a draft that never was live."""
    QUEUED = "queued"
    """`isDraft` false and yet never live."""
    REQUEUED = "requeued"
    """`isDraft` false, live with older content, edited since."""
    ARCHIVED = "archived"
    ARCHIVED_DRAFT = "archived draft"
    ARCHIVED_LIVE = "archived and live"
    """Archived since the last full publish, so the live set still has it."""
    LIVE_ONLY = "live only"
    """Deleted since the last full publish: the staged set lacks it."""


_LIVE = {
    State.PUBLISHED,
    State.CHANGED,
    State.REQUEUED,
    State.ARCHIVED_LIVE,
    State.LIVE_ONLY,
}
_ARCHIVED = {State.ARCHIVED, State.ARCHIVED_DRAFT, State.ARCHIVED_LIVE}
_DRAFT = {State.CHANGED, State.DRAFT, State.UNPUBLISHED, State.ARCHIVED_DRAFT}
_EDITED_SINCE = {State.CHANGED, State.REQUEUED, State.ARCHIVED_LIVE}


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a collection's schema."""

    type: str
    slug: str
    label: str
    required: bool = False
    validations: JsonObject | None = None
    help_text: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One collection: its schema, without `name` and `slug`."""

    key: str
    display_name: str
    singular_name: str
    columns: tuple[Column, ...]
    nulls: bool
    """Whether a field never filled is null, or its key absent."""
    name_label: str = "Name"
    groups: tuple[str, ...] = ()
    localised: bool = True
    """Without locales, the service says null for an item's locale."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One item with its locale variants."""

    key: str
    data: JsonObject | None
    """In English; None when the item exists in French only."""
    state: State = State.PUBLISHED
    french: JsonObject | None = None
    """What differs in French; None when there is no French variant."""
    french_state: State = State.PUBLISHED
    earlier: JsonObject = field(default_factory=dict)
    """What the live English variant still holds where the staged one differs."""
    french_earlier: JsonObject = field(default_factory=dict)
    """The same of the French variant."""


def choices(table: str, column: str, **options: str) -> JsonObject:
    """Return the validations of an Option field, choice by key.

    Every other choice names its id first: the service keeps to no order.
    """
    listed: list[Json] = []
    for number, (key, name) in enumerate(options.items()):
        option: JsonObject = {"name": name, "id": option_id(table, column, key)}
        if number % 2:
            option = dict(reversed(option.items()))
        listed.append(option)
    return {"options": listed}


def into(table: str) -> JsonObject:
    """Return the validations of a reference into the collection `table`."""
    return {"collectionId": collection_id(table)}


def summary(table: Table) -> JsonObject:
    """Return the row of the collection in the site's list."""
    return {
        "id": collection_id(table.key),
        "displayName": table.display_name,
        "singularName": table.singular_name,
        "slug": table.key,
        "createdOn": moment(f"table:{table.key}", days=-1100),
        "lastUpdated": moment(f"table:{table.key}"),
    }


def schema(table: Table) -> JsonObject:
    """Return the collection with its fields; `name` and `slug` come last."""
    columns = (*table.columns, *_name_and_slug(table.name_label))
    body: JsonObject = {
        **summary(table),
        "fields": [_field(table.key, column) for column in columns],
    }
    if table.groups:
        body["fieldGroups"] = [_group(table, number) for number in range(2)]
    return body


def staged(table: Table, entries: Iterable[Entry]) -> Iterator[JsonObject]:
    """Yield the staged set, the variants of an item next to each other."""
    for entry, locale, state, data in _variants(entries):
        if state is not State.LIVE_ONLY:
            label = f"{table.key}:{entry.key}:{locale}"
            yield {
                "id": ref(table.key, entry.key),
                "cmsLocaleId": locale if table.localised else None,
                **_stamps(label, state),
                "isArchived": state in _ARCHIVED,
                "isDraft": state in _DRAFT,
                "fieldData": _completed(table, data),
            }


def live(table: Table, entries: Iterable[Entry]) -> Iterator[JsonObject]:
    """Yield the live set: what the last publish put on the site."""
    for entry, locale, state, data in _variants(entries):
        earlier = entry.earlier if locale == ENGLISH else entry.french_earlier
        if state in _LIVE:
            label = f"{table.key}:{entry.key}:{locale}"
            yield {
                "id": ref(table.key, entry.key),
                "cmsLocaleId": locale if table.localised else None,
                **_stamps(label, State.PUBLISHED),
                "isArchived": False,
                "isDraft": False,
                "fieldData": _completed(table, {**data, **earlier}),
            }


def _variants(
    entries: Iterable[Entry],
) -> Iterator[tuple[Entry, str, State, JsonObject]]:
    for entry in entries:
        if entry.data is not None:
            yield entry, ENGLISH, entry.state, entry.data
        if entry.french is not None:
            merged = {**(entry.data or {}), **entry.french}
            yield entry, FRENCH, entry.french_state, merged


def _stamps(label: str, state: State) -> JsonObject:
    published = moment(label, days=20) if state in _LIVE else None
    updated = moment(label, days=24 if state in _EDITED_SINCE else 19)
    return {
        "lastPublished": published,
        "lastUpdated": updated,
        "createdOn": moment(label),
    }


def _completed(table: Table, data: JsonObject) -> JsonObject:
    """Put the keys in schema order and treat the unfilled as the table does."""
    body: JsonObject = {}
    for column in table.columns:
        if column.slug in data:
            body[column.slug] = data[column.slug]
        elif column.type == "Switch" and table.nulls:
            body[column.slug] = False
        elif table.nulls:
            body[column.slug] = None
    known = {*body, "name", "slug"}
    body.update({key: value for key, value in data.items() if key not in known})
    body.update({key: data[key] for key in ("name", "slug") if key in data})
    return body


def _field(table: str, column: Column) -> JsonObject:
    return {
        "id": long_id(f"field:{table}:{column.slug}"),
        "isEditable": True,
        "isRequired": column.required,
        "type": column.type,
        "slug": column.slug,
        "displayName": column.label,
        "helpText": column.help_text,
        "validations": column.validations,
    }


def _name_and_slug(label: str) -> tuple[Column, Column]:
    rule = "Must be alphanumerical and not contain any spaces or special characters"
    messages: JsonObject = {"pattern": rule, "maxLength": "At most 256 characters"}
    return (
        Column("PlainText", "name", label, True, {"maxLength": 256}),
        Column(
            "PlainText",
            "slug",
            "Slug",
            True,
            {"maxLength": 256, "pattern": {}, "messages": messages},
        ),
    )


def _group(table: Table, number: int) -> JsonObject:
    """Return one field group; the groups share the fields half and half."""
    half = (len(table.columns) + 1) // 2
    columns = table.columns[:half] if number == 0 else table.columns[half:]
    name = table.groups[number]
    fields: list[Json] = [
        long_id(f"field:{table.key}:{column.slug}") for column in columns
    ]
    return {
        "id": long_id(f"group:{table.key}:{name}"),
        "displayName": name,
        "fields": fields,
    }


HOST = "saltmarsh.example.com"
SHOP = "shop.saltmarsh.example.com"
PLATFORM = "saltmarsh-quarterly.webflow.io"
SITE_ID = short_id("site:saltmarsh-quarterly")
LAST_PUBLISHED = "2025-09-18T08:12:44.871Z"


def site_record() -> JsonObject:
    """Return the site as the sites list gives it."""
    return {
        "id": SITE_ID,
        "workspaceId": short_id("workspace:saltmarsh"),
        "createdOn": "2021-11-02T09:20:31.000Z",
        "displayName": "Saltmarsh Quarterly",
        "shortName": PLATFORM.split(".", 1)[0],
        "lastPublished": LAST_PUBLISHED,
        "lastUpdated": "2025-09-20T15:41:02.118Z",
        "previewUrl": f"{FILES}/{short_id('file:preview.png')}_preview.png",
        "timeZone": "Europe/Paris",
        "parentFolderId": None,
        "customDomains": [_domain(HOST), _domain(SHOP)],
        "locales": {
            "primary": {
                "id": short_id("locale record:en"),
                "cmsLocaleId": ENGLISH,
                "enabled": True,
                "displayName": "English",
                "displayImageId": None,
                "redirect": False,
                "subdirectory": "",
                "tag": "en",
            },
            "secondary": [
                {
                    "id": short_id("locale record:fr"),
                    "cmsLocaleId": FRENCH,
                    "enabled": True,
                    "displayName": "French (France)",
                    "displayImageId": None,
                    "subdirectory": "fr",
                    "tag": "fr-FR",
                }
            ],
        },
        "dataCollectionEnabled": False,
        "dataCollectionType": "disabled",
    }


def _domain(host: str) -> JsonObject:
    return {
        "id": short_id(f"domain:{host}"),
        "url": host,
        "lastPublished": LAST_PUBLISHED,
    }
