"""Releases; a deployment replaces drafts by the versions that a release holds."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind
from cmsmig.sandbox.destination.refusals import refuse, wrapped
from cmsmig.sandbox.destination.space import OWNER, Space
from cmsmig.sandbox.destination.stories.release_versions import deploy, drop
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_WRITABLE = ("name", "release_at", "timezone", "branches_to_deploy", "public")


def _make(space: Space, call: Call) -> JsonObject:
    release: JsonObject = {
        "id": space.next_id(),
        "name": "",
        "released": False,
        "release_at": None,
        "timezone": None,
        "uuid": space.new_uuid(),
        "public": True,
        "branches_to_deploy": [],
        "owner_id": OWNER,
        "created_at": space.now(),
    }
    _apply(release, wrapped(call, "release"))
    return release


def _change(space: Space, call: Call, release: JsonObject) -> None:
    """Replace the keys in `release`; `do_release` next to it deploys the release."""
    body = call.document()
    _apply(release, object_of(body.get("release")))
    if truthy(body.get("do_release")):
        release["released"] = True
        deploy(space, whole(release["id"]) or 0)


def _apply(release: JsonObject, body: JsonObject) -> None:
    changes = {key: value for key, value in body.items() if key in _WRITABLE}
    if not text_of(changes.get("name", release["name"])).strip():
        refuse("name", "can't be blank")
    release.update(changes)


def _release(space: Space, release: JsonObject) -> None:
    """Delete what the release holds."""
    drop(space, whole(release["id"]) or 0)


def _of_branch(release: JsonObject, branch: str) -> bool:
    return whole(branch) in list_of(release["branches_to_deploy"])


RELEASES = RecordKind(
    key="release",
    plural="releases",
    table=lambda space: space.releases,
    make=_make,
    change=_change,
    release=_release,
    filters={"branch_id": _of_branch},
    methods=("GET", "PUT", "DELETE"),
)
