"""The ledger's rows of assets, components, folders and datasources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cmsmig.ledger.connection import Store, now
from cmsmig.ledger.intents import close_intent
from cmsmig.ledger.rows import GONE, AssetRow, MadeRow
from cmsmig.ledger.tables import ASSETS, MADE


class Inventory:
    """Every method commits before it returns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[object, dict[str, AssetRow]] = (None, {})
        """The assets that were read last, and the version of the ledger then."""

    def as_read_by(self, other: Inventory) -> None:
        """Share with another ledger what it has read."""
        self._read = other._read

    def save_asset(self, asset: AssetRow, *, intent_outcome: str = "") -> None:
        """Write an asset's state, and close its signing intent if one is given."""
        statements = [ASSETS.put(asset, changed_at=now())]
        if intent_outcome:
            statements.append(close_intent("sign", asset.sha256, intent_outcome))
        self._store.commit(statements)

    def asset_gone(self, asset: AssetRow, explanation: str) -> None:
        """Write that a file is no longer there."""
        gone = replace(asset, status="failed", reason=GONE, explanation=explanation)
        self.save_asset(gone)

    def asset_there(self, asset: AssetRow) -> None:
        """Write that a file is there, which was gone."""
        self.save_asset(replace(asset, status="proven", reason="", explanation=""))

    def release_asset(self, asset: AssetRow) -> None:
        """Write that a file is to be uploaded again, to the record that it has."""
        self.save_asset(replace(asset, status="signed", reason="", explanation=""))

    def assets(self) -> Mapping[str, AssetRow]:
        """Return every asset's row by the hash of its bytes. Reads only, and only
        what may have changed."""
        version = self._store.version()
        known, before = self._read
        if known != version:
            # What is unchanged stays the same object: a caller may hold it.
            rows: dict[str, AssetRow] = {}
            for row in ASSETS.read(self._store, "ORDER BY sha256"):
                same = before.get(row.sha256)
                kept = same if same == row else row
                rows[kept.sha256] = kept
            self._read = version, rows
        return self._read[1]

    def asset(self, sha256: str) -> AssetRow | None:
        """Return one asset's row, if there is one. Reads only."""
        return ASSETS.one(self._store, sha256)

    def save_made(self, row: MadeRow, *, intent: str = "") -> None:
        """Write something made or reused, and close the intent of kind `intent`."""
        written = MADE.put(row, changed_at=now())
        self._store.commit([written, close_intent(intent, row.name, "done")])

    def made(self, kind: str) -> dict[str, MadeRow]:
        """Return what was made or reused of a kind, by name. Reads only."""
        rows = MADE.read(self._store, "WHERE kind = ?", (kind,))
        return {row.name: row for row in rows}

    def made_one(self, kind: str, name: str) -> MadeRow | None:
        """Return what was made or reused under a name, if anything. Reads only."""
        return MADE.one(self._store, kind, name)

    def forget(self, rows: Iterable[MadeRow]) -> None:
        """Forget what was made or reused and is not there any more."""
        gone = (MADE.delete((row.kind, row.name)) for row in rows)
        self._store.commit(gone, durable=True)

    def forget_assets(self, hashes: Iterable[str]) -> None:
        """Forget files that are not there any more and that nothing needs."""
        gone = (ASSETS.delete((each,)) for each in hashes)
        self._store.commit(gone, durable=True)
