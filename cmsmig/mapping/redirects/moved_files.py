"""Where the files of the old site's file hosts are now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self, TypeAlias
from urllib.parse import unquote, urlsplit

from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS
from cmsmig.mapping.convert.file_addresses import host_of, shown_as
from cmsmig.richtext.engine import UploadedAsset

_Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class MovedFiles:
    """The uploaded files by their old addresses; each spelling of one is the same.

    The origin serves a file at all its file hosts, whatever the query.
    """

    assets: Mapping[_Key, UploadedAsset] = field(default_factory=dict)

    @classmethod
    def of(cls, assets: Mapping[str, UploadedAsset]) -> Self:
        """Return the files, which are named by their old addresses."""
        return cls({_key(old): assets[old] for old in sorted(assets) if host_of(old)})

    def new_address(self, old: str) -> str:
        """Return where a file is now, with the query and the fragment of the old
        address; empty for what is no uploaded file."""
        asset = self.assets.get(_key(old)) if host_of(old) else None
        return shown_as(asset, old).filename if asset else ""


NO_FILES = MovedFiles()


def is_closing(address: str) -> bool:
    """Return whether an address is on a file host of the origin."""
    return host_of(address) in KNOWN_FILE_HOSTS


def _key(address: str) -> _Key:
    parts, host = urlsplit(address.strip()), host_of(address)
    if host in KNOWN_FILE_HOSTS:
        return "", unquote(parts.path), ""
    return host, unquote(parts.path), parts.query
