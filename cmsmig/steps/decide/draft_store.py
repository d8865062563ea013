"""Drafts on disk: what an item became is made once, and read again by every step."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence

from cmsmig.derived_file import DerivedFile
from cmsmig.item_key import ItemKey
from cmsmig.mapping.convert.item_draft import ItemDraft

_AT_ONCE = 200
"""Drafts that are written in one transaction."""


class DraftStore:
    """The drafts of one site and space; safe to use from any thread."""

    def __init__(
        self, file: DerivedFile, namespace: str, *, hashes: bool = True
    ) -> None:
        """With `hashes` off, no hash of content is read that was kept before."""
        self._file = file
        self._namespace = namespace
        self._reads_hashes = hashes
        self._waiting: dict[str, ItemDraft] = {}
        self._hashes: dict[tuple[str, bool], tuple[str, str]] = {}
        self._lock = threading.Lock()

    def for_visitors(self) -> DraftStore:
        """Return the store of the versions of the same items that visitors see."""
        return DraftStore(
            self._file, f"{self._namespace} public", hashes=self._reads_hashes
        )

    def without_hashes(self) -> DraftStore:
        """Return the store of the same drafts, without what was hashed before."""
        self.flush()
        return DraftStore(self._file, self._namespace, hashes=False)

    def prints(self) -> dict[str, str]:
        """Return what each draft on disk was made of, by its item's key."""
        rows = self._file.all(
            "SELECT key, print FROM draft WHERE namespace = ?", (self._namespace,)
        )
        return dict(rows)

    def draft(self, key: ItemKey, made_of: str) -> ItemDraft | None:
        """Return an item's draft, if it was made of the same."""
        waiting = self._waiting.get(str(key))
        if waiting is not None and waiting.made_of == made_of:
            return waiting
        row = self._file.one(
            "SELECT record, body FROM draft WHERE (namespace, key, print) = (?, ?, ?)",
            (self._namespace, str(key), made_of),
        )
        try:
            return None if row is None else ItemDraft.of(row[0], made_of, row[1])
        except (ValueError, TypeError):
            # Another program wrote that.
            return None

    def keep(self, draft: ItemDraft) -> None:
        """Keep a draft; it is on disk after the next `flush` at the latest."""
        with self._lock:
            self._waiting[str(draft.key)] = draft
            if len(self._waiting) >= _AT_ONCE:
                self._write()

    def content_hash(self, key: ItemKey, inputs: str, *, linked: bool) -> str | None:
        """Return the hash of content that was computed last, if of the same inputs."""
        found: Sequence[object] | None = self._hashes.get((str(key), linked))
        if found is None and self._reads_hashes:
            found = self._file.one(
                "SELECT inputs, hash FROM content_hash"
                " WHERE (namespace, key, linked) = (?, ?, ?)",
                (self._namespace, str(key), linked),
            )
        return str(found[1]) if found and found[0] == inputs else None

    def keep_content_hash(
        self, key: ItemKey, inputs: str, found: str, *, linked: bool
    ) -> None:
        """Keep the hash of content; it is on disk after the next `flush`."""
        with self._lock:
            self._hashes[(str(key), linked)] = (inputs, found)
            if len(self._hashes) >= _AT_ONCE:
                self._write()

    def plan_part(self, number: int, made_of: str) -> bytes | None:
        """Return a part of what a plan kept, if it was made of the same; the one after
        the last is empty."""
        return self._file.part(f"plan {self._namespace}", number, made_of)

    def keep_plan(self, made_of: str, parts: Iterable[bytes]) -> None:
        """Keep what a plan found, in the place of what another one did."""
        self._file.keep_parts(f"plan {self._namespace}", made_of, parts)

    def flush(self) -> None:
        """Write what is waiting."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        drafts, self._waiting = self._waiting, {}
        hashes, self._hashes = self._hashes, {}
        if not drafts and not hashes:
            return

        def write(db: sqlite3.Connection) -> None:
            db.executemany(
                "INSERT OR REPLACE INTO draft"
                " (namespace, key, print, record, body) VALUES (?, ?, ?, ?, ?)",
                [
                    (self._namespace, key, each.made_of, each.as_bytes(), each.body)
                    for key, each in drafts.items()
                ],
            )
            db.executemany(
                "INSERT OR REPLACE INTO content_hash VALUES (?, ?, ?, ?, ?)",
                [(self._namespace, *named, *found) for named, found in hashes.items()],
            )

        self._file.change(write)
