"""Pages that show tests what a sandbox holds and did; no token, no quota."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.sandbox.destination.assets.asset_routes import record
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.story_wire import single
from cmsmig.sandbox.http.asgi import (
    Call,
    Next,
    Reply,
    Route,
    Router,
    json_reply,
)
from cmsmig.sandbox.services import Sandbox
from tests.support.sandbox.comparison import comparable_state
from tests.support.sandbox.fault_rules import read_plan
from tests.support.sandbox.history import Recorder
from tests.support.sandbox.injector import FaultInjector


@dataclass(slots=True)
class TestPages:
    """Answers `/_sandbox/history`, `violations`, `summary`, `state` and `faults`.

    `state?comparable` leaves out what differs from one run to the next. A PUT of
    `faults` sets another plan.
    """

    __test__ = False

    sandbox: Sandbox
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
            Route("PUT", "/_sandbox/faults", "set faults", self._faults),
        )
        self.router = Router(routes, lambda call: Reply(404))

    def around(self, control: Next) -> Next:
        """Return what answers these pages, and all others as `control` does."""

        async def answer(call: Call) -> Reply:
            if self.router.match(call.method, call.path) is None:
                return await control(call)
            return replace(self.router.answer(call), service="control")

        return answer

    def _history(self, call: Call) -> Reply:
        return json_reply(200, {"history": self.recorder.history()})

    def _violations(self, call: Call) -> Reply:
        return json_reply(200, {"violations": self.recorder.complaints()})

    def _summary(self, call: Call) -> Reply:
        api = self.sandbox.api
        fullest, most = api.window.peak, api.in_flight.peak
        peaks = {"fullest_second": fullest, "most_in_flight": most}
        return json_reply(200, self.recorder.summary() | peaks)

    def _state(self, call: Call) -> Reply:
        comparable = call.parameter("comparable") is not None
        space = self.sandbox.space
        state = comparable_state(space) if comparable else state_of(space)
        body = canonical(state)
        return Reply(200, body, "application/json; charset=utf-8")

    def _faults(self, call: Call) -> Reply:
        self.injector.set(read_plan(call.document(), self.routes))
        return json_reply(200, {})


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
