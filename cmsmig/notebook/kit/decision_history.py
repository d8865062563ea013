"""What a decision file held before each choice in a list, kept over restarts of the
kernel."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress

from cmsmig.canonical import fingerprint
from cmsmig.errors import StorageError
from cmsmig.settings import Project
from cmsmig.steps.decide.decision_store import replace_text

_LARGEST = 4_000_000
"""Characters of texts that are kept; the oldest go first."""


class DecisionHistory:
    """The texts of one decision file before each choice, by what the choice is about.

    No decision and no plan depends on it. Where the disk refuses it, or the file is
    damaged, there is nothing to restore.
    """

    def __init__(self, project: Project, name: str) -> None:
        self._path = project.root / "decision_undo.json"
        self._file = project.decision(name).relative_to(project.root).as_posix()

    def before(self, place: tuple[str, ...]) -> str | None:
        """Return the text of the file before the last choice about `place`."""
        texts, earlier = self._read()
        named = earlier.get(self._key(place))
        return texts.get(named[-1]) if named else None

    def keep(
        self,
        text: str,
        chosen: Iterable[tuple[str, ...]],
        undone: Iterable[tuple[str, ...]],
    ) -> None:
        """Keep the text that the file had before these choices; forget the last choice
        about what was undone."""
        texts, earlier = self._read()
        name = fingerprint(text)
        texts[name] = texts.pop(name, text)
        for place in chosen:
            earlier.setdefault(self._key(place), []).append(name)
        for place in undone:
            del earlier.get(self._key(place), [])[-1:]
        left = _LARGEST
        for each in reversed([*texts]):
            left -= len(texts[each])
            if left < 0:
                del texts[each]
        kept = {
            key: listed
            for key, names in earlier.items()
            if (listed := [each for each in names if each in texts])
        }
        used = {each for names in kept.values() for each in names}
        texts = {each: held for each, held in texts.items() if each in used}
        document = json.dumps({"texts": texts, "earlier": kept}, indent=0)
        with suppress(StorageError):
            replace_text(self._path, f"{document}\n")

    def _key(self, place: tuple[str, ...]) -> str:
        return json.dumps([self._file, *place])

    def _read(self) -> tuple[dict[str, str], dict[str, list[str]]]:
        try:
            document = json.loads(self._path.read_bytes())
            return dict(document["texts"]), dict(document["earlier"])
        except (OSError, ValueError, RecursionError, TypeError, KeyError):
            return {}, {}
