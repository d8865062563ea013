"""What the service stores in silence although it is wrong: the innermost middleware.

A story is inspected when the space saves it, everything else by its request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.assets.uploads import read_form
from cmsmig.sandbox.destination.components import WRITABLE
from cmsmig.sandbox.destination.refusals import unwrapped, wrapped
from cmsmig.sandbox.destination.space import Signing, Space
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.values import list_of, object_of, text_of, whole
from tests.support.sandbox.inspection import Note, inspect_story

_READ_ONLY = ("id", "created_at", "updated_at", "real_name", "internal_tags_list")
_KEY = re.compile(r"[A-Za-z0-9_-]+")
_DEPRECATED = frozenset({"image", "file"})
_EVENTS = frozenset(
    (
        "story.published",
        "story.unpublished",
        "story.deleted",
        "story.moved",
        "datasource.entries_updated",
        "asset.created",
        "asset.replaced",
        "asset.deleted",
        "asset.restored",
        "user.added",
        "user.removed",
        "user.roles_updated",
        "stage.changed",
        "pipeline.deployed",
        "release.merged",
        "workflow.stage.changed",
        "discussion.created",
        "welcome",
    )
)
"""What a webhook can be called for, as far as it is documented."""


@dataclass(frozen=True, slots=True)
class Violations:
    """Notes what was wrong with each request that the destination took."""

    space: Space
    note: Note

    def __post_init__(self) -> None:
        self.space.saved = partial(inspect_story, self.space, self.note)

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call and note what was wrong with it."""
        reply = await answer(call)
        check = _CHECKS.get(reply.route)
        if check is not None and reply.status < 300:
            check(self.space, self.note, call)
        return reply


def _component(space: Space, note: Note, call: Call) -> None:
    sent = wrapped(call, "component")
    own = whole(call.path.rpartition("/")[2])
    name = space.components[own]["name"] if own else text_of(sent.get("name")).strip()
    where, schema = f"components/{name}", object_of(sent.get("schema"))
    for key in sorted(sent.keys() - {*WRITABLE, *_READ_ONLY}):
        note("unknown_component_key", where, key)
    for key, value in schema.items():
        _field(space, note, key, object_of(value), f"{where}: {key}")
    for key, value in schema.items():
        for each in list_of(object_of(value).get("keys")):
            if text_of(each) not in schema:
                note("unknown_section_key", f"{where}: {key}", str(each))


def _field(space: Space, note: Note, key: str, field: JsonObject, where: str) -> None:
    kind = text_of(field.get("type"))
    if not _KEY.fullmatch(key):
        note("field_key_form", where, key)
    if kind in _DEPRECATED:
        note("deprecated_field_type", where, f"{kind} is now asset")
    slug = text_of(field.get("datasource_slug"))
    known = {source["slug"] for source in space.datasources.values()}
    if field.get("source") == "internal" and slug not in known:
        note("unknown_datasource", where, slug or "(none)")
    group_ids = {group["uuid"] for group in space.groups.values()}
    for wanted in list_of(field.get("component_group_whitelist")):
        if text_of(wanted) not in group_ids:
            note("unknown_component_group", where, str(wanted))


def _upload(space: Space, note: Note, call: Call) -> None:
    parts = read_form(call.headers.get("content-type", ""), call.body)
    names = [part.name for part in parts]
    policy = next((part.data for part in parts if part.name == "policy"), b"")
    signing = space.signings.get(policy.decode("latin-1"))
    if signing is None:
        where = "assets/no policy or key before the file"
        note("upload_order", where, ", ".join(names))
    elif names != [*signing.fields, "file"]:
        note("upload_order", f"assets/{signing.key}", ", ".join(names))
    elif signing.asset_id in space.assets:
        _check_type(note, signing, parts[-1].headers.get("content-type"))


def _check_type(note: Note, signing: Signing, sent: str | None) -> None:
    if sent is not None and sent != signing.content_type:
        what = f"{sent} instead of {signing.content_type}"
        note("upload_content_type", f"assets/{signing.key}", what)


def _asset(space: Space, note: Note, call: Call) -> None:
    folder = whole(unwrapped(call, "asset").get("asset_folder_id"))
    if folder and folder not in space.asset_folders:
        note("unknown_asset_folder", "assets", str(folder))


def _webhook(space: Space, note: Note, call: Call) -> None:
    for each in list_of(wrapped(call, "webhook_endpoint").get("actions")):
        if text_of(each) not in _EVENTS:
            note("unknown_webhook_action", "webhook_endpoints", text_of(each))


_CHECKS: Mapping[str, Callable[[Space, Note, Call], None]] = {
    "create component": _component,
    "update component": _component,
    "upload": _upload,
    "sign upload": _asset,
    "update asset": _asset,
    "create webhook endpoint": _webhook,
    "update webhook endpoint": _webhook,
}
