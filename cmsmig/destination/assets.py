"""Assets: signed, uploaded, finished, and read back from their public address."""

from __future__ import annotations

from contextlib import suppress

from cmsmig.canonical import JsonObject
from cmsmig.destination import reading
from cmsmig.destination.space_connection import Connection, Parameters
from cmsmig.destination.typed_records import Asset, AssetFolder, SignedUpload
from cmsmig.errors import NotFoundError, RejectedError, UnreachableError
from cmsmig.wire.addresses import is_private_host, target
from cmsmig.wire.download import Fetched

LARGEST_FILE = 5 * 1024**3
"""Bytes; what the upload host takes at most."""


class AssetCalls(Connection):
    """Calls about assets; only those to the API itself draw on the quota."""

    async def sign_upload(
        self,
        filename: str,
        *,
        size: str,
        ext_id: str,
        asset_folder_id: int | None,
        alt: str,
        replace: int | None = None,
        validate: bool = False,
    ) -> SignedUpload:
        """Ask for leave to upload a file. Makes an asset record; not repeatable.

        `size` is `800x600`, or empty for what has no pixels: the address holds
        it only if it is given here. `replace` signs for a record that exists.
        `validate` announces a finish call.
        """
        wanted: JsonObject = {
            "filename": filename,
            "size": size,
            reading.EXTERNAL_ID: ext_id,
            "asset_folder_id": asset_folder_id,
            "alt": alt,
            "id": replace,
            "validate_upload": 1 if validate else None,
        }
        given: JsonObject = {
            key: value for key, value in wanted.items() if value not in ("", None)
        }
        params: Parameters = ()
        if self._assumed.sign_in == "query":
            params = tuple((key, str(value)) for key, value in given.items())
        return await self._record(
            f"sign the upload of {filename}",
            "POST",
            "assets",
            "asset",
            reading.signed_upload,
            params=params,
            json=None if params else given,
            bare=True,
        )

    async def upload(
        self, signed: SignedUpload, data: bytes, content_type: str
    ) -> None:
        """Send a file's bytes to where they were signed for.

        The fields go verbatim in the order of this signing, the file last: any
        other order is answered with success and stores nothing. Spec: asset
        upload rules.
        """
        await self._session.upload(
            signed.post_url,
            signed.fields,
            signed.file_name,
            signed.content_type(content_type),
            data,
        )

    async def finish_upload(self, asset_id: int) -> None:
        """Tell the service that a file has arrived. Costs one quota call."""
        await self._call(
            f"finish the upload of asset {asset_id}",
            "GET",
            f"assets/{asset_id}/finish_upload",
            repeatable=True,
        )

    async def asset(self, asset_id: int) -> Asset:
        """Return one asset's record. Raises `NotFoundError` for a deleted one too."""
        asset = await self._record(
            f"show asset {asset_id}",
            "GET",
            f"assets/{asset_id}",
            "asset",
            reading.asset,
            bare=True,
        )
        if asset.trashed:
            raise NotFoundError(
                f"The asset {asset_id} was deleted at the destination; restore it "
                "there, or go on without it.",
                service=reading.SERVICE,
            )
        return asset

    async def assets(self, *, ext_id: str | None = None) -> list[Asset]:
        """Return the records of all assets, or of those with one external id.

        What is deleted is not among them.
        """
        found = await self._list(
            "assets",
            "assets",
            reading.asset,
            () if ext_id is None else ((reading.EXTERNAL_ID, ext_id),),
        )
        return [
            asset
            for asset in found
            if ext_id in (None, asset.ext_id) and not asset.trashed
        ]

    async def update_asset(self, asset_id: int, body: JsonObject) -> None:
        """Change an asset's record; `body` holds the keys to change."""
        await self._call(
            f"update asset {asset_id}",
            self._assumed.asset_update_method,
            f"assets/{asset_id}",
            json={"asset": body},
            repeatable=True,
        )

    async def delete_asset(self, asset_id: int, *, repeatable: bool = True) -> None:
        """Move an asset's record and file to the trash.

        What a second request does to what is in the trash is not documented: it is
        `repeatable` where that may go for good.
        """
        await self._delete(
            f"asset {asset_id}", f"assets/{asset_id}", repeatable=repeatable
        )

    async def asset_folders(self) -> list[AssetFolder]:
        """Return all asset folders that are not deleted; the service does not page
        them."""
        listed = await self._unpaged(
            "asset folders", "asset_folders", reading.asset_folder
        )
        return [each for each in listed if not each.trashed]

    async def create_asset_folder(
        self, name: str, parent_id: int | None
    ) -> AssetFolder:
        """Create an asset folder, at the root without a parent. Not repeatable."""
        record: JsonObject = {"name": name}
        if parent_id is not None:
            record["parent_id"] = parent_id
        return await self._record(
            f"create the asset folder {name}",
            "POST",
            "asset_folders",
            "asset_folder",
            reading.asset_folder,
            json={"asset_folder": record},
        )

    async def delete_asset_folder(self, folder_id: int) -> None:
        """Delete an asset folder."""
        await self._delete(
            f"the asset folder {folder_id}", f"asset_folders/{folder_id}"
        )

    async def public_hash(self, url: str) -> str | None:
        """Return the digest of what a public address gives, empty where that is no
        file; None where it cannot be read."""
        with suppress(RejectedError, UnreachableError):
            return (await self.public(url)).sha256
        return None

    async def public(self, url: str) -> Fetched:
        """Read a public address and return the digest of what it gives.

        Costs no quota. A status that is no success is returned, not raised. Raises
        `RejectedError` and `UnreachableError`.
        """
        own = target(self._base_url)
        aim = target(url)
        return await self._session.fetch(
            url,
            max_bytes=LARGEST_FILE,
            # A sandbox serves its files as privately as its API, at its port.
            allow_private=is_private_host(own.host)
            and (aim.host, aim.port) == (own.host, own.port),
        )
