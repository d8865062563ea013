"""The asset folder of the design. An import finds it by its name, so there is nothing
to compare; a rollback finds it by its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.destination.typed_records import AssetFolder
from cmsmig.ledger.rows import MadeRow
from cmsmig.reconcile.diff import Sides
from cmsmig.reconcile.resource import Comparison, Resource, Rules, made_row

_NAME = "name"


class AssetFolderRules(Rules[str, AssetFolder]):
    """The rules of asset folders; what is wanted of one is its name."""

    def own(self, actual: AssetFolder) -> tuple[int, str]:
        """Return its number."""
        return actual.folder_id, ""

    def sides(self, resource: Resource[str, AssetFolder]) -> Sides:
        """Return its name on three sides."""
        row, actual = resource.recorded, resource.actual
        base: JsonObject = {_NAME: row.name} if row else {}
        ours = base if resource.desired is None else self.body(resource.desired)
        return Sides(base, ours, {_NAME: actual.name} if actual else {})

    def body(self, desired: str) -> JsonObject:
        """Return its name."""
        return {_NAME: desired}

    def settled(self, resource: Resource[str, AssetFolder]) -> MadeRow | None:
        """Return the ledger's row: one that exists where a killed run intended to
        create one is ours."""
        row, actual = resource.recorded, resource.actual
        if resource.intent is None or actual is None:
            return row
        return made_row(resource.ref, self.own(actual), self.body(resource.ref.key))

    def calls(self, compared: Comparison[str, AssetFolder]) -> Mapping[str, int]:
        """Return the call that makes it."""
        return {"create_asset_folders": 1}


ASSET_FOLDERS: Final = AssetFolderRules()
