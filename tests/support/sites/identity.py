"""Identifiers, moments and file addresses of the sample, derived by hashing."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from cmsmig.canonical import Json, JsonObject

FILES = "{origin_files}"
"""Placeholder for the file host; the server of the folder fills it in."""

_EPOCH = datetime(2022, 1, 10, 7, 30, tzinfo=UTC)


def short_id(label: str) -> str:
    """Return the 24 hex digits of a site, collection, item, locale or file."""
    return hashlib.sha256(label.encode()).hexdigest()[:24]


def long_id(label: str) -> str:
    """Return the 32 hex digits of a field or an option."""
    return hashlib.sha256(label.encode()).hexdigest()[:32]


def collection_id(collection: str) -> str:
    """Return the id of the collection with this key."""
    return short_id(f"collection:{collection}")


def ref(collection: str, item: str) -> str:
    """Return the id of an item, as reference fields hold it."""
    return short_id(f"item:{collection}:{item}")


def refs(collection: str, *items: str) -> list[Json]:
    """Return the ids of several items of one collection, in the order given."""
    return [ref(collection, item) for item in items]


def option_id(collection: str, field: str, option: str) -> str:
    """Return the id that an Option field holds for this choice."""
    return long_id(f"option:{collection}:{field}:{option}")


def file_id(name: str) -> str:
    """Return the id of the file that was uploaded under `name`."""
    return short_id(f"file:{name}")


def address(name: str) -> str:
    """Return where the file host serves `name`."""
    return f"{FILES}/{file_id(name)}_{quote(name)}"


def asset(name: str, alt: str | None = None) -> JsonObject:
    """Return the value of an Image or File field."""
    return {"fileId": file_id(name), "url": address(name), "alt": alt}


def moment(label: str, *, days: int = 0) -> str:
    """Return a timestamp within three years of the sample's start, by hash."""
    digest = hashlib.sha256(f"moment:{label}".encode()).digest()
    seconds = int.from_bytes(digest[:4], "big") % (3 * 365 * 86_400)
    thousandths = int.from_bytes(digest[4:6], "big") % 1000
    at = _EPOCH + timedelta(days=days, seconds=seconds, milliseconds=thousandths)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"
