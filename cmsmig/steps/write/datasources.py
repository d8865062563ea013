"""Datasources: what fields draw their options from, made before the components.

Source: destination, components: an unknown datasource is refused.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from functools import partial

from cmsmig.destination.schema import Datasource, DatasourceEntry
from cmsmig.errors import NotFoundError, RejectedError
from cmsmig.mapping.propose.component_payloads import DatasourceBody
from cmsmig.reconcile.resource import Comparison
from cmsmig.reconcile.rules.datasource import (
    StoredDatasource,
    entry_value,
    entry_writes,
)
from cmsmig.steps.write.execute import Calls
from cmsmig.steps.write.idempotent_write import apply_once
from cmsmig.steps.write.import_job import ImportJob


@dataclass(frozen=True, slots=True)
class DatasourceCalls(Calls[DatasourceBody, StoredDatasource]):
    """The client calls of datasources."""

    job: ImportJob
    step: str

    async def create(self, desired: DatasourceBody) -> StoredDatasource:
        """Make a datasource without entries."""
        client = self.job.client
        return StoredDatasource(
            await client.create_datasource(desired.name, desired.slug)
        )

    async def look(self, desired: DatasourceBody) -> StoredDatasource | None:
        """Return the datasource of a lost create; one of another name is not ours."""
        wanted = (desired.slug, desired.name)
        for each in await self.job.client.datasources():
            if (each.slug, each.name) == wanted:
                return StoredDatasource(each)
        return None

    async def read(self, actual: StoredDatasource) -> StoredDatasource:
        """Return a datasource and its entries as they are now."""
        own = actual.datasource.datasource_id
        found = await self.job.client.datasource(own)
        return StoredDatasource(found, tuple(await self._entries(own)))

    async def update(
        self,
        compared: Comparison[DatasourceBody, StoredDatasource],
        actual: StoredDatasource,
    ) -> StoredDatasource:
        """Write the name and the entries that are ours, one by one, no other.

        Returns the state after that, without what the service refused.
        """
        there = {each.value: each for each in reversed(actual.entries)}
        source = actual.datasource
        for call, field in entry_writes(compared.diff):
            value, label = entry_value(field), str(compared.diff.sides.ours.get(field))
            sent = self._send(call, source, there.get(value or ""), value, label)
            if not await self._is_taken(source, value, sent):
                continue
            if value is None:
                source = replace(source, name=label)
            elif call == "delete_datasource_entries":
                there.pop(value)
            else:
                there[value] = DatasourceEntry(0, label, value)
        return StoredDatasource(source, tuple(there.values()))

    def _send(
        self,
        call: str,
        source: Datasource,
        entry: DatasourceEntry | None,
        value: str | None,
        label: str,
    ) -> Awaitable[object]:
        client, own = self.job.client, source.datasource_id
        if value is None:
            return client.update_datasource(own, label, source.slug)
        if entry is None:
            # One by one: the service keeps that order.
            return apply_once(
                partial(client.create_datasource_entry, own, label, value),
                partial(self._look_entry, own, value),
            )
        if call == "update_datasource_entries":
            return client.update_datasource_entry(own, replace(entry, name=label))
        return client.delete_datasource_entry(entry.entry_id)

    async def _is_taken(
        self, source: Datasource, value: str | None, sending: Awaitable[object]
    ) -> bool:
        """Return whether the service took a write; one that it refused is listed."""
        try:
            await sending
        except (RejectedError, NotFoundError) as error:
            kind = "datasource" if value is None else "datasource entry"
            name = source.slug if value is None else f"{source.slug}: {value}"
            self.job.refuse(kind, name, str(error))
            return False
        return True

    async def _entries(self, own: int) -> list[DatasourceEntry]:
        return await self.job.client.datasource_entries(own)

    async def _look_entry(self, own: int, value: str) -> DatasourceEntry | None:
        entries = await self._entries(own)
        return next((each for each in entries if each.value == value), None)
