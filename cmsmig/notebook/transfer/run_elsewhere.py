"""The run that holds the project or held it last, as any notebook can see it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.evidence.addresses import OriginPages
from cmsmig.evidence.failures import item_failures
from cmsmig.evidence.report import failures_doc
from cmsmig.ledger.lease import ask_to_stop, held_since, other_holder
from cmsmig.ledger.run_progress import Progress, RunWatch
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.ui.documents.plan import TITLES
from cmsmig.ui.format import duration
from cmsmig.ui.html.safe_html import NOTHING, doc_html, joined, note, paragraph
from cmsmig.ui.meter import Stage

_EVERY = 1.0
"""Seconds between two looks at the ledger."""
_NEVER = "never"
"""Later than any time."""
_STEPS = ("prepare", "create", "link", "publish")
_STOPPABLE = tuple(f"`cmsmig {each}`" for each in (*_STEPS, "import"))
"""How those sign that look for a request to stop."""
_STAGES = {
    "prepare": (
        (
            "components",
            "component datasource folder folder_name asset_folder",
            "create_components update_components create_datasources create_folders "
            "rename_folders create_asset_folders",
        ),
        ("assets", "sign", "sign_uploads"),
    ),
    "create": (("stories", "create", "create_stories"),),
    "link": (("relations", "update", "update_stories"),),
    "publish": (
        (
            "publish",
            "publish show unpublish delete",
            "publish_stories read_versions unpublish_stories delete_stories",
        ),
    ),
}
"""What each step goes through: the stages, the intents that they settle, and the calls
of the plan of which each is one such intent."""


Show: TypeAlias = Callable[[Markup, Sequence[Stage] | None, str], None]
"""Shows who runs and what failed, the stages of an import, and a line about them."""


class RunElsewhere:
    """A run of another notebook, or of a terminal."""

    def __init__(self, workspace: Workspace, pages: OriginPages) -> None:
        self._pages = pages
        self._lock = workspace.project.lock
        self._watch = RunWatch(workspace.project.ledger)
        self._since = ""
        """When the import that is followed began."""
        self._before = 0
        """The number of the last run before one of this notebook."""
        self._next_look = 0.0

    def signed(self) -> str:
        """Return who runs now, as it said; empty where no run does. Cheap."""
        return other_holder(self._lock)

    @property
    def can_stop(self) -> bool:
        """Return whether the one that runs now looks for requests."""
        return self.signed().startswith(_STOPPABLE)

    def stop(self) -> None:
        """Ask it to stop; it ends after the calls in flight."""
        if signed := self.signed():
            ask_to_stop(self._lock, signed)

    async def follow(self, show: Show) -> None:
        """Show how far it is, every second, until it has ended."""
        began, before = time.monotonic(), None
        while signed := self.signed():
            is_import = signed.startswith(_STOPPABLE)
            self._since = held_since(signed) if is_import else _NEVER
            said, line = note(f"Runs elsewhere: {signed}."), ""
            stages: Sequence[Stage] | None = () if is_import else None
            # Without a look it reads the current state, or is no import at all.
            if seen := self._look():
                handled = sum(seen.handled.values())
                before = handled if before is None else before
                pace = (handled - before) / max(1.0, time.monotonic() - began)
                said, stages = said + self._failed(seen), _stages(seen)
                line = _line(seen, stages, pace)
            show(said, stages, line)
            await asyncio.sleep(_EVERY)

    def ended(self, step: str) -> tuple[Markup, bool]:
        """Return how the run ended that was followed, and whether it is for `step` to
        continue it."""
        seen = self._look()
        self._watch.close()
        if seen is None:
            return note("That run has ended."), False
        failed = self._failed(seen)
        if seen.run.outcome != "done":
            return joined((_ended_early(seen, step), failed)), _is_of(seen, step)
        undone = seen.failed or seen.failed_files
        came = f"`cmsmig {seen.run.command}` has ended: {_came(seen)}."
        return joined((note(came, "bad" if undone else "good"), failed)), False

    def runs_here(self) -> None:
        """Take what runs from now on as a run of this notebook."""
        seen = self._watch.look()
        self._before = seen.run.number if seen else 0

    def failed_here(self) -> Markup:
        """Return what failed so far in the run of this notebook; nothing when it was
        asked a moment ago."""
        if time.monotonic() < self._next_look:
            return NOTHING
        self._next_look = time.monotonic() + _EVERY
        seen = self._watch.look()
        is_its = seen is not None and seen.run.number > self._before
        return self._failed(seen) if seen is not None and is_its else NOTHING

    def _failed(self, seen: Progress) -> Markup:
        failed = [*item_failures(seen.failures)]
        return doc_html(failures_doc(failed, self._pages, seen.failed))

    def _look(self) -> Progress | None:
        """Return how far the followed run is; None while it has not begun to write."""
        seen = self._watch.look()
        is_its = seen is not None and seen.run.started_at >= self._since
        return seen if is_its else None

    def unfinished(self, step: str) -> Markup | None:
        """Return how far the last run of a step came, if it did not get to its end."""
        seen = self._watch.look()
        self._watch.close()
        if seen is None or seen.run.outcome == "done" or not _is_of(seen, step):
            return None
        return _ended_early(seen, step)


def _line(seen: Progress, stages: Sequence[Stage], pace: float) -> str:
    left = sum((each.total or 0) - each.done for each in stages)
    line = f"{pace:.1f} writes a second"
    if left > 0 and pace > 0:
        line += f"; about {duration(left / pace)} left"
    if seen.failed_files:
        line += f"; {counted(seen.failed_files, 'file')} failed"
    return line


def _stages(seen: Progress) -> Sequence[Stage]:
    """Return the stages of a run up to the one that it is in."""
    command = seen.run.command
    found = [
        Stage(name, max(planned, done), done, "over" if done >= planned else "")
        for step in (_STEPS if command == "import" else (command,))
        for name, kinds, calls in _STAGES.get(step, ())
        for done in (_sum(seen.handled, kinds),)
        for planned in (_sum(seen.run.planned, calls),)
        if planned or done
    ]
    begun = [place for place, each in enumerate(found) if each.done]
    return found[: max(begun, default=0) + 1]


def _sum(counts: Mapping[str, int], names: str) -> int:
    return sum(counts.get(name, 0) for name in names.split())


def _is_of(seen: Progress, step: str) -> bool:
    return seen.run.command in (step, "import")


def _ended_early(seen: Progress, step: str) -> Markup:
    run = seen.run
    at = f"The run of {run.started_at[11:16]} UTC"
    then = "Go on."
    if not _is_of(seen, step):
        then = (
            f"Go on in notebook {TITLES[run.command]}." if run.command in TITLES else ""
        )
    if run.outcome.startswith("failed: "):
        why = run.outcome.removeprefix("failed: ")
        return note(f"{at} failed: {why}", "bad") + paragraph(f"{_came(seen)}. {then}")
    how = "was stopped" if run.outcome == "stopped" else "ended before it was done"
    return note(f"{at} {how}: {_came(seen)}. {then}", "warning")


def _came(seen: Progress) -> str:
    stories = counted(seen.wanted, "story", "stories")
    came = f"{seen.there:,} of {stories} exist"
    if seen.run.command == "prepare":
        return f"{counted(seen.files, 'file')} of this project are there; {came}"
    return came
