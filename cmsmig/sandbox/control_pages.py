"""Pages for tests and tools on the destination's port; no token, no quota."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.errors import UsageError
from cmsmig.sandbox.destination.api import ManagementApi
from cmsmig.sandbox.destination.assets.asset_routes import record
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.editor import open_and_save
from cmsmig.sandbox.destination.stories.story_pages import StoryPages
from cmsmig.sandbox.destination.stories.story_wire import single
from cmsmig.sandbox.faults.fault_rules import read_plan
from cmsmig.sandbox.faults.injector import FaultInjector
from cmsmig.sandbox.history import Recorder
from cmsmig.sandbox.http.asgi import (
    AnsweredError,
    Call,
    Reply,
    Route,
    Router,
    json_reply,
)
from cmsmig.sandbox.observe.comparison import comparable_state
from cmsmig.sandbox.values import whole


@dataclass(slots=True)
class ControlPages:
    """Answers `/_sandbox/history`, `violations`, `summary`, `state` and `faults`.

    `state?comparable` leaves out what differs from one run to the next. A PUT of
    `faults` sets another plan, a DELETE ends all faults. A POST of `open-and-save`
    opens and saves the story of `story_id`, or all, as the visual editor does. The
    routes of `StoryPages` show and edit stories.
    """

    api: ManagementApi
    recorder: Recorder
    injector: FaultInjector
    routes: frozenset[str]
    """The names that a plan of faults may use."""
    router: Router = field(init=False)

    def __post_init__(self) -> None:
        routes = (
            Route("GET", "/_sandbox/history", "history", self._history),
            Route("GET", "/_sandbox/violations", "violations", self._violations),
            Route("GET", "/_sandbox/summary", "summary", self._summary),
            Route("GET", "/_sandbox/state", "state", self._state),
            Route("GET", "/_sandbox/faults", "faults", self._faults),
            Route("PUT", "/_sandbox/faults", "set faults", self._set_faults),
            Route("DELETE", "/_sandbox/faults", "end faults", self._end_faults),
            Route("POST", "/_sandbox/open-and-save", "open and save", self._save),
            *StoryPages(self.api.space, self.api.apply).routes(),
        )
        self.router = Router(routes, lambda call: Reply(404))

    async def answer(self, call: Call) -> Reply:
        """Answer one call."""
        return replace(self.router.answer(call), service="control")

    def _history(self, call: Call) -> Reply:
        return json_reply(200, {"history": self.recorder.history()})

    def _violations(self, call: Call) -> Reply:
        return json_reply(200, {"violations": self.recorder.complaints()})

    def _summary(self, call: Call) -> Reply:
        fullest, most = self.api.window.peak, self.api.in_flight.peak
        peaks = {"fullest_second": fullest, "most_in_flight": most}
        return json_reply(200, self.recorder.summary() | peaks)

    def _state(self, call: Call) -> Reply:
        comparable = call.parameter("comparable") is not None
        space = self.api.space
        state = comparable_state(space) if comparable else state_of(space)
        body = canonical(state)
        return Reply(200, body, "application/json; charset=utf-8")

    def _faults(self, call: Call) -> Reply:
        plan = [entry.as_json() for entry in self.injector.plan]
        return json_reply(200, {"faults": plan, "given": self.injector.given})

    def _set_faults(self, call: Call) -> Reply:
        try:
            self.injector.set(read_plan(call.document(), self.routes))
        except UsageError as error:
            raise AnsweredError(json_reply(400, {"error": str(error)})) from None
        return self._faults(call)

    def _end_faults(self, call: Call) -> Reply:
        self.injector.set(())
        return self._faults(call)

    def _save(self, call: Call) -> Reply:
        story_id = whole(call.document().get("story_id"))
        named = None if story_id is None else [story_id]
        return json_reply(200, open_and_save(self.api.space, named))


def state_of(space: Space) -> JsonObject:
    """Return everything the space holds, each list in an order of its own."""
    stories = [s for s in space.stories.values() if s.is_plain]
    stories.sort(key=lambda story: (space.full_slug(story), story.is_folder))
    assets = sorted(space.assets.values(), key=lambda asset: asset.key)
    shown: list[Json] = [
        {**record(space, asset), "sha256": asset.digest or None} for asset in assets
    ]
    return {
        "components": [*_by(space.components, "name")],
        "component_groups": [*_by(space.groups, "name")],
        "datasources": [*_by(space.datasources, "slug")],
        "datasource_entries": [*space.entries.values()],
        "stories": [
            {**single(space, story), "published_content": story.published_content}
            for story in stories
        ],
        "asset_folders": [*_by(space.asset_folders, "name")],
        "assets": shown,
    }


def _by(records: Mapping[int, JsonObject], key: str) -> list[JsonObject]:
    return sorted(records.values(), key=lambda one: str(one[key]))
