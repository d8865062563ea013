"""Stories and the folders they lie in (stories themselves, with `is_folder`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination import reading
from cmsmig.destination.connection import Connection, Parameters
from cmsmig.destination.schema import Story, StoryRow
from cmsmig.destination.story_refusals import translated
from cmsmig.errors import MalformedAnswerError, NotFoundError


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
        read = partial(reading.story_row, assumed=self._assumed)
        rows = await self._list(
            "stories",
            "stories",
            self._assumed.stories_key,
            read if kept is None else lambda record: kept(read(record)),
            tuple((name, _parameter(value)) for name, value in filters.items()),
        )
        return rows if filters.get("in_trash") else [r for r in rows if not r.trashed]

    async def story(self, story_id: int) -> Story:
        """Return one story with its content.

        Raises `NotFoundError` for one in the trash too, which the service may still
        answer with.
        """
        answer = await self._call(
            f"show story {story_id}", "GET", self._story_path(story_id)
        )
        return self._read(answer.whole_json())

    async def create_story(self, body: JsonObject, *, publish: bool = False) -> Story:
        """Create one story or folder, as a draft unless `publish`.

        Not repeatable. Spec: import rule 2.
        """
        what = f"create {_called(body)}"
        return await self._write(what, "POST", "stories", body, publish=publish)

    async def update_story(
        self, story_id: int, body: JsonObject, *, publish: bool = False
    ) -> Story:
        """Replace a story's record, its content whole. Spec: import rule 3.

        Not repeatable: after a lost reply an editor may have saved, and the same
        content again would be written over theirs.
        """
        if self._assumed.put_replaces_content == "false":
            body = _with_removals(body, (await self.story(story_id)).content)
        return await self._write(
            f"update {_called(body)}",
            "PUT",
            self._story_path(story_id),
            body,
            publish=publish,
        )

    async def publish_story(self, story_id: int) -> Story:
        """Publish a story as it stands.

        What a publication answers is not documented: where that is no story, the
        story is read. Raises `MalformedAnswerError` if it is not published then.
        """
        answer = await self._call(
            f"publish story {story_id}",
            self._assumed.publish_method,
            self._assumed.publish_path.replace("{id}", str(story_id)),
            repeatable=True,
        )
        try:
            return self._read(answer.whole_json())
        except MalformedAnswerError:
            story = await self.story(story_id)
            if not story.row.published:
                raise
            return story

    async def unpublish_story(self, story_id: int) -> Story:
        """Take a story from visitors; it stays as a draft.

        Where the answer is no story, the story is read. Raises
        `MalformedAnswerError` if it is published then.
        """
        answer = await self._call(
            f"unpublish story {story_id}",
            self._assumed.publish_method,
            self._assumed.unpublish_path.replace("{id}", str(story_id)),
            repeatable=True,
        )
        try:
            return self._read(answer.whole_json())
        except MalformedAnswerError:
            story = await self.story(story_id)
            if story.row.published:
                raise
            return story

    async def delete_story(self, story_id: int) -> None:
        """Move a story, or a folder with what is in it, to the trash.

        Not repeatable: what a second request does to what is in the trash is not
        documented.
        """
        path = self._story_path(story_id)
        await self._call(f"delete story {story_id}", "DELETE", path)

    async def _write(
        self,
        what: str,
        method: str,
        path: str,
        body: JsonObject,
        *,
        publish: bool,
    ) -> Story:
        record = dict(body)
        if self._assumed.default_root_sent == "false":
            record.pop("default_root", None)
        if "content" in record:
            record["content"] = _unset(record["content"], self._assumed.unset_value)
        payload: JsonObject = {self._assumed.story_wrapper: record}
        params: Parameters = ()
        # The key is left out unless publishing: the service takes 0 for yes.
        if publish and self._assumed.publish_in == "query":
            params = (("publish", "1"),)
        elif publish:
            payload["publish"] = 1
        with translated(record.get("content")):
            answer = await self._call(what, method, path, params=params, json=payload)
        return self._read(answer.whole_json())

    def _story_path(self, story_id: int) -> str:
        return self._assumed.story_path.replace("{id}", str(story_id))

    def _read(self, answer: Json) -> Story:
        record = reading.unwrapped(answer, self._assumed.story_wrapper)
        story = reading.story(record, self._assumed)
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


def _with_removals(body: JsonObject, stored: JsonObject) -> JsonObject:
    content = body.get("content")
    if not isinstance(content, dict):
        return body
    removed: JsonObject = {key: None for key in stored if key not in content}
    return {**body, "content": {**content, **removed}}


def _unset(value: Json, how: str) -> Json:
    """Return content with its empty texts in the form that the space wants."""
    if how == "empty":
        return value
    if isinstance(value, list):
        return [_unset(part, how) for part in value]
    if isinstance(value, dict):
        return {
            key: None if part == "" else _unset(part, how)
            for key, part in value.items()
            if part != "" or how == "null"
        }
    return value
