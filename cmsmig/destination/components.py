"""The token, the space itself, its webhooks, its components and its datasources."""

from __future__ import annotations

from dataclasses import replace

from cmsmig.canonical import JsonObject
from cmsmig.destination import reading
from cmsmig.destination.space_connection import Connection
from cmsmig.destination.token_rights import TokenRights, token_rights
from cmsmig.destination.typed_records import (
    Component,
    Datasource,
    DatasourceEntry,
    Release,
    Space,
    Webhook,
)
from cmsmig.errors import (
    CredentialsError,
    MalformedAnswerError,
    NotFoundError,
    OutcomeUnknownError,
    RejectedError,
)
from cmsmig.masking import hide, masked_bytes
from cmsmig.wire.answers import Request


class ComponentCalls(Connection):
    """Calls about what has to be there before the first story."""

    async def token_rights(self) -> TokenRights:
        """Return what the token may do; `unread` says why where that is not known.

        Raises `CredentialsError` for a token that the service refuses, and what
        `Session.send` raises where the service does not answer. Source: destination,
        scoped tokens.
        """
        request = Request("GET", f"{self._base_url}/tokens/validate")
        try:
            answer = await self._send("check the token", request)
            return token_rights(
                reading.unwrapped(answer.valid_json(), "token", bare=True)
            )
        except (NotFoundError, RejectedError) as error:
            return TokenRights(unread=f"the service answered {error.status}")
        except (MalformedAnswerError, OutcomeUnknownError):
            return TokenRights(unread="the answer of the service was not usable")
        except CredentialsError as error:
            if error.status == 403:
                return TokenRights(unread="the service answered 403")
            raise

    async def space(self) -> Space:
        """Return the space; its preview token is masked from then on."""
        answer = await self._call(
            f"show space {self._space_id}", "GET", "", tells_token=True
        )
        preview_token = reading.preview_token(answer.valid_json())
        hide(preview_token)
        masked = replace(answer, body=masked_bytes(answer.body)).valid_json()
        record = reading.unwrapped(masked, "space")
        return replace(reading.space(record), preview_token=preview_token)

    async def webhooks(self) -> list[Webhook]:
        """Return the webhooks of the space. A role may forbid to see them.

        Source: destination, webhooks.
        """
        return await self._unpaged("webhooks", "webhook_endpoints", reading.webhook)

    async def releases(self) -> list[Release]:
        """Return the releases of the space, deployed ones too. A token may lack the
        scope to see them.

        Source: destination, releases: the list is not paged.
        """
        return await self._unpaged("releases", "releases", reading.release)

    async def components(self) -> list[Component]:
        """Return all components; the service does not page them."""
        return await self._unpaged("components", "components", reading.component)

    async def component(self, component_id: int) -> Component:
        """Return one component."""
        return await self._record(
            f"show the component {component_id}",
            "GET",
            f"components/{component_id}",
            "component",
            reading.component,
        )

    async def create_component(self, body: JsonObject) -> Component:
        """Create a component from its record without id. Not repeatable."""
        return await self._record(
            f"create the component {body.get('name')}",
            "POST",
            "components",
            "component",
            reading.component,
            json={"component": body},
        )

    async def update_component(self, component_id: int, body: JsonObject) -> Component:
        """Replace a component's record."""
        return await self._record(
            f"update the component {body.get('name')}",
            "PUT",
            f"components/{component_id}",
            "component",
            reading.component,
            json={"component": body},
            repeatable=True,
        )

    async def delete_component(self, component_id: int) -> None:
        """Delete a component; stories keep what they hold of it."""
        await self._delete(
            f"the component {component_id}", f"components/{component_id}"
        )

    async def datasources(self) -> list[Datasource]:
        """Return all datasources."""
        return await self._list("datasources", "datasources", reading.datasource)

    async def datasource(self, datasource_id: int) -> Datasource:
        """Return one datasource."""
        return await self._record(
            f"show the datasource {datasource_id}",
            "GET",
            f"datasources/{datasource_id}",
            "datasource",
            reading.datasource,
        )

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
        return await self._record(
            f"create the datasource {slug}",
            "POST",
            "datasources",
            "datasource",
            reading.datasource,
            json={"datasource": {"name": name, "slug": slug}},
        )

    async def delete_datasource(self, datasource_id: int) -> None:
        """Delete a datasource and its entries."""
        await self._delete(
            f"the datasource {datasource_id}", f"datasources/{datasource_id}"
        )

    async def datasource_entries(self, datasource_id: int) -> list[DatasourceEntry]:
        """Return all entries of a datasource, in its order."""
        return await self._list(
            f"the entries of the datasource {datasource_id}",
            "datasource_entries",
            reading.datasource_entry,
            (("datasource_id", str(datasource_id)),),
        )

    async def create_datasource_entry(
        self, datasource_id: int, name: str, value: str
    ) -> DatasourceEntry:
        """Add an entry to a datasource. Not repeatable."""
        return await self._record(
            f"add {name!r} to the datasource {datasource_id}",
            "POST",
            "datasource_entries",
            "datasource_entry",
            reading.datasource_entry,
            json={
                "datasource_entry": {
                    "datasource_id": datasource_id,
                    "name": name,
                    "value": value,
                }
            },
        )

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
        await self._delete(
            f"the datasource entry {entry_id}", f"datasource_entries/{entry_id}"
        )
