"""The space itself, its webhooks, its components and its datasources."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from cmsmig.destination import reading
from cmsmig.destination.connection import Connection
from cmsmig.destination.schema import (
    Component,
    Datasource,
    DatasourceEntry,
    Release,
    Space,
    Webhook,
)
from cmsmig.errors import NotFoundError
from cmsmig.masking import hide


class ComponentCalls(Connection):
    """Calls about what has to be there before the first story."""

    async def space(self) -> Space:
        """Return the space; the cheapest proof that token and region fit."""
        answer = await self._call(f"show space {self._space_id}", "GET", "")
        return reading.space(reading.unwrapped(answer.whole_json(), "space"))

    async def webhooks(self) -> list[Webhook]:
        """Return the webhooks of the space. A role may forbid to see them.

        Source: destination, webhooks.
        """
        answer = await self._call("list webhooks", "GET", "webhook_endpoints")
        listed = reading.rows(answer.whole_json(), "webhook_endpoints")
        return [reading.webhook(row) for row in listed]

    async def releases(self) -> list[Release]:
        """Return the releases of the space, deployed ones too. A token may lack the
        scope to see them.

        Source: destination, releases: the list is not paged.
        """
        answer = await self._call("list releases", "GET", "releases")
        listed = reading.rows(answer.whole_json(), "releases")
        return [reading.release(row) for row in listed]

    async def delivery_token(self) -> str:
        """Return a token that reads what is published; it is masked from then on.

        Raises `NotFoundError` where the space has none. Source: delivery, access
        tokens.
        """
        answer = await self._call(
            "list access tokens", "GET", "api_keys", tells_token=True
        )
        keys = reading.rows(answer.whole_json(), "api_keys")
        found = {str(each.get("access")): str(each.get("token") or "") for each in keys}
        token = found.get("public") or found.get("private")
        if not token:
            raise NotFoundError(
                "The space has no access token that reads what is published; make one "
                "of the kind `public` in its settings.",
                service=reading.SERVICE,
            )
        hide(token)
        return token

    async def components(self) -> list[Component]:
        """Return all components; the service does not page them."""
        answer = await self._call("list components", "GET", "components")
        listed = reading.rows(answer.whole_json(), self._assumed.components_key)
        return [reading.component(row, self._assumed) for row in listed]

    async def component(self, component_id: int) -> Component:
        """Return one component."""
        answer = await self._call(
            f"show the component {component_id}", "GET", f"components/{component_id}"
        )
        record = reading.unwrapped(answer.whole_json(), self._assumed.component_wrapper)
        return reading.component(record, self._assumed)

    async def create_component(self, body: JsonObject) -> Component:
        """Create a component from its record without id. Not repeatable."""
        return await self._send_component(
            f"create the component {body.get('name')}",
            self._assumed.component_create_method,
            "components",
            body,
        )

    async def update_component(self, component_id: int, body: JsonObject) -> Component:
        """Replace a component's record."""
        return await self._send_component(
            f"update the component {body.get('name')}",
            self._assumed.component_update_method,
            f"components/{component_id}",
            body,
            repeatable=True,
        )

    async def delete_component(self, component_id: int) -> None:
        """Delete a component; stories keep what they hold of it."""
        await self._call(
            f"delete the component {component_id}",
            "DELETE",
            f"components/{component_id}",
            repeatable=True,
        )

    async def _send_component(
        self,
        what: str,
        method: str,
        path: str,
        body: JsonObject,
        *,
        repeatable: bool = False,
    ) -> Component:
        key = self._assumed.component_schema_key
        record = {(key if name == "schema" else name): body[name] for name in body}
        wrapper = self._assumed.component_wrapper
        answer = await self._call(
            what, method, path, json={wrapper: record}, repeatable=repeatable
        )
        made = reading.unwrapped(answer.whole_json(), wrapper)
        return reading.component(made, self._assumed)

    async def datasources(self) -> list[Datasource]:
        """Return all datasources."""
        return await self._list(
            "datasources", "datasources", "datasources", reading.datasource
        )

    async def datasource(self, datasource_id: int) -> Datasource:
        """Return one datasource."""
        answer = await self._call(
            f"show the datasource {datasource_id}",
            "GET",
            f"datasources/{datasource_id}",
        )
        return reading.datasource(reading.unwrapped(answer.whole_json(), "datasource"))

    async def update_datasource(self, datasource_id: int, name: str, slug: str) -> None:
        """Replace a datasource's name."""
        await self._call(
            f"update the datasource {slug}",
            "PUT",
            f"datasources/{datasource_id}",
            json={"datasource": {"name": name, "slug": slug}},
            repeatable=True,
        )

    async def create_datasource(self, name: str, slug: str) -> Datasource:
        """Create an empty datasource. Not repeatable."""
        answer = await self._call(
            f"create the datasource {slug}",
            "POST",
            "datasources",
            json={"datasource": {"name": name, "slug": slug}},
        )
        return reading.datasource(reading.unwrapped(answer.whole_json(), "datasource"))

    async def delete_datasource(self, datasource_id: int) -> None:
        """Delete a datasource and its entries."""
        await self._call(
            f"delete the datasource {datasource_id}",
            "DELETE",
            f"datasources/{datasource_id}",
            repeatable=True,
        )

    async def datasource_entries(self, datasource_id: int) -> list[DatasourceEntry]:
        """Return all entries of a datasource, in its order."""
        return await self._list(
            f"the entries of the datasource {datasource_id}",
            "datasource_entries",
            "datasource_entries",
            reading.datasource_entry,
            (("datasource_id", str(datasource_id)),),
        )

    async def create_datasource_entry(
        self, datasource_id: int, name: str, value: str
    ) -> DatasourceEntry:
        """Add an entry to a datasource. Not repeatable."""
        answer = await self._call(
            f"add {name!r} to the datasource {datasource_id}",
            "POST",
            "datasource_entries",
            json={
                "datasource_entry": {
                    "datasource_id": datasource_id,
                    "name": name,
                    "value": value,
                }
            },
        )
        made = reading.unwrapped(answer.whole_json(), "datasource_entry")
        return reading.datasource_entry(made)

    async def update_datasource_entry(
        self, datasource_id: int, entry: DatasourceEntry
    ) -> None:
        """Replace an entry's label and value."""
        await self._call(
            f"update {entry.name!r} of the datasource {datasource_id}",
            "PUT",
            f"datasource_entries/{entry.entry_id}",
            json={
                "datasource_entry": {
                    "datasource_id": datasource_id,
                    "name": entry.name,
                    "value": entry.value,
                }
            },
            repeatable=True,
        )

    async def delete_datasource_entry(self, entry_id: int) -> None:
        """Delete an entry; stories keep the value."""
        await self._call(
            f"delete the datasource entry {entry_id}",
            "DELETE",
            f"datasource_entries/{entry_id}",
            repeatable=True,
        )
