"""Pages on the destination's port where stories are edited; no token, no quota."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from cmsmig.sandbox.destination.api import ManagementApi
from cmsmig.sandbox.destination.stories.editor import open_and_save
from cmsmig.sandbox.destination.stories.story_pages import StoryPages
from cmsmig.sandbox.http.asgi import Call, Reply, Route, Router, json_reply
from cmsmig.sandbox.values import whole


@dataclass(slots=True)
class ControlPages:
    """Answers the routes of `StoryPages`, which show and edit stories.

    A POST of `open-and-save` opens and saves the story of `story_id`, or all, as the
    visual editor does.
    """

    api: ManagementApi
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        routes = (
            Route("POST", "/_sandbox/open-and-save", "open and save", self._save),
            *StoryPages(self.api.space, self.api.apply).routes(),
        )
        self.router = Router(routes, lambda call: Reply(404))

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        return replace(self.router.answer(call), service="control")

    def _save(self, call: Call) -> Reply:
        story_id = whole(call.document().get("story_id"))
        named = None if story_id is None else [story_id]
        return json_reply(200, open_and_save(self.api.space, named))
