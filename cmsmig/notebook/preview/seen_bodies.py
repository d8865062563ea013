"""Which bodies that need no review a person has looked at; kept in the project."""

from __future__ import annotations

import json

from cmsmig.canonical import fingerprint
from cmsmig.mapping.decisions.body_reviews import BodyKey
from cmsmig.origin.records import replace_file
from cmsmig.plain_file import read_plain
from cmsmig.review.bodies import Body
from cmsmig.settings import Project


class SeenBodies:
    """The bodies that were ticked as seen; each tick is on disk before the next.

    A body is known by a hash of what it holds, so that a changed one is unseen
    again. No decision and no plan depends on it.
    """

    def __init__(self, project: Project, *, dry_run: bool = False) -> None:
        self._path = project.root / "seen_bodies.json"
        self._dry_run = dry_run
        self._prints: set[str] = set(self._read())

    def holds(self, key: BodyKey, body: Body) -> bool:
        """Return whether a body was seen as it is; without any tick none is read."""
        return bool(self._prints) and _print(key, body.text) in self._prints

    def mark(self, key: BodyKey, html: str, *, seen: bool) -> None:
        """Tick a body, or take its tick back; written at once, but not in a dry run.

        Raises `CacheError` where the file cannot be written.
        """
        if seen:
            self._prints.add(_print(key, html))
        else:
            self._prints.discard(_print(key, html))
        if not self._dry_run:
            text = json.dumps({"seen": sorted(self._prints)}, indent=0)
            replace_file(self._path, [text.encode(), b"\n"])

    def _read(self) -> list[str]:
        """Return the ticks on disk; a damaged file has none, and is written anew."""
        try:
            document = json.loads(read_plain(self._path))
        except (OSError, ValueError, RecursionError):
            return []
        listed = document.get("seen") if isinstance(document, dict) else None
        if not isinstance(listed, list):
            return []
        return [each for each in listed if isinstance(each, str)]


def _print(key: BodyKey, html: str) -> str:
    parts = [key.collection_id, key.item_id, key.locale_id, key.field, html]
    return fingerprint(parts)[:32]
