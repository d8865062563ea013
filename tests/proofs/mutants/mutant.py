"""A mutant: the project with a safeguard taken out, as replacements in its sources."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Edit:
    """One replacement in one source file."""

    path: str
    """Below the package's folder."""
    before: str
    """Stands there exactly once."""
    after: str


@dataclass(frozen=True)
class Mutant:
    """The project with a safeguard taken out."""

    name: str
    breaks: str
    """What is wrong with it."""
    faults: tuple[str, ...]
    """Cases of the faults, as `--only` takes them; one of them has to fail. None: the
    state machine has to."""
    edits: tuple[Edit, ...]
    held: str = ""
    """Why it lives: the safeguard that holds in its place. Empty: it has to die."""

    def edited(self, root: Path) -> dict[Path, str]:
        """Return the changed files; ends the program where a text is not there."""
        texts: dict[Path, str] = {}
        for edit in self.edits:
            path = root / "cmsmig" / edit.path
            text = texts.get(path) or path.read_text(encoding="utf-8")
            if (found := text.count(edit.before)) != 1:
                sys.exit(
                    f"The mutant {self.name!r} has rotted: cmsmig/{edit.path} holds "
                    f"its text {found} times:\n{edit.before}"
                )
            texts[path] = text.replace(edit.before, edit.after)
        return texts
