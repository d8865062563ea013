"""What a token of the destination may do: scopes, spaces, expiry; and what a 403 means.

Source: destination, scoped tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.reading import parse_time

SETTINGS: Final = "the account settings under Personal access tokens"
UNSCOPED_END: Final = "2026-11-30"
"""Unscoped tokens stop working on this day, whatever expiry they have."""
_LEGACY = "legacy_token"
_IMPLIED = {"publish": ("write", "read"), "write": ("read",)}
_INSUFFICIENT = re.compile(r"Insufficient scope: (\S+) is required")
_OTHER_SPACE = (
    "This token does not have access to this space",
    "This token is restricted to specific spaces",
)
_UNSUPPORTED = "This endpoint does not support this token type"


@dataclass(frozen=True, slots=True)
class TokenRights:
    """What a token may do, as the service reports it."""

    kind: str = ""
    scopes: frozenset[str] | None = None
    """With those that they imply; None: all rights of the token's user, or unread."""
    spaces: frozenset[str] = frozenset()
    """Empty: all spaces."""
    expires_at: str = ""
    unread: str = ""
    """Why the rights could not be read; empty where they were."""

    @property
    def is_unscoped(self) -> bool:
        """Return whether it is one of the tokens that end on `UNSCOPED_END`."""
        return self.kind == _LEGACY

    @property
    def expiry(self) -> datetime | None:
        """Return when the token expires; None: never, or the service does not say."""
        return parse_time(self.expires_at)

    def allows(self, scope: str) -> bool:
        """Return whether the token has a scope, or one that implies it."""
        return self.scopes is None or scope in self.scopes

    def reaches(self, space_id: str) -> bool:
        """Return whether the space is among those of the token."""
        return not self.spaces or space_id in self.spaces


def token_rights(record: JsonObject) -> TokenRights:
    """Read what the service says about the token."""
    kind = record.get("type")
    listed = record.get("scopes")
    unlimited = record.get("user_permission") is True or kind == _LEGACY
    scopes = (
        None if unlimited or not isinstance(listed, list) else _with_implied(listed)
    )
    spaces = record.get("space_ids")
    expires = record.get("expires_at")
    return TokenRights(
        kind=kind if isinstance(kind, str) else "",
        scopes=scopes,
        spaces=frozenset(map(str, spaces if isinstance(spaces, list) else [])),
        expires_at=expires if isinstance(expires, str) else "",
    )


def _with_implied(scopes: Iterable[Json]) -> frozenset[str]:
    found: set[str] = set()
    for scope in map(str, scopes):
        resource, _, action = scope.partition(":")
        implied = (f"{resource}:{each}" for each in _IMPLIED.get(action, ()))
        found.update((scope, *implied))
    return frozenset(found)


def token_advice(text: str, space_id: str) -> str:
    """Return what to do about a 403 that says `text`, without a stop at its end.

    A text that is none of the four about tokens is about the token's user.
    """
    if found := _INSUFFICIENT.search(text):
        scope = found[1].rstrip(".;")
        return (
            f"the token lacks the scope {scope}: make one that has it in {SETTINGS}; "
            "`cmsmig check` lists all scopes that are missing"
        )
    if any(each in text for each in _OTHER_SPACE):
        return (
            f"the token does not cover space {space_id}: make one that does in "
            f"{SETTINGS}, or correct space_id"
        )
    if _UNSUPPORTED in text:
        return (
            "the service takes no personal access token with scopes for this call: "
            f"look at the kind of the token in {SETTINGS}"
        )
    return (
        "this is not about the token: its user may not do this in space "
        f"{space_id}, so ask an administrator of the space for a role that may"
    )
