"""What every case of bad input has in common: a cause, one sentence, a rerun."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.sandbox.destination.space import StoredStory as Story
from cmsmig.sandbox.history import Entry
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.observe.comparison import comparable_state
from tests.support.rehearsal import Ended, Rehearsal

Fault = Callable[[Call, Reply], Reply]
Undo = Callable[[], object]

_PROGRESS = re.compile(
    "(pull|files|components|folders|assets|stories|relations|publish|verify"
    "|origin|destination|upload host): .+"
)
_NEXT_SENTENCE = re.compile(r"[.!?]['”)]* +[A-Z`]")


class Faults(list[Fault]):
    """What goes wrong on the wire just now; a middleware of the sandbox."""

    async def __call__(
        self, call: Call, onward: Callable[[Call], Awaitable[Reply]]
    ) -> Reply:
        """Answer a call, altered by every fault."""
        reply = await onward(call)
        for fault in self:
            reply = fault(call, reply)
        return reply


@dataclass(frozen=True)
class Rig(Rehearsal):
    """A rehearsal whose services can be made to misbehave."""

    faults: Faults = field(default_factory=Faults)

    @property
    def entries(self) -> list[Entry]:
        """Return what the sandbox was asked so far."""
        return self.handle.state.recorder.entries

    @property
    def writes(self) -> list[str]:
        """Return the requests that changed the destination, in their order."""
        return [
            f"{entry.method} {entry.path}"
            for entry in self.entries
            if entry.service in ("destination", "upload") and entry.method != "GET"
        ]

    def space(self) -> object:
        """Return what the space holds, without ids and times."""
        return comparable_state(self.handle.state.space)

    def raw(self) -> dict[str, object]:
        """Return the raw cache by file, the sandbox's own port taken out.

        What is below `.pages` belongs to a pull and its token, not to the site.
        """
        folder = self.folder / "raw"
        return {
            str(path.relative_to(folder)): json.loads(
                re.sub(rb"http://127\.0\.0\.1:\d+", b"", path.read_bytes())
            )
            for path in sorted(folder.rglob("*.json"))
            if path.parent.name != ".pages"
        }

    def set(self, **settings: str) -> Undo:
        """Set variables in `.env`; an empty value takes the variable out."""
        path = self.folder / ".env"
        names = {f"CMSMIG_{name.upper()}": value for name, value in settings.items()}
        kept = [
            line
            for line in path.read_text().splitlines()
            if line.partition("=")[0] not in names
        ]
        added = [f"{name}={value}" for name, value in names.items() if value]
        return written(path, "\n".join([*kept, *added, ""]))


@dataclass(frozen=True)
class Case:
    """One cause of failure and what a command has to say about it."""

    name: str
    command: str
    code: int
    says: tuple[str, ...]
    cause: Callable[[Rig], Undo]
    """Makes the cause and returns what removes it."""
    decided: bool = True
    """Whether the project was pulled and decided before."""

    def __str__(self) -> str:
        return self.name


def sentence(ended: Ended) -> str:
    """Return the one sentence on standard error, below progress lines at most."""
    assert "Traceback" not in ended.err
    *before, last = ended.err.splitlines() or [""]
    assert [line for line in before if not _PROGRESS.fullmatch(line)] == []
    assert re.match(r"[A-Z0-9`/]|[a-z_]+(\.yaml|\.toml)?[ ,:]", last), last
    assert last[-1] in ".?", last
    assert not _NEXT_SENTENCE.search(last), last
    assert len(last) < 700, last
    return last


def written(path: Path, content: str | bytes) -> Undo:
    """Replace a file's content; the undo puts back what was there."""
    before = path.read_bytes() if path.exists() else None
    path.write_bytes(content.encode() if isinstance(content, str) else content)

    def undo() -> None:
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)

    return undo


def replaced(path: Path, old: str, new: str) -> Undo:
    """Replace a text in a file, which has to be there."""
    text = path.read_text()
    assert old in text
    return written(path, text.replace(old, new, 1))


def moved_away(path: Path) -> Undo:
    """Take a file or folder away; the undo brings it back."""
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)
    return lambda: aside.rename(path)


def one_of(folder: Path) -> Path:
    """Return the first JSON file of a folder by its name."""
    return min(folder.glob("*.json"))


def story_at(rig: Rig, ending: str) -> Story:
    """Return the stored story whose path ends so."""
    space = rig.handle.state.space
    found = [s for s in space.stories.values() if space.full_slug(s).endswith(ending)]
    return found[0]


def check(case: Case, rig: Rig, whole: Rig) -> None:
    """Run the case: the sentence and the code, then a rerun like `whole`."""
    undo = case.cause(rig)
    ended = rig.run(*case.command.split())
    assert ended.code == case.code, ended.out + ended.err
    said = sentence(ended)
    assert [part for part in case.says if part not in said] == [], said
    undo()
    if case.command == "plan":
        planned = (whole.folder.parent / "plan.json").read_text()
        assert rig.done("plan", "--json").out == planned
        return
    rig.done(*case.command.split())
    if case.command == "pull":
        assert rig.raw() == whole.raw()
    elif case.command != "check":
        if case.command != "import":
            rig.done("import")
        assert rig.space() == whole.space()
        assert rig.handle.state.recorder.violations == []
