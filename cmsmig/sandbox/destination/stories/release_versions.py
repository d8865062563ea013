"""Versions of stories in a release: only calls with the release show them.

Source: destination, releases.
"""

from __future__ import annotations

from cmsmig.sandbox.destination.refusals import missing
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.http.asgi import Call
from cmsmig.sandbox.values import whole


def release_of(space: Space, call: Call) -> int:
    """Return the `release_id` of a call, from the query or the body; 0: none.

    Ends the request with 404 for an unknown release.
    """
    named = call.parameter("release_id") or call.document().get("release_id")
    if not named:
        return 0
    release = whole(named) or 0
    return release if release in space.releases else missing()


def hold(space: Space, story: StoredStory, release: int, version: StoredStory) -> None:
    """Store a version of a story in a release; the draft does not change."""
    story.versions[release] = {**version.body, "content": version.content}
    space.version += 1


def deploy(space: Space, release: int) -> None:
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


def drop(space: Space, release: int) -> None:
    """Delete the versions in the release and the stories created in it."""
    for story in [*space.stories.values()]:
        story.versions.pop(release, None)
        if story.only_in == release:
            del space.stories[story.story_id]
    space.version += 1
