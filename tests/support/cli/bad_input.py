"""What every case of bad input has in common: a cause, one sentence, a rerun."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from cmsmig.sandbox.destination.space import StoredStory as Story
from cmsmig.sandbox.http.asgi import Call, Reply
from tests.support.rehearsal import Ended, Rehearsal
from tests.support.sandbox.comparison import comparable_state
from tests.support.sandbox.history import Entry
from tests.support.sites.identity import collection_id
from tests.support.tiny_site import SPOTS

SPOTS_ID = collection_id(SPOTS.key)
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

    def fails(self, code: int, *arguments: str) -> str:
        """Run a command that ends with this code; return the one sentence it says."""
        ended = self.run(*arguments)
        assert ended.code == code, ended.out + ended.err
        return sentence(ended)

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
class Cause:
    """What goes wrong in a project, by name; each returns what takes it away."""

    rig: Rig

    def sets(self, settings: dict[str, str]) -> Undo:
        """Set variables in `.env`."""
        return self.rig.set(**settings)

    def writes(self, name: str, text: str) -> Undo:
        """Replace what a file holds: a byte for each character."""
        return written(one_of(self.rig.folder, name), text.encode("latin-1"))

    def edits(self, name: str, old: str, new: str) -> Undo:
        """Replace a text in a file."""
        path = one_of(self.rig.folder, name)
        return replaced(path, old.replace("SPOTS", SPOTS_ID), new)

    def drops_entry(self, name: str, text: str) -> Undo:
        """Take the entry of a list that holds a text out of a decision file."""
        path = self.rig.folder / name
        entries = re.split(r"(?m)^(?=  - )", path.read_text())
        kept = [entry for entry in entries if text not in entry]
        assert len(kept) == len(entries) - 1
        return written(path, "".join(kept))

    def removes(self, name: str) -> Undo:
        """Take a file or folder away."""
        return moved_away(one_of(self.rig.folder, name))

    def cuts(self, name: str, count: int) -> Undo:
        """Take the last bytes of a file away."""
        path = one_of(self.rig.folder, name)
        return written(path, path.read_bytes()[:-count])

    def blocks(self, name: str) -> Undo:
        """Put a file where a folder has to be, or a folder where a file has to be."""
        path = self.rig.folder / name
        back = moved_away(path) if path.exists() else None
        if path.suffix:
            path.mkdir()
        else:
            path.write_text("in the way")

        def undo() -> None:
            path.rmdir() if path.is_dir() else path.unlink()
            if back is not None:
                back()

        return undo

    def takes_nothing(self) -> Undo:
        """Take the right to write in the project folder; from root it takes more."""
        if os.geteuid() == 0:
            return self.blocks("ledger.lock")
        self.rig.folder.chmod(0o500)
        return lambda: self.rig.folder.chmod(0o700)

    def posts(self, kind: str, body: dict[str, object]) -> Undo:
        """Make something in the space, as another client of it does."""
        made = self.rig.api("POST", f"/{kind}", body)
        [(_, found)] = made.items()
        return lambda: self.rig.api("DELETE", f"/{kind}/{found['id']}")

    def answers(self, status: int, service: str, method: str = "") -> Undo:
        """Let one service refuse everything, or every request of one method."""

        def refuse(call: Call, reply: Reply) -> Reply:
            if reply.service != service or method not in ("", call.method):
                return reply
            body = b'{"error": "Not with this token"}'
            return replace(reply, status=status, body=body)

        self.rig.faults.append(refuse)
        return self.rig.faults.clear

    def has_no_listener_at(self, name: str, path: str) -> Undo:
        """Name an address of this machine without a listener."""
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
        return self.rig.set(**{name: f"http://127.0.0.1:{port}{path}"})

    def has_read_only_token(self) -> Undo:
        """Give a token that may write nothing."""
        return self.rig.set(destination_token=self.rig.handle.state.tokens.read_only)


def sentence(ended: Ended) -> str:
    """Return the one sentence on standard error, below progress lines at most."""
    assert "Traceback" not in ended.err
    *before, last = ended.err.splitlines() or [""]
    assert [line for line in before if not _PROGRESS.fullmatch(line)] == []
    assert re.match(r"[A-Z0-9`/]|-{0,2}[a-z_][\w./=-]*[ ,:]", last), last
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


def one_of(folder: Path, name: str = "*.json") -> Path:
    """Return the first file of a folder by its name, or the place of a name."""
    return min(folder.glob(name)) if "*" in name else folder / name


def story_at(rig: Rig, ending: str) -> Story:
    """Return the stored story whose path ends so."""
    space = rig.handle.state.space
    found = [s for s in space.stories.values() if space.full_slug(s).endswith(ending)]
    return found[0]
