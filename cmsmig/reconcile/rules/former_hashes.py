"""The fingerprint of content that ledgers of earlier releases hold.

It leaves out less than the form that is compared now, so it only tells that something
is as it was, never that it was edited.
"""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint

_UNSET: Final[tuple[Json, ...]] = (None, "", [])
_ADDED = frozenset(("_editable",))
_RENEWED = frozenset(("_editable", "cached_url", "url"))
_NAMING = {
    "asset": ("id", "filename"),
    "multilink": ("id", "url", "cached_url", "email", "anchor"),
}


def former_content_hash(content: JsonObject) -> str:
    """Return the fingerprint of content as an earlier release took it."""
    return fingerprint(_former(content))


def _former(value: Json) -> Json:
    if isinstance(value, list):
        return [_former(each) for each in value]
    if not isinstance(value, dict):
        return value
    left_out = _ADDED
    if "fieldtype" in value:
        naming = _NAMING.get(str(value["fieldtype"]), ())
        if naming and all(value.get(name) in _UNSET for name in naming):
            return None
        if value["fieldtype"] == "multilink" and value.get("linktype") == "story":
            left_out = _RENEWED
    found: JsonObject = {}
    for name, each in value.items():
        # Most values are texts, which need no call of their own.
        if type(each) is dict or type(each) is list:
            each = _former(each)
        if (each or each not in _UNSET) and name not in left_out:
            found[name] = each
    return found
