"""The three smaller decision files as documents that people edit."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.choices import (
    ArchiveRule,
    CollectionChoice,
    CollectionsDecision,
    ConflictAction,
    ConflictChoice,
    ConflictKind,
    ConflictsDecision,
    DraftRule,
    EmbedsDecision,
    ItemSet,
    LocaleChoice,
    PublishRule,
)
from cmsmig.mapping.decisions.yaml_documents import Entry, mapping_of
from cmsmig.richtext.policy import Treatment, Unclosed


def collections_body(decision: CollectionsDecision) -> JsonObject:
    """Return `collections.yaml` as plain JSON."""
    locales: list[Json] = [
        {
            "locale": locale.tag,
            "locale_id": locale.locale_id,
            "name": locale.name,
            "primary": locale.primary,
            "migrate": locale.migrate,
            "folder": locale.folder,
        }
        for locale in decision.locales
    ]
    collections: list[Json] = [
        {
            "collection": choice.collection_slug,
            "collection_id": choice.collection_id,
            "migrate": choice.migrate,
            "items": str(choice.items),
            "drafts": str(choice.drafts),
            "archived": str(choice.archived),
            "publish": str(choice.publish),
            "note": choice.note,
        }
        for choice in decision.collections
    ]
    return {"locales": locales, "collections": collections}


def read_collections(entry: Entry) -> CollectionsDecision:
    """Return the choices in `collections.yaml`, without who reviewed them."""
    return CollectionsDecision(
        locales=tuple(map(_locale, entry.entries("locales"))),
        collections=tuple(map(_collection, entry.entries("collections"))),
    )


def _locale(entry: Entry) -> LocaleChoice:
    found = LocaleChoice(
        tag=entry.text("locale"),
        locale_id=entry.text("locale_id"),
        name=entry.text("name", ""),
        primary=entry.flag("primary", False),
        migrate=entry.flag("migrate", True),
        folder=entry.text("folder", ""),
    )
    entry.done()
    return found


def _collection(entry: Entry) -> CollectionChoice:
    found = CollectionChoice(
        collection_slug=entry.text("collection"),
        collection_id=entry.text("collection_id"),
        migrate=entry.flag("migrate", True),
        items=entry.choice("items", ItemSet, ItemSet.STAGED),
        drafts=entry.choice("drafts", DraftRule, DraftRule.AS_DRAFTS),
        archived=entry.choice("archived", ArchiveRule, ArchiveRule.SKIP),
        publish=entry.choice("publish", PublishRule, PublishRule.NOTHING),
        note=entry.text("note", ""),
    )
    entry.done()
    return found


def embeds_body(decision: EmbedsDecision) -> JsonObject:
    """Return `embeds.yaml` as plain JSON."""
    return {
        "kinds": mapping_of(decision.kinds),
        "signatures": mapping_of(decision.signatures),
        "unclosed": str(decision.unclosed),
    }


def read_embeds(entry: Entry) -> EmbedsDecision:
    """Return the choices in `embeds.yaml`, without who reviewed them."""
    return EmbedsDecision(
        kinds=_treatments(entry, "kinds"),
        signatures=_treatments(entry, "signatures"),
        unclosed=entry.choice("unclosed", Unclosed, Unclosed.KEEP),
    )


def _treatments(entry: Entry, key: str) -> dict[str, Treatment]:
    if not entry.has(key):
        return {}
    inner = entry.entry(key)
    return {name: inner.choice(name, Treatment) for name in inner.keys()}  # noqa: SIM118


def conflicts_body(decision: ConflictsDecision) -> JsonObject:
    """Return `conflicts.yaml` as plain JSON."""
    conflicts: list[Json] = [
        {
            "kind": str(choice.kind),
            "what": choice.what,
            "action": str(choice.action),
            "rename_to": choice.rename_to,
            "note": choice.note,
        }
        for choice in decision.conflicts
    ]
    return {"conflicts": conflicts}


def read_conflicts(entry: Entry) -> ConflictsDecision:
    """Return the choices in `conflicts.yaml`, without who reviewed them."""
    return ConflictsDecision(tuple(map(_conflict, entry.entries("conflicts"))))


def _conflict(entry: Entry) -> ConflictChoice:
    found = ConflictChoice(
        kind=entry.choice("kind", ConflictKind),
        what=entry.text("what"),
        action=entry.choice("action", ConflictAction),
        rename_to=entry.text("rename_to", ""),
        note=entry.text("note", ""),
    )
    entry.done()
    return found
