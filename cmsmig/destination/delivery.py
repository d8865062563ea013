"""The destination's delivery API: stories in pages with content, as visitors get them
and as editors see them.

Source: the service's Content Delivery API v2, rate limit. Its quota is one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, urljoin, urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination import reading
from cmsmig.destination.typed_records import Story
from cmsmig.errors import NotFoundError, RejectedError
from cmsmig.wire.answers import Answer, Request, bare, path_of, whole_number
from cmsmig.wire.session import Session

_Parameters: TypeAlias = tuple[tuple[str, str], ...]

READ_TOGETHER: Final = 25
"""Stories of one list. Lists of up to so many may be asked for most often."""
LISTS_A_SECOND: Final = 50
"""Lists of so many stories that a space may be asked for in a second."""


MOST_REDIRECTS: Final = 10
"""While writes arrive at the edge, each answer may lead to a newer version."""
_REDIRECTS: Final = (301, 302, 307, 308)


@dataclass(frozen=True, slots=True)
class Delivered:
    """Stories as visitors get them."""

    stories: Mapping[str, Story]
    """By UUID; a story that is not published is not among them."""
    is_older: bool
    """Whether they are of an older version of the space than the service has seen.

    Source: delivery, caches: with a minimum cache time the version that is served
    lags behind the version of the space."""


class DeliveryClient:
    """Reads the stories of one space. `token` is the preview token; it is in the
    address, and nowhere else. Without one, each read raises `NotFoundError`."""

    def __init__(self, session: Session, address: str, token: str) -> None:
        self._session = session
        self._address = address
        self._token = token
        self._version = ""
        """Of the cache, as the service wants it next."""
        self._newest = 0
        """The newest version of the space that was seen."""

    async def renew(self) -> None:
        """Read from now on what was published until now, and no older copy of it."""
        body, _ = await self._read("spaces/me", ())
        space = reading.unwrapped(body, "space")
        self._version = str(space.get("version") or "")
        self._newest = max(self._newest, whole_number(self._version) or 0)

    async def published(self, uuids: Sequence[str], language: str = "") -> Delivered:
        """Return what visitors get of stories, by UUID; at most `READ_TOGETHER`.

        Translated fields are in place in a `language`.
        """
        cached = (("cv", self._version),) if self._version else ()
        found, served = await self._stories("published", uuids, language, cached)
        return Delivered(
            {story.row.uuid: story for story in found},
            is_older=0 < (whole_number(served) or 0) < self._newest,
        )

    async def drafts(
        self, uuids: Sequence[str], language: str = ""
    ) -> Mapping[str, Story]:
        """Return stories as editors see them, by UUID; at most `READ_TOGETHER`.

        Content has no translations next to its fields, but those of a `language` in
        place. What only the management side shows of a story is missing: whether it is
        published or scheduled. Source: delivery, reading through delivery.
        """
        found, _ = await self._stories("draft", uuids, language, ())
        for story in found:
            _take_marks(story.content)
        return {story.row.uuid: story for story in found}

    async def _stories(
        self, version: str, uuids: Sequence[str], language: str, more: _Parameters
    ) -> tuple[list[Story], str]:
        params = (
            ("version", version),
            ("by_uuids", ",".join(uuids)),
            ("per_page", str(READ_TOGETHER)),
            *more,
            *((("language", language),) if language else ()),
        )
        body, served = await self._read("stories", params)
        rows = map(_with_slugs, reading.rows(body, "stories"))
        return [reading.story(each) for each in rows], served

    async def _read(self, path: str, params: _Parameters) -> tuple[Json, str]:
        """Return an answer, and the version of the cache that it is of.

        Redirects are followed on the host of the delivery side only. Source: delivery,
        caches: a version that is not kept is answered with a 301 to the current one.
        """
        url = f"{self._address}/{path}"
        if not self._token:
            raise NotFoundError(
                "The space shows no preview token (`first_token`); ask an "
                "administrator of the space to make an access token of the kind "
                "`preview` in its settings.",
                service="delivery",
            )
        for _ in range(MOST_REDIRECTS + 1):
            request = Request(
                "GET", url, (*params, ("token", self._token)), redirects=True
            )
            answer = await self._session.send(request)
            if answer.status not in _REDIRECTS:
                body = answer.valid_json()
                shown = body.get("cv") if isinstance(body, dict) else None
                return body, str(shown or dict(params).get("cv", ""))
            url, params = self._target(url, answer)
            self._version = dict(params).get("cv", self._version)
        raise _strayed(url, f"sent it on more than {MOST_REDIRECTS} times")

    def _target(self, url: str, answer: Answer) -> tuple[str, _Parameters]:
        """Return address and parameters of a redirect, without the token in it.

        Raises `RejectedError` for one to another host.
        """
        try:
            target = urljoin(url, answer.headers.get("location", ""))
            parts = urlsplit(target)
            own = urlsplit(self._address)
        except ValueError:
            raise _strayed(url, "sent it to an unreadable address") from None
        if (parts.scheme, parts.netloc) != (own.scheme, own.netloc):
            raise _strayed(url, f"sent it to another host, {bare(target)}")
        listed = parse_qsl(parts.query, keep_blank_values=True)
        return bare(target), tuple(each for each in listed if each[0] != "token")


def _take_marks(content: Json) -> None:
    """Take out of content what the visual editor finds its blocks by."""
    parts = [content]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            part.pop("_editable", None)
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def _with_slugs(record: JsonObject) -> JsonObject:
    """Return a story with its slugs in other languages as the management side has
    them. A language that no editor gave it may be listed with the story's own path.

    Source: the service's documentation, the story object of the delivery side.
    """
    path_there = str(record.get("default_full_slug") or record.get("full_slug"))
    own: list[Json] = [
        {**each, "slug": path.rpartition("/")[2]}
        for each in reading.rows({"rows": record.get("translated_slugs") or []}, "rows")
        if isinstance(path := each.get("path"), str)
        and (each.get("name") or path.strip("/") != path_there.strip("/"))
    ]
    return {**record, "translated_slugs": own}


def _strayed(url: str, what: str) -> RejectedError:
    return RejectedError(
        f"The delivery side was asked for {path_of(url)} and {what}; check "
        "destination_base_url, and run `cmsmig verify` again.",
        service="delivery",
        method="GET",
        url=bare(url),
    )
