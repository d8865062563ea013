"""Stories and folders: make, show, change, publish, move, delete."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.refusals import missing, refuse, wrapped
from cmsmig.sandbox.destination.space import Space, StoredStory
from cmsmig.sandbox.destination.stories.release_versions import hold, release_of
from cmsmig.sandbox.destination.stories.story_rules import (
    check_content,
    check_folder_types,
    check_place,
    check_size,
    check_values,
    is_strict,
    stored,
)
from cmsmig.sandbox.destination.stories.story_wire import (
    WRITABLE,
    merge_translations,
    single,
)
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import text_of, truthy, whole

_MARK = f"content {secrets.token_hex(16)}"
"""Drawn at random, so no content holds it."""
_MARKED = json.dumps(_MARK).encode()
_FLAGS = ("is_folder", "is_startpage", "pinned", "disable_fe_editor")


def show(space: Space, call: Call) -> Reply:
    """Answer one story with its content."""
    story = space.stories.get(call.record_id)
    if story is None or not (story.deleted_at and space.unknowns.shows_trash):
        release = release_of(space, call)
        story = _known(space, call, release).in_release(release)
    return _answer(space, story, refreshed=True)


def create(space: Space, call: Call) -> Reply:
    """Make a story or folder; a draft unless `publish` is there."""
    body = _writable(wrapped(call, "story"))
    check_size(space, call.body, body.get("content"))
    return _made(space, call, body, status=201, publishing=publishes(call))


def update(space: Space, call: Call) -> Reply:
    """Replace the keys that the body names; `content` as a whole.

    With a release: of the version in that release.
    """
    release = release_of(space, call)
    story = _known(space, call, release)
    before = story.in_release(release)
    body = {**before.body, **_changes(space, call, before)}
    proposed = StoredStory(story.story_id, story.uuid, body, "", "", before.packed)
    content = proposed.content
    _check(space, call, proposed, content)
    if release:
        _keep(space, proposed, content)
        hold(space, story, release, proposed)
        return _answer(space, story.in_release(release))
    space.displace(story)
    story.body = proposed.body
    space.place(story)
    story.updated_at = space.now()
    story.unpublished_changes = story.published is not None
    _keep(space, story, content)
    if publishes(call):
        publish_now(space, story)
    return _answer(space, story)


def delete(space: Space, call: Call) -> Reply:
    """Move a story, or a folder with all below it, into the trash."""
    story = _known(space, call)
    reply = _answer(space, story)
    _trash(space, story)
    return reply


def publish(space: Space, call: Call) -> Reply:
    """Publish the draft; the service does this on a GET.

    A version in a release is not public before the deployment.
    """
    release = release_of(space, call)
    story = _known(space, call, release)
    if not release:
        publish_now(space, story)
    return _answer(space, story.in_release(release))


def unpublish(space: Space, call: Call) -> Reply:
    """Take the published content back; the draft stays."""
    story = _known(space, call)
    space.changing(story)
    story.published = None
    story.published_at = None
    if space.unknowns.publication_changes_date:
        story.updated_at = space.now()
    story.unpublished_changes = False
    return _answer(space, story)


def publishes(call: Call) -> bool:
    """Return whether a write publishes: the key is there, whatever its value."""
    return "publish" in call.document() or call.parameter("publish") is not None


def publish_now(space: Space, story: StoredStory) -> None:
    """Make the draft public; of a folder, every draft below it."""
    if story.is_folder:
        below = sorted(space.children.get(story.story_id, ()))
        for child in (space.stories[own] for own in below):
            if child.published is None or child.unpublished_changes:
                publish_now(space, child)
        return
    space.changing(story)
    now = space.now()
    story.published = story.pack()
    story.published_name = story.name
    story.published_translations = [*story.translations()]
    story.published_at = now
    story.unpublished_changes = False
    if space.unknowns.publication_changes_date:
        story.updated_at = now
    if not story.body.get("first_published_at"):
        story.body["first_published_at"] = now


def _made(
    space: Space,
    call: Call,
    body: JsonObject,
    *,
    status: int,
    publishing: bool = False,
) -> Reply:
    now = space.now()
    story = StoredStory(0, "", body, now, now)
    content = story.content
    _check(space, call, story, content)
    story.story_id, story.uuid = space.next_id(), space.new_uuid()
    _take_group(space, call, body)
    if not text_of(body.get("group_id")):
        body["group_id"] = space.new_uuid()
    release = release_of(space, call)
    if release:
        space.stories[story.story_id], story.only_in = story, release
    else:
        space.place(story)
    _keep(space, story, content)
    if release:
        hold(space, story, release, story)
    elif publishing:
        publish_now(space, story)
    return _answer(space, story, status=status)


def _changes(space: Space, call: Call, before: StoredStory) -> JsonObject:
    changes = _writable(wrapped(call, "story"))
    check_size(space, call.body, changes.get("content"))
    _take_group(space, call, changes)
    changes.pop("is_folder", None)
    merge_translations(before, changes)
    return changes


def _take_group(space: Space, call: Call, body: JsonObject) -> None:
    """Take the group from where it has an effect; in an update also next to the story,
    as `publish` is."""
    place = space.unknowns.group_in
    if place == "next":
        body.pop("group_id", None)
    updates = call.method == "PUT" and place == "both"
    if "group_id" in call.document() and (updates or place == "next"):
        body["group_id"] = call.document()["group_id"]


def _known(space: Space, call: Call, release: int = 0) -> StoredStory:
    story = space.stories.get(call.record_id)
    if story is None or story.deleted_at or story.only_in not in (0, release):
        missing()
    return story


def _answer(
    space: Space, story: StoredStory, *, status: int = 200, refreshed: bool = False
) -> Reply:
    packed = story.pack()
    if refreshed and b'"multilink"' in packed.text:
        shown = single(space, story, refreshed=True)
        return json_reply(status, {"story": shown})
    # The content is JSON already: it replaces its mark.
    record: JsonObject = {"story": {**single(space, story, content=_MARK)}}
    reply = json_reply(status, record)
    body = reply.body.replace(_MARKED, packed.text, 1)
    return replace(reply, body=body)


def _writable(body: JsonObject) -> JsonObject:
    kept = {key: body[key] for key in WRITABLE if key in body}
    if "disble_fe_editor" in body:
        # The service reads this spelling too.
        kept["disable_fe_editor"] = body["disble_fe_editor"]
    for flag in _FLAGS:
        if flag in kept:
            kept[flag] = truthy(kept[flag])
    if "parent_id" in kept:
        kept["parent_id"] = whole(kept["parent_id"]) or 0
    return kept


def _check(space: Space, call: Call, story: StoredStory, content: JsonObject) -> None:
    if not story.name.strip():
        refuse("name", "can't be blank")
    check_place(space, story)
    if story.is_folder:
        return
    if not content:
        refuse("content", "can't be blank")
    check_folder_types(space, story.parent_id, content)
    check_content(content)
    if is_strict(space, call):
        check_values(space, content)


def _keep(space: Space, story: StoredStory, content: JsonObject) -> None:
    space.saved(story, content)
    if "content" in story.body and not story.is_folder:
        story.body["content"] = stored(space, content)
    story.pack()


def _trash(space: Space, story: StoredStory) -> None:
    for child in list(space.children.get(story.story_id, set())):
        _trash(space, space.stories[child])
    space.displace(story)
    story.deleted_at = space.now()
