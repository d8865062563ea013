"""Fingerprints of stories, of what is wanted of them and of their content. Pure."""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import Json, JsonObject, fingerprint
from cmsmig.mapping.compare.content_equality import comparable
from cmsmig.reconcile.rules.story_fields import DATES, START, tags_of, translations_in

UNDECIDED: Final = "undecided"
"""The hash of a story that waits for a decision, or is compared once more: no other is
like it."""
_UNSET: Final[tuple[Json, ...]] = (None, "", [])
_ADDED = frozenset(("_editable",))
_RENEWED = frozenset(("_editable", "cached_url", "url"))
_NAMING = {
    "asset": ("id", "filename"),
    "multilink": ("id", "url", "cached_url", "email", "anchor"),
}


def content_hash(content: JsonObject) -> str:
    """Return the fingerprint by which written and stored content are compared."""
    return fingerprint(comparable(content))


def is_hash_of(hashed: str, content: JsonObject) -> bool:
    """Return whether content has a fingerprint that this or the former release took."""
    return hashed in (content_hash(content), former_content_hash(content))


def record_hash(fields: JsonObject, content: str) -> str:
    """Return the fingerprint of everything that is wanted of a story.

    `fields` are those around the content, `content` is the hash of the content. Its
    position is left out: one more item moves all after it.
    """
    names = ("name", "slug", "folder", *DATES)
    own: list[Json] = [*(str(fields.get(name, "")) for name in names), content]
    if translations := translations_in(fields):
        own.append({**translations})
    if fields.get(START) is True:
        own.append("start")
    if tags := tags_of(fields):
        own.append([*tags])
    return fingerprint(own)


def former_content_hash(content: JsonObject) -> str:
    """Return the fingerprint of content that ledgers of earlier releases hold.

    It leaves out less than what is compared now: it only shows that something is as it
    was, never that it was edited.
    """
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
