"""What stories were some seconds ago, for reads that lag behind."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cmsmig.sandbox.destination.space import Space, StoredStory


@dataclass(frozen=True, slots=True)
class Change:
    """One story before a change."""

    at: float
    version: int
    """Of the space, before the change."""
    story_id: int
    before: StoredStory | None
    """None: it was not there."""


@dataclass(slots=True)
class Journal:
    """The changes of the last `seconds`; notes none when there are 0."""

    space: Space
    seconds: float
    clock: Callable[[], float]
    """The current time; a clock of the space that replays requests does not run."""
    changes: deque[Change] = field(default_factory=deque)

    def __post_init__(self) -> None:
        if self.seconds:
            self.space.touched = self._note

    def state(self) -> Space:
        """Return the space as it was `seconds` ago."""
        moment = self.clock() - self.seconds
        newer = [change for change in self.changes if change.at > moment]
        if not newer:
            return self.space
        stories = dict(self.space.stories)
        for change in reversed(newer):
            if change.before is None:
                stories.pop(change.story_id, None)
            else:
                stories[change.story_id] = change.before
        return _with_stories(self.space, stories, newer[0].version)

    def _note(self, story: StoredStory) -> None:
        now = self.clock()
        while self.changes and self.changes[0].at <= now - self.seconds:
            self.changes.popleft()
        known = self.space.stories.get(story.story_id)
        before = None if known is None else replace(known, body=dict(known.body))
        change = Change(now, self.space.version, story.story_id, before)
        self.changes.append(change)


def _with_stories(space: Space, stories: dict[int, StoredStory], version: int) -> Space:
    past = replace(
        space,
        stories={},
        by_uuid={},
        places={},
        children={},
        alternates={},
        selections={},
        touched=lambda story: None,
    )
    for story in stories.values():
        past.place(story)
        if story.deleted_at is not None:
            past.displace(story)
    past.version = version
    return past
