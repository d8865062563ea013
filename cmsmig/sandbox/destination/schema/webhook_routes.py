"""Webhooks: addresses that are told what happens in the space.

None is ever delivered to: the sandbox asks no other host.
"""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, text_of, truthy

ACTIONS = frozenset(
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
"""What a webhook can be told of, as far as it is documented."""
_WRITABLE = ("name", "description", "endpoint", "secret", "actions", "activated")


def _make(space: Space, call: Call) -> JsonObject:
    webhook: JsonObject = {
        "id": space.next_id(),
        "name": "",
        "description": None,
        "endpoint": "",
        "space_id": space.space_id,
        "secret": "",
        "actions": [],
        "activated": True,
        "deleted_at": None,
        "created_at": space.now(),
    }
    _change(space, call, webhook)
    return webhook


def _change(space: Space, call: Call, webhook: JsonObject) -> None:
    """Replace the keys that the body names."""
    body = wrapped(call, "webhook_endpoint")
    changes = {key: value for key, value in body.items() if key in _WRITABLE}
    merged = {**webhook, **changes}
    if not text_of(merged["endpoint"]).strip():
        refuse("endpoint", "can't be blank")
    actions: list[Json] = [text_of(each) for each in list_of(merged["actions"])]
    if not actions:
        refuse("actions", "can't be blank")
    for each in actions:
        if each not in ACTIONS:
            space.violated("unknown_webhook_action", "webhook_endpoints", str(each))
    flag = truthy(merged["activated"])
    webhook.update({**changes, "actions": actions, "activated": flag})
    webhook["updated_at"] = space.now()


WEBHOOKS = RecordKind(
    key="webhook_endpoint",
    plural="webhook_endpoints",
    table=lambda space: space.webhooks,
    make=_make,
    change=_change,
    filters={},
    methods=("GET", "PUT", "DELETE"),
)
