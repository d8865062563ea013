"""The fingerprint of content that ledgers of earlier releases hold.

It leaves out less than the form that is compared now, so it only tells that something
is as it was, never that it was edited.
"""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint

_UNSET: Final[tuple[Json, ...]] = (None, "", [])
_RENEWED = frozenset(("cached_url", "url"))
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
    kind = str(value.get("fieldtype"))
    naming = _NAMING.get(kind, ())
    if naming and all(value.get(name) in _UNSET for name in naming):
        return None
    is_renewed = kind == "multilink" and value.get("linktype") == "story"
    left_out = {"_editable", *(_RENEWED if is_renewed else ())}
    kept = {name: _former(value[name]) for name in value if name not in left_out}
    return {name: each for name, each in kept.items() if each not in _UNSET}
