"""Releases: versions of stories that only calls with the release show.

Source: destination, releases.
"""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.record_kind import RecordKind
from cmsmig.sandbox.destination.refusals import missing, refuse, wrapped
from cmsmig.sandbox.destination.space import OWNER, Space, StoredStory
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import list_of, object_of, text_of, truthy, whole

_WRITABLE = ("name", "release_at", "timezone", "branches_to_deploy", "public")


def release_of(space: Space, call: Call) -> int:
    """Return the `release_id` of a call, from the query or the body; 0: none.

    Ends the request with 404 for an unknown release.
    """
    named = call.parameter("release_id") or call.document().get("release_id")
    if not named:
        return 0
    release = whole(named) or 0
    return release if release in space.releases else missing(space)


def hold(space: Space, story: StoredStory, release: int, version: StoredStory) -> None:
    """Store a version of a story in a release; the draft does not change."""
    story.versions[release] = {**version.body, "content": version.content}
    space.version += 1


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
        _deploy(space, whole(release["id"]) or 0)


def _apply(release: JsonObject, body: JsonObject) -> None:
    changes = {key: value for key, value in body.items() if key in _WRITABLE}
    if not text_of(changes.get("name", release["name"])).strip():
        refuse("name", "can't be blank")
    release.update(changes)


def _deploy(space: Space, release: int) -> None:
    """Replace each draft as a whole by the version that the release holds.

    No source says whether this also publishes; here it does not.
    """
    for story in [*space.stories.values()]:
        version = story.versions.pop(release, None)
        if version is None or story.deleted_at is not None:
            continue
        if story.only_in:
            story.only_in = 0
        else:
            space.displace(story)
        story.body = version
        space.place(story)
        story.pack()
        story.updated_at = space.now()
        story.unpublished_changes = story.published is not None


def _release(space: Space, release: JsonObject) -> None:
    """Delete the versions in the release and the stories created in it."""
    own = whole(release["id"]) or 0
    for story in [*space.stories.values()]:
        story.versions.pop(own, None)
        if story.only_in == own:
            del space.stories[story.story_id]
    space.version += 1


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
