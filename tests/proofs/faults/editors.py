"""Somebody at work at the destination while an import runs: what they did stays.

They put a story of their own where an item's story goes, or they edit a field of one
of ours, at one request; its answer comes, is lost, or the import is killed with it.
The imports after it must leave what they did as it is, and name the conflict where
the import would write the same. When they take it back, the next import leaves what
an undisturbed one does.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace

from cmsmig.canonical import Json, JsonObject
from cmsmig.ledger.store import Ledger
from cmsmig.sandbox.destination.space import StoredStory
from cmsmig.sandbox.destination.stories import story_routes
from cmsmig.sandbox.http.asgi import Call, Ending, Next, Reply
from cmsmig.sandbox.values import moment
from tests.proofs.faults.cases import DEEDS, Case, Deed
from tests.proofs.faults.importing import ended_at_last
from tests.proofs.faults.world import World

KILLED = -9
REASONS = ("conflict", "edited_since")
WORDS = ("line", "text")
"""Keys under which the site's stories hold words."""


@dataclass
class Somebody:
    """Does a deed in one space, once, and takes it back."""

    world: World
    deed: Deed
    story_id: int = 0
    """The story they made or edited; 0: nothing is done yet."""
    field: str = ""
    """The field they edited; empty where the whole story is theirs."""
    before: Json = None
    wanted: Json = None
    """What that field, or the story, has to hold from then on."""

    async def at_request(self, call: Call, answer: Next) -> Reply:
        """Answer the request with the deed beside it."""
        reply = await answer(call) if self.deed.applied else None
        self._do(call, reply)
        if self.deed.ending == "killed":
            while not self.world.hooks.child:
                await asyncio.sleep(0.001)
            os.kill(self.world.hooks.child, signal.SIGKILL)
        if self.deed.ending != "answered":
            return Reply(0, ending=Ending.DROPPED)
        return reply or await answer(call)

    def _do(self, call: Call, reply: Reply | None) -> None:
        sent = call.document()["story"]
        if self.deed.edits:
            if call.method == "POST":
                self.story_id = json.loads(reply.body)["story"]["id"]
            else:
                self.story_id = int(call.path.rpartition("/")[2])
            content = self._story().content
            self.field = next(name for name in content if _is_edited(name, content))
            self.before = content[self.field]
            self._write(_edited(self.before))
            return
        content = {**sent["content"], "_uid": "somebody's own"}
        own = {**sent, "name": "Somebody's own", "content": content}
        # Without what was read of the body that it has not any more.
        made = replace(call, body=json.dumps({"story": own}).encode(), _read=[])
        created = story_routes.create(self.world.space, made, {})
        self.story_id = json.loads(created.body)["story"]["id"]
        self.wanted = self._story().content

    def _write(self, value: Json) -> None:
        space, story = self.world.space, self._story()
        content = {**story.content, self.field: value}
        story.body = {**story.body, "content": content}
        # A second later than anything else: nobody types within a millisecond.
        story.updated_at = moment(space.clock() + 1)
        story.unpublished_changes = story.published_content is not None
        self.wanted = value

    def _story(self) -> StoredStory:
        return self.world.space.stories[self.story_id]

    def stands(self) -> str:
        """Return what became of the deed that should not have."""
        story = self.world.space.story(self.story_id)
        if story is None:
            return "somebody's story is gone"
        there = story.content[self.field] if self.field else story.content
        return "" if there == self.wanted else "somebody's work is lost"

    def is_told(self, code: int) -> bool:
        """Return whether an import ended as it should: it names the conflict, or it
        has nothing to write where they edited."""
        named = _is_named(self.world)
        return (code == 1 and named) or (bool(self.field) and code == 0 and not named)

    def take_back(self) -> None:
        """Undo the deed, as a person does."""
        if self.deed.edits:
            self._write(self.before)
            return
        space = self.world.space
        space.displace(self._story())
        del space.by_uuid[self._story().uuid], space.stories[self.story_id]


def _is_edited(name: str, content: JsonObject) -> bool:
    return any(True for _ in _texts({name: content[name]}))


def _edited(value: Json) -> Json:
    """Return a field's value with its first piece of text changed."""
    before = value if isinstance(value, str) else next(_texts(value))
    changed = json.dumps(f"{before}, edited")
    return json.loads(json.dumps(value).replace(json.dumps(before), changed, 1))


def _texts(value: Json) -> Iterator[str]:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        if key in WORDS and isinstance(part, str):
            yield part
        elif isinstance(part, dict | list):
            yield from _texts(part)


def disturbed(one: World, case: Case) -> list[str]:
    """Import while somebody works, twice more, and after they took it back."""
    somebody = Somebody(one, DEEDS[case.how])
    if problem := _first(one, case, somebody):
        return [problem]
    for _ in range(2):
        code, said = one.run()
        if lost := somebody.stands():
            return [f"{lost}; the import ended with {code}: {said}"]
        if not somebody.is_told(code):
            return [f"the conflict is not named; the import ended with {code}: {said}"]
    somebody.take_back()
    return []


def _first(one: World, case: Case, somebody: Somebody) -> str:
    hooks = one.hooks
    hooks.seen, hooks.child, hooks.at = 0, 0, case.kills[0]
    hooks.act = somebody.at_request
    if somebody.deed.ending == "killed":
        code = ended_at_last(one.start("import"))
        odd = code != KILLED
    else:
        code, _ = one.run()
        odd = not somebody.is_told(code)
    hooks.at, hooks.child, hooks.act = 0, 0, None
    if not somebody.story_id:
        return f"nobody came by; the import ended with {code}"
    if lost := somebody.stands():
        return f"{lost}; the import ended with {code}"
    return f"the conflict is not named; the import ended with {code}" if odd else ""


def _is_named(one: World) -> bool:
    """Return whether the ledger has an item that failed for somebody's work."""
    with Ledger.open_existing(one.project.ledger) as ledger:
        rows = ledger.items.all().values()
    return any(row.reason in REASONS for row in rows)
