"""The destination's delivery API: what visitors get, read in pages with content.

Source: the service's Content Delivery API v2, rate limit. Its quota is one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import parse_qsl, urljoin, urlsplit

from cmsmig.canonical import Json
from cmsmig.destination import reading
from cmsmig.destination.schema import Story
from cmsmig.errors import RejectedError
from cmsmig.wire.answers import Answer, Request, bare, path_of, whole_number
from cmsmig.wire.session import Session

_Parameters: TypeAlias = tuple[tuple[str, str], ...]

READ_TOGETHER: Final = 25
"""Stories of one list. Lists of up to so many may be asked for most often."""
LISTS_A_SECOND: Final = 50
"""Lists of so many stories that a space may be asked for in a second."""


MOST_REDIRECTS: Final = 5
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
    """Reads what is published in one space. `token` stands in the address, and nowhere
    else."""

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
        params = (
            ("version", "published"),
            ("by_uuids", ",".join(uuids)),
            ("per_page", str(READ_TOGETHER)),
            *((("cv", self._version),) if self._version else ()),
            *((("language", language),) if language else ()),
        )
        body, served = await self._read("stories", params)
        found = (reading.story(record) for record in reading.rows(body, "stories"))
        return Delivered(
            {story.row.uuid: story for story in found},
            is_older=0 < (whole_number(served) or 0) < self._newest,
        )

    async def _read(self, path: str, params: _Parameters) -> tuple[Json, str]:
        """Return an answer, and the version of the cache that it is of.

        Redirects are followed on the host of the delivery side only. Source: delivery,
        caches: a version that is not kept is answered with a 301 to the current one.
        """
        url = f"{self._address}/{path}"
        for _ in range(MOST_REDIRECTS + 1):
            request = Request(
                "GET", url, (*params, ("token", self._token)), redirects=True
            )
            answer = await self._session.send(request)
            if answer.status not in _REDIRECTS:
                body = answer.whole_json()
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


def _strayed(url: str, what: str) -> RejectedError:
    return RejectedError(
        f"The delivery side was asked for {path_of(url)} and {what}; check "
        "destination_base_url, and run `cmsmig verify` again.",
        service="delivery",
        method="GET",
        url=bare(url),
    )
