"""Which hosts the origin serves uploaded files from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from cmsmig.mapping.convert.asset_uploads import KNOWN_FILE_HOSTS, observed_file_hosts
from cmsmig.origin.schema import Collection, Item
from cmsmig.settings import Settings


def file_hosts(
    settings: Settings,
    collections: Sequence[Collection],
    staged: Mapping[str, Iterable[Item]],
    live: Mapping[str, Iterable[Item]],
) -> frozenset[str]:
    """Return the known hosts, those the settings name, and those that file
    fields of this site use. Reads only."""
    items = chain.from_iterable([*staged.values(), *live.values()])
    observed = observed_file_hosts(items, collections)
    return KNOWN_FILE_HOSTS | frozenset(settings.file_hosts) | observed
