"""Edits of the design that can be taken back after a restart, kept in the project."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress

from cmsmig.canonical import fingerprint
from cmsmig.errors import StorageError
from cmsmig.mapping.decisions.decision_files import to_text
from cmsmig.mapping.decisions.design import Design
from cmsmig.plain_file import MEGABYTE, read_plain
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import replace_file

_MOST = 50
"""Edits that are kept."""
_LARGEST = 2_000_000
"""Characters of designs that are kept; the oldest go first."""
_FILE = 16 * MEGABYTE
"""Bytes of a file that is looked at: no file of ours is larger."""


class UndoFile:
    """The designs before each edit, with a hash of the file that the last one made.

    What was written otherwise, by hand or by another command, has another hash: then
    nothing that is kept here is taken back. No decision and no plan depends on it.
    """

    def __init__(self, project: Project) -> None:
        self._path = project.root / "design_undo.json"
        self._texts: list[tuple[Design, str]] = []

    def read(self, text: str | None) -> tuple[str, ...]:
        """Return the designs that led to a file's text, oldest first; none where the
        file is another one, and where what is kept is damaged."""
        try:
            document = json.loads(read_plain(self._path, _FILE))
        except (OSError, ValueError, RecursionError):
            return ()
        if text is None or not isinstance(document, dict):
            return ()
        past = document.get("past")
        if document.get("design") != fingerprint(text) or not isinstance(past, list):
            return ()
        return tuple(past) if all(isinstance(each, str) for each in past) else ()

    def keep(
        self, design: Design, text: str, older: Sequence[str], past: Sequence[Design]
    ) -> None:
        """Write the designs that led to one and its text: those read before, and those
        of this kernel. Where the disk refuses it, edits are kept in the kernel alone.
        """
        # YAML takes its time: each design is written out once.
        known = {id(each): said for each, said in self._texts}
        led = [(each, known.get(id(each)) or to_text(each)) for each in past]
        self._texts = [*led, (design, text)]
        kept = _bounded([*older, *(said for _, said in led)])
        document = json.dumps({"design": fingerprint(text), "past": kept}, indent=0)
        with suppress(StorageError):
            replace_file(self._path, f"{document}\n")


def _bounded(texts: Sequence[str]) -> list[str]:
    """Return the latest texts, as many as are kept."""
    kept: list[str] = []
    left = _LARGEST
    for each in reversed(texts[-_MOST:]):
        left -= len(each)
        if left < 0:
            break
        kept.append(each)
    return kept[::-1]
