"""The ledger's rows of assets, components, folders and datasources."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from sys import intern

from cmsmig.ledger.bodies import dump_body, load_body
from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.rows import GONE, AssetRow, MadeRow


class Inventory:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[object, dict[str, AssetRow]] | None = None
        """The assets that were read last, and the version of the ledger then."""

    def save_asset(self, asset: AssetRow, *, intent_outcome: str = "") -> None:
        """Write an asset's state, and close its signing intent if one is given."""
        with self._store.atomic() as db:
            db.execute(
                """INSERT OR REPLACE INTO asset (sha256, ext_id, name, status, reason,
                       explanation, asset_id, content_url, changed_at, body)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    asset.sha256,
                    asset.ext_id,
                    asset.name,
                    asset.status,
                    asset.reason,
                    asset.explanation,
                    asset.asset_id,
                    asset.content_url,
                    now(),
                    dump_body(asset.body),
                ),
            )
            if intent_outcome:
                close_intent(db, "sign", asset.sha256, intent_outcome)

    def asset_gone(self, asset: AssetRow, explanation: str) -> None:
        """Write that a file is no longer there."""
        gone = replace(asset, status="failed", reason=GONE, explanation=explanation)
        self.save_asset(gone)

    def asset_there(self, asset: AssetRow) -> None:
        """Write that a file is there, which was gone."""
        self.save_asset(replace(asset, status="proven", reason="", explanation=""))

    def release_asset(self, asset: AssetRow, *, keep_record: bool) -> None:
        """Write that a file is to be brought again, over its record if that is left."""
        kept = replace(asset, status="signed", reason="", explanation="")
        if not keep_record:
            kept = replace(kept, asset_id=None, content_url="")
        self.save_asset(kept)

    def assets(self) -> Mapping[str, AssetRow]:
        """Return every asset's row by the hash of its bytes. Reads only, and only
        what may have changed."""
        version = self._store.version()
        if self._read is None or self._read[0] != version:
            before = {} if self._read is None else self._read[1]
            # What is as it was stays the same object: somebody may hold it.
            rows: dict[str, AssetRow] = {}
            for each in self._store.each("SELECT * FROM asset ORDER BY sha256"):
                row = _asset_row(each)
                same = before.get(row.sha256)
                kept = same if same == row else row
                rows[kept.sha256] = kept
            self._read = version, rows
        return self._read[1]

    def asset(self, sha256: str) -> AssetRow | None:
        """Return one asset's row, if there is one. Reads only."""
        row = self._store.one("SELECT * FROM asset WHERE sha256 = ?", (sha256,))
        return None if row is None else _asset_row(row)

    def save_made(self, row: MadeRow, *, intent: str = "") -> None:
        """Write something made or reused, and close the intent of kind `intent`."""
        with self._store.atomic() as db:
            db.execute(
                """INSERT OR REPLACE INTO made (kind, name, destination_id, uuid,
                       made, body_hash, body, changed_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    row.kind,
                    row.name,
                    row.destination_id,
                    row.uuid,
                    row.made,
                    row.body_hash,
                    dump_body(row.body),
                    now(),
                ),
            )
            if intent:
                close_intent(db, intent, row.name, "done")

    def made(self, kind: str) -> dict[str, MadeRow]:
        """Return what was made or reused of a kind, by name. Reads only."""
        return {
            row["name"]: _made_row(row)
            for row in self._store.all("SELECT * FROM made WHERE kind = ?", (kind,))
        }

    def made_one(self, kind: str, name: str) -> MadeRow | None:
        """Return what was made or reused under a name, if anything. Reads only."""
        row = self._store.one(
            "SELECT * FROM made WHERE (kind, name) = (?, ?)", (kind, name)
        )
        return None if row is None else _made_row(row)

    def forget(self, rows: Iterable[MadeRow]) -> None:
        """Forget what was made or reused and is not there any more."""
        with self._store.atomic(durable=True) as db:
            db.executemany(
                "DELETE FROM made WHERE kind = ? AND name = ?",
                [(row.kind, row.name) for row in rows],
            )

    def forget_assets(self, hashes: Iterable[str]) -> None:
        """Forget files that are not there any more and that nothing needs."""
        with self._store.atomic(durable=True) as db:
            db.executemany(
                "DELETE FROM asset WHERE sha256 = ?", [(each,) for each in hashes]
            )


def _made_row(row: sqlite3.Row) -> MadeRow:
    return MadeRow(
        row["kind"],
        row["name"],
        row["destination_id"],
        row["uuid"],
        bool(row["made"]),
        row["body_hash"],
        load_body(row["body"]),
    )


def _asset_row(row: sqlite3.Row) -> AssetRow:
    return AssetRow(
        sha256=intern(row["sha256"]),
        ext_id=row["ext_id"],
        name=row["name"],
        status=intern(row["status"]),
        reason=intern(row["reason"]),
        explanation=row["explanation"],
        asset_id=row["asset_id"],
        content_url=row["content_url"],
        body=load_body(row["body"]),
    )
