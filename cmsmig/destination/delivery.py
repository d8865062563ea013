"""The destination's delivery API: what visitors get, read in pages with content.

Source: the service's Content Delivery API v2, rate limit. Its quota is one of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cmsmig.canonical import Json
from cmsmig.destination import reading
from cmsmig.destination.schema import Story
from cmsmig.wire.answers import Request
from cmsmig.wire.session import Session

READ_TOGETHER: Final = 25
"""Stories of one list. Lists of up to so many may be asked for most often."""
LISTS_A_SECOND: Final = 50
"""Lists of so many stories that a space may be asked for in a second."""


class DeliveryClient:
    """Reads what is published in one space. `token` stands in the address, and nowhere
    else."""

    def __init__(self, session: Session, address: str, token: str) -> None:
        self._session = session
        self._address = address
        self._token = token
        self._version = ""

    async def renew(self) -> None:
        """Read from now on what was published until now, and no older copy of it."""
        body = await self._read("spaces/me", ())
        space = reading.unwrapped(body, "space")
        self._version = str(space.get("version") or "")

    async def published(
        self, uuids: Sequence[str], language: str = ""
    ) -> dict[str, Story]:
        """Return what visitors get of stories, by UUID; at most `READ_TOGETHER`.

        Translated fields are in place in a `language`. A story that is not published
        is not among them.
        """
        params = (
            ("version", "published"),
            ("by_uuids", ",".join(uuids)),
            ("per_page", str(READ_TOGETHER)),
            *((("cv", self._version),) if self._version else ()),
            *((("language", language),) if language else ()),
        )
        body = await self._read("stories", params)
        found = (reading.story(record) for record in reading.rows(body, "stories"))
        return {story.row.uuid: story for story in found}

    async def _read(self, path: str, params: tuple[tuple[str, str], ...]) -> Json:
        url = f"{self._address}/{path}"
        request = Request("GET", url, (*params, ("token", self._token)))
        return (await self._session.send(request)).whole_json()
