"""The origin's control pages: items are edited by hand, on a page or with JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply, Route, Router, json_reply
from cmsmig.sandbox.http.forms import (
    choice_field,
    form,
    json_field,
    link,
    page,
    table,
    text_field,
)
from cmsmig.sandbox.origin.field_checks import LONG_TEXTS, TEXTS, options_of
from cmsmig.sandbox.origin.item_editor import ItemEditor
from cmsmig.sandbox.origin.item_edits import variant_key
from cmsmig.sandbox.origin.refusals import missing, no_route
from cmsmig.sandbox.values import list_of, object_of, text_of

_ROOT = "The origin: its collections"
_PATH = "/_sandbox/collections"


@dataclass(slots=True)
class ItemPages:
    """Answers `/_sandbox` on the origin's port; no token, no rate.

    A GET shows a page, a POST of an act (`add`, `edit`, `publish`, `unpublish`,
    `archive`, `restore`, `delete`, `publish-site`) takes and answers JSON.
    """

    editor: ItemEditor
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        editor, one = self.editor, f"{_PATH}/{{collection_id}}"
        acts: dict[str, Callable[[JsonObject], JsonObject]] = {
            "add": editor.add,
            "edit": editor.edit,
            "publish": editor.publish,
            "unpublish": editor.unpublish,
            "archive": editor.archive,
            "restore": editor.restore,
            "delete": editor.delete,
            "publish-site": editor.publish_site,
        }
        routes = [
            Route("GET", "/_sandbox", "collections", self._collections),
            Route("GET", one, "items", self._items),
            Route("GET", f"{one}/{{item_id}}", "item", self._item),
        ]
        for verb, act in acts.items():
            done = partial(_done, act, 201 if verb == "add" else 200)
            routes.append(Route("POST", f"/_sandbox/{verb}", verb, done))
        self.router = Router(routes, no_route)

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        return replace(self.router.answer(call), service="control")

    def _collections(self, call: Call) -> Reply:
        content = self.editor.content
        rows = []
        for each in content.collections:
            own = text_of(each.get("id"))
            counts = [str(len(content.items(own, live=live))) for live in (False, True)]
            name = link(f"{_PATH}/{own}", text_of(each.get("displayName")))
            rows.append([name, *counts])
        publish = form("publish-site", "Publish the site", {})
        return page(
            _ROOT, _ROOT, (table(("Collection", "Items", "Live"), rows), publish)
        )

    def _items(self, call: Call) -> Reply:
        schema = self._schema(call)
        own, content = text_of(schema.get("id")), self.editor.content
        live = {variant_key(item) for item in content.items(own, live=True)}
        rows = []
        for item in content.items(own, live=False):
            item_id, locale = variant_key(item)
            data = object_of(item.get("fieldData"))
            address = f"{_PATH}/{own}/{item_id}{f'?locale={locale}' if locale else ''}"
            name = text_of(data.get("name")) or item_id
            slug = text_of(data.get("slug"))
            state = _state(item, live=(item_id, locale) in live)
            cells = (self._language(locale), slug, state)
            rows.append([link(address, name), *map(escape, cells)])
        fields = self._fields(schema, {})
        add = form(
            "add",
            "Add as a draft",
            {"collection": own},
            under="fieldData",
            fields=fields,
        )
        heads = ("Name", "Language", "Slug", "State")
        parts = (table(heads, rows), "<h2>A new item</h2>", add)
        return page(_ROOT, text_of(schema.get("displayName")), parts)

    def _item(self, call: Call) -> Reply:
        schema = self._schema(call)
        own, item_id = text_of(schema.get("id")), call.named["item_id"]
        asked = call.parameter("locale") or None
        found = self.editor.found(item_id, asked)
        if found.collection != own:
            missing("Item", "item_not_found")
        sent: JsonObject = {"item": item_id, **({"locale": asked} if asked else {})}
        data = object_of(found.item.get("fieldData"))
        labels = {"publish": "Publish", "unpublish": "Unpublish", "archive": "Archive"}
        labels |= {"restore": "Restore", "delete": "Delete"}
        back = f"{_PATH}/{own}"
        state = _state(found.item, live=found.live is not None)
        language = self._language(variant_key(found.item)[1])
        parts = (
            f"<p>{escape(', '.join(filter(None, (language, state))))}</p>",
            *(
                form(verb, label, sent, then=back if verb == "delete" else "")
                for verb, label in labels.items()
            ),
            form(
                "edit",
                "Save",
                sent,
                under="fieldData",
                fields=self._fields(schema, data),
            ),
        )
        return page(_ROOT, text_of(data.get("name")) or item_id, parts)

    def _schema(self, call: Call) -> JsonObject:
        schema = self.editor.content.collection(call.named["collection_id"])
        return schema or missing("Collection", "collection_not_found")

    def _language(self, locale: str) -> str:
        listed = self.editor.content.locales
        known = {text_of(each.get("cmsLocaleId")): each for each in listed}
        return text_of(known.get(locale, {}).get("tag"))

    def _fields(self, schema: JsonObject, data: JsonObject) -> list[str]:
        # Every item has these; a schema may leave them out, and lists them last.
        named: dict[str, JsonObject] = {
            slug: {"displayName": slug.title(), "type": "PlainText"}
            for slug in ("name", "slug")
        }
        for each in map(object_of, list_of(schema.get("fields"))):
            named[text_of(each.get("slug"))] = each
        return [_field(slug, each, data.get(slug)) for slug, each in named.items()]


def _field(slug: str, schema: JsonObject, value: Json) -> str:
    kind = text_of(schema.get("type"))
    label = f"{text_of(schema.get('displayName')) or slug}: {kind}"
    if kind == "Option":
        return choice_field(slug, label, value, options_of(schema))
    if kind not in TEXTS or not isinstance(value, str | None):
        return json_field(slug, label, value)
    limits = object_of(schema.get("validations"))
    single = slug in ("name", "slug") or limits.get("singleLine") is True
    return text_field(slug, label, value, long=kind in LONG_TEXTS and not single)


def _done(act: Callable[[JsonObject], JsonObject], status: int, call: Call) -> Reply:
    return json_reply(status, act(call.document()))


def _state(item: JsonObject, *, live: bool) -> str:
    """Return the state of a variant as the origin's editor names it."""
    if item.get("isArchived") is True:
        return "archived, live until the site is published" if live else "archived"
    if item.get("isDraft") is True:
        return "changes in draft" if live else "draft"
    return "published" if live else "queued to publish"
