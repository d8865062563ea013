"""Stories and their folders (stories themselves, with `is_folder`)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from cmsmig.canonical import JsonObject
from cmsmig.destination import reading
from cmsmig.destination.space_connection import Connection, Parameters
from cmsmig.destination.story_refusals import translated
from cmsmig.destination.typed_records import Story, StoryRow
from cmsmig.errors import MalformedAnswerError, NotFoundError, OutcomeUnknownError


class StoryCalls(Connection):
    """Calls about stories and folders.

    A story's body is the record without its wrapper: `name`, `slug`, `content`
    and the other writable keys.
    """

    async def stories(
        self,
        kept: Callable[[StoryRow], StoryRow] | None = None,
        /,
        **filters: str | int | bool,
    ) -> list[StoryRow]:
        """Return the rows of all stories and folders that the filters let through.

        Filters are the service's own: `with_slug`, `starts_with`, `by_uuids`,
        `folder_only`, `in_trash`, ... Rows hold no content. What is in the trash is
        not among them unless it is asked for. Each row is handed to `kept` as it is
        read, which returns the one to be kept.
        """
        rows = await self._list(
            "stories",
            "stories",
            reading.story_row
            if kept is None
            else lambda record: kept(reading.story_row(record)),
            tuple((name, _parameter(value)) for name, value in filters.items()),
        )
        return rows if filters.get("in_trash") else [r for r in rows if not r.trashed]

    async def story(self, story_id: int) -> Story:
        """Return one story with its content.

        Raises `NotFoundError` for one in the trash too, which the service may still
        answer with.
        """
        return await self._record(
            f"show story {story_id}", "GET", f"stories/{story_id}", "story", _read
        )

    async def find_story(self, story_id: int) -> Story | None:
        """Return one story with its content; None for one that is not there, or is in
        the trash."""
        with suppress(NotFoundError):
            return await self.story(story_id)
        return None

    async def create_story(self, body: JsonObject) -> Story:
        """Create one story or folder, as a draft.

        Not repeatable. Spec: import rule 2.
        """
        what = f"create {_called(body)}"
        return await self._write(what, "POST", "stories", body, publish=False)

    async def update_story(
        self, story_id: int, body: JsonObject, *, publish: bool = False
    ) -> Story:
        """Replace a story's record, its content whole. Spec: import rule 3.

        Not repeatable: after a lost reply an editor may have saved, and the same
        content again would be written over theirs.
        """
        return await self._write(
            f"update {_called(body)}",
            "PUT",
            f"stories/{story_id}",
            body,
            publish=publish,
        )

    async def publish_story(
        self, story_id: int, on_try: Callable[[bool], None] | None = None
    ) -> Story:
        """Publish a story unchanged; `on_try` is that of the request.

        What a publication answers is not documented: where that is no story, or no
        answer comes, the story is read. Raises `MalformedAnswerError` or
        `OutcomeUnknownError` if it is not published then.
        """
        return await self._set_published(story_id, "publish", True, on_try)

    async def unpublish_story(self, story_id: int) -> Story:
        """Take a story from visitors; it stays as a draft.

        Raises as `publish_story` does, if it is published then.
        """
        return await self._set_published(story_id, "unpublish", False)

    async def _set_published(
        self,
        story_id: int,
        verb: str,
        wanted: bool,
        on_try: Callable[[bool], None] | None = None,
    ) -> Story:
        try:
            return await self._record(
                f"{verb} story {story_id}",
                "GET",
                f"stories/{story_id}/{verb}",
                "story",
                _read,
                repeatable=True,
                on_try=on_try,
            )
        except (MalformedAnswerError, OutcomeUnknownError):
            story = await self.story(story_id)
            if story.row.published is not wanted:
                raise
            return story

    async def delete_story(self, story_id: int) -> None:
        """Move a story, or a folder with what is in it, to the trash.

        Not repeatable: what a second request does to what is in the trash is not
        documented.
        """
        await self._call(f"delete story {story_id}", "DELETE", f"stories/{story_id}")

    async def _write(
        self,
        what: str,
        method: str,
        path: str,
        body: JsonObject,
        *,
        publish: bool,
    ) -> Story:
        payload: JsonObject = {"story": body}
        if method == "PUT" and "group_id" in body:
            # Sources disagree about its place in an update, so it is in both. Source:
            # destination, update a story.
            payload["group_id"] = body["group_id"]
        params: Parameters = ()
        # The key is left out unless publishing: the service takes 0 for yes.
        if publish and self._assumed.publish_in == "query":
            params = (("publish", "1"),)
        elif publish:
            payload["publish"] = 1
        with translated(body.get("content")):
            return await self._record(
                what, method, path, "story", _read, params=params, json=payload
            )


def _read(record: JsonObject) -> Story:
    story = reading.story(record)
    if story.row.trashed:
        raise NotFoundError(
            f"The story `{story.row.full_slug}` is in the destination's trash; "
            "restore it there, or go on without it.",
            service=reading.SERVICE,
        )
    return story


def _called(body: JsonObject) -> str:
    kind = "folder" if body.get("is_folder") else "story"
    return f"the {kind} {body.get('slug') or body.get('name')}"


def _parameter(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
