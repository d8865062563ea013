"""An editor works at the destination while an import runs: their work stays.

They put a story of their own where an item's story goes, or they edit a field of one
of ours, at one request; its answer comes, is lost, or the import is killed with it.
The imports after it must leave what they did as it is, and name the conflict where
the import would write the same. When they undo it, the next import leaves what an
undisturbed one does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from cmsmig.canonical import Json
from cmsmig.sandbox.destination.space import StoredStory
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.values import moment
from tests.proofs.faults.cases import DEEDS, Case, Deed
from tests.proofs.faults.scenes import IMPORT
from tests.proofs.world.disturbances import Disturbance
from tests.proofs.world.world import World
from tests.support.rehearsal import Ended
from tests.support.sandbox.replies import broken

NAMED = "SELECT COUNT(*) FROM item WHERE reason IN ('conflict', 'edited_since')"
WORDS = ("line", "text")
"""Fields in which the site's stories hold words."""


@dataclass
class Editor:
    """Does a deed in one space, once, and undoes it."""

    world: World
    deed: Deed
    disturbance: Disturbance = field(default_factory=Disturbance)
    story_id: int = 0
    """The story they made or edited; 0: nothing is done yet."""
    edited: str = ""
    """The field they edited; empty where the whole story is theirs."""
    before: Json = None
    wanted: Json = None
    """What that field, or the story, has to hold from then on."""

    async def at_request(self, call: Call, answer: Next) -> Reply:
        """Do the deed at the request, and answer it as the deed says."""
        reply = await answer(call) if self.deed.applied else None
        self._do(call, reply)
        if self.deed.ending == "killed":
            self.disturbance.kill()
        if self.deed.ending != "answered":
            return broken(Reply(0))
        return reply or await answer(call)

    def _do(self, call: Call, reply: Reply | None) -> None:
        sent = call.document()["story"]
        if self.deed.edits:
            if call.method == "POST":
                self.story_id = json.loads(reply.body)["story"]["id"]
            else:
                self.story_id = int(call.path.rpartition("/")[2])
            content = self._story().content
            self.edited = next(name for name in WORDS if content.get(name))
            self.before = content[self.edited]
            self._write(_other(self.before))
            return
        content = {**sent["content"], "_uid": "of an editor"}
        own = {**sent, "name": "Of an editor", "content": content}
        created = self.world.api("POST", "/stories", {"story": own})
        self.story_id = created["story"]["id"]
        self.wanted = self._story().content

    def _write(self, value: Json) -> None:
        space, story = self.world.space, self._story()
        content = {**story.content, self.edited: value}
        story.body = {**story.body, "content": content}
        # A second later than anything else: no editor types within a millisecond.
        story.updated_at = moment(space.clock() + 1)
        story.unpublished_changes = story.published_content is not None
        self.wanted = value

    def _story(self) -> StoredStory:
        return self.world.space.stories[self.story_id]

    def wrong(self, ended: Ended) -> str:
        """Return what is wrong after an import: it has to leave what they did, and to
        name the conflict, or to have nothing to write where they edited."""
        story = self.world.space.story(self.story_id)
        if story is None:
            return f"the editor's story is gone; the import ended with {ended}"
        there = story.content[self.edited] if self.edited else story.content
        if there != self.wanted:
            return f"the editor's work is lost; the import ended with {ended}"
        is_named = self.world.rows(NAMED) != [(0,)]
        if (ended.code == 1 and is_named) or (
            self.edited and ended.code == 0 and not is_named
        ):
            return ""
        return f"the conflict is not named; the import ended with {ended}"

    def undo(self) -> None:
        """Undo the deed, as a person does."""
        if self.deed.edits:
            self._write(self.before)
            return
        space = self.world.space
        space.displace(self._story())
        del space.by_uuid[self._story().uuid], space.stories[self.story_id]


def _other(value: Json) -> Json:
    """Return an editor's value for a field, a text or a document."""
    if isinstance(value, str):
        return f"{value}, edited"
    text = {"type": "text", "text": "Edited"}
    return {"type": "doc", "content": [{"type": "paragraph", "content": [text]}]}


def disturbed_by_editor(one: World, case: Case) -> str:
    """Import while an editor works, import twice more, and undo the edit; return what
    is wrong."""
    editor = Editor(one, DEEDS[case.how])
    editor.disturbance = Disturbance(case.kills[0], editor.at_request)
    ended = one.disturbed(editor.disturbance, *IMPORT)
    if not editor.story_id:
        return f"the editor did nothing; the import ended with {ended}"
    endings = [] if editor.disturbance.dead else [ended]
    wrong = [editor.wrong(each) for each in endings]
    wrong += [editor.wrong(one.run(*IMPORT)) for _ in range(2)]
    editor.undo()
    return next(filter(None, wrong), "")
