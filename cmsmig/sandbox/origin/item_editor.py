"""Items edited at the origin as in its own editor: what each act does to the staged and
to the live list.

Source: origin, states; locales; three raw reads.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import NoReturn

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import AnsweredError
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.origin.field_checks import wrong_value
from cmsmig.sandbox.origin.refusals import failure, missing, refuse
from cmsmig.sandbox.values import list_of, moment, object_of, text_of

_NAMING = frozenset({"item", "locale"})
_SYSTEM = ("name", "slug")


@dataclass(frozen=True, slots=True)
class Found:
    """One variant of an item."""

    collection: str
    item: JsonObject
    """As the staged list has it."""
    live: JsonObject | None


@dataclass(frozen=True, slots=True)
class ItemEditor:
    """Edits the items of one content; each act answers the staged item.

    `item` in what was sent is an id, `locale` a tag, a subdirectory or a
    `cmsLocaleId`; without it the primary language's variant is meant.
    """

    content: Content
    clock: Callable[[], float]

    def add(self, sent: JsonObject) -> JsonObject:
        """Add a draft; with `item`, the variant of that item in a locale."""
        _require_keys(sent, {"collection", "fieldData", *_NAMING})
        collection = text_of(sent.get("collection"))
        if self.content.collection(collection) is None:
            missing("Collection", "collection_not_found")
        locale, same = self.locale(sent.get("locale")), text_of(sent.get("item"))
        if same and not self.content.variants(collection, same, live=False):
            missing("Item", "item_not_found")
        if same and self._variant(collection, same, locale, live=False):
            refuse(f"item {same} is there in this language")
        data = object_of(self.content.moved(sent.get("fieldData")))
        if not data.get("slug"):
            words = re.findall(r"\w+", text_of(data.get("name")).lower())
            data = data | {"slug": "-".join(words)}
        now = moment(self.clock())
        item: JsonObject = {
            "id": same or secrets.token_hex(12),
            "cmsLocaleId": locale or None,
            "lastPublished": None,
            "lastUpdated": now,
            "createdOn": now,
            "isArchived": False,
            "isDraft": True,
            "fieldData": data,
        }
        self._require_fields(collection, item, data, whole=True)
        self.content.put(collection, item, live=False)
        return item

    def edit(self, sent: JsonObject) -> JsonObject:
        """Change fields of the staged item; what is live stays until it is published.

        A slug is a field. Null empties a field.
        """
        found = self._found(sent, "fieldData")
        data = object_of(self.content.moved(sent.get("fieldData")))
        if not data:
            refuse("fieldData must be an object with the fields that change")
        self._require_fields(found.collection, found.item, data)
        data = object_of(found.item.get("fieldData")) | data
        return self._staged(found, fieldData=data, isDraft=True, **self._updated())

    def publish(self, sent: JsonObject) -> JsonObject:
        """Make the staged item live as it is."""
        found = self._found(sent)
        if found.item.get("isArchived") is True:
            _conflict("the item is archived; restore it first")
        return self._published(found)

    def unpublish(self, sent: JsonObject) -> JsonObject:
        """Take an item out of the live list; its draft stays."""
        found = self._found(sent)
        if found.live is None:
            _conflict("the item is not live")
        self.content.remove(found.collection, found.live, live=True)
        return self._staged(found, isDraft=True, lastPublished=None)

    def archive(self, sent: JsonObject) -> JsonObject:
        """Archive an item; a live one stays live until the site is published."""
        return self._staged(self._found(sent), isArchived=True, **self._updated())

    def restore(self, sent: JsonObject) -> JsonObject:
        """Take an item out of the archive, as a draft."""
        found = self._found(sent)
        if found.item.get("isArchived") is not True:
            _conflict("the item is not archived")
        updated = self._updated()
        return self._staged(found, isArchived=False, isDraft=True, **updated)

    def delete(self, sent: JsonObject) -> JsonObject:
        """Delete an item from both lists: with `locale` that variant, else all."""
        if sent.get("locale") is not None:
            variants = [self._found(sent)]
        else:
            _require_keys(sent, _NAMING)
            variants = self._variants(text_of(sent.get("item")))
        for each in variants:
            self.content.remove(each.collection, each.item, live=False)
            if each.live is not None:
                self.content.remove(each.collection, each.live, live=True)
        return variants[0].item if variants else missing("Item", "item_not_found")

    def publish_site(self, sent: JsonObject) -> JsonObject:
        """Publish the site: what is queued goes live, what is archived leaves.

        Answers the ids under `published` and `removed`.
        """
        _require_keys(sent, set())
        published: list[Json] = []
        removed: list[Json] = []
        for found in self._all():
            item, live = found.item, found.live
            if item.get("isArchived") is True:
                if live is not None:
                    self.content.remove(found.collection, live, live=True)
                    self._staged(found, isDraft=False, lastPublished=None)
                    removed.append(item.get("id"))
            elif item.get("isDraft") is not True and (
                live is None or live.get("fieldData") != item.get("fieldData")
            ):
                self._published(found)
                published.append(item.get("id"))
        return {"published": published, "removed": removed}

    def locale(self, asked: Json) -> str:
        """Return the `cmsLocaleId` of what names a locale; None: the primary one."""
        if asked is None:
            return self.content.primary_locale
        for each in self.content.locales:
            named = (each.get("cmsLocaleId"), each.get("tag"))
            folder = text_of(each.get("subdirectory")).strip("/")
            if asked and asked in (*named, folder):
                return text_of(each.get("cmsLocaleId"))
        return refuse(
            "locale must be the tag, subdirectory or cmsLocaleId of one of the site"
        )

    def _found(self, sent: JsonObject, *more: str) -> Found:
        _require_keys(sent, {*_NAMING, *more})
        return self.found(text_of(sent.get("item")), sent.get("locale"))

    def found(self, item_id: str, asked: Json) -> Found:
        """Return one variant. Ends the request with 404 where there is none."""
        locale = self.locale(asked)
        for each in self._variants(item_id):
            if self._is_in(each.item, locale):
                return each
        return missing("Item", "item_not_found")

    def _variants(self, item_id: str) -> list[Found]:
        return [
            self._with_live(collection, item)
            for collection in self._collections()
            for item in self.content.variants(collection, item_id, live=False)
        ]

    def _all(self) -> list[Found]:
        return [
            self._with_live(collection, item)
            for collection in self._collections()
            for item in self.content.items(collection, live=False)
        ]

    def _collections(self) -> list[str]:
        return [text_of(each.get("id")) for each in self.content.collections]

    def _with_live(self, collection: str, item: JsonObject) -> Found:
        locale = text_of(item.get("cmsLocaleId")) or self.content.primary_locale
        own = text_of(item.get("id"))
        return Found(
            collection, item, self._variant(collection, own, locale, live=True)
        )

    def _variant(
        self, collection: str, item_id: str, locale: str, *, live: bool
    ) -> JsonObject | None:
        same = self.content.variants(collection, item_id, live=live)
        return next((each for each in same if self._is_in(each, locale)), None)

    def _is_in(self, item: JsonObject, locale: str) -> bool:
        primary = self.content.primary_locale
        return (text_of(item.get("cmsLocaleId")) or primary) == (locale or primary)

    def _updated(self) -> dict[str, Json]:
        return {"lastUpdated": moment(self.clock())}

    def _staged(self, found: Found, **changes: Json) -> JsonObject:
        item = found.item | changes
        self.content.put(found.collection, item, live=False)
        return item

    def _published(self, found: Found) -> JsonObject:
        slug = object_of(found.item.get("fieldData")).get("slug")
        self._require_free(found.collection, found.item, slug, live=True)
        now = moment(self.clock())
        item = self._staged(found, isDraft=False, lastPublished=now)
        self.content.put(found.collection, item, live=True)
        return item

    def _require_fields(
        self, collection: str, item: JsonObject, data: JsonObject, whole: bool = False
    ) -> None:
        """Refuse fields that the schema does not have, and values that do not fit."""
        schema = object_of(self.content.collection(collection))
        fields: dict[str, JsonObject]
        fields = {name: {"slug": name, "type": "PlainText"} for name in _SYSTEM}
        for each in map(object_of, list_of(schema.get("fields"))):
            fields[text_of(each.get("slug"))] = each
        wrong = [f"{name}: no such field" for name in data if name not in fields]
        for name, known in fields.items():
            if name in data or whole:
                wrong.append(wrong_value(self.content, known, data.get(name)))
        if wrong := [*filter(None, wrong)]:
            refuse("; ".join(wrong))
        self._require_free(collection, item, data.get("slug"), live=False)

    def _require_free(
        self, collection: str, item: JsonObject, slug: Json, *, live: bool
    ) -> None:
        """Refuse a slug that another item has in this language."""
        locale = text_of(item.get("cmsLocaleId"))
        for each in self.content.items(collection, live=live) if slug else ():
            taken = object_of(each.get("fieldData")).get("slug") == slug
            other = each.get("id") != item.get("id")
            if taken and other and self._is_in(each, locale):
                where = " and is live with it" if live else ""
                refuse(f"slug: item {each.get('id')} has it{where}")


def _require_keys(sent: JsonObject, known: Set[str]) -> None:
    if unknown := sent.keys() - known:
        refuse(f"unknown: {', '.join(sorted(unknown))}")


def _conflict(what: str) -> NoReturn:
    raise AnsweredError(failure(409, "conflict", "Conflict", what))
