"""The limits that a space's own answer names.

They are in free maps whose keys are not documented, so the obvious spellings are
accepted and everything else is ignored. Source: destination, space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.configuration.plans import Counted

_MAPS = ("feature_limits", "limits")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_FILLERS = frozenset(
    ("max", "maximum", "limit", "limits", "number", "of", "count", "allowed", "api")
)
_NAMES: Final = {
    frozenset(("components",)): Counted.COMPONENTS,
    frozenset(("stories",)): Counted.STORIES,
    frozenset(("folders",)): Counted.FOLDERS,
    frozenset(("requests",)): Counted.REQUESTS,
    frozenset(("requests", "per", "month")): Counted.REQUESTS,
    frozenset(("requests", "a", "month")): Counted.REQUESTS,
    frozenset(("monthly", "requests")): Counted.REQUESTS,
}
_MEGABYTE = 1024 * 1024


def known_limits(record: JsonObject) -> dict[Counted, int]:
    """Return the limits in a space's record; its own win over its organisation's."""
    found: dict[Counted, int] = {}
    for holder in _holders(record):
        for name in _MAPS:
            for key, value in _pairs(holder.get(name)):
                words = frozenset(map(str.lower, _WORD.findall(key))) - _FILLERS
                what, number = _NAMES.get(words), _number(value)
                if what is not None and number:
                    found[what] = number
    return found


def upload_bytes(record: JsonObject) -> int | None:
    """Return the largest file that the space takes; None where it names no limit."""
    sizes = (
        _number(each.get("custom_upload_limit_in_mb")) for each in _holders(record)
    )
    named = [size for size in sizes if size]
    return named[-1] * _MEGABYTE if named else None


def required_asset_fields(record: JsonObject) -> tuple[str, ...]:
    """Return the fields that the space requires of an asset.

    The service misspells the key. A list, one text or null. Source: destination, space.
    """
    given = record.get("required_assest_fields") or record.get("required_asset_fields")
    listed = given if isinstance(given, list) else [given]
    texts = (each for each in listed if isinstance(each, str))
    return tuple(
        dict.fromkeys(word for text in texts for word in re.findall(r"\w+", text))
    )


def _holders(record: JsonObject) -> Iterator[JsonObject]:
    """Yield the organisation and then the space, which has the last word."""
    organisation = record.get("org")
    if isinstance(organisation, dict):
        yield organisation
    yield record


def _pairs(found: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(found, dict):
        yield from found.items()
    elif isinstance(found, list):
        for each in found:
            if isinstance(each, dict) and isinstance(key := each.get("key"), str):
                yield key, each


def _number(value: Json) -> int:
    """Return a positive number, else 0."""
    if isinstance(value, dict):
        value = value.get("limit")
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:18])
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return max(0, value) if is_number and isinstance(value, int) else 0
