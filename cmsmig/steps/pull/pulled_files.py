"""Facts about the pulled files that the content uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS, AssetUse, FileFact
from cmsmig.mapping.convert.file_addresses import host_of
from cmsmig.origin.files import FileRow


def hosts_of_files(files: Mapping[str, FileRow]) -> frozenset[str]:
    """Return the hosts that the pull took files from."""
    return KNOWN_FILE_HOSTS | {host for row in files if (host := host_of(row))}


def file_facts(files: Mapping[str, FileRow]) -> dict[str, FileFact]:
    """Return what the pull knows of each file that it has, by address."""
    return {
        address: FileFact(
            sha256=row.sha256,
            width=row.width,
            height=row.height,
            content_type=row.content_type,
            size=row.size,
        )
        for address, row in files.items()
        if not row.error
    }


def missing_files(
    uses: Iterable[AssetUse], files: Mapping[str, FileRow]
) -> dict[str, str]:
    """Return the addresses in use whose files could not be had, with the reason."""
    missing: dict[str, str] = {}
    for use in uses:
        row = files.get(use.address)
        if row is None:
            missing[use.address] = "It was not downloaded; run `cmsmig pull` again."
        elif row.error:
            missing[use.address] = row.detail or row.error
    return missing
